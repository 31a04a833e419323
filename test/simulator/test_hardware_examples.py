"""Every example at hardware level: results against f64, and no faults."""

from __future__ import annotations

import numpy as np
import pytest
from support.covering import in_turn, pairwise

from croqtile_mlir.simulator.simulate import Options, run_loaded

from .hardware_kernels import (
    DTYPES,
    POLICIES,
    STAGES,
    loaded,
    run_product,
    source_text,
    texts,
)

PRODUCTS = (
    "matmul",
    "matmul_ampere",
    "matmul_1p1c",
    "matmul_1p1c_f16acc",
    "matmul_1p1c_slices",
    "matmul_1p1c_cp_async",
    "matmul_1p1c_threads",
    "matmul_returned",
)


def check(example: str, size: tuple[int, int, int], policy: str) -> None:
    report, result, exact = run_product(source_text(example), size, policy)
    assert not report.faults, texts(report.faults)
    # f16 sums are rounded after each K slice of 16.
    unit = 2.0**-11 * (1 + (size[2] / 16 if example.endswith("f16acc") else 0))
    bound = unit * np.abs(exact).max(initial=0) + 1e-3
    assert np.abs(result - exact).max(initial=0) <= bound


@pytest.mark.parametrize(("example", "policy"), in_turn(PRODUCTS, POLICIES, each=1))
def test_ragged(example: str, policy: str) -> None:
    check(example, (136, 72, 328), policy)


@pytest.mark.parametrize(
    ("example", "steps", "policy"),
    pairwise(
        ["matmul_1p1c", "matmul_1p1c_cp_async", "matmul_1p1c_threads"],
        [0, 1, STAGES - 1, STAGES, STAGES + 1, 2 * STAGES],
        ["rr", "random:3"],
    ),
)
def test_trip_counts(example: str, steps: int, policy: str) -> None:
    check(example, (9, 24, 64 * steps), policy)


@pytest.mark.parametrize("size", [(1, 1, 1), (128, 129, 8), (200, 63, 72)])
def test_rows_that_tma_may_not_store(size: tuple[int, int, int]) -> None:
    check("matmul_1p1c", size, "early")


def test_policies_agree_to_the_bit() -> None:
    results = [
        run_product(source_text("matmul_1p1c"), (130, 72, 200), policy)[1]
        for policy in POLICIES
    ]
    for result in results[1:]:
        np.testing.assert_array_equal(results[0], result)


def test_without_checks() -> None:
    report, result, exact = run_product(
        source_text("matmul_1p1c"), (40, 48, 136), "late", checks=False
    )
    assert not report.faults
    np.testing.assert_allclose(result, exact, rtol=1e-3, atol=2e-2)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("shape", [(64, 32), (100, 77), (1, 1), (129, 33)])
@pytest.mark.parametrize("example", ["add", "copy"])
def test_elementwise(example: str, shape: tuple[int, int], policy: str) -> None:
    kernel = loaded(source_text(example))
    rng = np.random.default_rng(shape[0] * shape[1])
    arrays = [
        rng.standard_normal(shape).astype(DTYPES[tile.dtype])
        for tile in kernel.plan.tiles.values()
    ]
    expected = arrays[0] + arrays[1] if example == "add" else arrays[0]
    report = run_loaded(kernel, arrays, Options(policy))
    assert not report.faults, texts(report.faults)
    np.testing.assert_array_equal(arrays[-1], expected)


def test_row_sums() -> None:
    kernel = loaded(source_text("row_sums"))
    rng = np.random.default_rng(11)
    rows = rng.standard_normal((77, 130)).astype(np.float32)
    sums = np.full(77, np.nan, np.float32)
    report = run_loaded(kernel, (rows, sums), Options("late"))
    assert not report.faults, texts(report.faults)
    np.testing.assert_allclose(sums, rows.astype(np.float64).sum(1), rtol=1e-4)
