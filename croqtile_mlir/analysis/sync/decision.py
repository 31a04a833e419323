"""Proved, refuted or undecided: the entry point of the verifier."""

from __future__ import annotations

from croqtile_mlir.analysis.sync.compiled import CompiledProgram
from croqtile_mlir.analysis.sync.cover import Cover
from croqtile_mlir.analysis.sync.execution import Stopped
from croqtile_mlir.analysis.sync.expressions import NotEvaluated
from croqtile_mlir.analysis.sync.instances import Instances
from croqtile_mlir.analysis.sync.model import Program
from croqtile_mlir.analysis.sync.verdicts import Proved, Refuted, Undecided, Verdict

LARGEST_SUM = 160
"""Of the counts of an instance."""

LARGEST_WORK = 300_000
"""Events of all executions of a program; what does not repeat by then is undecided."""


def decide(program: Program) -> Verdict:
    """Whether some execution of the program goes wrong, for all counts."""
    try:
        return _decide(program)
    except Stopped as stopped:
        return Undecided(stopped.place, stopped.reason, stopped.hint)
    except NotEvaluated as error:
        return Undecided(program.place, error.reason)


def _decide(program: Program) -> Verdict:
    instances = Instances(CompiledProgram(program))
    axes = range(len(program.counts))
    cover = Cover(len(axes))
    for total in range(LARGEST_SUM):
        if instances.events > LARGEST_WORK:
            break
        needed = False
        for counts in cover.next_sum(total):
            needed = True
            found = instances.check(counts, bool(axes))
            if isinstance(found, Refuted):
                return found
            for axis in axes:
                if counts[axis] > 0:
                    cover.grows(counts, axis, instances.growths(found, axis))
        if not needed:
            names = [variable.name for variable in program.counts]
            largest = dict(zip(names, cover.largest(), strict=True))
            return Proved(instances.executed, largest)
    unsteady = instances.unsteady
    if unsteady is None:
        reason = "its state does not repeat when the trip counts grow"
        return Undecided(program.place, reason)
    place = program.place if unsteady.place is None else unsteady.place
    return Undecided(place, unsteady.reason)
