"""
`ldmatrix` and `mma.sync` at hardware level: values, and what is wrong around them.

What the simulator reports of a kernel, the static verifier refutes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from croqtile_mlir.analysis.sync.execution.decision import decide
from croqtile_mlir.analysis.sync.hardware.kernel import programs
from croqtile_mlir.analysis.sync.model import Program
from croqtile_mlir.analysis.sync.verdicts import Proved, Refuted, Rule
from croqtile_mlir.compiler import source_of
from croqtile_mlir.context import new_context
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.simulator.faults import FaultKind

from .hardware_kernels import (
    POLICIES,
    Tile,
    kernel_text,
    names,
    run_ptx,
    run_right,
    run_text,
    texts,
)

THREADS = 64
ROWS = 64
"""Rows of 16 bytes in shared memory; thread t stores row t."""

Array = NDArray[Any]

STORE = """%row_bytes = arith.constant 16 : i32
%mine = arith.muli %tid, %row_bytes : i32
%from = llvm.getelementptr %x[%mine] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
%to = llvm.getelementptr %smem[%mine] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
%sixteen = llvm.load %from {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
llvm.store %sixteen, %to {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
"""
LATE = """%row_bytes = arith.constant 16 : i32
%mine = arith.muli %tid, %row_bytes : i32
%from = llvm.getelementptr %x[%mine] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
%to = llvm.getelementptr %smem[%mine] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
nvvm.cp.async.shared.global %to, %from, 16, cache = cg
  : !llvm.ptr<3>, !llvm.ptr<1>
"""
LANDED = "nvvm.cp.async.wait.group 0\n"
COMMIT = "nvvm.cp.async.commit.group\n"
BARRIER = "nvvm.barrier\n"
WARP_BARRIER = "nvvm.bar.warp.sync %all : i32\n"

# The row of each thread, from its number.
SAME = "%row = arith.addi %tid, %i0 : i32\n"
OTHER = "%far = arith.constant 32 : i32\n%row = arith.xori %tid, %far : i32\n"
MIXED = """%five = arith.muli %tid, %i5 : i32
%moved = arith.addi %five, %i3 : i32
%mask = arith.constant 63 : i32
%row = arith.andi %moved, %mask : i32
"""
BEYOND = "%far = arith.constant 64 : i32\n%row = arith.addi %tid, %far : i32\n"


def load(count: int, layout: str = "row", bytes_more: int = 0) -> str:
    """An `ldmatrix` of the rows, and its registers stored to rows of `y`."""
    struct = f"!llvm.struct<({', '.join(['i32'] * count)})>" if count > 1 else "i32"
    text = f"""%offset = arith.muli %row, %row_bytes : i32
%shifted = arith.constant {bytes_more} : i32
%place = arith.addi %offset, %shifted : i32
%address = llvm.getelementptr %smem[%place] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
%loaded = nvvm.ldmatrix %address {{num = {count} : i32,
  layout = #nvvm.mma_layout<{layout}>,
  shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>,
  eltType = #nvvm.ld_st_matrix_elt_type<b16>}} : (!llvm.ptr<3>) -> {struct}
"""
    for index in range(count):
        value = "%loaded"
        if count > 1:
            value = f"%v{index}"
            text += f"{value} = llvm.extractvalue %loaded[{index}] : {struct}\n"
        text += f"""%t{index} = llvm.getelementptr %y[%lane_offset]
  : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
%u{index} = llvm.getelementptr %t{index}[{4 * THREADS * index}]
  : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
llvm.store {value}, %u{index} : i32, !llvm.ptr<1>
"""
    return text


def kernel(body: str, count: int = 4) -> str:
    tiles = [Tile("x", "i32", (ROWS, 4)), Tile("y", "i32", (count, THREADS))]
    return kernel_text(tiles, body, threads=THREADS)


def arrays(count: int = 4) -> tuple[Array, Array]:
    rng = np.random.default_rng(count)
    rows = rng.integers(-(2**31), 2**31, (ROWS, 4)).astype(np.int32)
    return rows, np.zeros((count, THREADS), np.int32)


def faults(text: str, count: int = 4) -> set[str]:
    """What the simulator reports under any policy."""
    found: set[str] = set()
    for policy in POLICIES:
        found |= names(run_text(text, arrays(count), policy).faults)
    return found


def rules(text: str) -> list[Rule]:
    """What the verifier refutes; none where it proves all."""
    module = parse_text(new_context(), source_of(text).text, "kernel.mlir")
    found: list[Rule] = []
    models = list(programs(module))
    assert models
    for model in models:
        verdict = decide(model) if isinstance(model, Program) else model
        assert isinstance(verdict, Refuted | Proved), verdict
        if isinstance(verdict, Refuted):
            found.append(verdict.rule)
    return found


def expected(rows: Array, row_of: Array, count: int, transposed: bool) -> Array:
    """By the PTX ISA: lane 8 i + r has row r of matrix i, which lanes 4 r .. get."""
    found = np.zeros((count, THREADS), np.int32)
    for thread in range(THREADS):
        warp, lane = divmod(thread, 32)
        for matrix in range(count):
            first = 32 * warp + 8 * matrix
            halves = rows[row_of[first : first + 8]].view(np.int16)
            halves = halves.T if transposed else halves
            pair = halves[lane // 4, lane % 4 * 2 : lane % 4 * 2 + 2]
            found[matrix, thread] = np.ascontiguousarray(pair).view(np.int32)[0]
    return found


@pytest.mark.parametrize("level", ["nvvm", "ptx"])
@pytest.mark.parametrize("layout", ["row", "col"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_rows_anywhere(count: int, layout: str, level: str) -> None:
    text = kernel(STORE + BARRIER + MIXED + load(count, layout), count)
    rows, found = arrays(count)
    if level == "ptx":
        run_ptx(text, (rows, found), "sm_80")
    else:
        run_right(text, (rows, found), "late")
    row_of = (np.arange(THREADS) * 5 + 3) & 63
    right = expected(rows, row_of, count, layout == "col")
    np.testing.assert_array_equal(found, right)


@pytest.mark.parametrize(
    "body",
    [
        STORE + BARRIER + OTHER + load(4),
        STORE + WARP_BARRIER + SAME + load(4),
        LATE + COMMIT + LANDED + BARRIER + OTHER + load(4),
        # The rows of the lanes from 8 on are not read.
        STORE
        + WARP_BARRIER
        + """%eight = arith.constant 8 : i32
%lane = nvvm.read.ptx.sreg.laneid : i32
%gives = arith.cmpi ult, %lane, %eight : i32
%far = arith.constant 32 : i32
%there = arith.xori %tid, %far : i32
%row = arith.select %gives, %tid, %there : i32
"""
        + load(1),
    ],
    ids=["block", "warp", "cp_async", "x1"],
)
def test_right(body: str) -> None:
    text = kernel(body)
    for policy in POLICIES:
        report = run_text(text, arrays(), policy)
        assert not report.faults, texts(report.faults)
    assert rules(text) == []


WRONG = {
    "no barrier": (STORE + OTHER + load(4), FaultKind.RACE, Rule.READ_BEFORE_WRITE),
    "barrier of the warp": (
        STORE + WARP_BARRIER + OTHER + load(4),
        FaultKind.RACE,
        Rule.READ_BEFORE_WRITE,
    ),
    "in flight": (
        LATE + COMMIT + BARRIER + OTHER + load(4),
        FaultKind.RACE,
        Rule.READ_BEFORE_WRITE,
    ),
    "x1 of another warp": (
        STORE + WARP_BARRIER + OTHER + load(1),
        FaultKind.RACE,
        Rule.READ_BEFORE_WRITE,
    ),
}


@pytest.mark.parametrize(("body", "fault", "rule"), WRONG.values(), ids=WRONG)
def test_unordered(body: str, fault: FaultKind, rule: Rule) -> None:
    text = kernel(body)
    assert fault.name in faults(text)
    assert rules(text) == [rule]


def test_overwritten_while_it_may_be_read() -> None:
    again = STORE.replace("%", "%again_").replace("%again_tid", "%tid")
    again = again.replace("%again_x", "%x").replace("%again_smem", "%smem")
    text = kernel(STORE + BARRIER + OTHER + load(4) + again)
    assert "RACE" in faults(text)
    assert len(rules(text)) == 1
    text = kernel(STORE + BARRIER + OTHER + load(4) + BARRIER + again)
    assert not faults(text)
    assert rules(text) == []


def test_never_written() -> None:
    text = kernel(STORE + BARRIER + BEYOND + load(4))
    assert "UNINITIALISED" in faults(text)


def test_misaligned_rows() -> None:
    text = kernel(STORE + BARRIER + SAME + load(4, bytes_more=8))
    assert "MISUSE" in faults(text)


def test_half_a_warp() -> None:
    guard = """%lane = nvvm.read.ptx.sreg.laneid : i32
%half = arith.constant 16 : i32
%lower = arith.cmpi ult, %lane, %half : i32
scf.if %lower {
"""
    text = kernel(STORE + BARRIER + SAME + guard + load(4) + "}\n")
    assert "PARTICIPATION" in faults(text)
    assert rules(text) == [Rule.BARRIER_PARTICIPATION]


PRODUCT = """%v = llvm.bitcast %tid : i32 to vector<2xf16>
%zero = arith.constant 0.0 : f32
%d = nvvm.mma.sync A[%v, %v, %v, %v] B[%v, %v] C[%zero, %zero, %zero, %zero] {
  layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
  shape = #nvvm.shape<m = 16, n = 8, k = 16>}
  : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
"""


def test_a_product_by_some_lanes() -> None:
    guard = """%few = arith.constant 40 : i32
%lower = arith.cmpi ult, %tid, %few : i32
scf.if %lower {
"""
    text = kernel(guard + PRODUCT + "}\n")
    assert "PARTICIPATION" in faults(text)
    assert rules(text) == [Rule.BARRIER_PARTICIPATION]


def test_a_product_in_a_loop_that_lanes_leave() -> None:
    loop = "scf.for %i = %i0 to %tid step %i1 : i32 {\n"
    text = kernel(loop + PRODUCT + "}\n")
    assert "PARTICIPATION" in faults(text)
    assert rules(text) == [Rule.BARRIER_PARTICIPATION]


def test_a_product_orders_nothing() -> None:
    """Whole warps execute it, but not as a barrier of what lanes store."""
    text = kernel(STORE + BARRIER + PRODUCT + OTHER + load(4))
    assert not faults(text)
    assert rules(text) == []
    text = kernel(STORE + PRODUCT + OTHER + load(4))
    assert "RACE" in faults(text)
    assert rules(text) == [Rule.READ_BEFORE_WRITE]
