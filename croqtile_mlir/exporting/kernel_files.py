"""`croqtile_mlir.export`: a kernel as code and a C header."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.exporting.c_header import Header
from croqtile_mlir.kernel import Kernel, check_kernel
from croqtile_mlir.ptx_tools import assemble
from croqtile_mlir.storage.whole_files import write_whole


@dataclass(frozen=True)
class Exported:
    """The files of an exported kernel."""

    header: Path
    """Loads and launches the kernel through the CUDA driver: C11 and C++11."""

    cubin: Path
    """Machine code for the kernel's target."""

    ptx: Path
    """The text that the driver of any later device of the target's kind assembles."""


def export(
    kernel: Kernel, directory: str | os.PathLike[str], *, name: str | None = None
) -> Exported:
    """Write a kernel to `directory`: `NAME.cubin`, `NAME.ptx` and `NAME.h`.

    The header has a struct of the arguments, and functions that load the kernel, check
    arguments and launch it; it needs `cuda.h` and the driver, and no Python. `name` is
    that of the files and the prefix of what the header defines; by default that of the
    kernel. The directory is made where there is none. Files are written when everything
    has been made: an error leaves those that are there as they were.

    Raises:
        ArgumentError: `name` is not an identifier of C, or `kernel` no kernel.
        FileNotFoundError: there is no ptxas.
        AssemblerError: ptxas refuses the kernel.
        OSError: a file cannot be written.
    """
    check_kernel(kernel)
    prefix = kernel.name if name is None else str(name)
    if not (prefix.isascii() and prefix.isidentifier()):
        raise ArgumentError(f"name must be an identifier of C, got {prefix!r}")
    header = Header(prefix, kernel.name, kernel.plan).text()
    cubin = assemble(kernel.ptx, kernel.plan.target).cubin
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    made = Exported(*(folder / f"{prefix}.{kind}" for kind in ("h", "cubin", "ptx")))
    write_whole(made.cubin, cubin)
    write_whole(made.ptx, kernel.ptx.encode())
    write_whole(made.header, header.encode())
    return made
