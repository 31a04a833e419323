"""Views of other shapes, nested levels and loops that end on a condition."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pipeline.test_control import INPUTS
from pipeline.test_views import CASES

import croqtile_mlir as croq


@pytest.mark.parametrize("name", CASES)
def test_views(torch: Any, name: str):
    case = CASES[name]
    rng = np.random.default_rng(7)
    x = rng.integers(-1000, 1000, case.shape).astype(case.dtype)
    y = rng.integers(-1000, 1000, case.result).astype(case.dtype)
    expected = y.copy()
    case.expected(x, expected)
    found = torch.from_numpy(y).cuda()
    croq.compile(case.text)(torch.from_numpy(x).cuda(), found)
    np.testing.assert_array_equal(found.cpu().numpy(), expected)


@pytest.mark.parametrize(("m", "n"), [(1, 1), (16, 64), (17, 65), (998, 775)])
def test_box_blur(torch: Any, examples: Path, m: int, n: int):
    source = torch.randn(m + 2, n + 2, device="cuda")
    found = torch.randn(m, n, device="cuda")
    croq.compile(examples / "box_blur.mlir")(source, found)
    expected = torch.nn.functional.avg_pool2d(source[None, None].double(), 3, 1)[0, 0]
    assert torch.allclose(found.double(), expected, atol=1e-5)


@pytest.mark.parametrize("rows", [1, 300, 4097])
def test_sort_rows(torch: Any, examples: Path, rows: int):
    found = torch.randn(rows, 128, device="cuda")
    expected = found.sort(1).values
    croq.compile(examples / "sort_rows.mlir")(found)
    assert torch.equal(found, expected)


@pytest.mark.parametrize("rows", [1, 16, 17, 75, 4000])
def test_events_in_a_while_loop(torch: Any, rows: int):
    source, found = torch.randn(2, rows, 64, device="cuda")
    croq.compile(INPUTS / "events_in_while.mlir")(source, found)
    assert torch.equal(source, found)


@pytest.mark.parametrize("depth", [64, 72, 200, 4096])
def test_accumulators_in_a_while_loop(torch: Any, depth: int):
    x, y = torch.randn(2, 64, depth, device="cuda").half()
    found = torch.randn(64, 64, device="cuda")
    croq.compile(INPUTS / "accumulators_in_while.mlir")(x, y, found)
    picked = torch.arange(depth, device="cuda") // 64 % 2 == 0
    expected = x[:, picked].double() @ y[:, picked].double().T
    assert torch.allclose(found.double(), expected, atol=1e-2)


def test_levels_of_parallelism(torch: Any):
    source = torch.randint(-1000, 1000, (3, 256), device="cuda", dtype=torch.int32)
    found = torch.zeros_like(source)
    croq.compile(INPUTS / "levels_of_parallelism.mlir")(source, found)
    expected = 2 * source
    expected[:, :48] += torch.arange(48, device="cuda", dtype=torch.int32) + 3
    assert torch.equal(found, expected)
