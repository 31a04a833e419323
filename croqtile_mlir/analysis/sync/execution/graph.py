"""
The event graph of one execution.

An event is one step of an agent, one part of what an engine does, or the completion of
a generation. Each knows the set of events that happen before it in every schedule, as
bits of an integer: a vector clock that gives every event a component of its own.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from croqtile_mlir.analysis.sync.expressions import Value
from croqtile_mlir.analysis.sync.model import Action


class Part(Enum):
    """Who does an event."""

    AGENT = "agent"
    READS = "reads"
    """The reads of an asynchronous operation."""
    WRITES = "writes"
    """The writes of an asynchronous operation, or its end."""
    COMPLETION = "completion"


class Event(NamedTuple):
    """One event, and what a trace says of it."""

    agent: str
    part: Part
    action: Action
    iteration: tuple[Value, ...]
    slot: int = -1
    generation: int = -2
    """The generation it is about, -2 when about none."""


class Graph:
    """Events in an order in which they can happen, with what precedes each."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.ancestors: list[int] = []
        """Bit `i` of `ancestors[j]`: event `i` happens before event `j`, or is it."""

        self.visible: list[int] = []
        """The generic writes of which event `j` knows a proxy fence after them."""

    def add(self, event: Event, before: int, visible: int) -> int:
        """Append an event that happens after those in `before`."""
        number = len(self.events)
        self.events.append(event)
        self.ancestors.append(before | 1 << number)
        self.visible.append(visible)
        return number
