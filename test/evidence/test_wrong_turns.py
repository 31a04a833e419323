"""Blocks that take turns are proved only where each waits for the one before."""

from __future__ import annotations

import numpy as np
import pytest
from pipeline.lowering import parse, run

from croqtile_mlir.simulator.loading import AS_GIVEN, load_module
from croqtile_mlir.simulator.simulate import Options, run_loaded
from evidence.judge import verdict_of
from evidence.levels import Level, pipeline_to
from evidence.wrong_turns import RIGHT, WRONG

SIZE, BLOCKS = 1500, 3


def test_right_turns_are_proved() -> None:
    module = parse(RIGHT)
    run(module, pipeline_to(Level.TILE))
    assert verdict_of(module).startswith("proved")


@pytest.mark.parametrize("name", WRONG)
def test_is_not_proved(name: str) -> None:
    module = parse(WRONG[name])
    run(module, pipeline_to(Level.TILE))
    assert not verdict_of(module).startswith("proved")
    loaded = load_module(module, AS_GIVEN)
    x = np.random.default_rng(3).integers(1, 99, SIZE).astype(np.int32)
    for policy in ("late", "rr", "random:1", "random:2"):
        sums, y = np.zeros(2 * BLOCKS, np.int32), np.zeros(SIZE, np.int32)
        given = (x, sums[:BLOCKS], y)
        report = run_loaded(loaded, given, Options(policy=policy))
        if report.faults or (y != np.cumsum(x, dtype=np.int32)).any():
            return
    pytest.fail("no run shows anything")
