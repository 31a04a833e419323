"""What the hardware level becomes assembles, and keeps accumulators in place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr

from croqtile_mlir.context import new_context
from croqtile_mlir.dialects.ptx.structure import ModuleOp as PTXModuleOp
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.pass_manager.running import parse_passes, run_passes
from croqtile_mlir.ptx_tools import AssemblyResult, assemble, find_ptxas
from croqtile_mlir.targets.ptx import ptx_text

_PASSES = Path(__file__).parents[1] / "passes"
_MATMUL = _PASSES / "Inputs" / "matmul_1p1c.mlir"
_IN_FLIGHT = _PASSES / "Inputs" / "matmul_in_flight.mlir"

needs_ptxas = pytest.mark.skipif(
    find_ptxas() is None, reason="ptxas is neither on PATH nor installed as a wheel"
)


def _convert(text: str, name: str, target: str | None = None) -> ModuleOp:
    ctx = new_context()
    module = parse_text(ctx, text, name)
    if target is not None:
        module.attributes["croq.target"] = StringAttr(target)
    pipeline = "convert-to-ptx,assign-registers,check-level{level=ptx}"
    run_passes(ctx, module, parse_passes(pipeline))
    return module


def _assemble(module: ModuleOp) -> AssemblyResult:
    ptx = next(op for op in module.ops if isinstance(op, PTXModuleOp))
    return assemble(ptx_text(module), ptx.target.data)


def _loops(ptx: str) -> list[str]:
    """The text from each label to a branch back to it."""
    return [
        match[0]
        for match in re.finditer(
            r"^(\$L_\w+):$.*?\bbra \1;$", ptx, re.MULTILINE | re.DOTALL
        )
    ]


@needs_ptxas
@pytest.mark.parametrize(
    "path", sorted(_PASSES.glob("convert-to-ptx*.mlir")), ids=lambda path: path.stem
)
def test_everything_assembles(path: Path) -> None:
    result = _assemble(_convert(path.read_text(), path.name))
    assert result.spill_bytes == 0
    assert result.warnings == ()


@needs_ptxas
@pytest.mark.parametrize(
    "path", [_MATMUL, _IN_FLIGHT], ids=["waits for all", "one group in flight"]
)
def test_matmul_is_not_serialized(path: Path) -> None:
    """ptxas tells of serialised wgmma (C7514) and of what it had to inject (C75..)."""
    result = _assemble(_convert(path.read_text(), path.name))
    assert result.warnings == ()
    assert result.spill_bytes == 0
    assert result.registers <= 232


@pytest.mark.parametrize("path", [_MATMUL, _IN_FLIGHT], ids=lambda path: path.stem)
def test_accumulators_are_not_moved_in_loops(path: Path) -> None:
    ptx = ptx_text(_convert(path.read_text(), path.name))
    loops = [loop for loop in _loops(ptx) if "wgmma.mma_async" in loop]
    assert len(loops) == 1
    assert not re.search(r"\bmov\.\w+ %f", loops[0])
    # Two accumulators of 64 registers for eight wgmma.
    used = re.findall(r"wgmma\.mma_async\S+ \{(.*?)\}", loops[0])
    assert len(used) == 8
    assert len({*used}) == 2


@needs_ptxas
def test_another_target() -> None:
    """Nothing of the conversion is tied to one architecture."""
    text = """
    gpu.module @m {
      llvm.mlir.global external @smem() {addr_space = 3 : i32} : !llvm.array<0 x i8>
      llvm.func @k(%g: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
        %s = llvm.mlir.addressof @smem : !llvm.ptr<3>
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
        %t = nvvm.read.ptx.sreg.tid.x : i32
        %p = llvm.getelementptr %g[%t]
          : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
        %q = llvm.getelementptr %s[%t]
          : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
        nvvm.cp.async.shared.global %q, %p, 16, cache = cg
          : !llvm.ptr<3>, !llvm.ptr<1>
        nvvm.cp.async.commit.group
        nvvm.cp.async.wait.group 0
        nvvm.barrier
        %b = llvm.load %q : !llvm.ptr<3> -> bf16
        %f = arith.extf %b : bf16 to f32
        scf.for %i = %c0 to %n step %c1 : i32 {
          llvm.store %f, %g : f32, !llvm.ptr<1>
        }
        llvm.return
      }
    }
    """
    module = _convert(text, "sm_80", "sm_80")
    ptx = ptx_text(module)
    assert ptx.startswith(".version 7.0\n.target sm_80\n")
    assert _assemble(module).warnings == ()


def test_several_modules_become_one() -> None:
    text = """
    gpu.module @a {
      llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 128 : i64}
        : !llvm.array<0 x i8>
      llvm.func @one() attributes {nvvm.kernel} { llvm.return }
    }
    gpu.module @b {
      llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64}
        : !llvm.array<0 x i8>
      llvm.func @two() attributes {nvvm.kernel} { llvm.return }
    }
    """
    ptx = ptx_text(_convert(text, "several"))
    assert ptx.count(".extern .shared .align 1024 .b8 smem[];") == 1
    assert ptx.count(".visible .entry one()") == 1
    assert ptx.count(".visible .entry two()") == 1


def test_locations_are_kept() -> None:
    """`.loc` names the line of the hardware level that an instruction comes from."""
    text = _MATMUL.read_text()
    module = _convert(text, "matmul.mlir")
    ptx = ptx_text(module, line_info=True)
    line = next(
        number
        for number, line in enumerate(text.splitlines(), 1)
        if "nvvm.wgmma.fence.aligned" in line
    )
    assert re.search(rf"\.loc 1 {line} \d+\n\twgmma\.fence\.sync\.aligned;", ptx), (
        "the fence must follow its location"
    )
    assert '.file 1 "matmul.mlir"' in ptx


@needs_ptxas
def test_line_info_assembles() -> None:
    module = _convert(_MATMUL.read_text(), "matmul.mlir")
    result = assemble(ptx_text(module, line_info=True), "sm_90a")
    assert b"matmul.mlir" in result.cubin
    assert result.warnings == ()


def test_a_clone_of_a_module_prints_the_same():
    """With its ops in the one block that it has."""
    for body in ("", "ptx.entry @k parameters [] { ptx.ret }"):
        text = f'ptx.module version "8.0" target "sm_90a" {{ {body} }}'
        module = parse_text(new_context(), text, "k.mlir")
        clone = module.clone()
        clone.verify()
        assert str(clone) == str(module)
