"""Asynchronous operations in flight in one execution, and who may wait for them."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation as IROperation

from croqtile_mlir.analysis.sync.execution.regions import Part
from croqtile_mlir.analysis.sync.execution.slots import SlotState
from croqtile_mlir.analysis.sync.expressions import Value
from croqtile_mlir.analysis.sync.model import Access, Arrive, Start


@dataclass(eq=False, slots=True)
class Operation:
    """An asynchronous operation; joint ones have no events until all members start."""

    action: Start
    agents: tuple[str, ...]
    iteration: tuple[Value, ...]
    reads: int | None = None
    """The event of its reads."""

    end: int | None = None
    """The event of its end."""

    shared: tuple[int, ...] = ()
    """Events that must be over when the block ends."""

    rank: int = 0
    """The block of the cluster whose shared memory it touches."""

    joined_reads: bool = False
    joined: bool = False

    @property
    def started(self) -> bool:
        """Whether every member has started it."""
        return self.end is not None


@dataclass(frozen=True, eq=False, slots=True)
class Remote:
    """An arrival on a barrier of a peer in the cluster."""

    action: Arrive
    agent: str
    slot: SlotState
    event: int


@dataclass(eq=False, slots=True)
class Queue:
    """A queue of one agent: its open group and the closed ones."""

    open: list[Operation] = field(default_factory=list[Operation])
    groups: list[list[Operation]] = field(default_factory=list[list[Operation]])
    last: int = 0
    """Events that the next operation of a queue in order comes after."""

    def older(self, pending: int) -> list[Operation]:
        """Operations of all groups but the newest `pending`."""
        count = max(len(self.groups) - pending, 0)
        return [operation for group in self.groups[:count] for operation in group]

    def settle(self, pending: int, reads_only: bool) -> None:
        """Drop what a wait has joined."""
        if reads_only:
            return
        count = max(len(self.groups) - pending, 0)
        del self.groups[:count]


@dataclass(eq=False, slots=True)
class Joint:
    """An operation that several agents execute together."""

    operation: Operation
    before: int = 0
    visible: int = 0
    members: set[str] = field(default_factory=set[str])
    parts: list[tuple[Access, Part]] = field(default_factory=list[tuple[Access, Part]])


@dataclass(eq=False, slots=True)
class RendezvousState:
    """A hardware barrier: who arrived for the current generation."""

    completed: int = 0
    arrived: int = 0
    threads: int = 0
    before: int = 0
    visible: int = 0
    members: list[str] = field(default_factory=list[str])
    events: list[int] = field(default_factory=list[int])
    last_events: tuple[int, ...] = ()
    """Arrivals of the last generation."""

    places: list[IROperation] = field(default_factory=list[IROperation])
    ends: list[int] = field(default_factory=list[int])
    """The event at which each generation was complete."""
