"""Ops of the lanes of a warp, against formulas written out lane by lane."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from .hardware_kernels import (
    Tile,
    kernel_text,
    load_lane,
    names,
    run_right,
    run_text,
    store_lane,
)

X, Y = Tile("x", "i32", (32,)), Tile("y", "i32", (32,))


def lanes(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.integers(-(2**31), 2**31, 32).astype(np.int32)


def shuffled(kind: str, lane: int, by: int, clamp: int) -> int:
    """The lane that is read. PTX ISA, shfl.sync."""
    bound, segment = clamp & 31, clamp >> 8 & 31
    highest = (lane & segment) | (bound & ~segment)
    lowest = lane & segment
    if kind == "up":
        return lane - by if lane - by >= highest else lane
    if kind == "down":
        return lane + by if lane + by <= highest else lane
    if kind == "bfly":
        return lane ^ by if lane ^ by <= highest else lane
    source = lowest | (by & ~segment)
    return source if source <= highest else lane


@pytest.mark.parametrize("clamp", [0x1F, 0x181F, 0x0, 0x1C03, 0x1800])
@pytest.mark.parametrize("by", [0, 1, 3, 16, 31])
@pytest.mark.parametrize("kind", ["idx", "up", "down", "bfly"])
def test_shuffle(kind: str, by: int, clamp: int) -> None:
    x, y = lanes(by + clamp), np.zeros(32, np.int32)
    body = f"""{load_lane("x", "v")}
%by = arith.constant {by} : i32
%clamp = arith.constant {clamp} : i32
%r = nvvm.shfl.sync {kind} %all, %v, %by, %clamp : i32 -> i32
{store_lane("r", "y")}"""
    run_right(kernel_text([X, Y], body), (x, y))
    expected = [x[shuffled(kind, lane, by, clamp)] for lane in range(32)]
    np.testing.assert_array_equal(y, expected)


REDUCTIONS: dict[str, Callable[[np.ndarray], int]] = {
    "add": lambda x: int(x.astype(np.int64).sum()),
    "min": lambda x: int(x.min()),
    "max": lambda x: int(x.max()),
    "umin": lambda x: int(x.view(np.uint32).min()),
    "umax": lambda x: int(x.view(np.uint32).max()),
    "and": lambda x: int(np.bitwise_and.reduce(x)),
    "or": lambda x: int(np.bitwise_or.reduce(x)),
    "xor": lambda x: int(np.bitwise_xor.reduce(x)),
}


@pytest.mark.parametrize("kind", REDUCTIONS)
def test_reduction(kind: str) -> None:
    x, y = lanes(5), np.zeros(32, np.int32)
    body = f"""{load_lane("x", "v")}
%r = nvvm.redux.sync {kind} %v, %all : i32 -> i32
{store_lane("r", "y")}"""
    run_right(kernel_text([X, Y], body), (x, y))
    expected = np.array([REDUCTIONS[kind](x) & 0xFFFFFFFF], np.uint32).view(np.int32)
    np.testing.assert_array_equal(y, np.full(32, expected[0]))


@pytest.mark.parametrize("limit", [0, 7, 32])
def test_votes(limit: int) -> None:
    y = [np.zeros(32, np.int32) for _ in range(4)]
    kinds = ("ballot", "any", "all", "uni")
    tiles = [Tile(f"to_{kind}", "i32", (32,)) for kind in kinds]
    body = f"""%limit = arith.constant {limit} : i32
%p = arith.cmpi slt, %tid, %limit : i32
"""
    for kind in kinds:
        type_ = "i32" if kind == "ballot" else "i1"
        body += f"%{kind}_r = nvvm.vote.sync {kind} %all, %p -> {type_}\n"
        if type_ == "i1":
            body += f"%{kind}_w = arith.extui %{kind}_r : i1 to i32\n"
        body += store_lane(f"{kind}_{'r' if type_ == 'i32' else 'w'}", f"to_{kind}")
    run_right(kernel_text(tiles, body), y)
    bits = np.array([2**limit - 1], np.uint64).astype(np.uint32).view(np.int32)[0]
    assert [set(each.tolist()) for each in y] == [
        {int(bits)},
        {int(limit > 0)},
        {int(limit == 32)},
        {int(limit in (0, 32))},
    ]


def test_election_among_the_active_lanes() -> None:
    y = np.zeros(64, np.int32)
    body = f"""%low = arith.constant 9 : i32
%lane = nvvm.read.ptx.sreg.laneid : i32
%p = arith.cmpi sge, %lane, %low : i32
%mask = arith.constant -512 : i32
scf.if %p {{
  %e = nvvm.elect.sync %mask -> i1
  %w = arith.extui %e : i1 to i32
  {store_lane("w", "y")}
}}"""
    run_right(kernel_text([Tile("y", "i32", (64,))], body, threads=64), [y])
    assert np.nonzero(y)[0].tolist() == [9, 41]


@pytest.mark.parametrize(
    "op",
    [
        "%r = nvvm.shfl.sync idx %all, %tid, %i3, %i9 : i32 -> i32",
        "%r = nvvm.redux.sync add %tid, %all : i32 -> i32",
        "nvvm.bar.warp.sync %all : i32",
        "nvvm.barrier",
        "nvvm.wgmma.fence.aligned",
        "nvvm.setmaxregister decrease 40",
    ],
)
def test_collective_ops_of_some_lanes(op: str) -> None:
    body = f"""%p = arith.cmpi slt, %tid, %i5 : i32
scf.if %p {{
  {op}
}}"""
    report = run_text(kernel_text([], body, threads=128), [])
    assert "PARTICIPATION" in names(report.faults)


@pytest.mark.parametrize("synchronised", [False, True])
def test_lanes_share_memory_only_over_a_warp_barrier(synchronised: bool) -> None:
    y = np.zeros(32, np.int32)
    body = f"""%to = llvm.getelementptr %smem[%lane_offset]
  : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
%v = arith.muli %tid, %i7 : i32
llvm.store %v, %to : i32, !llvm.ptr<3>
{"nvvm.bar.warp.sync %all : i32" if synchronised else ""}
%last = arith.constant 31 : i32
%other = arith.subi %last, %tid : i32
%offset = arith.muli %other, %i4 : i32
%from = llvm.getelementptr %smem[%offset]
  : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
%r = llvm.load %from : !llvm.ptr<3> -> i32
{store_lane("r", "y")}"""
    report = run_text(kernel_text([Y], body), [y])
    assert names(report.faults) == (set() if synchronised else {"RACE"})
    np.testing.assert_array_equal(y, 7 * np.arange(31, -1, -1))
