"""Cubins and fatbins: a module at any level as what the driver loads."""

from __future__ import annotations

import subprocess
import tempfile
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.ptx_tools import AssemblerError, assemble, required_program

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp


def emit_binary(output_format: str, ctx: Context, module: ModuleOp) -> bytes:
    """
    Lower what is left to lower, and assemble, for the module's target.

    A `cubin` is machine code; a `fatbin` holds it and the PTX text.

    Raises:
        CompileError: the module is refused, by a pass or by ptxas, or a program of the
            CUDA toolkit is missing.
    """
    ptx, target = _text(ctx, module)
    try:
        cubin = assemble(ptx, target).cubin
        return cubin if output_format == "cubin" else _fatbin(ptx, cubin, target)
    except FileNotFoundError as error:
        fail(None, str(error))
    except AssemblerError as error:
        fail(module, f"ptxas refuses the text for {target}:\n{error}")


def _text(ctx: Context, module: ModuleOp) -> tuple[str, str]:
    """The PTX text of a module at any level, and its target."""
    from croqtile_mlir.dialects.ptx.structure import ModuleOp as PTXModuleOp
    from croqtile_mlir.pass_manager.running import parse_passes, run_passes
    from croqtile_mlir.pipeline import level_of, passes_below
    from croqtile_mlir.targets.ptx import PTXTarget

    left = [text for _, text in passes_below(level_of(module))]
    if left:
        run_passes(ctx, module, parse_passes(",".join(["set-target", *left])))
    output = StringIO()
    PTXTarget().emit(ctx, module, output)
    target = next(op.target.data for op in module.walk() if isinstance(op, PTXModuleOp))
    return output.getvalue(), target


def _fatbin(ptx: str, cubin: bytes, target: str) -> bytes:
    program = required_program("fatbinary", "nvidia-cuda-nvcc")
    number = target.removeprefix("sm_")
    with tempfile.TemporaryDirectory() as folder:
        files = {"elf": ("kernel.cubin", cubin), "ptx": ("kernel.ptx", ptx.encode())}
        for name, data in files.values():
            (Path(folder) / name).write_bytes(data)
        images = [
            f"--image3=kind={kind},sm={number},file={name}"
            for kind, (name, _) in files.items()
        ]
        done = subprocess.run(
            [program, "--create=kernel.fatbin", "-64", *images],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise AssemblerError((done.stdout + done.stderr).strip())
        return (Path(folder) / "kernel.fatbin").read_bytes()
