"""Who acts: agents with a program, and operations that hardware executes for them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import groupby
from typing import TYPE_CHECKING, Protocol

from xdsl.ir import Operation

from croqtile_mlir.simulator.actor_lanes import WARP, LaneOrder
from croqtile_mlir.simulator.clocks import Clock

if TYPE_CHECKING:
    from croqtile_mlir.simulator.engine import Engine


class Reach(IntEnum):
    """The threads that a scope includes, from few to all."""

    CTA = 0
    CLUSTER = 1
    GPU = 2
    SYS = 3

    def includes(self, one: Engine, other: Engine) -> bool:
        """Whether a scope of a thread of one block includes threads of another."""
        if one is other:
            return True
        if one.cluster is not None and one.cluster is other.cluster:
            return self >= Reach.CLUSTER
        return self >= Reach.GPU


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
    tests: int = 1
    """How many tests in vain it counts as: those of memory take long here."""

    def ready(self) -> bool:
        """Always: nothing holds the agent."""
        return True

    def describe(self) -> str:
        """For the report of a deadlock."""
        return f"tests {self.what} again and again"


_AS_IT_IS = nullcontext()

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

    @property
    def knowledge(self) -> Clock:
        """All that it knows."""
        return self.clock

    def as_lanes(self, lanes: Iterable[int] | None) -> AbstractContextManager[None]:
        """Accesses by single lanes, which may know more than all together."""
        return _AS_IT_IS

    def act(self, op: Operation | None) -> int:
        """Begin the epoch of an access or arrival of an op; its number."""
        epoch = self.engine.history.next_epoch(self.slot, op, self.name)
        self.clock.room(self.slot + 1)[self.slot] = epoch
        return epoch


@dataclass(frozen=True)
class Found:
    """What a write of another thread carries to those that read it."""

    clock: Clock
    reach: Reach
    """The scope of the write, and of what read it."""

    engine: Engine
    """Of the block of that thread."""


@dataclass
class FenceState:
    """What the next fence of an agent acquires, and what its last ones release."""

    released: list[tuple[Clock, Reach]] = field(
        default_factory=list[tuple["Clock", "Reach"]]
    )
    """What it knew at its last fence of each scope."""

    found: list[Found] = field(default_factory=list["Found"])
    """What relaxed reads found since the last fence."""


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
    order: LaneOrder = field(default_factory=LaneOrder)
    """What orders the lanes among themselves: warp barriers and wider ones."""

    program: Progress | None = None
    """Set when the agent is started."""

    _touched: set[int] = field(default_factory=set[int])
    """The lanes that have accessed memory since."""

    fences: FenceState = field(default_factory=FenceState)
    _partial: dict[int, Clock] = field(default_factory=dict[int, Clock])
    """What single lanes have acquired since they last met the others."""

    def learn(self, clock: Clock, lane: int | None) -> None:
        """A lane, or (None) all threads, acquire what others have released."""
        if lane is None:
            self.clock.join(clock)
        elif lane in self._partial:
            self._partial[lane].join(clock)
        else:
            self._partial[lane] = clock.copy()

    def known_to(self, lane: int | None) -> Clock:
        """What one lane knows, or (None) what all threads of the agent know."""
        if lane is None or lane not in self._partial:
            return self.clock
        clock = self.clock.copy()
        clock.join(self._partial[lane])
        return clock

    def as_lanes(self, lanes: Iterable[int] | None) -> AbstractContextManager[None]:
        """Accesses by lanes: what all of them have acquired is known."""
        if not self._partial or lanes is None:
            return _AS_IT_IS
        lanes = list(lanes)
        common = [self._partial[lane] for lane in lanes if lane in self._partial]
        if not common or len(common) < len(lanes):
            return _AS_IT_IS
        return self._knowing(common)

    @contextmanager
    def _knowing(self, common: Sequence[Clock]) -> Generator[None]:
        """Accesses by who knows what all of some clocks do."""
        learned = common[0].copy()
        for other in common[1:]:
            learned.meet(other)
        around = self.clock
        self.clock = around.copy()
        self.clock.join(learned)
        try:
            yield
        finally:
            own = self.clock.room(self.slot + 1)[self.slot]
            around.room(self.slot + 1)[self.slot] = own
            self.clock = around

    @property
    def knowledge(self) -> Clock:
        """What the lanes of the agent know together."""
        if not self._partial:
            return self.clock
        clock = self.clock.copy()
        for learned in self._partial.values():
            clock.join(learned)
        return clock

    def lanes_meet(self) -> None:
        """The lanes are ordered with each other: a barrier of the warp or of more."""
        for learned in self._partial.values():
            self.clock.join(learned)
        self._partial.clear()
        self.order.all_meet(self.engine.history.last_epoch(self.slot))
        self._touched.clear()

    def warps_meet(self, lanes: Sequence[int]) -> None:
        """Some lanes, of each warp on its own, are ordered: a barrier of the warp."""
        if len(lanes) == self.threads <= WARP:
            self.lanes_meet()
            return
        epoch = self.engine.history.last_epoch(self.slot)
        for _, found in groupby(lanes, lambda lane: lane // WARP):
            members = list(found)
            self.order.some_meet(members, self.threads, epoch)
            learned = [self._partial[m] for m in members if m in self._partial]
            for member in members if learned else ():
                for clock in learned:
                    self.learn(clock, member)

    def touch(self, lanes: Iterable[int]) -> None:
        """Single lanes have accessed memory."""
        self._touched.update(lanes)

    def released_by(self, lanes: Iterable[int]) -> Clock:
        """
        What an arrival of some lanes releases.

        Accesses of other lanes since they last met are not ordered before it.
        """
        lanes = list(lanes)
        ordered = not self._touched.difference(lanes)
        learned = [self._partial[lane] for lane in lanes if lane in self._partial]
        if ordered and not learned:
            return self.clock
        clock = self.clock.copy()
        if not ordered:
            epoch = self.engine.history.last_epoch(self.slot)
            clock.room(self.slot + 1)[self.slot] = self.order.until
            for lane in lanes:
                clock.lanes |= {
                    (self.slot, other): known
                    for other, known in self.order.known_to(lane)
                }
            clock.lanes |= {(self.slot, lane): epoch for lane in lanes}
        for each in learned:
            clock.join(each)
        return clock

    @property
    def is_polling(self) -> bool:
        """Whether it has tested something in vain, so that others should go on."""
        return isinstance(self.waiting, Polling)

    @property
    def polls(self) -> int:
        """How many tests in vain its last step counts as."""
        return self.waiting.tests if isinstance(self.waiting, Polling) else 0

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
