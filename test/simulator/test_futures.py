"""Futures that loops carry: right results and no faults at every level."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.covering import pairwise
from support.future_kernels import RowSums
from support.tile_runs import example, kinds, loaded, run_at, snapshots, told

import croqtile_mlir as croq
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.loading import Loaded, load_module
from croqtile_mlir.simulator.ptx.kernel import executable
from croqtile_mlir.simulator.simulate import Options, run_loaded

from .hardware_kernels import loaded as hardware

LEVELS = ("croq", "lower-futures", "insert-barriers", "lower-dma", "nvvm", "ptx")
POLICIES = ("rr", "late", "early", "random:7")
SWAP = example("matmul_swap")

# Steps of the steady state: none, one, a whole turn of both buffers, and odd ones.
STEPS = (0, 1, 2, 3, 5)


def at(text: str, level: str) -> Loaded:
    """A kernel at a level, the last two among them."""
    if level == "nvvm":
        return hardware(text)
    if level == "ptx":
        kernel = croq.compile(text)
        return Loaded(executable(kernel.ptx, kernel.plan), kernel.plan, "ptx")
    return loaded(text, level)


def whole(rng: np.random.Generator, *shape: int) -> NDArray[np.int32]:
    return rng.integers(-(2**31), 2**31, shape, dtype=np.int32)


def product(size: tuple[int, int, int], level: str, policy: str = "rr") -> None:
    rows, cols, depth = size
    rng = np.random.default_rng(rows * 10007 + cols * 101 + depth)
    lhs, rhs = whole(rng, rows, depth), whole(rng, depth, cols)
    options = Options(policy, checks=level != "ptx")
    report = run_loaded(at(SWAP, level), (lhs, rhs), options)
    assert not report.faults, told(report)
    # Sums of 32 bits: what is beyond them is gone.
    exact = (lhs.astype(np.int64) @ rhs.astype(np.int64)).astype(np.int32)
    np.testing.assert_array_equal(report.result, exact)


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("level", LEVELS)
def test_trip_counts_of_the_product(level: str, steps: int) -> None:
    product((16, 16, 16 * (steps + 1)), level)


@pytest.mark.parametrize("size", [(1, 1, 1), (17, 31, 50), (33, 7, 15), (40, 37, 81)])
@pytest.mark.parametrize("level", LEVELS)
def test_ragged_products(level: str, size: tuple[int, int, int]) -> None:
    product(size, level)


@pytest.mark.parametrize("policy", POLICIES[1:])
@pytest.mark.parametrize("level", ["insert-barriers", "nvvm"])
def test_policies_of_the_product(level: str, policy: str) -> None:
    product((18, 20, 70), level, policy)


def without_the_barrier_in_the_loop(text: str) -> Loaded:
    """A kernel after `--insert-barriers`, less the only barrier of its loop."""
    module = snapshots(text)["insert-barriers"].clone()
    (inside,) = (
        op
        for op in module.walk()
        if op.name == "croq.barrier"
        and (parent := op.parent_op()) is not None
        and parent.name == "croq.foreach"
    )
    inside.detach()
    inside.erase()
    return load_module(module, "insert-barriers")


def test_the_product_races_without_barriers() -> None:
    rng = np.random.default_rng(1)
    args = whole(rng, 16, 96), whole(rng, 96, 16)
    kernel = without_the_barrier_in_the_loop(SWAP)
    assert FaultKind.RACE in kinds(run_loaded(kernel, args, Options("late")))


ASYNC = [
    RowSums(2, 1),
    RowSums(2, 1, "threads"),
    RowSums(3, 2),
    RowSums(3, 1, "tma"),
    RowSums(4, 3, "threads"),
]


@pytest.mark.parametrize("kernel", ASYNC, ids=str)
def test_copies_in_flight_race_without_barriers(kernel: RowSums) -> None:
    rows = np.random.default_rng(2).standard_normal((64, 224)).astype(np.float32)
    wrong = without_the_barrier_in_the_loop(kernel.text)
    report = run_loaded(wrong, (rows, np.zeros(64, np.float32)), Options("late"))
    assert FaultKind.RACE in kinds(report)


def sums(kernel: RowSums, size: tuple[int, int], level: str, policy: str) -> Any:
    rng = np.random.default_rng(size[0] * 1009 + size[1])
    rows = rng.standard_normal(size).astype(np.float32)
    out = np.full(size[0], np.nan, np.float32)
    options = Options(policy, checks=level != "ptx")
    report = run_loaded(at(kernel.text, level), (rows, out), options)
    exact = rows.astype(np.float64).sum(1)
    return report, bool(np.allclose(out, exact, rtol=1e-4, atol=1e-4))


@pytest.mark.parametrize(
    ("kernel", "level", "steps", "policy"),
    pairwise(ASYNC, LEVELS, STEPS, POLICIES),
    ids=str,
)
def test_copies_in_flight(kernel: RowSums, level: str, steps: int, policy: str) -> None:
    """Every step count at every level, and every policy at each."""
    report, right = sums(kernel, (76, 32 * (steps + 1)), level, policy)
    assert not report.faults, told(report)
    assert right


@pytest.mark.parametrize("kernel", ASYNC, ids=str)
def test_ragged_copies_in_flight(kernel: RowSums) -> None:
    for level in ("croq", "nvvm"):
        report, right = sums(kernel, (100, 148), level, "random:3")
        assert not report.faults, told(report)
        assert right


FUTURE = "!croq.future<!croq.tile<32xi32, shared>>"
NESTED = """
croq.kernel @nested (
    %in: !croq.tile<96xi32, global>, %out: !croq.tile<32xi32, global>) {
  croq.parallel (%i) in (1) : block threads 64 {
    %acc = croq.alloc : !croq.tile<32xi32, shared>
    %t0 = croq.subspan %in [32] tile (0)
    croq.copy %t0 => %acc engine(threads)
    LOADS
    %x, %y, %z = croq.foreach %k in 5 iter(%c = %f0, %d = %f1, %e = %f2) {
      %p, %q = croq.foreach %l in 3 iter(%m = %c, %n = %d) {
        %t = croq.data %m
        croq.parallel (%row) in (32) : thread {
          %three = arith.constant 3 : i32
          %old = croq.load %acc[%row]
          %v = croq.load %t[%row]
          %w = arith.muli %old, %three : i32
          %u = arith.addi %w, %v : i32
          croq.store %u, %acc[%row]
          croq.store %w, %t[%row]
        }
        %a, %b = croq.swap %m, %n
        croq.yield %a, %b : F, F
      }
      %r0, %r1, %r2 = croq.rotate %p, %q, %e
      croq.yield %r0, %r1, %r2 : F, F, F
    }
    croq.copy %acc => %out engine(threads)
  }
}
"""
LOADS = "".join(
    f"""
