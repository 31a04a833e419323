"""The events of a block as barriers, and how many arrivals complete a generation."""

from __future__ import annotations

from dataclasses import replace

from xdsl.ir import SSAValue

from croqtile_mlir.analysis.sync.model import Barrier
from croqtile_mlir.analysis.sync.not_modelled import NotModelled
from croqtile_mlir.analysis.sync.tiles.values import Values
from croqtile_mlir.dialects.croq import (
    EventOp,
    ParallelOp,
    TriggerOp,
    WaitOp,
    event_type,
)
from croqtile_mlir.lowering.event_arrivals import (
    MAX_SLOTS,
    Arrival,
    arrival_count,
    arrival_of,
    generation_groups,
)


def barriers_of(
    block: ParallelOp, values: Values, by_threads: bool
) -> dict[SSAValue, Barrier]:
    """
    A barrier for each event that is used.

    `by_threads`: arrivals are those of threads and warps, as after lowering.
    """
    found: dict[SSAValue, Barrier] = {}
    for op in block.walk():
        if (
            isinstance(op, EventOp)
            and op.event.first_use is not None
            and not event_type(op.event).is_of_grid
        ):
            found[op.event] = _barrier(op, values, by_threads)
    return found


def _barrier(event: EventOp, values: Values, by_threads: bool) -> Barrier:
    slots = event.slots
    if isinstance(slots, str):
        slots = values.kernel.param_values.get(slots, 1)
    if slots > MAX_SLOTS:
        raise NotModelled(event, f"an event of more than {MAX_SLOTS} slots")
    name = f"%{event.event.name_hint or 'event'}"
    ready = event.ready is not None
    arrivals = arrival_count(event) if by_threads else arrivals_of(event)
    return Barrier(name, slots, arrivals, event, ready)


def arrivals_of(event: EventOp) -> int:
    """
    The triggers that serve each generation, each counted once.

    When the event states its arrivals they are those of threads and warps, as they are
    after lowering.
    """
    if event.arrivals is not None:
        return arrival_count(event)
    triggers = [op for op in _users(event) if isinstance(op, TriggerOp)]
    if not triggers:
        return 1
    arrivals = [_once(arrival_of(op)) for op in triggers]
    counts = [sum(a.count for a in group) for group in generation_groups(arrivals)]
    # A trigger that lacks its multicast is to stand out, not the others.
    return max(counts) if any(a.blocks > 1 for a in arrivals) else counts[0]


def _users(event: EventOp) -> list[TriggerOp | WaitOp]:
    """The waits and triggers of an event, in order."""
    users = [use.operation for use in event.event.uses]
    for user in users:
        if not isinstance(user, TriggerOp | WaitOp):
            raise NotModelled(user, "an event that is carried by a loop or a condition")
    parent = event.parent_op()
    place = {op: number for number, op in enumerate((parent or event).walk())}
    found = [user for user in users if isinstance(user, TriggerOp | WaitOp)]
    return sorted(found, key=lambda user: place.get(user, 0))


def arrivals_at_once(trigger: TriggerOp, stated: bool) -> int:
    """The arrivals of a trigger, each time it is executed."""
    if not stated:
        return 1
    arrival = arrival_of(trigger)
    return arrival.count // (arrival.times * arrival.blocks)


def _once(arrival: Arrival) -> Arrival:
    """
    A trigger that counts once, however many threads arrive for it; in each block that
    it reaches.
    """
    return replace(arrival, count=arrival.times * arrival.blocks)
