"""Kernels compiled for sm_80, on a device: PTX for a target runs on later devices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.ampere_kernels import COLS, RINGS, ROWS, Ring

import croqtile_mlir as croq

LAUNCHES = 3


def check_sums(torch: Any, kernel: croq.Kernel, rows: int, cols: int) -> None:
    """Sums of rows, of several launches, and nothing written beyond them."""
    source = torch.randn(rows, cols, device="cuda")
    guarded = torch.full((rows + 16,), 7.0, device="cuda")
    for _ in range(LAUNCHES):
        kernel(source, guarded[:rows])
    expected = source.double().sum(1)
    # One thread adds up a row in f32: rounding grows with its length.
    rounding = {"rtol": 1e-5, "atol": 1e-4 + 2e-7 * cols}
    assert torch.allclose(guarded[:rows].double(), expected, **rounding)
    assert bool((guarded[rows:] == 7.0).all())


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("ring", RINGS, ids=str)
def test_rings(torch: Any, ring: Ring, target: str):
    """No step, fewer and more than there are stages; whole tiles and parts of them."""
    kernel = croq.compile(ring.text(target))
    stages = ring.stages
    for steps in sorted({0, 1, stages - 1, stages, stages + 1, 40 * stages + 1}):
        for less in (0, 3, 5):
            cols = max(steps * COLS - less, 0)
            check_sums(torch, kernel, 100 * ROWS + 3, cols)


@pytest.mark.parametrize("ring", RINGS, ids=str)
def test_occupancy(torch: Any, ring: Ring):
    """What the tables say of the device is what its driver says."""
    found = croq.compile(ring.text("sm_80")).resources
    assert found.source == "driver"
    assert found.target == "sm_90a"
    assert found.occupancy is not None
    assert found.occupancy.blocks == found.blocks_per_multiprocessor


@pytest.mark.parametrize("target", ["sm_80", "sm_86", "sm_89"])
def test_examples(torch: Any, examples: Path, target: str):
    """Without products: loads by `cp.async`, everything else by threads."""
    a, b = (torch.randn(301, 777, device="cuda") for _ in range(2))
    for cols in (777, 776, 32):
        x, y = a[:, :cols], b[:, :cols]
        out = torch.full_like(x, 7.0)
        croq.compile(examples / "copy.mlir", target=target)(x, out)
        assert torch.equal(out, x)
        croq.compile(examples / "add.mlir", target=target)(x, y, out)
        assert torch.equal(out, x + y)
        sums = croq.compile(examples / "row_sums.mlir", target=target)
        check_sums(torch, sums, 301, cols)
