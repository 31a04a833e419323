"""The instructions of Ampere assemble for all its targets, and for those after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr

from croqtile_mlir.context import new_context
from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.dialects.nvvm.matrix import F16X2, INTEGERS, MMA_KINDS
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.pass_manager.running import parse_passes, run_passes
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.targets.architecture import ARCHITECTURES, SM_80, Architecture
from croqtile_mlir.targets.ptx import ptx_text

needs_ptxas = pytest.mark.skipif(
    find_ptxas() is None, reason="ptxas is neither on PATH nor installed as a wheel"
)


def products() -> str:
    """Every form of `mma.sync`, each on registers that are stored, so that it stays."""
    lines: list[str] = []
    for number, ((extents, element), kind) in enumerate(MMA_KINDS.items()):
        for sums, (type_c, count) in enumerate(kind.c):
            a, b = (
                ", ".join(["%v" if side[0] == F16X2 else "%i"] * side[1])
                for side in (kind.a, kind.b)
            )
            value = {"f32": "%f", "i32": "%i"}.get(str(type_c), "%v")
            c = ", ".join([value] * count)
            struct = f"!llvm.struct<({', '.join([str(type_c)] * count)})>"
            overflow = ""
            if element in INTEGERS:
                overflow = "intOverflowBehavior = #nvvm.mma_int_overflow<satfinite>, "
            shape = "m = {}, n = {}, k = {}".format(*extents)
            name = f"%d{number}_{sums}"
            lines.append(f"""
{name} = nvvm.mma.sync A[{a}] B[{b}] C[{c}] {{layoutA = #nvvm.mma_layout<row>,
  layoutB = #nvvm.mma_layout<col>, {overflow}
  multiplicandAPtxType = #nvvm.mma_type<{element.value}>,
  multiplicandBPtxType = #nvvm.mma_type<{element.value}>, shape = #nvvm.shape<{shape}>}}
  : ({kind.a[0]}, {kind.b[0]}, {type_c}) -> {struct}
{name}_0 = llvm.extractvalue {name}[0] : {struct}
llvm.store {name}_0, %g : {type_c}, !llvm.ptr<1>""")
    return "\n".join(lines)


def loads() -> str:
    """Every form of `ldmatrix`."""
    lines: list[str] = []
    for count in (1, 2, 4):
        for layout in ("row", "col"):
            name = f"%m{count}_{layout}"
            struct = f"!llvm.struct<({', '.join(['i32'] * count)})>"
            lines.append(f"""
{name} = nvvm.ldmatrix %s {{num = {count} : i32, layout = #nvvm.mma_layout<{layout}>,
  shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>,
  eltType = #nvvm.ld_st_matrix_elt_type<b16>}}
  : (!llvm.ptr<3>) -> {"i32" if count == 1 else struct}""")
            value = name
            if count > 1:
                value = f"{name}_0"
                lines.append(f"{value} = llvm.extractvalue {name}[0] : {struct}")
            lines.append(f"llvm.store {value}, %g : i32, !llvm.ptr<1>")
    return "\n".join(lines)


KERNEL = f"""
gpu.module @m {{
llvm.func @k(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %i: i32, %f: f32)
    attributes {{nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>}} {{
%v = llvm.bitcast %i : i32 to vector<2xf16>
%t = nvvm.convert.float.to.tf32 %f {{rnd = #nvvm.fp_rnd_mode<rna>}}
llvm.store %t, %g : i32, !llvm.ptr<1>
%all = arith.constant -1 : i32
%one = arith.constant 1 : i32
nvvm.mbarrier.init %s, %one : !llvm.ptr<3>, i32
%state = nvvm.mbarrier.arrive %s : !llvm.ptr<3> -> i64
nvvm.mbarrier.arrive %s : !llvm.ptr<3>
%early = nvvm.mbarrier.arrive.nocomplete %s, %one : !llvm.ptr<3>, i32 -> i64
nvvm.cp.async.mbarrier.arrive %s : !llvm.ptr<3>
nvvm.cp.async.mbarrier.arrive %s {{noinc = true}} : !llvm.ptr<3>
%ready = nvvm.mbarrier.test.wait %s, %one : !llvm.ptr<3>, i32 -> i1
%done = nvvm.mbarrier.test.wait %s, %state : !llvm.ptr<3>, i64 -> i1
%both = arith.andi %ready, %done : i1
scf.if %both {{ llvm.store %i, %g : i32, !llvm.ptr<1> }}
nvvm.nanosleep %i
nvvm.bar.warp.sync %all : i32
nvvm.barrier id = %one number_of_threads = %i
{products()}
{loads()}
llvm.return
}}
}}
"""


def converted(text: str, target: str) -> ModuleOp:
    """A module of the ptx level."""
    ctx = new_context()
    module = parse_text(ctx, text, "<test>")
    module.attributes["croq.target"] = StringAttr(target)
    run_passes(ctx, module, parse_passes("convert-to-ptx,assign-registers"))
    return module


@needs_ptxas
@pytest.mark.parametrize("target", ARCHITECTURES)
def test_all_assemble(target: str):
    text = ptx_text(converted(KERNEL, target))
    assert f".target {target}" in text
    assert assemble(text, target).warnings == ()
    forms = sum(len(kind.c) for kind in MMA_KINDS.values())
    assert text.count("mma.sync.aligned") == forms
    assert text.count("ldmatrix.sync.aligned") == 6


@needs_ptxas
@pytest.mark.parametrize("later", ["sm_86", "sm_89", "sm_90", "sm_90a"])
def test_text_for_the_first_target_is_for_later_ones(later: str):
    text = ptx_text(converted(KERNEL, "sm_80"))
    assert assemble(text, later).warnings == ()


def test_every_form_is_in_the_tables():
    """The forms that the op admits are those that the targets list."""
    names = {"s8": "i8"}
    admitted = {
        (extents[2], names.get(element.value, element.value), str(type_c))
        for (extents, element), kind in MMA_KINDS.items()
        for type_c, _ in kind.c
    }
    found = {
        (shape.k, shape.operand, shape.accumulator.replace("f16", "vector<2xf16>"))
        for shape in SM_80.mma
    }
    assert found == admitted


def test_a_target_without_a_shape(monkeypatch: pytest.MonkeyPatch):
    kept = tuple(s for s in SM_80.mma if (s.operand, s.k) != ("tf32", 4))
    fewer: Mapping[str, Architecture] = {"sm_80": replace(SM_80, mma=kept)}
    monkeypatch.setattr("croqtile_mlir.targets.architecture.ARCHITECTURES", fewer)
    expected = "a target that has m16n8k4 of tf32 with sums in f32, got sm_80"
    with pytest.raises(CompileError, match=expected):
        converted(KERNEL, "sm_80")
