"""Which slots of an event an op means, at tile level."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import event_type
from croqtile_mlir.simulator.program import Frame, Maker
from croqtile_mlir.simulator.tile_steps import Steps, out_of_bounds

Place = Callable[[Frame], tuple[int, int | None]]
"""Computes a slot and, of an order, the generation."""


def event_of(op: croq.WaitOp | croq.TriggerOp) -> croq.EventOp:
    """The event that an op names."""
    event_type(op.event)
    if not isinstance(op.event.owner, croq.EventOp):
        fail(op, "must name an event itself, got one that is carried")
    return op.event.owner


def slots_of(steps: Steps, event: croq.EventOp) -> int:
    """The number of slots of an event, parameters put in."""
    return prod(steps.kernel.extent(event, dim) for dim in event_type(event.event).dims)


def places_of(
    steps: Steps, op: croq.WaitOp | croq.TriggerOp, maker: Maker
) -> list[Place]:
    """What computes the slots that an op means: one, or all of the event."""
    event, position = event_of(op), op.position
    slots = slots_of(steps, event)
    if position.every:
        return [_constant(slot) for slot in range(slots)]
    base = steps.kernel.reader(position.base, maker)
    offset = steps.kernel.reader(position.offset, maker)
    column = steps.kernel.reader(
        0 if position.column is None else position.column, maker
    )
    columns = 1
    if position.column is not None:
        columns = steps.kernel.extent(event, event_type(event.event).dims[1])

    def place(frame: Frame) -> tuple[int, int | None]:
        at = base(frame) + offset(frame)
        beside = column(frame)
        if not isinstance(at, int) or not isinstance(beside, int):
            fail(op, "order must be the same in all threads")
        if not position.by_slot:
            return at % slots, at // slots
        if not 0 <= beside < columns:
            out_of_bounds(frame, op, "the slots of the event", beside, 1, columns)
        at = at * columns + beside
        if not 0 <= at < slots:
            out_of_bounds(frame, op, "the slots of the event", at, 1, slots)
            at %= slots
        return at, None

    return [place]


def _constant(slot: int) -> Place:
    return lambda _: (slot, None)
