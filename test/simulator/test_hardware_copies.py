"""Copies by threads and by TMA, against numpy's slices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from .hardware_kernels import (
    POLICIES,
    Tile,
    kernel_text,
    names,
    run_right,
    run_text,
    store_lane,
)

PUBLISH = (
    "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, "
    "space = #nvvm.shared_space<cta>}\n"
)
FIRST = "%first = arith.cmpi eq, %tid, %i0 : i32\n"


def wait(bar: str, parity: str = "i0") -> str:
    return f"""scf.while () : () -> () {{
  %done = nvvm.mbarrier.try_wait %{bar}, %{parity} : !llvm.ptr<3>, i32 -> i1
  %yes = arith.constant true
  %again = arith.xori %done, %yes : i1
  scf.condition(%again)
}} do {{
  scf.yield
}}
"""


def copied(words: int, source: str, target: str) -> str:
    """A warp copies words from shared memory at `source` to a tile."""
    return f"""%words = arith.constant {words} : i32
%warp_size = arith.constant 32 : i32
scf.for %w = %tid to %words step %warp_size : i32 {{
  %at = arith.muli %w, %i4 : i32
  %from = llvm.getelementptr %{source}[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  %word = llvm.load %from : !llvm.ptr<3> -> i32
  %to = llvm.getelementptr %{target}[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
  llvm.store %word, %to : i32, !llvm.ptr<1>
}}
"""


def load_kernel(shape: tuple[int, ...], box: tuple[int, ...], at: list[int]) -> str:
    """One box of i32, unswizzled, to an output of words."""
    words = int(np.prod(box))
    names_ = ", ".join(f"%c{n}" for n in range(len(at)))
    constants = "".join(
        f"%c{n} = arith.constant {value} : i32\n" for n, value in enumerate(at)
    )
    body = f"""{FIRST}{constants}
%data = llvm.getelementptr %smem[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
%far = llvm.addrspacecast %data : !llvm.ptr<3> to !llvm.ptr<7>
scf.if %first {{
  nvvm.mbarrier.init %smem, %i1 : !llvm.ptr<3>, i32
  nvvm.fence.mbarrier.init
  %bytes = arith.constant {4 * words} : i32
  nvvm.mbarrier.arrive.expect_tx %smem, %bytes : !llvm.ptr<3>, i32
  nvvm.cp.async.bulk.tensor.shared.cluster.global %far, %x_map, %smem, box[{names_}]
    : !llvm.ptr<7>, !llvm.ptr
}}
nvvm.bar.warp.sync %all : i32
{wait("smem")}{copied(words, "data", "y")}"""
    return kernel_text(
        [Tile("x", "i32", shape, box), Tile("y", "i32", (words,))],
        body,
        shared=1024 + 4 * words,
    )


BOXES = [
    ((50,), (16,), [3]),
    ((50,), (16,), [-7]),
    ((50,), (16,), [44]),
    ((50,), (16,), [60]),
    ((9, 20), (4, 8), [13, 6]),
    ((9, 20), (4, 8), [-3, -2]),
    ((5, 7, 12), (2, 3, 4), [10, 5, 4]),
    ((5, 7, 12), (2, 3, 4), [-2, -1, -1]),
    ((3, 4, 5, 8), (2, 2, 2, 4), [6, 4, 3, 2]),
    ((2, 3, 4, 5, 8), (2, 2, 2, 2, 4), [-1, 4, -1, 2, 1]),
]


@pytest.mark.parametrize("policy", ["early", "late"])
@pytest.mark.parametrize(("shape", "box", "at"), BOXES)
def test_boxes_are_zero_outside(
    shape: tuple[int, ...], box: tuple[int, ...], at: list[int], policy: str
) -> None:
    rng = np.random.default_rng(100 + sum(at))
    x = rng.integers(1, 2**31, shape).astype(np.int32)
    y = np.full(int(np.prod(box)), -1, np.int32)
    run_right(load_kernel(shape, box, at), (x, y), policy)
    expected = np.zeros(box, np.int32)
    for index in np.ndindex(*box):
        place = tuple(i + c for i, c in zip(index, at[::-1], strict=True))
        if all(0 <= p < e for p, e in zip(place, shape, strict=True)):
            expected[index] = x[place]
    np.testing.assert_array_equal(y, expected.ravel())


def stepped(old: np.ndarray, limit: np.ndarray, *, up: bool) -> np.ndarray:
    """PTX ISA, atom: `inc` and `dec`, of unsigned numbers."""
    pairs = zip(old.ravel().tolist(), limit.ravel().tolist(), strict=True)
    found: list[int] = []
    for signed, other in pairs:
        a, b = signed % 2**32, other % 2**32
        if up:
            found.append(0 if a >= b else a + 1)
        else:
            found.append(b if a == 0 or a > b else a - 1)
    return np.array(found, np.uint32).view(np.int32).reshape(old.shape)


COMBINE: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "min": np.minimum,
    "max": np.maximum,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "inc": lambda a, b: stepped(a, b, up=True),
    "dec": lambda a, b: stepped(a, b, up=False),
}


@pytest.mark.parametrize("kind", COMBINE)
def test_reducing_stores(kind: str) -> None:
    rng = np.random.default_rng(8)
    x = rng.integers(-3, 4, 32).astype(np.int32)
    y = rng.integers(-3, 4, (4, 8)).astype(np.int32)
    before = y.copy()
    body = f"""{FIRST}
%x_at = llvm.getelementptr %x[%lane_offset] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
%v = llvm.load %x_at : !llvm.ptr<1> -> i32
%to = llvm.getelementptr %smem[%lane_offset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
llvm.store %v, %to : i32, !llvm.ptr<3>
{PUBLISH}nvvm.bar.warp.sync %all : i32
scf.if %first {{
  nvvm.cp.async.bulk.tensor.reduce %y_map, %smem, box[%i0, %i0]
    {{redKind = #nvvm.tma_redux_kind<{kind}>}} : !llvm.ptr, !llvm.ptr<3>
  nvvm.cp.async.bulk.commit.group
  nvvm.cp.async.bulk.wait_group 0 {{read}}
}}"""
    tiles = [Tile("x", "i32", (32,)), Tile("y", "i32", (4, 8), (4, 8))]
    run_right(kernel_text(tiles, body), (x, y))
    np.testing.assert_array_equal(y, COMBINE[kind](before, x.reshape(4, 8)))


def thread_copies(waits: str, sizes: str = "") -> str:
    """Two groups of 4-byte copies; then every lane stores a word of each."""
    body = f"""%x_at = llvm.getelementptr %x[%lane_offset]
  : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
%next = llvm.getelementptr %x_at[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
%a = llvm.getelementptr %smem[%lane_offset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
%b = llvm.getelementptr %a[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
nvvm.cp.async.shared.global %a, %x_at, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
nvvm.cp.async.commit.group
%count = arith.andi %tid, %i3 : i32
nvvm.cp.async.shared.global %b, %next, 4, cache = ca, %count
  : !llvm.ptr<3>, !llvm.ptr<1>, i32
nvvm.cp.async.commit.group
{waits}
%v = llvm.load %a : !llvm.ptr<3> -> i32
%w = llvm.load %b : !llvm.ptr<3> -> i32
{store_lane("v", "y")}{store_lane("w", "z")}"""
    tiles = [Tile("x", "i32", (64,)), Tile("y", "i32", (32,)), Tile("z", "i32", (32,))]
    return kernel_text(tiles, body)


def thread_arrays() -> tuple[np.ndarray, ...]:
    x = np.random.default_rng(2).integers(-(2**31), 2**31, 64).astype(np.int32)
    return x, np.zeros(32, np.int32), np.zeros(32, np.int32)


@pytest.mark.parametrize("policy", POLICIES)
def test_copies_of_threads(policy: str) -> None:
    x, y, z = thread_arrays()
    run_right(thread_copies("nvvm.cp.async.wait.group 0"), (x, y, z), policy)
    np.testing.assert_array_equal(y, x[:32])
    kept = (1 << (8 * (np.arange(32) & 3))) - 1
    np.testing.assert_array_equal(z, x[32:] & kept)


@pytest.mark.parametrize("policy", POLICIES)
def test_copies_of_threads_of_the_newest_group(policy: str) -> None:
    report = run_text(
        thread_copies("nvvm.cp.async.wait.group 1"), thread_arrays(), policy
    )
    assert names(report.faults) >= {"UNINITIALISED"} or "RACE" in names(report.faults)
    assert "UNFINISHED" in names(report.faults)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("noinc", [False, True])
def test_copies_that_arrive(noinc: bool, policy: str) -> None:
    count = 64 if noinc else 32
    waits = f"""{FIRST}%count2 = arith.constant {count} : i32
%bar = llvm.getelementptr %smem[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
scf.if %first {{ nvvm.mbarrier.init %bar, %count2 : !llvm.ptr<3>, i32 }}
nvvm.bar.warp.sync %all : i32
nvvm.cp.async.mbarrier.arrive %bar {{noinc = {str(noinc).lower()}}} : !llvm.ptr<3>
nvvm.mbarrier.arrive %bar : !llvm.ptr<3>
{wait("bar")}"""
    x, y, z = thread_arrays()
    run_right(thread_copies(waits), (x, y, z), policy)
    np.testing.assert_array_equal(y, x[:32])


@pytest.mark.parametrize("policy", POLICIES)
def test_bulk_copies(policy: str) -> None:
    """There and back, of 64 bytes each, through shared memory."""
    x = np.random.default_rng(3).integers(-(2**31), 2**31, 64).astype(np.int32)
    y = np.zeros(64, np.int32)
    body = f"""{FIRST}%size = arith.constant 64 : i32
%data = llvm.getelementptr %smem[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
%far = llvm.addrspacecast %data : !llvm.ptr<3> to !llvm.ptr<7>
%from = llvm.getelementptr %x[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
%to = llvm.getelementptr %y[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
scf.if %first {{
  nvvm.mbarrier.init %smem, %i1 : !llvm.ptr<3>, i32
  nvvm.fence.mbarrier.init
  nvvm.mbarrier.arrive.expect_tx %smem, %size : !llvm.ptr<3>, i32
  nvvm.cp.async.bulk.shared.cluster.global %far, %from, %smem, %size
    : !llvm.ptr<7>, !llvm.ptr<1>
  {wait("smem")}
  nvvm.cp.async.bulk.global.shared.cta %to, %data, %size : !llvm.ptr<1>, !llvm.ptr<3>
  nvvm.cp.async.bulk.commit.group
  nvvm.cp.async.bulk.wait_group 0
}}"""
    tiles = [Tile("x", "i32", (64,)), Tile("y", "i32", (64,))]
    run_right(kernel_text(tiles, body), (x, y), policy)
    expected = np.zeros(64, np.int32)
    expected[32:48] = x[8:24]
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_load_that_nobody_waits_for(policy: str) -> None:
    text = load_kernel((64,), (16,), [0])
    start, end = text.index("scf.while"), text.index("%words")
    report = run_text(
        text[:start] + text[text.index("llvm.return") :],
        (np.zeros(64, np.int32), np.zeros(16, np.int32)),
        policy,
    )
    assert end > start
    assert names(report.faults) == {"UNFINISHED"}


def blocks_that_store(kind: str) -> str:
    """Three blocks of two warps store the same 32 words from shared memory."""
    body = f"""%zero_at = arith.constant 0 : i32
%lane = nvvm.read.ptx.sreg.laneid : i32
%from = arith.muli %lane, %i4 : i32
%x_at = llvm.getelementptr %x[%from] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
%v = llvm.load %x_at : !llvm.ptr<1> -> i32
%to = llvm.getelementptr %smem[%lane_offset]
  : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
llvm.store %v, %to : i32, !llvm.ptr<3>
{PUBLISH}nvvm.bar.warp.sync %all : i32
%first = arith.cmpi eq, %lane, %i0 : i32
%own = llvm.getelementptr %to[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
scf.if %first {{
  {kind}
  nvvm.cp.async.bulk.commit.group
  nvvm.cp.async.bulk.wait_group 0
}}"""
    tiles = [Tile("x", "i32", (32,)), Tile("y", "i32", (4, 8), (4, 8))]
    text = kernel_text(tiles, body, threads=64)
    return text.replace("affine_map<() -> (1, 1, 1)>", "affine_map<() -> (3, 1, 1)>")


@pytest.mark.parametrize("policy", POLICIES)
def test_updates_of_several_warps_and_blocks(policy: str) -> None:
    x = np.random.default_rng(4).integers(-9, 10, 32).astype(np.int32)
    y = np.ones((4, 8), np.int32)
    add = """nvvm.cp.async.bulk.tensor.reduce %y_map, %own, box[%i0, %i0]
    {redKind = #nvvm.tma_redux_kind<add>} : !llvm.ptr, !llvm.ptr<3>"""
    run_right(blocks_that_store(add), (x, y), policy)
    np.testing.assert_array_equal(y, 1 + 6 * x.reshape(4, 8))


@pytest.mark.parametrize("policy", POLICIES)
def test_stores_of_several_warps_and_blocks(policy: str) -> None:
    store = """nvvm.cp.async.bulk.tensor.global.shared.cta %y_map, %own, box[%i0, %i0]
    : !llvm.ptr, !llvm.ptr<3>"""
    arrays = np.zeros(32, np.int32), np.zeros((4, 8), np.int32)
    report = run_text(blocks_that_store(store), arrays, policy)
    said = "\n".join(fault.message for fault in report.faults)
    assert names(report.faults) == {"RACE"}
    assert "not ordered after a write by" in said
    assert "of the grid writes too" in said


def stored_and_used(wait_group: str, then: str) -> str:
    """One thread stores 32 words by TMA; after a barrier all threads do something."""
    body = f"""{FIRST}%to = llvm.getelementptr %smem[%lane_offset]
  : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
llvm.store %tid, %to : i32, !llvm.ptr<3>
{PUBLISH}nvvm.bar.warp.sync %all : i32
scf.if %first {{
  nvvm.cp.async.bulk.tensor.global.shared.cta %y_map, %smem, box[%i0, %i0]
    : !llvm.ptr, !llvm.ptr<3>
  nvvm.cp.async.bulk.commit.group
  {wait_group}
}}
nvvm.barrier
{then}"""
    return kernel_text([Tile("y", "i32", (4, 8), (4, 8))], body)


OVERWRITE = "llvm.store %i7, %to : i32, !llvm.ptr<3>"
READ = """%at = llvm.getelementptr %y[%lane_offset]
  : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
%v = llvm.load %at : !llvm.ptr<1> -> i32"""


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    ("wait_group", "then", "kinds"),
    [
        ("nvvm.cp.async.bulk.wait_group 0", OVERWRITE, set[str]()),
        ("nvvm.cp.async.bulk.wait_group 0", READ, set[str]()),
        ("nvvm.cp.async.bulk.wait_group 0 {read}", OVERWRITE, set[str]()),
        ("nvvm.cp.async.bulk.wait_group 0 {read}", READ, {"RACE"}),
        ("nvvm.cp.async.bulk.wait_group 1", OVERWRITE, {"RACE", "UNFINISHED"}),
    ],
)
def test_what_a_wait_for_a_store_orders(
    wait_group: str, then: str, kinds: set[str], policy: str
) -> None:
    y = np.zeros((4, 8), np.int32)
    report = run_text(stored_and_used(wait_group, then), [y], policy)
    # Where the write comes first, it is one without a proxy fence besides.
    assert names(report.faults) - {"STALE_READ"} == kinds
    if not kinds:
        assert not report.faults
        np.testing.assert_array_equal(y.ravel(), np.arange(32))
