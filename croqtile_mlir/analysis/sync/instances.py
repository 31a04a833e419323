"""Executions of a program with given counts, for all open conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from croqtile_mlir.analysis.sync.compiled import CompiledProgram
from croqtile_mlir.analysis.sync.control import perform
from croqtile_mlir.analysis.sync.diagnosis import diagnose, refuted, violations_of
from croqtile_mlir.analysis.sync.execution import Execution, Repair, Stopped
from croqtile_mlir.analysis.sync.touching import Memo
from croqtile_mlir.analysis.sync.verdicts import Refuted

LARGEST_NUMBER_OF_CHOICES = 64
"""Executions for one instance, over the ways that open conditions can go."""


class Instances:
    """Runs a program with counts."""

    def __init__(self, compiled: CompiledProgram):
        self.compiled = compiled
        self.executed = 0
        self._memo = Memo()

    def with_sum(self, total: int, limit: int) -> Iterator[tuple[int, ...]]:
        """Counts that add up to `total`, each at most `limit`."""
        yield from _with_sum(total, len(self.compiled.counts), limit)

    def _run(
        self,
        counts: Mapping[int, int],
        choices: Mapping[object, bool],
        repair: Repair | None = None,
    ) -> Execution:
        run = Execution(self.compiled, self._memo, counts, choices, repair)
        perform(run)
        self.executed += 1
        return run

    def check(self, counts: tuple[int, ...]) -> Refuted | None:
        """Whether an execution with these counts goes wrong."""
        env = dict(zip(self.compiled.counts, counts, strict=True))
        for run in self.executions(env):
            found = violations_of(run)
            if found:
                return self._refute(run, env, counts)
        return None

    def executions(self, env: Mapping[int, int]) -> Iterator[Execution]:
        """An execution for each way that open conditions can go."""
        left: list[dict[object, bool]] = [{}]
        number = 0
        while left:
            choices = left.pop()
            run = self._run(env, choices)
            number += 1
            if number > LARGEST_NUMBER_OF_CHOICES:
                raise Stopped(
                    self.compiled.program.place,
                    "too many conditions that the counts do not decide",
                )
            yield run
            taken = dict(choices)
            for key in run.made:
                left.append({**taken, key: False})
                taken[key] = True

    def _refute(
        self, run: Execution, env: Mapping[int, int], counts: tuple[int, ...]
    ) -> Refuted:
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
            return self._run(env, choices, repair)

        names = [v.name for v in self.compiled.program.counts]
        chosen = diagnose(run, sure, again)
        return refuted(run, chosen, dict(zip(names, counts, strict=True)))


def _with_sum(total: int, number: int, limit: int) -> Iterator[tuple[int, ...]]:
    if number == 0:
        if total == 0:
            yield ()
        return
    for first in range(min(total, limit) + 1):
        for rest in _with_sum(total - first, number - 1, limit):
            yield (first, *rest)
