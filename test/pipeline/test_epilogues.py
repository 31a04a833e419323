"""Epilogues on accumulators and kernels of rows, scheduled, and at every level."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.covering import EVERY_CASE, pairwise

import croqtile_mlir as croq
from croqtile_mlir.simulator.simulate import simulate

EXAMPLES = Path(__file__).parents[2] / "examples"

SCHEDULES = {
    "as written": "bind-params",
    "specialized": "bind-params,warp-specialize{consumers=2 stages=3},overlap-epilogue",
    "persistent": "bind-params,persist{blocks=2},warp-specialize{consumers=2 stages=3}",
    "split": "bind-params,persist{blocks=2},warp-specialize{consumers=2 stages=3},"
    "split-consumers,overlap-epilogue",
    "pingpong": "bind-params,persist{blocks=2},"
    "warp-specialize{consumers=2 stages=2 mode=pingpong},overlap-epilogue",
    "pipelined": "bind-params,pipeline-loop{stages=3},overlap-epilogue",
    "clusters": "bind-params,make-clusters{cluster=2x1},persist{blocks=4},"
    "warp-specialize{consumers=2 stages=3},multicast",
}


def product(m: int, n: int, k: int) -> tuple[tuple[Any, ...], Any]:
    """Operands, a bias and a place for the result; the result."""
    rng = np.random.default_rng(m + n + k)
    scale = max(k, 1) ** -0.25
    a, b = ((rng.standard_normal((r, k)) * scale).astype("f2") for r in (m, n))
    bias = rng.standard_normal(n).astype("f4")
    out = np.full((m, n), np.nan, "f2")
    wide = a.astype(np.float64) @ b.astype(np.float64).T + bias
    return (a, b, bias, out), np.maximum(wide, 0)


def check(got: Any, wanted: Any) -> None:
    error = np.linalg.norm(got.astype(np.float64) - wanted)
    assert error <= 1e-3 * np.linalg.norm(wanted)


LARGE = [(128, 300, 264, 136), (128, 128, 128, 0)] if EVERY_CASE else []
SIZES = [(64, 200, 136, 136), (64, 128, 64, 0), *LARGE]


@pytest.mark.parametrize(
    ("size", "schedule", "level"),
    pairwise(SIZES, list(SCHEDULES), ["nvvm", "ptx"]),
    ids=str,
)
def test_bias_and_relu(
    size: tuple[int, int, int, int], schedule: str, level: str
) -> None:
    """Whole and partial tiles, three for each block that walks over them; no step."""
    bn, m, n, k = size
    kernel = croq.compile(
        EXAMPLES / "matmul_bias_relu.mlir",
        params={"BN": bn},
        schedule=SCHEDULES[schedule],
    )
    arrays, wanted = product(m, n, k)
    kernel.simulate(*arrays, level=level)
    check(arrays[-1], wanted)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_no_spills(schedule: str) -> None:
    kernel = croq.compile(
        EXAMPLES / "matmul_bias_relu.mlir",
        params={"BN": 128 if schedule == "pingpong" else 256},
        schedule=SCHEDULES[schedule].replace("stages=3", "stages=2"),
    )
    assert kernel.resources.spill_bytes == 0


def rows(example: str, m: int, n: int) -> tuple[tuple[Any, ...], Any]:
    """The arguments of a kernel of rows, its result last; what it must be."""
    rng = np.random.default_rng(m * n)
    if example == "softmax":
        x = (rng.standard_normal((m, n)) * 3).astype("f4")
        e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
        out = np.full((m, n), np.nan, "f4")
        return (x, out), e / e.sum(axis=1, keepdims=True)
    x, w = rng.standard_normal((m, n)).astype("f2"), rng.standard_normal(n).astype("f2")
    wide = x.astype(np.float64)
    root = np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-5)
    return (x, w, np.full((m, n), np.nan, "f2")), wide / root * w


LEVELS = ("croq", "insert-barriers", "lower-dma", "lower-reduce", "nvvm", "ptx")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("example", ["softmax", "rms_norm"])
@pytest.mark.parametrize(("m", "n"), [(1, 1), (5, 33), (3, 128), (2, 300)])
def test_rows(example: str, m: int, n: int, level: str) -> None:
    """Rows of less than a piece, of pieces, and of pieces and a part."""
    arrays, wanted = rows(example, m, n)
    source = EXAMPLES / f"{example}.mlir"
    simulate(source, *arrays, params={"BN": 128}, level=level)
    if example == "softmax":
        np.testing.assert_allclose(arrays[-1], wanted, rtol=3e-5)
    check(arrays[-1], wanted)


@pytest.mark.parametrize("policy", ["late", "early", "random:3"])
@pytest.mark.parametrize("example", ["softmax", "rms_norm"])
def test_rows_under_other_policies(example: str, policy: str) -> None:
    arrays, wanted = rows(example, 5, 200)
    source = EXAMPLES / f"{example}.mlir"
    simulate(source, *arrays, params={"BN": 128}, policy=policy)
    check(arrays[-1], wanted)
