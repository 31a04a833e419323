"""
From one execution to all longer ones.

If an execution is twice in the same state (`snapshots`), and the rules of `shifts` hold
from the one to the other and from there to its end, then what lies in between can be
repeated: the execution with one more period does the same things, with the same order
between them, and the same holds for any number of periods. A loop that runs several
times (the steps of each tile) has one such place in each run, a `Stage`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from croqtile_mlir.analysis.sync.execution.compiled import CompiledProgram
from croqtile_mlir.analysis.sync.execution.rings import Ring, turned
from croqtile_mlir.analysis.sync.execution.shift_rules import Unsteady
from croqtile_mlir.analysis.sync.execution.shifts import Shift
from croqtile_mlir.analysis.sync.execution.snapshots import LoopRun, Snapshot
from croqtile_mlir.analysis.sync.execution.state import Execution
from croqtile_mlir.analysis.sync.execution.toggles import Delta, Toggle, toggle
from croqtile_mlir.analysis.sync.model import Apply, Barrier, Constant, Expr

PAIRS_TRIED = 16
"""Lengths of a period that are tried."""

EPOCHS_TRIED = 3
"""Places of an execution where the first of its periods is looked for."""


Words = list[dict[int, Toggle]]
"""For each agent the variables whose bits flip."""


class OtherBits(Exception):
    """
    After a period other bits flip than did at its start, as in a variable that had no
    value yet: to be tried again with those.
    """


@dataclass(frozen=True)
class Stage:
    """Two rounds with the same state, around one period."""

    first: Snapshot
    second: Snapshot


def _runs(state: Snapshot, count: int) -> tuple[tuple[LoopRun, ...], ...]:
    """For each agent, the loops it is in whose trip count depends on a count."""
    return tuple(
        tuple(run for run in loops if count in run[0].bounds) for loops in state.loops
    )


def _signature(state: Snapshot, count: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(n for _, n in runs) for runs in _runs(state, count))


def _difference(
    first: Snapshot, second: Snapshot, words: frozenset[int]
) -> list[dict[int, Delta]] | None:
    """By how much variables differ, None if some that are not numbers do."""
    found: list[dict[int, Delta]] = []
    for before, after in zip(first.values, second.values, strict=True):
        differences: dict[int, Delta] = {}
        for at, (a, b) in enumerate(zip(before, after, strict=True)):
            if isinstance(a, int) and isinstance(b, int):
                if a != b:
                    differences[at] = toggle(a ^ b) if at in words else b - a
            elif a != b:
                return None
        found.append(differences)
    return found


def _progress(first: Snapshot, second: Snapshot, count: int) -> tuple[int, ...]:
    """The iterations, in steps of the counter, that loops of the count advance by."""
    found: list[int] = []
    for agent, runs in enumerate(_runs(first, count)):
        for code, _ in runs:
            a = first.values[agent][code.counter]
            b = second.values[agent][code.counter]
            if isinstance(a, int) and isinstance(b, int):
                found.append(b - a)
    return tuple(found)


def _moved(first: Snapshot, second: Snapshot, count: int) -> bool:
    """Whether a loop that does not depend on the count is at another iteration."""
    for agent, runs in enumerate(_runs(first, count)):
        own = {code.counter for code, _ in runs}
        before, after = first.values[agent], second.values[agent]
        around = first.around[agent]
        if any(before[at] != after[at] for at in around if at not in own):
            return True
    return False


def _scales(expr: Expr) -> set[int]:
    """Constants that a count is divided or multiplied by."""
    if not isinstance(expr, Apply):
        return set()
    found: set[int] = set()
    for operand in expr.operands:
        found |= _scales(operand)
    if expr.function in ("floordiv", "ceildiv", "mul", "mod"):
        found |= {o.value for o in expr.operands if isinstance(o, Constant)}
    if expr.function == "shr":
        found |= {1 << o.value for o in expr.operands if isinstance(o, Constant)}
    return found


def _both(change: Delta, more: Delta) -> Delta:
    """Two changes of a variable together."""
    if isinstance(change, int) and isinstance(more, int):
        return change + more
    if isinstance(change, Toggle) and isinstance(more, Toggle):
        return toggle(change.mask ^ more.mask)
    if change == 0 or more == 0:
        return change or more
    raise Unsteady(None, "bits of a number flip that grows, too")


def _generations(
    shift: Shift, stage: Stage
) -> tuple[dict[tuple[Barrier, int], int], dict[Ring, int]]:
    """
    By how much the generations of each slot differ after a period, and by how many
    slots rings have turned. Of one that turns all orders have to differ alike.
    """
    first, second = stage.first.generations, stage.second.generations
    here = turned(stage.first.turned, stage.second.turned)
    rings = dict(shift.turned)
    for ring, by in here.items():
        rings[ring] = rings.get(ring, 0) + by
    found: dict[tuple[Barrier, int], int] = {}
    for key in shift.generations.keys() | second.keys():
        if key[0] not in rings:
            more = second.get(key, 0) - first.get(key, 0)
            found[key] = shift.generation(*key) + more
    for barrier in [ring for ring in rings if isinstance(ring, Barrier)]:
        slots, by = barrier.slots, here.get(barrier, 0)
        scale = 1 if barrier in shift.turned else slots
        orders = {
            shift.generation(barrier, (slot + by) % slots) * scale
            + second.get((barrier, (slot + by) % slots), 0) * slots
            - first.get((barrier, slot), 0) * slots
            + (slot + by) % slots
            - slot
            for slot in range(slots)
        }
        if len(orders) > 1:
            raise Unsteady(barrier.place, "the slots of a ring are not all in step")
        order = orders.pop()
        if rings[barrier] % slots == 0:
            order //= slots
        found.update({(barrier, slot): order for slot in range(slots)})
    return found, {r: by % r.slots for r, by in rings.items() if by % r.slots}


class Periods:
    """Looks for periods of an execution in one of the counts."""

    def __init__(
        self,
        compiled: CompiledProgram,
        count: int,
        states: Sequence[Snapshot],
        counts: frozenset[int],
    ):
        self._compiled = compiled
        self._count = count
        self._counts = counts
        self._epochs = self._split(states)
        self._longer = self._growing(states)

    def _split(self, states: Sequence[Snapshot]) -> list[list[Snapshot]]:
        """Rounds in which every agent is in the same run of the loops."""
        epochs: list[list[Snapshot]] = []
        last = None
        for state in states:
            signature = _signature(state, self._count)
            if signature != last:
                epochs.append([])
                last = signature
            epochs[-1].append(state)
        return [e for e in epochs if any(_signature(e[0], self._count))]

    def _pairs(self, epoch: Sequence[Snapshot]) -> list[Stage]:
        """
        Equal states in which every loop of the count has moved: for each number of
        iterations the first ones, the smallest number first.
        """
        found: dict[int, Stage] = {}
        same: dict[object, list[Snapshot]] = {}
        for second in epoch:
            earlier = same.setdefault(second.shape, [])
            for first in earlier:
                if _moved(first, second, self._count):
                    continue
                progress = _progress(first, second, self._count)
                if progress and all(p > 0 for p in progress):
                    found.setdefault(max(progress), Stage(first, second))
            earlier.append(second)
        return [found[number] for number in sorted(found)]

    def grows(self, stage: Stage) -> list[int]:
        """Numbers that the count may grow by in a period."""
        progress = _progress(stage.first, stage.second, self._count)
        found: list[int] = []
        for runs in _runs(stage.first, self._count):
            for code, _ in runs:
                for scale in {1, *_scales(code.loop.upper)}:
                    found.append(progress[0] * scale)
                    if scale and progress[0] % scale == 0:
                        found.append(progress[0] // scale)
        return [n for n in dict.fromkeys(found) if n > 0]

    def candidates(self) -> Iterator[list[Stage]]:
        """Ways to lengthen the execution, the shortest first."""
        tried = 0
        for number, epoch in enumerate(self._epochs):
            starts = self._pairs(epoch)
            for start in starts[:PAIRS_TRIED]:
                apart = self._from(number, start, False)
                if self._longer <= self._in_stages(apart):
                    yield apart
                shared = self._from(number, start, True)
                if len(shared) > len(apart) and (
                    self._longer <= self._in_stages(shared)
                ):
                    yield shared
            tried += bool(starts)
            if tried == EPOCHS_TRIED:
                break
        if not tried and not self._longer:
            yield []

    def _growing(self, states: Sequence[Snapshot]) -> frozenset[int]:
        """
        Runs of loops that surely become longer with the count, so that there is no need
        to try without a period in each of them.
        """
        known: dict[int, bool] = {}
        shift = Shift(self._compiled.expressions, [{self._count: 1}], {}, self._counts)
        for state in states:
            all_runs = _runs(state, self._count)
            for values, runs in zip(state.values, all_runs, strict=True):
                for code, number in runs:
                    if number not in known:
                        known[number] = shift.lengthens(code.lower, code.upper, values)
        return frozenset(number for number, longer in known.items() if longer)

    def _in_stages(self, stages: Sequence[Stage]) -> frozenset[int]:
        return frozenset[int]().union(*(self._covered(stage) for stage in stages))

    def _from(self, number: int, start: Stage, shared: bool) -> list[Stage]:
        """
        Stages with the same progress for the other runs of the loops. A run without one
        has to keep its trip count, as one up to `min(K, 3)` does, or one from `K - 3`
        up to `K`; the shifts see to that. `shared`: a run can be in several, as that of
        a producer is whose consumer has two loops.
        """
        wanted = set(_progress(start.first, start.second, self._count))
        stages, covered = [start], self._covered(start)
        for epoch in self._epochs[number + 1 :]:
            here = {n for runs in _signature(epoch[0], self._count) for n in runs}
            if here <= covered or (here & covered and not shared):
                continue
            for stage in self._pairs(epoch):
                if set(_progress(stage.first, stage.second, self._count)) == wanted:
                    stages.append(stage)
                    covered |= here
                    break
        return stages

    def _covered(self, stage: Stage) -> set[int]:
        return {n for runs in _signature(stage.first, self._count) for n in runs}

    def attach(
        self,
        run: Execution,
        stages: Sequence[Stage],
        growth: int,
        words: dict[int, Words],
    ) -> None:
        """
        Let shifts go along with an execution that has not begun.

        `words`: by the first round of a stage, bits that flip, if not those in which
        its two states differ; `OtherBits` adds to them.
        """
        agents = len(run.agents)
        expressions = self._compiled.expressions
        run.shifts = [
            Shift(expressions, [{self._count: growth}] * agents, {}, self._counts)
        ]
        current = run.shifts[0]
        starts = {stage.first.round: stage for stage in stages}
        ends: dict[int, tuple[Shift, Shift, int, Words]] = {}
        before = run.on_round

        def on_round() -> None:
            nonlocal current
            if before is not None:
                before()
            over = ends.pop(run.round, None)
            if over is not None:
                outer, inner, first, flipped = over
                if inner.words() != flipped:
                    words[first] = inner.words()
                    raise OtherBits
                run.shifts.remove(outer)
            stage = starts.get(run.round)
            if stage is not None:
                longer = self._next(current, stage)
                if run.round in words:
                    longer.flip(words[run.round])
                ends[stage.second.round] = current, longer, run.round, longer.words()
                current = longer
                run.shifts.append(current)

        run.on_round = on_round

    def _next(self, shift: Shift, stage: Stage) -> Shift:
        """What differs from the start of a stage on, if its period is repeated."""
        words = self._compiled.words
        differences = _difference(stage.first, stage.second, words)
        if differences is None:
            raise Unsteady(None, "values that differ between lanes change")
        variables = [
            {
                at: _both(known.get(at, 0), more.get(at, 0))
                for at in known.keys() | more.keys()
            }
            for known, more in zip(shift.variables, differences, strict=True)
        ]
        generations, rings = _generations(shift, stage)
        return Shift(
            self._compiled.expressions, variables, generations, self._counts, rings
        )
