"""Executions of a program with given counts, for all open conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from croqtile_mlir.analysis.sync.execution.compiled import CompiledProgram
from croqtile_mlir.analysis.sync.execution.control import perform
from croqtile_mlir.analysis.sync.execution.diagnosis import diagnose, refuted
from croqtile_mlir.analysis.sync.execution.periods import (
    OtherBits,
    Periods,
    Stage,
    Words,
)
from croqtile_mlir.analysis.sync.execution.repeating import violations_of
from croqtile_mlir.analysis.sync.execution.shift_rules import Unsteady
from croqtile_mlir.analysis.sync.execution.snapshots import Shape, Snapshot, snapshot
from croqtile_mlir.analysis.sync.execution.state import Execution, Repair, Stopped
from croqtile_mlir.analysis.sync.execution.touching import Memo
from croqtile_mlir.analysis.sync.verdicts import Refuted

LARGEST_NUMBER_OF_CHOICES = 64
"""Executions for one instance, over the ways that open conditions can go."""


LARGEST_NUMBER_OF_CORRECTIONS = 4
"""Of the bits that flip from period to period."""


COST_OF_KNOWN = 2
"""Events that are performed again, without checks and states, count as fewer."""


@dataclass(frozen=True, eq=False)
class Record:
    """An execution that went well, and its state at the start of each round."""

    counts: tuple[int, ...]
    choices: Mapping[object, bool]
    states: tuple[Snapshot, ...]


class Instances:
    """Runs a program with counts."""

    def __init__(self, compiled: CompiledProgram):
        self.compiled = compiled
        self.executed = 0
        self.events = 0
        """Events of all executions."""

        self.steady: dict[int, set[Shape]] = {}
        """
        For each count the states that repeat in the second run of a loop, or of the
        second `kinds` runs.
        """

        self.kinds = 1
        """Runs in sequence of which each is another agent's."""

        self.unsteady: Unsteady | None = None
        """Why an execution could last not be lengthened."""

        self._memo = Memo()

    def _run(
        self,
        counts: tuple[int, ...],
        choices: Mapping[object, bool],
        repair: Repair | None = None,
        states: list[Snapshot] | None = None,
    ) -> Execution:
        env = dict(zip(self.compiled.counts, counts, strict=True))
        run = Execution(self.compiled, self._memo, env, choices, repair)
        if states is not None:
            run.on_round = lambda: states.append(snapshot(run))
        perform(run)
        self.executed += 1
        self.events += len(run.graph.events)
        return run

    def check(self, counts: tuple[int, ...], record: bool) -> Refuted | list[Record]:
        """Whether an execution with these counts goes wrong; what was seen, if not."""
        left: list[dict[object, bool]] = [{}]
        records: list[Record] = []
        while left:
            choices = left.pop()
            states: list[Snapshot] = []
            run = self._run(counts, choices, None, states if record else None)
            if violations_of(run):
                return self._refute(run, counts)
            records.append(Record(counts, run.choices, tuple(states)))
            if len(records) > LARGEST_NUMBER_OF_CHOICES:
                raise Stopped(
                    self.compiled.program.place,
                    "too many conditions that the counts do not decide",
                )
            taken = dict(choices)
            for key in run.made:
                left.append({**taken, key: False})
                taken[key] = True
        return records

    def growths(self, records: list[Record], count: int) -> set[int]:
        """
        By how much a count can grow, once and again, so that all executions with it do
        the same things but for further periods.
        """
        common: set[int] | None = None
        for record in records:
            found = set(self._growths(record, self.compiled.counts[count]))
            common = found if common is None else common & found
            if not common:
                return set()
        return common or set()

    def _growths(self, record: Record, count: int) -> Iterator[int]:
        counts = frozenset(self.compiled.counts)
        periods = Periods(self.compiled, count, record.states, counts)
        for stages in periods.candidates():
            for growth in periods.grows(stages[0]) if stages else (1, 2, 4, 8, 3, 6):
                if not self._lengthens(periods, record, stages, growth):
                    continue
                for stage in stages[self.kinds : 2 * self.kinds]:
                    first, second = stage.first.round, stage.second.round
                    known = self.steady.setdefault(count, set())
                    known |= {s.shape for s in record.states[first:second]}
                yield growth
                return

    def _lengthens(
        self, periods: Periods, record: Record, stages: Sequence[Stage], growth: int
    ) -> bool:
        """Whether an execution can be lengthened by these periods."""
        env = dict(zip(self.compiled.counts, record.counts, strict=True))
        words: dict[int, Words] = {}
        for _ in range(LARGEST_NUMBER_OF_CORRECTIONS):
            run = Execution(
                self.compiled, self._memo, env, record.choices, is_known=True
            )
            self.executed += 1
            try:
                periods.attach(run, stages, growth, words)
                perform(run)
                return True
            except OtherBits:
                continue
            except Unsteady as error:
                self.unsteady = error
                return False
            finally:
                self.events += len(run.graph.events) // COST_OF_KNOWN
        place = self.compiled.program.place
        self.unsteady = Unsteady(place, "the bits that flip are others in each period")
        return False

    def _refute(self, run: Execution, counts: tuple[int, ...]) -> Refuted:
        found = violations_of(run)
        sure = [violation for violation in found if not violation.guessed]
        if not sure:
            raise Stopped(
                found[0].place,
                f"{found[0].rule}, unless what is not known of the addresses tells "
                f"otherwise: {found[0].message}",
            )
        choices = run.choices

        def again(repair: Repair) -> Execution:
            return self._run(counts, choices, repair)

        names = [v.name for v in self.compiled.program.counts]
        chosen = diagnose(run, sure, again)
        return refuted(run, chosen, dict(zip(names, counts, strict=True)))
