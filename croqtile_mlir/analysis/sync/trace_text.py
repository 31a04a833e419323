"""A failing execution as text."""

from __future__ import annotations

from collections.abc import Sequence

from croqtile_mlir.analysis.sync.verdicts import Refuted, Step
from croqtile_mlir.diagnostics import location_of

MAX_LINES = 12
"""Most lines of a trace: what comes last explains the failure."""


def trace_text(verdict: Refuted) -> str | None:
    """
    How a program gets to its failure, one step a line; None when it needs no steps.

    Each line is `<agent>, line <n> (<counters>): <step>`.
    """
    if not verdict.trace:
        return None
    sizes = ", ".join(f"{name} = {value}" for name, value in verdict.counts.items())
    lines = [f"an execution that gets there{f', with {sizes}' if sizes else ''}:"]
    steps: Sequence[Step] = verdict.trace
    left_out = len(steps) - MAX_LINES
    if left_out > 0:
        lines.append(f"  .. after {left_out} steps")
        steps = steps[left_out:]
    return "\n".join((*lines, *map(_line, steps)))


def _line(step: Step) -> str:
    where = location_of(step.action.place)
    line = f", line {where.line}" if where.is_known else ""
    counters = ", ".join(map(str, step.iteration))
    return f"  {step.agent}{line}{f' ({counters})' if counters else ''}: {step.text}"
