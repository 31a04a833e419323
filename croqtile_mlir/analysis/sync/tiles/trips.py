"""
Long loops whose trip count is a number, as that of a product with K = 4096.

A model in which the number is any number from `least_trips` on is proved with a few
short executions, where one of the number itself takes as many steps as it says. The
kernel is an instance of it, so that a proof is one of the kernel. What is found against
the model with other numbers says nothing of the kernel.
"""

from __future__ import annotations

from croqtile_mlir.analysis.sync.tiles.loops import is_plain
from croqtile_mlir.dialects.croq import EventOp, ForeachOp, ParallelOp


def long_trips(block: ParallelOp) -> tuple[int, int] | None:
    """
    The trip count of the long loops of a block, if they have one in common, and the
    least that stands for it: with fewer steps states may not repeat in each tile.
    """
    slots = [op.slots for op in block.walk() if isinstance(op, EventOp)]
    numbers = [number for number in slots if isinstance(number, int)]
    # What is known of a slot is forgotten when the ring has turned twice.
    least = 2 * max(numbers, default=1) + 4
    found = {
        op.upper
        for op in block.walk()
        if isinstance(op, ForeachOp) and _is_long(op, least)
    }
    match list(found):
        case [int() as trips]:
            return trips, least
        case _:
            return None


def _is_long(op: ForeachOp, least: int) -> bool:
    return (
        isinstance(op.upper, int)
        and op.upper > least
        and op.lower == 0
        and op.step == 1
        and not is_plain(op)
    )
