"""Kernels that go wrong between blocks are not proved, and runs show that they do."""

from __future__ import annotations

import numpy as np
import pytest
from pipeline.lowering import parse, run
from xdsl.dialects.builtin import ModuleOp

from croqtile_mlir.simulator.loading import AS_GIVEN, load_module
from croqtile_mlir.simulator.simulate import Options, run_loaded
from evidence.judge import verdict_of
from evidence.levels import Level, pipeline_to
from evidence.wrong_blocks import BELOW_ZERO, EARLY, MEET, MISS

POLICIES = ("late", "rr", "random:1")


def _tiles(text: str, level: Level = Level.TILE) -> ModuleOp:
    module = parse(text)
    run(module, pipeline_to(level))
    return module


def _fails(module: ModuleOp, *sizes: int) -> bool:
    loaded = load_module(module, AS_GIVEN)
    for policy in POLICIES:
        given = np.random.default_rng(7)
        tiles = [given.integers(1, 99, size).astype(np.int32) for size in sizes]
        if run_loaded(loaded, tuple(tiles), Options(policy=policy)).faults:
            return True
    return False


@pytest.mark.parametrize("name", MEET)
def test_blocks_that_meet_are_not_proved(name: str) -> None:
    module = _tiles(MEET[name])
    assert not verdict_of(module).startswith("proved")
    assert _fails(module, 300 if name == "numbers_of_eight_bits" else 7)


@pytest.mark.parametrize("name", MISS)
def test_missed_barriers_are_not_proved(name: str) -> None:
    module = _tiles(MISS[name])
    assert not verdict_of(module).startswith("proved")
    assert _fails(module, 3)
    assert _fails(_tiles(MISS[name], Level.HARDWARE), 3)


def test_blocks_without_turns_are_not_proved() -> None:
    module = _tiles(EARLY)
    assert not verdict_of(module).startswith("proved")
    assert _fails(module, 1500, 3, 1500)


def test_indices_below_zero_are_not_proved() -> None:
    module = _tiles(BELOW_ZERO)
    assert not verdict_of(module).startswith("proved")
    assert _fails(_tiles(BELOW_ZERO, Level.HARDWARE), 64, 2)
