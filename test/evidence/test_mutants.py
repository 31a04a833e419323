"""
A sample of the mutants: each is refuted, refused, seen in a run, or known to be right.

`evidence.report` judges all of them; `docs/evidence.md` has its figures.
"""

from __future__ import annotations

import re

import pytest

from evidence.corpus import CASES
from evidence.equivalents import OF_STATEMENTS, reason
from evidence.judge import Fate
from evidence.levels import Level, module_at
from evidence.mutations import mutations
from evidence.report import judged

SAMPLES = [
    # The kernel, the level, one mutant in so many.
    ("ready_ring", Level.TILE, 4),
    ("slot_loops", Level.TILE, 9),
    ("chain_of_three", Level.TILE, 13),
    ("in_flight_lagging", Level.TILE, 9),
    ("cluster_table", Level.TILE, 7),
    ("rotated_futures", Level.TILE, 2),
    ("one_stage", Level.HARDWARE, 9),
    ("threads_double_buffer", Level.HARDWARE, 3),
    ("swapped_buffers", Level.HARDWARE, 2),
]


@pytest.mark.parametrize(("name", "level", "every"), SAMPLES)
def test_sample(name: str, level: Level, every: int):
    found = list(judged(CASES[name], level, every, confirm=False))
    assert len(found) > 3
    assert [each for each in found if each.is_bad] == []
    assert sum(each.judgement.fate is Fate.STATIC for each in found) > 0


def test_what_is_never_harmless():
    """Deletions, early releases, wrong counts and phases need another explanation."""
    for op in ("croq.wait", "croq.trigger", "croq.barrier", "nvvm.fence.proxy"):
        assert reason("delete", op) is None
    for op in ("croq.trigger", "nvvm.mbarrier.arrive"):
        assert reason("move 1 up", op) is None
    assert reason("count + 1", "nvvm.mbarrier.init") is None
    assert reason("parity xor 1", "nvvm.mbarrier.try_wait") is None
    assert reason("duplicate", "nvvm.mbarrier.try_wait") is not None


@pytest.mark.parametrize("name", sorted({entry[0] for entry in OF_STATEMENTS}))
def test_reasons_are_of_mutants_that_there_are(name: str):
    """An entry for a line that the kernel no longer has would explain nothing."""
    lines = CASES[name].text.splitlines()
    found = list(mutations(module_at(Level.TILE, CASES[name].text)))
    for kernel, statement, operators, text in OF_STATEMENTS:
        explained = [
            mutation.operator
            for mutation in found
            if lines[mutation.line - 1].strip() == statement
            and reason(mutation.operator, mutation.op, name, statement) == text
            and re.fullmatch(operators, mutation.operator)
        ]
        assert bool(explained) == (kernel == name), (statement, operators)
