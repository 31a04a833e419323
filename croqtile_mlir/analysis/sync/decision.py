"""Proved, refuted or undecided: the entry point of the verifier."""

from __future__ import annotations

from croqtile_mlir.analysis.sync.compiled import CompiledProgram
from croqtile_mlir.analysis.sync.execution import Stopped
from croqtile_mlir.analysis.sync.expressions import NotEvaluated
from croqtile_mlir.analysis.sync.instances import Instances
from croqtile_mlir.analysis.sync.model import Program
from croqtile_mlir.analysis.sync.verdicts import Proved, Refuted, Undecided, Verdict


def decide(program: Program) -> Verdict:
    """Whether some execution of the program goes wrong, for all counts."""
    try:
        instances = Instances(CompiledProgram(program))
        for total in range(13 * max(len(program.counts), 1)):
            for counts in instances.with_sum(total, 12):
                found = instances.check(counts)
                if isinstance(found, Refuted):
                    return found
    except Stopped as stopped:
        return Undecided(stopped.place, stopped.reason, stopped.hint)
    except NotEvaluated as error:
        return Undecided(program.place, error.reason)
    return Proved(instances.executed)
