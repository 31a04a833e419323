"""What a condition leaves out in some iterations is not taken for done."""

from __future__ import annotations

import numpy as np
import pytest
from pipeline.lowering import parse, run
from xdsl.dialects.builtin import ModuleOp

from croqtile_mlir.simulator.loading import AS_GIVEN, load_module
from croqtile_mlir.simulator.simulate import Options, run_loaded
from evidence.judge import verdict_of
from evidence.levels import Level, pipeline_to
from evidence.wrong_ways import ALONE, COUNTED, LATER, WAYS


def _tiles(text: str, level: Level = Level.TILE) -> ModuleOp:
    module = parse(text)
    run(module, pipeline_to(level))
    return module


def _faults(module: ModuleOp, dims: tuple[int, int], policy: str) -> bool:
    given = np.random.default_rng(5)
    x, y = (given.standard_normal(320).astype(np.float32) for _ in range(2))
    sizes = (np.zeros(extent, np.int32) for extent in dims)
    loaded = load_module(module, AS_GIVEN)
    return bool(run_loaded(loaded, (x, y, *sizes), Options(policy=policy)).faults)


@pytest.mark.parametrize("name", WAYS)
def test_is_not_proved(name: str) -> None:
    module = _tiles(WAYS[name])
    assert not verdict_of(module).startswith("proved")
    assert _faults(module, (2, 1) if name == "from_a_branch" else (1, 2), "late")


@pytest.mark.parametrize("name", ALONE)
def test_is_not_proved_at_any_level(name: str) -> None:
    for level in Level:
        module = _tiles(ALONE[name], level)
        assert not verdict_of(module).startswith("proved")
        assert _faults(module, (1, 2), "late")


@pytest.mark.parametrize("name", LATER)
def test_what_comes_later_is_not_proved(name: str) -> None:
    module = _tiles(LATER[name])
    assert not verdict_of(module).startswith("proved")
    assert _faults(module, (1, 2), "late")


def test_counted_ones_are_proved() -> None:
    module = _tiles(COUNTED)
    assert verdict_of(module) == "proved"
    for policy in ("late", "rr", "random:1"):
        assert not _faults(module, (1, 2), policy)
