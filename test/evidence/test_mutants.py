"""
A sample of the mutants: each is refuted, refused, seen in a run, or known to be right.

`evidence.report` judges all of them; `docs/evidence.md` has its figures.
"""

from __future__ import annotations

import pytest

from evidence.corpus import CASES
from evidence.judge import Fate
from evidence.levels import Level
from evidence.report import judged

SAMPLES = [
    # The kernel, the level, one mutant in so many.
    ("ready_ring", Level.TILE, 3),
    ("slot_loops", Level.TILE, 9),
    ("chain_of_three", Level.TILE, 13),
    ("in_flight_lagging", Level.TILE, 9),
    ("one_stage", Level.HARDWARE, 9),
    ("threads_double_buffer", Level.HARDWARE, 5),
]

EQUIVALENT: dict[str, str] = {}


@pytest.mark.parametrize(("name", "level", "every"), SAMPLES)
def test_sample(name: str, level: Level, every: int):
    found = list(judged(CASES[name], level, every, confirm=False))
    assert len(found) > 3
    for each in found:
        fate = each.judgement.fate
        assert not each.judgement.missed, each
        assert fate is not Fate.SURVIVOR, each
        if fate is Fate.EQUIVALENT:
            assert f"{name}: {each.mutant}" in EQUIVALENT, each
    assert sum(e.judgement.fate is Fate.STATIC for e in found) > 0
