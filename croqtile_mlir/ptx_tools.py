"""
NVIDIA's assembler and disassembler, run as programs: what ptxas makes of a PTX text.

They are no part of this package. They are looked for on PATH, in `$CUDA_HOME/bin`, and
in the wheels `nvidia-cuda-nvcc` and `nvidia-cuda-nvdisasm`; neither needs a device.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

_USED_REGISTERS = re.compile(r"Used (\d+) registers")
_BARRIERS = re.compile(r"used (\d+) barriers")
_SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
_SHARED = re.compile(r"(\d+) bytes smem")
_STACK = re.compile(r"(\d+) bytes stack frame")
_ADVICE = re.compile(r"\(C75\d\d\)|C75\d\d")


class AssemblerError(RuntimeError):
    """The assembler refused a text; the message is its own."""


@dataclass(frozen=True)
class AssemblyResult:
    """What ptxas made of a PTX text; numbers are the largest over its kernels."""

    cubin: bytes
    registers: int
    spill_bytes: int
    """Bytes stored to and loaded from local memory for want of registers."""

    stack_bytes: int
    shared_bytes: int
    """Static shared memory."""

    barriers: int
    """Hardware barriers of a block, barrier 0 included."""

    messages: tuple[str, ...]
    """The lines that ptxas printed."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """
        The messages that tell of lost performance or of something ignored: warnings,
        and the C75xx advice such as "wgmma.mma_async instructions are serialized".
        """
        return tuple(
            line
            for line in self.messages
            if "warning" in line.lower() or _ADVICE.search(line)
        )


def _wheel_folders() -> list[Path]:
    """The `bin` folders of NVIDIA's wheels, newest first."""
    spec = find_spec("nvidia")
    roots = spec.submodule_search_locations if spec is not None else None
    return [
        folder
        for root in roots or ()
        for pattern in ("cu*/bin", "cuda_nv*/bin")
        for folder in sorted(Path(root).glob(pattern), reverse=True)
    ]


def find_program(name: str) -> Path | None:
    """Where a program of the CUDA toolkit is, None when it is nowhere."""
    found = shutil.which(name)
    if found is not None:
        return Path(found)
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    folders = [Path(home) / "bin"] if home else []
    for folder in (*folders, *_wheel_folders()):
        found = shutil.which(name, path=str(folder))
        if found is not None:
            return Path(found)
    return None


def find_ptxas() -> Path | None:
    """Where ptxas is, None when it is nowhere."""
    return find_program("ptxas")


def find_nvdisasm() -> Path | None:
    """Where nvdisasm is, None when it is nowhere."""
    return find_program("nvdisasm")


def required_program(name: str, wheel: str) -> Path:
    """Where a program is; `FileNotFoundError` where it is nowhere."""
    found = find_program(name)
    if found is None:
        raise FileNotFoundError(
            f"{name} must be on PATH, in $CUDA_HOME/bin or installed from the wheel "
            f"{wheel}, found none"
        )
    return found


def _largest(pattern: re.Pattern[str], text: str) -> int:
    """The largest sum of a match's numbers, zero without a match."""
    return max(
        (sum(int(n) for n in match.groups()) for match in pattern.finditer(text)),
        default=0,
    )


def assemble(ptx: str, arch: str, *options: str) -> AssemblyResult:
    """
    Assemble a PTX text for an architecture (`sm_90a`).

    Raises:
        FileNotFoundError: there is no ptxas.
        AssemblerError: ptxas refuses the text.
    """
    ptxas = required_program("ptxas", "nvidia-cuda-nvcc")
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "kernel.ptx", Path(folder) / "kernel.cubin"
        source.write_text(ptx)
        done = subprocess.run(
            [ptxas, "-v", f"-arch={arch}", *options, source.name, "-o", target.name],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        output = done.stdout + done.stderr
        if done.returncode != 0:
            raise AssemblerError(output.strip())
        cubin = target.read_bytes()
    return AssemblyResult(
        cubin=cubin,
        registers=_largest(_USED_REGISTERS, output),
        spill_bytes=_largest(_SPILLS, output),
        stack_bytes=_largest(_STACK, output),
        shared_bytes=_largest(_SHARED, output),
        barriers=_largest(_BARRIERS, output),
        messages=tuple(line for line in output.splitlines() if line.strip()),
    )


def disassemble(cubin: bytes) -> str:
    """
    The machine code of a cubin as text (SASS).

    Raises:
        FileNotFoundError: there is no nvdisasm.
        AssemblerError: nvdisasm refuses the cubin.
    """
    nvdisasm = required_program("nvdisasm", "nvidia-cuda-nvdisasm")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernel.cubin"
        source.write_bytes(cubin)
        done = subprocess.run(
            [nvdisasm, "-c", source.name],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode != 0:
        raise AssemblerError((done.stdout + done.stderr).strip())
    return done.stdout
