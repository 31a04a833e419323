"""What uses an event of the grid, for `--lower-grid-events`, and what it refuses."""

from __future__ import annotations

from xdsl.ir import SSAValue

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import EventOp, ParallelOp, TriggerOp, WaitOp
from croqtile_mlir.lowering.rewriting import constant_value


def users_of(block: ParallelOp, event: EventOp) -> list[WaitOp | TriggerOp]:
    """The waits and triggers of an event; a located error for what can't be."""
    if event.parent_op() is not block:
        fail(
            event,
            "must be in the body of level block, outside of roles and loops",
            notes=[(block, "the block is here")],
        )
    count = event.from_blocks
    if count is not None and _differs(block, count):
        fail(
            event,
            "arrivals must be the same in all blocks, got a value of one block",
            hint="compute it in front of the block",
            notes=[(block, "the block is here")],
        )
    found: list[WaitOp | TriggerOp] = []
    for use in event.event.uses:
        user = use.operation
        if not isinstance(user, WaitOp | TriggerOp):
            fail(
                user,
                "event must be the result of croq.event, got a value that is "
                "carried by a loop or a condition",
            )
        if user.position.every or user.position.column is not None:
            fail(user, "must name one slot", hint="run --expand-events first")
        found.append(user)
    waits = [op for op in found if isinstance(op, WaitOp)]
    if waits and len(waits) == len(found):
        fail(
            waits[-1],
            "event must be triggered by some block, got no trigger",
            notes=[(event, "the event is here")],
        )
    return found


def slots_of(event: EventOp) -> int:
    """The number of slots."""
    slots = event.slots
    if isinstance(slots, str):
        fail(
            event,
            f"event must have a number of slots, got [{slots}]",
            hint="run --bind-params first",
        )
    return slots


def _differs(block: ParallelOp, value: SSAValue) -> bool:
    """Whether a value is computed in the block, so that blocks may differ."""
    if constant_value(value) is not None:
        return False
    owner = value.owner
    return block.is_ancestor(owner)
