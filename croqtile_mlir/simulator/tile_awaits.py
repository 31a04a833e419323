"""Waits for copies at tile level: for one future, for those that are counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from xdsl.ir import Operation

from croqtile_mlir.analysis.scopes import Scope
from croqtile_mlir.dialects import croq
from croqtile_mlir.simulator.actors import Progress
from croqtile_mlir.simulator.program import Frame, Made, Maker, Suspending
from croqtile_mlir.simulator.tile_kernel import leads
from croqtile_mlir.simulator.tile_steps import Steps
from croqtile_mlir.simulator.tile_values import Flight, SharedTile


@dataclass(frozen=True)
class Landing:
    """An agent waits for a copy to be complete."""

    flight: Flight
    op: Operation
    read: bool = False
    """Until its source may be reused."""

    def ready(self) -> bool:
        """Whether the wait is over."""
        if not self.flight.issued:
            return False
        last = self.flight.reading if self.read else self.flight.writing
        return last is None or last.landed

    def describe(self) -> str:
        """For the report of a deadlock."""
        state = "in flight" if self.flight.issued else "not started"
        return f"waits for a copy, which is {state}"


def await_flight(
    frame: Frame, op: Operation, flight: Flight, *, read: bool = False
) -> Progress:
    """Wait for a copy, and learn what it did."""
    yield Landing(flight, op, read)
    last = flight.reading if read else flight.writing
    if last is not None:
        frame.agent.clock.join(last.clock)


@dataclass(frozen=True)
class _StoresOver:
    """An agent waits for the oldest of the stores that it counts."""

    flights: tuple[Flight, ...]
    op: Operation
    read: bool

    def ready(self) -> bool:
        """Whether the wait is over."""
        return all(Landing(f, self.op, self.read).ready() for f in self.flights)

    def describe(self) -> str:
        """For the report of a deadlock."""
        return f"waits for {len(self.flights)} stores"


def counted_flights(frame: Frame) -> list[Flight]:
    """The stores of an agent that `croq.await_stores` counts, the oldest first."""
    return frame.block.objects.setdefault(("counted stores", frame.agent), [])


@dataclass(eq=False)
class LoadGroups:
    """The groups of loads of an agent, the oldest first, and the one that is open."""

    closed: list[list[Flight]] = field(default_factory=list[list[Flight]])
    open: list[Flight] = field(default_factory=list[Flight])

    @classmethod
    def of(cls, frame: Frame) -> LoadGroups:
        """Those of the agent."""
        return frame.block.objects.setdefault(("groups of loads", frame.agent), cls())


def waits_for(steps: Steps, frame: Frame, flight: Flight, scope: Scope) -> bool:
    """Whether an agent waits for a copy."""
    loads = isinstance(flight.destination, SharedTile)
    return loads or _awaits(steps, frame, scope)


def _awaits(steps: Steps, frame: Frame, scope: Scope) -> bool:
    """At warp grain only the warp that has issued a store waits for it."""
    return not steps.kernel.warp_grain or leads(frame.agent, scope)


def make_await(steps: Steps, op: croq.AwaitOp, maker: Maker) -> Made:
    """Waits for a copy."""
    future = maker.register(op.future)
    read = op.read is not None
    scope = steps.kernel.scope(op)

    def resume(frame: Frame) -> Progress:
        flight: Flight = frame.values[future]
        if waits_for(steps, frame, flight, scope):
            yield from await_flight(frame, op, flight, read=read)

    return steps.collective(op, Suspending(resume), maker)


def make_await_stores(steps: Steps, op: croq.AwaitStoresOp, maker: Maker) -> Made:
    """Waits for all but the newest of the stores that are counted."""
    read, in_flight = op.read is not None, op.in_flight.data
    scope = steps.kernel.scope(op)

    def resume(frame: Frame) -> Progress:
        flights = counted_flights(frame)
        over = tuple(flights[: max(0, len(flights) - in_flight)])
        if over and _awaits(steps, frame, scope):
            yield _StoresOver(over, op, read)
            for flight in over:
                last = flight.reading if read else flight.writing
                if last is not None:
                    frame.agent.clock.join(last.clock)
        if not read:
            del flights[: len(over)]

    return steps.collective(op, Suspending(resume), maker)


def make_commit_loads(steps: Steps, op: croq.CommitLoadsOp, maker: Maker) -> Made:
    """Closes a group of loads."""

    def step(frame: Frame) -> None:
        groups = LoadGroups.of(frame)
        groups.closed.append(groups.open)
        groups.open = []

    return steps.collective(op, step, maker)


def make_await_loads(steps: Steps, op: croq.AwaitLoadsOp, maker: Maker) -> Made:
    """Waits for all but the newest groups of loads: each agent for its own."""
    in_flight = op.in_flight.data

    def resume(frame: Frame) -> Progress:
        groups = LoadGroups.of(frame)
        count = max(0, len(groups.closed) - in_flight)
        for flight in (each for group in groups.closed[:count] for each in group):
            yield from await_flight(frame, op, flight)
        del groups.closed[:count]

    return steps.collective(op, Suspending(resume), maker)


HANDLERS: dict[type[Any], Callable[[Steps, Any, Maker], Made]] = {
    croq.AwaitLoadsOp: make_await_loads,
    croq.AwaitOp: make_await,
    croq.AwaitStoresOp: make_await_stores,
    croq.CommitLoadsOp: make_commit_loads,
}
