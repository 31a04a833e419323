"""The examples whose threads meet in memory or exchange values, at every level."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from croqtile_mlir.compiler import source_of
from croqtile_mlir.passes.verify_sync import verdicts
from croqtile_mlir.pipeline import Lowering
from croqtile_mlir.simulator import Options, run
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.loading import Loaded, load_source

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = ("histogram", "grid_sum", "warp_softmax")
LEVELS = ("croq", "insert-barriers", "lower-views", "nvvm", "ptx")


@lru_cache(maxsize=32)
def text(name: str) -> str:
    return (EXAMPLES / f"{name}.mlir").read_text(encoding="utf-8")


@lru_cache(maxsize=32)
def loaded(kernel: str, level: str) -> Loaded:
    return load_source(source_of(kernel), level)


@pytest.mark.parametrize("level", ["bind-params", "insert-barriers", "nvvm"])
@pytest.mark.parametrize("name", NAMES)
def test_proved(name: str, level: str) -> None:
    lowering = Lowering(source_of(text(name)), verify_sync=False)
    lowering.run(until=level)
    found = [type(verdict).__name__ for verdict in verdicts(lowering.module)]
    # What its blocks hand on is ordered by a count in memory.
    flags = name == "grid_sum" and level == "bind-params"
    assert found == ["Undecided" if flags else "Proved"]


@pytest.mark.parametrize("policy", ["rr", "random:3"])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", [0, 1, 255, 1024, 2500])
def test_histogram(n: int, level: str, policy: str) -> None:
    random = np.random.default_rng(n)
    values = random.integers(0, 256, n, np.int32)
    counts = random.integers(0, 99, 256, np.int32)
    expected = counts + np.bincount(values, minlength=256)
    report = run(
        loaded(text("histogram"), level), values, counts, options=Options(policy)
    )
    assert not report.faults
    assert (counts == expected).all()


@pytest.mark.parametrize("policy", ["rr", "random:3"])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("n", "blocks"), [(0, 1), (1, 2), (257, 3), (2000, 4), (9, 0)])
def test_grid_sum(n: int, blocks: int, level: str, policy: str) -> None:
    values = np.random.default_rng(n).normal(size=n).astype(np.float32)
    parts = np.full(blocks, np.nan, np.float32)
    count, total = np.zeros(1, np.int32), np.full(1, np.nan, np.float32)
    # The second launch finds what the first has left.
    sums: list[float] = []
    for _ in range(2):
        report = run(
            loaded(text("grid_sum"), level),
            values,
            parts,
            count,
            total,
            options=Options(policy),
        )
        assert not report.faults
        sums.append(float(total[0]))
    assert count[0] == 0
    if not blocks:
        assert np.isnan(total[0])
        return
    assert sums[0] == sums[1]
    assert abs(sums[0] - values.astype(np.float64).sum()) <= 1e-5 * max(1, n**0.5)


@pytest.mark.parametrize("level", ["croq", "insert-barriers", "nvvm"])
@pytest.mark.parametrize(
    ("old", "new", "kinds"),
    [
        ("order(acq_rel) scope(gpu)", "order(relaxed) scope(gpu)", {FaultKind.RACE}),
        ("order(acq_rel) scope(gpu)", "order(release) scope(gpu)", {FaultKind.RACE}),
        (
            "order(acq_rel) scope(gpu)",
            "order(acq_rel) scope(cta)",
            {FaultKind.RACE, FaultKind.SCOPE},
        ),
    ],
    ids=["relaxed", "no-acquire", "narrow"],
)
def test_grid_sum_without_order(
    old: str, new: str, kinds: set[FaultKind], level: str
) -> None:
    kernel = text("grid_sum").replace(old, new)
    values = np.random.default_rng(1).normal(size=900).astype(np.float32)
    parts, total = np.zeros(3, np.float32), np.zeros(1, np.float32)
    report = run(loaded(kernel, level), values, parts, np.zeros(1, np.int32), total)
    assert {fault.kind for fault in report.faults} == kinds


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("rows", "cols"), [(0, 5), (3, 0), (1, 1), (4, 32), (5, 33), (9, 70)]
)
def test_warp_softmax(rows: int, cols: int, level: str) -> None:
    random = np.random.default_rng(cols)
    values = (3 * random.normal(size=(rows, cols))).astype(np.float32)
    found = np.full_like(values, np.nan)
    report = run(loaded(text("warp_softmax"), level), values, found)
    assert not report.faults
    if not values.size:
        return
    powers = np.exp(values.astype(np.float64) - values.max(axis=1, keepdims=True))
    expected = powers / powers.sum(axis=1, keepdims=True)
    assert np.abs(found - expected).max() < 1e-6
