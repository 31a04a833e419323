"""What goes wrong in one execution, before it is put into words."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation

from croqtile_mlir.analysis.sync.model import Barrier
from croqtile_mlir.analysis.sync.verdicts import Rule


@dataclass(frozen=True, eq=False)
class Violation:
    """A rule that is broken in an execution, and the events that show it."""

    rule: Rule
    place: Operation
    message: str
    notes: tuple[tuple[Operation, str], ...] = ()
    hint: str | None = None
    first: int | None = None
    """
    The event that the trace ends with; events that happen before neither it nor `last`
    are left out.
    """

    last: int | None = None
    known: int = 0
    """Further events that the trace is to hold."""

    barrier: Barrier | None = None
    slot: int = 0
    guessed: bool = False
    """It rests on something that is not known."""

    stuck: tuple[str, ...] = field(default=())
    """Of a deadlock: a line for each agent."""
