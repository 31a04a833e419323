"""Every example at tile level and after each pass that keeps `croq.kernel`."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from support.covering import EVERY_CASE, in_turn
from support.kernels import VARIANTS
from support.tile_runs import example, levels, loaded, run_at, told

from croqtile_mlir.simulator.simulate import Report

POLICIES = ("rr", "late", "early", "random:5")
STAGES = 4
MATMULS = (
    "matmul_1p1c",
    "matmul_1p1c_f16acc",
    "matmul_1p1c_slices",
    "matmul_1p1c_cp_async",
    "matmul_1p1c_threads",
    "matmul_returned",
)


def with_producer_warp(name: str) -> str:
    """An example whose producer is a single warp."""
    text = example(name).replace("registers 40 ", "").replace("registers 232 ", "")
    old = 'croq.role "producer" warpgroups [0, 1)'
    assert old in text
    return text.replace(old, 'croq.role "producer" warps [0, 1)')


def run_matmul(
    text: str,
    level: str,
    policy: str,
    size: tuple[int, int, int],
    limit: float = 1e-3,
    dtype: Any = np.float16,
) -> Report:
    rows, cols, depth = size
    rng = np.random.default_rng(rows + cols + depth)
    lhs = rng.standard_normal((rows, depth)).astype(dtype)
    rhs = rng.standard_normal((cols, depth)).astype(dtype)
    out: NDArray[Any] = np.full((rows, cols), np.nan, dtype)
    returned = bool(loaded(text, level).plan.outputs)
    args = (lhs, rhs) if returned else (lhs, rhs, out)
    report = run_at(text, level, *args, policy=policy)
    result = report.result if returned else out
    exact = lhs.astype(np.float64) @ rhs.astype(np.float64).T
    bound = limit * max(1.0, float(np.abs(exact).max(initial=0)))
    error = np.abs(result.astype(np.float64) - exact).max(initial=0)
    assert error <= bound, told(report)
    return report


def limit_of(name: str) -> float:
    """Relative to the largest element; f16 sums are rounded after every slice."""
    return 2e-2 if name.endswith("f16acc") else 1e-3


@pytest.mark.parametrize(
    ("name", "level"), in_turn(MATMULS, levels(), each=len(levels()) // 2)
)
def test_matmul_of_a_producer_warp(name: str, level: str) -> None:
    text = with_producer_warp(name)
    policies: tuple[str, ...] = ("random:5",)
    some = ("croq", "insert-barriers", "lower-events")
    if level in some:
        turn = MATMULS.index(name) + some.index(level)
        policies = POLICIES if EVERY_CASE else (POLICIES[turn % len(POLICIES)],)
    for policy in policies:
        report = run_matmul(text, level, policy, (72, 136, 328), limit_of(name))
        assert not report.faults, told(report)


@pytest.mark.parametrize("level", ["croq", "unroll-loops", "insert-barriers"])
@pytest.mark.parametrize("name", MATMULS)
def test_matmul_of_a_producer_warpgroup(name: str, level: str) -> None:
    report = run_matmul(example(name), level, "late", (136, 72, 328), limit_of(name))
    assert not report.faults, told(report)


@pytest.mark.parametrize("name", VARIANTS)
def test_variants(name: str) -> None:
    kernel = VARIANTS[name]
    dtype: Any = ml_dtypes.bfloat16 if kernel.dtype == "bf16" else np.float16
    size = kernel.rows + 8, kernel.cols, 5 * kernel.depth - 8
    limit = 1e-2 if kernel.dtype == "bf16" or kernel.acc == "f16" else 1e-3
    for level in ("croq", "lower-futures", "insert-barriers", "lower-views"):
        report = run_matmul(kernel.text(), level, "random:8", size, limit, dtype)
        assert not report.faults, told(report)


@pytest.mark.parametrize("level", ["croq", "insert-barriers", "lower-views"])
@pytest.mark.parametrize("steps", [0, 1, STAGES - 1, STAGES, STAGES + 1, 9])
def test_trip_counts(steps: int, level: str) -> None:
    text = with_producer_warp("matmul_1p1c")
    for policy in POLICIES if level == "croq" else ("late", "random:3"):
        report = run_matmul(text, level, policy, (8, 16, 64 * steps))
        assert not report.faults, told(report)


@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize("name", ["add", "copy"])
def test_elementwise(name: str, level: str) -> None:
    for shape, policy in (((129, 33), "rr"), ((64, 32), "random:2"), ((1, 7), "late")):
        rng = np.random.default_rng(shape[0])
        tiles = [rng.standard_normal(shape).astype(np.float32) for _ in range(3)]
        args = tiles if name == "add" else tiles[1:]
        args[-1].fill(np.nan)
        report = run_at(example(name), level, *args, policy=policy)
        assert not report.faults, told(report)
        expected = args[0] + args[1] if name == "add" else args[0]
        assert (args[-1] == expected).all()


def test_a_kernel_of_four_blocks_takes_far_less_than_a_second() -> None:
    text = example("matmul_1p1c")
    run_matmul(text, "croq", "rr", (256, 256, 512))
    report = run_matmul(text, "croq", "rr", (256, 256, 512))
    assert report.blocks == 4
    assert report.seconds < 1
