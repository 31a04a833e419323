"""Dividing the body of a block into a producer and a consumer."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import AllocOp, CopyOp, EventOp, ParallelOp
from croqtile_mlir.lowering.rewriting import LocatedBuilder
from croqtile_mlir.scheduling.in_flight import keep_one_in_flight
from croqtile_mlir.scheduling.needed_ops import Needed, has_effect, keep_needed
from croqtile_mlir.scheduling.rings import (
    Ring,
    add_consumer_side,
    add_producer_side,
)


def _of_roles(block: ParallelOp) -> list[Operation]:
    """The ops of a block that its roles execute; what they share stays outside."""
    return [op for op in block.body.block.ops if not isinstance(op, AllocOp | EventOp)]


def producer_body(block: ParallelOp, rings: Sequence[Ring]) -> Block:
    """
    A body of what the loads of rings need: they wait for empty slots and fill them.

    Loads whose place follows from more than arithmetic are a located error.
    """
    body = Block()
    values: dict[SSAValue, SSAValue] = {}
    originals: dict[Operation, Operation] = {}
    copies: dict[Operation, Operation] = {}
    for op in _of_roles(block):
        copy = op.clone(values)
        body.add_op(copy)
        for old, new in zip(op.walk(), copy.walk(), strict=True):
            copies[old], originals[new] = new, old
    roots: list[Operation] = []
    for ring in rings:
        loads = [copies[load] for load in ring.loads]
        order = values.get(ring.order, ring.order)
        copy_ops = [load for load in loads if isinstance(load, CopyOp)]
        roots += add_producer_side(ring, copies[ring.head], copy_ops, order)
    needed = Needed(body, roots)
    for op in needed.effects():
        if op not in roots:
            fail(
                originals.get(op, op),
                "must not be needed to find what is loaded ahead: the producer does "
                "arithmetic only",
                notes=[(rings[0].loads[0], "the load is here")],
            )
    keep_needed(body, needed)
    return body


def consumer_body(block: ParallelOp, rings: Sequence[Ring], *, in_flight: int) -> Block:
    """
    The body of a block without the loads of its rings: their reads wait for full slots
    and release them, and each slot is released once to begin with.

    What stays of the block are its buffers and events.
    """
    body = Block()
    for op in _of_roles(block):
        op.detach()
        body.add_op(op)
    for ring in reversed(rings):
        if in_flight:
            keep_one_in_flight(ring.loop)
        start = LocatedBuilder.at_start(body, ring.loop.location)
        add_consumer_side(ring, start, late=in_flight)
    keep_needed(body, Needed(body, [op for op in body.walk() if has_effect(op)]))
    return body
