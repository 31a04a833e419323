"""What the ptx level prints is accepted by ptxas."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqtile_mlir.context import new_context
from croqtile_mlir.dialects.ptx.instruction import AssemblyOp
from croqtile_mlir.dialects.ptx.structure import ModuleOp
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.pass_manager.running import verify_module
from croqtile_mlir.ptx_tools import (
    AssemblerError,
    assemble,
    disassemble,
    find_nvdisasm,
    find_ptxas,
)
from croqtile_mlir.targets.ptx import ptx_text

_DIALECT = Path(__file__).parents[1] / "dialects" / "ptx"

needs_ptxas = pytest.mark.skipif(
    find_ptxas() is None, reason="ptxas is neither on PATH nor installed as a wheel"
)


def _print(path: Path) -> tuple[str, str]:
    """The PTX of a file at the ptx level, and its target."""
    module = parse_text(new_context(), path.read_text(), path.name)
    verify_module(module)
    ptx = next(op for op in module.ops if isinstance(op, ModuleOp))
    return ptx_text(module), ptx.target.data


@needs_ptxas
@pytest.mark.parametrize("path", sorted(_DIALECT.glob("*.mlir")), ids=lambda p: p.stem)
def test_every_instruction_assembles(path: Path) -> None:
    text, target = _print(path)
    result = assemble(text, target)
    assert result.cubin.startswith(b"\x7fELF")
    assert result.warnings == ()


@needs_ptxas
def test_versions_of_instructions_suffice() -> None:
    """ptxas takes a text of the lowest version that its ops say they need."""
    for path in sorted(_DIALECT.glob("*.mlir")):
        text, target = _print(path)
        module = parse_text(new_context(), path.read_text(), path.name)
        needed = max(
            op.needs_version() for op in module.walk() if isinstance(op, AssemblyOp)
        )
        lowest = {"sm_80": (7, 0), "sm_90": (7, 8), "sm_90a": (8, 0)}[target]
        major, minor = max(needed, lowest)
        _, _, rest = text.partition("\n")
        assemble(f".version {major}.{minor}\n{rest}", target)


@needs_ptxas
def test_assembler_errors_are_reported() -> None:
    with pytest.raises(AssemblerError, match="Parsing error"):
        assemble(".version 8.0\n.target sm_90a\n.address_size 64\nnonsense", "sm_90a")


@needs_ptxas
@pytest.mark.skipif(find_nvdisasm() is None, reason="nvdisasm is not installed")
def test_disassembly() -> None:
    text, target = _print(_DIALECT / "matrix.mlir")
    assert "HGMMA" in disassemble(assemble(text, target).cubin)
