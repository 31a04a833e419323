"""The examples that probe a multiprocessor, with whatever parameters: `dst = src`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import croqtile_mlir as croq

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def check(example: str, level: str, size: int, params: dict[str, int]) -> None:
    source = np.random.default_rng(size).standard_normal(size, np.float32)
    result = np.full_like(source, np.nan)
    croq.simulate(
        EXAMPLES / f"{example}.mlir", source, result, params=params, level=level
    )
    np.testing.assert_allclose(result, source, rtol=1e-5)


@pytest.mark.parametrize("level", ["croq", "lower-views", "nvvm", "ptx"])
@pytest.mark.parametrize(
    "params",
    [
        {"ITERS": 1, "WORK": 1, "OTHER": 1, "GROUP": 1},
        {"ITERS": 3, "WORK": 7, "OTHER": 2, "GROUP": 1},
        {"ITERS": 3, "WORK": 8, "OTHER": 1, "GROUP": 32},
        {"ITERS": 2, "WORK": 2, "OTHER": 9, "GROUP": 5},
    ],
    ids=str,
)
def test_warp_divergence(params: dict[str, int], level: str):
    for size in (1, 255, 300):
        check("warp_divergence", level, size, params)


@pytest.mark.parametrize("level", ["croq", "lower-views", "nvvm", "ptx"])
@pytest.mark.parametrize("steps", [1, 2, 9])
def test_instruction_parallelism(steps: int, level: str):
    for size in (1, 128, 300):
        check("instruction_parallelism", level, size, {"STEPS": steps})


@pytest.mark.parametrize(
    ("params", "predicated"),
    [
        ({"WORK": 7, "OTHER": 7, "GROUP": 1}, True),
        ({"WORK": 8, "OTHER": 1, "GROUP": 1}, False),
        ({"WORK": 1, "OTHER": 1, "GROUP": 32}, False),
        ({"WORK": 1, "OTHER": 1, "GROUP": 64}, False),
        ({"WORK": 1, "OTHER": 1, "GROUP": 16}, True),
    ],
)
def test_short_branches_of_lanes_are_predicated(
    params: dict[str, int], predicated: bool
):
    ptx = croq.compile(EXAMPLES / "warp_divergence.mlir", params=params).ptx
    assert ("selp.f32" in ptx) == predicated
    assert ("$L_else_1:" in ptx) != predicated
