"""Whether a verdict on a program is what exploring it says."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product

from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from croqtile_mlir.analysis.sync.verdicts import Proved, Refuted, Undecided, Verdict
from properties.listing import listing
from properties.oracle import Fault, TooLarge, explore
from properties.programs import Loop, Program, walk
from properties.to_croq import COUNTS

EXAMPLES = "CROQ_PROPERTY_EXAMPLES"
"""The environment variable that asks for a number of new random examples."""

STATES = 5000
"""States of one exploration: more take too long, and are left out."""


def grid(program: Program, most: int) -> Iterator[dict[str, int]]:
    """Counts up to `most` steps and 2 tiles, the small ones first."""
    ranges = [range(most + 1 if name == "n" else 3) for name in program.counts]
    for numbers in sorted(product(*ranges), key=lambda n: (sum(n), n)):
        yield {"n": 0, "t": 0, **dict(zip(program.counts, numbers, strict=True))}


def horizon(program: Program) -> int:
    """Steps to explore: some more than the largest constant of the program."""
    numbers = [
        number
        for role in program.roles
        for statement in walk(role.body)
        if isinstance(statement, Loop)
        for bound in (statement.lower, statement.upper)
        for number in (bound.plus, bound.at_most or 0)
    ]
    return max(4, 2 + max(numbers, default=0))


def first_fault(program: Program, most: int) -> tuple[dict[str, int], Fault] | None:
    """The first counts of the grid at which something goes wrong; stops at TooLarge."""
    for counts in grid(program, most):
        try:
            fault = explore(program, counts, STATES)
        except TooLarge:
            return None
        if fault is not None:
            return counts, fault
    return None


@dataclass
class Tally:
    """Verdicts so far."""

    proved: int = 0
    refuted: int = 0
    undecided: list[str] = field(default_factory=list[str])

    @property
    def total(self) -> int:
        """All of them."""
        return self.proved + self.refuted + len(self.undecided)

    def add(self, verdict: Verdict) -> None:
        """Count a verdict."""
        match verdict:
            case Proved():
                self.proved += 1
            case Refuted():
                self.refuted += 1
            case Undecided():
                self.undecided.append(verdict.reason)


def check(program: Program, verdict: Verdict) -> None:
    """Fail if a verdict is not what exploration of small counts says."""
    match verdict:
        case Proved():
            found = first_fault(program, horizon(program))
            assert found is None, f"proved, but at {found[0]}: {found[1]}"
        case Refuted():
            _check_refuted(program, verdict)
        case Undecided():
            assert verdict.reason


def _check_refuted(program: Program, verdict: Refuted) -> None:
    said = f"refuted at {dict(verdict.counts)} by {verdict.rule}: {verdict.message}"
    named = {COUNTS.get(name, name): number for name, number in verdict.counts.items()}
    counts = {"n": 0, "t": 0, **named}
    assert set(counts) == {"n", "t"}, said
    try:
        fault = explore(program, counts, 10 * STATES)
    except TooLarge:
        return
    assert fault is not None, f"{said}, but nothing is wrong"
    if len(program.counts) == 1:
        (name,) = program.counts
        sooner = first_fault(program, counts[name] - 1)
        assert sooner is None, f"{said}, but already at {sooner[0]}: {sooner[1]}"


def sample(
    strategy: st.SearchStrategy[Program],
    examples: int,
    body: Callable[[Program], None],
) -> None:
    """Call a function with random programs: a fixed sample, or new ones on demand."""
    asked = os.environ.get(EXAMPLES)

    @settings(
        max_examples=int(asked) if asked else examples,
        derandomize=asked is None,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        phases=[Phase.generate, Phase.shrink],
    )
    @given(strategy)
    def each(program: Program) -> None:
        note(listing(program))
        body(program)

    each()