%f{i} = croq.any : F
%s{i} = croq.subspan %in [32] tile ({i})
%d{i} = croq.data %f{i}
croq.copy %s{i} => %d{i} engine(threads)
"""
    for i in range(3)
)


@pytest.mark.parametrize("level", LEVELS)
def test_a_swap_inside_a_rotation(level: str) -> None:
    values = whole(np.random.default_rng(5), 96)
    out = np.zeros(32, np.int32)
    text = NESTED.replace("LOADS", LOADS)
    kernel = at(re.sub(r"\bF\b", FUTURE, text), level)
    report = run_loaded(kernel, (values, out), Options("late", checks=level != "ptx"))
    assert not report.faults, told(report)
    sums, buffers = values[:32].copy(), [values[i : i + 32].copy() for i in (0, 32, 64)]
    for _ in range(5):
        for _ in range(3):
            tripled = sums * np.int32(3)
            sums, buffers[0] = tripled + buffers[0], tripled
            buffers[0], buffers[1] = buffers[1], buffers[0]
        buffers.append(buffers.pop(0))
    np.testing.assert_array_equal(out, sums)


def test_a_tile_that_is_read_before_it_is_awaited() -> None:
    report, _ = sums(RowSums(2, 1, "tma", late=True), (64, 96), "croq", "late")
    assert FaultKind.RACE in kinds(report)


def test_a_placeholder_holds_nothing() -> None:
    text = """
croq.kernel @empty (%out: !croq.tile<64x32xf32, global>) {
  croq.parallel (%i) in (1) : block {
    %f = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %g = croq.any : !croq.future<!croq.tile<64x32xf32, shared>>
    %x, %y = croq.swap %f, %g
    %t = croq.data %x
    croq.copy %t => %out engine(threads)
  }
}
"""
    out = np.full((64, 32), 3.0, np.float32)
    report = run_at(text, "croq", out)
    assert FaultKind.UNINITIALISED in kinds(report)
