"""Who acts: agents with a program, and operations that hardware executes for them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from xdsl.ir import Operation

from croqtile_mlir.simulator.clocks import Clock

if TYPE_CHECKING:
    from croqtile_mlir.simulator.engine import Engine


class Waiting(Protocol):
    """Why an agent does not go on."""

    @property
    def op(self) -> Operation | None:
        """Where it waits."""
        ...

    def ready(self) -> bool:
        """Whether the wait is over."""
        ...

    def describe(self) -> str:
        """What it waits for, what it has seen and what it still needs."""
        ...


LOOP_PAUSE = 256
"""After so many turns a loop that may be one that waits for others lets them go on."""


@dataclass(frozen=True)
class Polling:
    """A test was false; the agent may go on, but others better do first."""

    op: Operation | None
    what: str

    def ready(self) -> bool:
        """Always: nothing holds the agent."""
        return True

    def describe(self) -> str:
        """For the report of a deadlock."""
        return f"tests {self.what} again and again"


Progress = Generator[Waiting | None, None, None]
"""A program in execution: yields what it waits for, or None where others may go on."""


@dataclass(eq=False)
class Actor:
    """An agent, or an operation in flight."""

    engine: Engine
    name: str
    slot: int
    clock: Clock
    fenced: dict[object, Clock] = field(
        default_factory=dict[object, Clock], kw_only=True
    )
    """By memory, what it knew at its last proxy fence; of an operation, its issuers."""

    def act(self, op: Operation | None) -> int:
        """Begin the epoch of an access or arrival of an op; its number."""
        epoch = self.engine.history.next_epoch(self.slot, op, self.name)
        self.clock.room(self.slot + 1)[self.slot] = epoch
        return epoch


@dataclass(eq=False)
class Agent(Actor):
    """
    Threads that execute one program together: a warp, or at tile level a whole role.

    `threads` threads from `first_thread` of the block on.
    """

    first_thread: int = 0
    threads: int = 32
    waiting: Waiting | None = None
    ended: bool = False
    lane_epoch: int = 0
    """Counts what orders the lanes among themselves: warp barriers and wider ones."""

    program: Progress | None = None
    """Set when the agent is started."""

    _ordered_until: int = 0
    """The epoch up to which the accesses of all lanes are ordered with each lane."""

    _touched: set[int] = field(default_factory=set[int])
    """The lanes that have accessed memory since."""

    def lanes_meet(self) -> None:
        """The lanes are ordered with each other: a barrier of the warp or of more."""
        self.lane_epoch += 1
        self._ordered_until = self.engine.history.last_epoch(self.slot)
        self._touched.clear()

    def touch(self, lanes: Iterable[int]) -> None:
        """Single lanes have accessed memory."""
        self._touched.update(lanes)

    def released_by(self, lanes: Iterable[int]) -> Clock:
        """
        What an arrival of some lanes releases.

        Accesses of other lanes since they last met are not ordered before it.
        """
        if not self._touched.difference(lanes):
            return self.clock
        clock = self.clock.copy()
        clock.room(self.slot + 1)[self.slot] = self._ordered_until
        return clock

    @property
    def is_polling(self) -> bool:
        """Whether it has tested something in vain, so that others should go on."""
        return isinstance(self.waiting, Polling)

    @property
    def is_ready(self) -> bool:
        """Whether it can make a step."""
        return not self.ended and (self.waiting is None or self.waiting.ready())


@dataclass(eq=False)
class Transfer(Actor):
    """
    An operation in flight: TMA, wgmma, cp.async, a bulk store.

    `run` does its accesses, when it lands. `track` is the engine that executes it, and
    operations of one `queue` land in order. After landing `clock` is what whoever waits
    for it learns.
    """

    op: Operation | None = None
    track: str = "TMA"
    queue: object | None = None
    run: Callable[[Transfer], None] = field(default=lambda _: None)
    landed: bool = False
    started: int = 0
    """The tick of its start, for the trace."""
