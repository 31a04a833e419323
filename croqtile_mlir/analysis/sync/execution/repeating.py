"""Executions that are repeated with a change, and whether they go well then."""

from __future__ import annotations

from collections.abc import Callable

from croqtile_mlir.analysis.sync.execution.endings import deadlock, leftovers
from croqtile_mlir.analysis.sync.execution.state import Execution, Repair
from croqtile_mlir.analysis.sync.execution.violations import Violation

Again = Callable[[Repair], Execution]
"""Repeats the execution with a change."""


def violations_of(run: Execution) -> list[Violation]:
    """All that went wrong in an execution that has been performed."""
    found = list(run.violations)
    if run.stuck and len(found) <= 40:
        found.append(deadlock(run))
    elif not run.stuck:
        found += leftovers(run)
    return found


def goes_well(again: Again, repair: Repair) -> bool:
    """Whether nothing goes wrong with a change."""
    return not violations_of(again(repair))
