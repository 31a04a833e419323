"""
Random programs: what is proved goes well for counts far beyond those looked at, what is
refuted goes wrong at the counts of the verdict and at none that are smaller.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from support.sync_programs import ProgramBuilder, add, apply

from croqtile_mlir.analysis.sync.execution.compiled import CompiledProgram
from croqtile_mlir.analysis.sync.execution.decision import decide
from croqtile_mlir.analysis.sync.execution.instances import Instances
from croqtile_mlir.analysis.sync.model import Program
from croqtile_mlir.analysis.sync.verdicts import Proved, Refuted


def _ring(rng: np.random.Generator, nested: bool) -> Program:
    """A ring, mostly right, with stages, lags, unrolling and faults drawn at random."""

    def draw(likely: int, *others: int) -> int:
        return int(rng.choice([likely] * 6 + list(others)))

    p = ProgramBuilder()
    slots = int(rng.integers(1, 4))
    consumers, lag = draw(1, 2), min(draw(0, 1, 2), slots)
    unroll = draw(1, 2)
    full = p.barrier("full", slots)
    empty = p.barrier(
        "empty", slots, max(consumers + draw(0, 1, -1), 1), bool(draw(1, 0))
    )
    a = p.buffer("a", slots)
    count = p.count("K")
    tiles = p.count("U") if nested else 1
    steps = apply("mul", count, unroll)
    credit, late = draw(0, 1, -1), draw(0, 1)
    with p.agent("producer"), p.loop("u", tiles) as u, p.loop("k", steps) as k:
        order = add(apply("mul", u, steps), k)
        p.wait(empty, add(order, draw(0, 0, 1)))
        p.arrive(full, order, bytes=32)
        p.load(a, order, full, order)
    for number in range(consumers):
        with p.agent(f"consumer{number}"):
            with (
                p.loop("u", tiles) as u,
                p.loop("k", add(count, draw(0, 0, 1) * number)) as k,
            ):
                first = add(apply("mul", u, steps), apply("mul", k, unroll))
                for part in range(unroll):
                    p.wait(full, add(first, part))
                    p.mma((a, add(first, part)))
                p.wait_group("wgmma", lag)
                for part in range(unroll):
                    order = add(first, part - lag - late)
                    with p.branch(apply("ge", order, 0)):
                        p.arrive(empty, add(order, slots + credit))
            p.wait_group("wgmma", 0)
    return p.program()


def _boxes(sizes: tuple[int, ...]) -> list[tuple[int, ...]]:
    return sorted(itertools.product(*map(range, sizes)), key=sum)


@pytest.mark.parametrize(
    ("nested", "programs"),
    [(False, 60), (True, 16)],
    ids=["one loop", "nested loops"],
)
def test_verdicts_agree_with_executions(nested: bool, programs: int) -> None:
    rng = np.random.default_rng(20240 + nested)
    proved = refuted = 0
    for _ in range(programs):
        program = _ring(rng, nested)
        verdict = decide(program)
        instances = Instances(CompiledProgram(program))
        names = [variable.name for variable in program.counts]
        if isinstance(verdict, Proved):
            proved += 1
            beyond = [verdict.largest[name] + 9 for name in names]
            for _ in range(12):
                counts = tuple(int(rng.integers(0, n)) for n in beyond)
                assert isinstance(instances.check(counts, False), list), counts
        else:
            assert isinstance(verdict, Refuted), verdict
            refuted += 1
            at = tuple(verdict.counts[name] for name in names)
            assert isinstance(instances.check(at, False), Refuted)
            for counts in _boxes(tuple(n + 1 for n in at)):
                if sum(counts) < sum(at):
                    assert isinstance(instances.check(counts, False), list), counts
    assert proved > programs // 8
    assert refuted > programs // 4
