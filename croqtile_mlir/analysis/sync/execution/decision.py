"""Proved, refuted or undecided: the entry point of the verifier."""

from __future__ import annotations

from math import lcm

from croqtile_mlir.analysis.sync.cover import TILES, Counts, Cover
from croqtile_mlir.analysis.sync.execution.boundaries import (
    Nest,
    begun,
    nested_counts,
    reached,
    settled_from,
    trips,
)
from croqtile_mlir.analysis.sync.execution.compiled import CompiledProgram
from croqtile_mlir.analysis.sync.execution.instances import Instances, Record
from croqtile_mlir.analysis.sync.execution.state import Stopped
from croqtile_mlir.analysis.sync.execution.tile_periods import (
    LARGEST_PERIOD,
    tile_period,
)
from croqtile_mlir.analysis.sync.expressions import NotEvaluated
from croqtile_mlir.analysis.sync.model import Program
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
        if program.general is not None:
            general = decide(program.general, events)
            if isinstance(general, Proved):
                return general
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
        self._begun = begun(self.instances.compiled)
        self._few: dict[int, list[Record]] = {}
        """For each inner count, executions of a few tiles."""

    def _nested(self) -> Nest | None:
        compiled = self.instances.compiled
        nest = nested_counts(compiled)
        if nest is None:
            return None
        period = tile_period(compiled, compiled.counts[nest.outer])
        if period is None:
            return None
        if nest.every > 1:
            turns = lcm(period, nest.every)
            if turns > LARGEST_PERIOD:
                return None
            self.instances.kinds = turns
            self.cover.tiles = 3 * turns
        else:
            self.cover.tiles = TILES + period - 1
        return nest

    def run(self) -> Refuted | bool:
        """A refutation, or whether all instances are known."""
        if self._nest is None:
            return self._look()
        outer, inner = self._nest.outer, self._nest.inner
        self.cover.limit = (outer, self.cover.tiles)
        found = self._look()
        if isinstance(found, Refuted):
            return self._smaller(found)
        if not found:
            return False
        least = self._settled(self._nest)
        self._more_tiles(self._nest, least)
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
        nest = self._nest
        most = nest is not None and counts[nest.outer] == self.cover.tiles
        if nest is not None and most:
            self._few[counts[nest.inner]] = found
        for axis in self.axes:
            if counts[axis] == 0 and axis not in self._begun:
                continue
            if not (most and nest is not None and axis == nest.outer):
                self.cover.grows(counts, axis, self.instances.growths(found, axis))
        return None

    def _more_tiles(self, nest: Nest, least: int | None) -> None:
        """Look by how many tiles executions can be lengthened where it matters."""
        for inner, records in self._few.items():
            if least is None or inner < least:
                counts = records[0].counts
                growths = self.instances.growths(records, nest.outer)
                self.cover.grows(counts, nest.outer, growths)

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

    def _settled(self, nest: Nest) -> int | None:
        count = self.instances.compiled.counts[nest.inner]
        steady = frozenset(self.instances.steady.get(count, ()))
        hits: dict[int, int | None] = {}
        for number, records in self._few.items():
            later = range(2 * self.instances.kinds, self.cover.tiles)
            reach = [reached(r.states, count, steady, later) for r in records]
            known = [n for n in reach if n is not None]
            hits[number] = max(known) if len(known) == len(reach) else None
        return settled_from(hits, lambda number: trips(nest.loop, count, number))
