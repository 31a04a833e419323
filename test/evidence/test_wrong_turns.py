"""Blocks that wait for each other are proved only where they do it right."""

from __future__ import annotations

import numpy as np
import pytest
from pipeline.lowering import parse, run
from xdsl.dialects.builtin import ModuleOp

from croqtile_mlir.simulator.loading import AS_GIVEN, load_module
from croqtile_mlir.simulator.simulate import Options, run_loaded
from evidence.judge import verdict_of
from evidence.levels import Level, pipeline_to
from evidence.wrong_turns import RIGHT, STEPS, UNEQUAL, WRONG, WRONG_STEPS

SIZE, BLOCKS = 1500, 3
POLICIES = ("late", "rr", "random:1", "random:2")


def _tiles(text: str) -> ModuleOp:
    module = parse(text)
    run(module, pipeline_to(Level.TILE))
    return module


@pytest.mark.parametrize("text", [RIGHT, STEPS], ids=["turns", "steps"])
def test_right_ones_are_proved(text: str) -> None:
    assert verdict_of(_tiles(text)).startswith("proved")


@pytest.mark.parametrize("name", WRONG)
def test_wrong_turns_are_not_proved(name: str) -> None:
    module = _tiles(WRONG[name])
    assert not verdict_of(module).startswith("proved")
    loaded = load_module(module, AS_GIVEN)
    x = np.random.default_rng(3).integers(1, 99, SIZE).astype(np.int32)
    for policy in POLICIES:
        sums, y = np.zeros(BLOCKS, np.int32), np.zeros(SIZE, np.int32)
        report = run_loaded(loaded, (x, sums, y), Options(policy=policy))
        if report.faults or (y != np.cumsum(x, dtype=np.int32)).any():
            return
    pytest.fail("no run shows anything")


@pytest.mark.parametrize("name", WRONG_STEPS)
def test_wrong_steps_are_not_proved(name: str) -> None:
    module = _tiles(WRONG_STEPS[name])
    assert not verdict_of(module).startswith("proved")
    loaded = load_module(module, AS_GIVEN)
    given = np.random.default_rng(4)
    for policy in POLICIES:
        x, scratch = (given.integers(1, 99, 192).astype(np.int32) for _ in range(2))
        if run_loaded(loaded, (x, scratch), Options(policy=policy)).faults:
            return
    pytest.fail("no run shows anything")


def test_unequal_steps_are_not_proved() -> None:
    assert not verdict_of(_tiles(UNEQUAL)).startswith("proved")


def test_right_steps_run() -> None:
    loaded = load_module(_tiles(STEPS), AS_GIVEN)
    for policy in POLICIES:
        x = np.random.default_rng(4).integers(1, 99, 192).astype(np.int32)
        scratch = np.zeros(192, np.int32)
        assert not run_loaded(loaded, (x, scratch), Options(policy=policy)).faults
