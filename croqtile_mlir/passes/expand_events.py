"""
`--expand-events`: arrays of events become rings, and ops on all slots one for each.

    %e = croq.event : !croq.event<2x3>     %e = croq.event : !croq.event<6>
    croq.wait %e[%i, %j]               ->  %s = %i * 3 + %j
                                           croq.wait %e[%s]
    croq.trigger %e all                    croq.trigger %e[0] .. croq.trigger %e[5]

Orders of an array count its slots with the last index as the fastest, so they stay as
they are. The other passes see rings, and ops on one slot.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    EventOp,
    EventType,
    Position,
    TriggerOp,
    WaitOp,
    event_type,
)
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.lowering.event_arrivals import MAX_SLOTS
from croqtile_mlir.lowering.retyping import retype
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values


@dataclass(frozen=True)
class ExpandEventsPass(ModulePass):
    """Turn arrays of events into rings, and ops on all slots into one for each."""

    name = "expand-events"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.walk()):
            if isinstance(inner, WaitOp | TriggerOp):
                _expand(inner)
        for inner in op.walk():
            if isinstance(inner, EventOp):
                kind = event_type(inner.event)
                if len(kind.dims) > 1:
                    slots = _slots(inner, kind)
                    retype(inner.event, EventType(slots, grid=kind.is_of_grid))


def _slots(op: EventOp | WaitOp | TriggerOp, kind: EventType) -> int:
    slots = kind.slots
    if isinstance(slots, str):
        fail(
            op,
            f"event must have a number of slots, got {kind}",
            hint="run --bind-params first",
        )
    # Those of the grid are counts in global memory, not mbarriers.
    if slots > MAX_SLOTS and not kind.is_of_grid:
        fail(op, f"event must have at most {MAX_SLOTS} slots, got {slots}")
    return slots


def _expand(op: WaitOp | TriggerOp) -> None:
    kind, position = event_type(op.event), op.position
    build = LocatedBuilder.before(op)
    if position.every:
        for slot in range(_slots(op, kind)):
            _insert(op, build, Position(slot, by_slot=True))
    elif position.column is not None:
        columns = kind.dims[1]
        _slots(op, kind)
        assert isinstance(columns, int)
        slot = _flat(build, position.base, columns, position.column)
        _insert(op, build, Position(slot, by_slot=True))
    else:
        return
    replace_values(op, ())


def _insert(op: WaitOp | TriggerOp, build: LocatedBuilder, position: Position) -> None:
    if isinstance(op, WaitOp):
        new = build.insert(WaitOp(op.event, position))
    else:
        new = build.insert(
            TriggerOp(op.event, position, op.after, op.multicast_indices)
        )
    new.attributes |= op.attributes


def _flat(build: LocatedBuilder, row: Index, columns: int, column: Index) -> Index:
    """The number of a slot: the last index is the fastest."""
    if isinstance(row, int) and isinstance(column, int):
        return row * columns + column
    return build.add(
        build.mul(build.index_value(row), columns), build.index_value(column)
    )
