"""Proved, refuted or undecided: the entry point of the verifier."""

from __future__ import annotations

from croqtile_mlir.analysis.sync.boundaries import (
    nested_counts,
    reached,
    settled_from,
)
from croqtile_mlir.analysis.sync.compiled import CompiledProgram
from croqtile_mlir.analysis.sync.cover import TILES, Counts, Cover
from croqtile_mlir.analysis.sync.execution import Stopped
from croqtile_mlir.analysis.sync.expressions import NotEvaluated
from croqtile_mlir.analysis.sync.instances import Instances, Record
from croqtile_mlir.analysis.sync.model import Program
from croqtile_mlir.analysis.sync.tile_periods import tile_period
from croqtile_mlir.analysis.sync.verdicts import Proved, Refuted, Undecided, Verdict

LARGEST_SUM = 100
"""Of the counts of an instance."""

LARGEST_WORK = 300_000
"""
Events of all executions of a program, for each block of a cluster; what does not repeat
by then is undecided.
"""


def decide(program: Program, events: int = LARGEST_WORK) -> Verdict:
    """
    Whether some execution of the program goes wrong, for all counts.

    `events` is how much of each block is executed at most to find out.
    """
    try:
        return _decide(program, events * program.blocks)
    except Stopped as stopped:
        return Undecided(stopped.place, stopped.reason, stopped.hint)
    except NotEvaluated as error:
        return Undecided(program.place, error.reason)


def _decide(program: Program, events: int) -> Verdict:
    search = _Search(program, events)
    found = search.run()
    if isinstance(found, Refuted):
        return found
    names = [variable.name for variable in program.counts]
    if found:
        largest = dict(zip(names, search.cover.largest(), strict=True))
        return Proved(search.instances.executed, largest)
    unsteady = search.instances.unsteady
    if unsteady is None:
        reason = "its state does not repeat when the trip counts grow"
        if search.instances.events > events:
            reason = f"it is not settled after {events} events of executions"
        return Undecided(program.place, reason)
    place = program.place if unsteady.place is None else unsteady.place
    return Undecided(place, unsteady.reason)


class _Search:
    """Looks at instances until the rest is known."""

    def __init__(self, program: Program, events: int):
        self.instances = Instances(CompiledProgram(program))
        self.events = events
        self.axes = range(len(program.counts))
        self.cover = Cover(len(self.axes))
        self._nest = self._nested()
        self._few: dict[int, list[Record]] = {}
        """For each inner trip count, executions of a few tiles."""

    def _nested(self) -> tuple[int, int] | None:
        compiled = self.instances.compiled
        nest = nested_counts(compiled)
        period = (
            None if nest is None else tile_period(compiled, compiled.counts[nest[0]])
        )
        if period is None:
            return None
        self.cover.tiles = TILES + period - 1
        return nest

    def run(self) -> Refuted | bool:
        """A refutation, or whether all instances are known."""
        if self._nest is None:
            return self._look()
        outer, inner = self._nest
        self.cover.limit = (outer, self.cover.tiles)
        found = self._look()
        if isinstance(found, Refuted):
            return self._smaller(found)
        if not found:
            return False
        least = self._settled(inner)
        if least is not None:
            self.cover.settled = (outer, inner, least)
        self.cover.limit = None
        return self._look()

    def _look(self) -> Refuted | bool:
        for total in range(LARGEST_SUM):
            for counts in self.cover.next_sum(total):
                if self.instances.events > self.events:
                    return False
                found = self._check(counts)
                if found is not None:
                    return found
            if not self.cover.goes_on(total):
                return True
        return False

    def _check(self, counts: Counts) -> Refuted | None:
        found = self.instances.check(counts, bool(self.axes))
        if isinstance(found, Refuted):
            return found
        for axis in self.axes:
            if counts[axis] > 0:
                self.cover.grows(counts, axis, self.instances.growths(found, axis))
        if self._nest is not None and counts[self._nest[0]] == self.cover.tiles:
            self._few[counts[self._nest[1]]] = found
        return None

    def _smaller(self, found: Refuted) -> Refuted:
        """A refutation with more tiles and smaller counts in all, if there is one."""
        largest = sum(found.counts.values())
        self.cover.limit = None
        for total in range(largest):
            for counts in self.cover.next_sum(total):
                smaller = self.instances.check(counts, False)
                if isinstance(smaller, Refuted):
                    return smaller
        return found

    def _settled(self, inner: int) -> int | None:
        count = self.instances.compiled.counts[inner]
        steady = frozenset(self.instances.steady.get(count, ()))
        hits: dict[int, int | None] = {}
        for trips, records in self._few.items():
            last = self.cover.tiles - 2
            reach = [reached(r.states, count, steady, last) for r in records]
            known = [n for n in reach if n is not None]
            hits[trips] = max(known) if len(known) == len(reach) else None
        return settled_from(hits)
