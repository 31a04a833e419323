"""
Rings of stages for what a loop loads, with the events of its two sides.

Generation g of a slot of `empty` says that what was loaded at order g - S has been
read; the first generation of every slot is a credit. Generation g of `full` says that
what is loaded at order g has landed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, Region, SSAValue

from croqtile_mlir.dialects.croq import (
    AllocOp,
    CopyAsyncOp,
    CopyOp,
    EventOp,
    EventType,
    ForeachOp,
    ParallelOp,
    Position,
    SlotOp,
    TriggerOp,
    WaitOp,
    YieldOp,
)
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values
from croqtile_mlir.scheduling.counts import count_from_zero, running_count
from croqtile_mlir.scheduling.pipelined_loops import PipelinedLoop, buffer_of


@dataclass(frozen=True)
class Ring:
    """The stages of what a loop loads; the loads still block, and nothing waits yet."""

    loop: ForeachOp
    loads: tuple[CopyOp, ...]
    head: Operation
    """The first op of the body that takes a stage."""

    last_read: Operation
    stages: int
    full: SSAValue
    empty: SSAValue
    order: SSAValue
    """Of an iteration: it counts them over the life of the block."""


def make_ring(pipelined: PipelinedLoop, block: ParallelOp, stages: int) -> Ring:
    """Give the buffers of a loop stages, and make the events; in place."""
    loop = count_from_zero(pipelined.loop)
    order = running_count(loop)
    full, empty = (_event(block, loop, name, stages) for name in ("full", "empty"))
    head = _after_arithmetic(loop, order)
    slots = [
        _add_stages(buffer_of(load), stages, order, head) for load in pipelined.loads
    ]
    return Ring(
        loop=loop,
        loads=pipelined.loads,
        head=slots[0],
        last_read=pipelined.last_read,
        stages=stages,
        full=full,
        empty=empty,
        order=order,
    )


def _event(block: ParallelOp, loop: ForeachOp, name: str, stages: int) -> SSAValue:
    first = next(op for op in block.body.block.ops if not isinstance(op, EventOp))
    builder = LocatedBuilder.before(first)
    builder.location = loop.location
    event = builder.insert(EventOp(EventType(stages))).event
    event.name_hint = name
    return event


def _after_arithmetic(loop: ForeachOp, order: SSAValue) -> LocatedBuilder:
    """Where stages are taken: after the order is known."""
    owner = order.owner
    if isinstance(owner, Operation):
        return LocatedBuilder.after(owner)
    return LocatedBuilder.at_start(loop.body.block, loop.location)


def _add_stages(
    buffer: AllocOp, stages: int, order: SSAValue, head: LocatedBuilder
) -> SlotOp:
    tile = buffer.tile_type
    name = buffer.tile.name_hint
    ring = LocatedBuilder.before(buffer).insert(
        AllocOp(tile.with_shape([stages, *tile.dims]))
    )
    ring.attributes |= buffer.attributes
    ring.tile.name_hint = name
    stage = head.insert(SlotOp(ring.tile, Position(order)))
    stage.result.name_hint = name
    replace_values(buffer, [stage.result])
    return stage


def add_producer_side(
    ring: Ring, head: Operation, loads: Sequence[CopyOp], order: SSAValue
) -> list[Operation]:
    """
    Make loads wait for empty slots and fill them; the ops that do it.

    `head`, the loads and the order are those of the producer's copy of the loop.
    """
    before = LocatedBuilder.before(head)
    made: list[Operation] = [before.insert(WaitOp(ring.empty, Position(order)))]
    futures: list[SSAValue] = []
    after = LocatedBuilder.after(loads[-1])
    for load in loads:
        builder = LocatedBuilder.before(load)
        copy = CopyAsyncOp(load.source, load.destination, load.engine.data)
        copy.attributes |= load.attributes
        futures.append(builder.insert(copy).future)
        made.append(copy)
        replace_values(load, [])
    made.append(after.insert(TriggerOp(ring.full, Position(order), futures)))
    return made


def add_consumer_side(ring: Ring, start: LocatedBuilder, *, late: int) -> None:
    """
    Make the reads wait for full slots and release them; the loads go.

    Where products run on, an iteration releases the slot of the one `late` before it,
    which may have been in an earlier run of the loop. Nobody waits for the last `late`
    releases. `start` is the head of the consumer: it gets the credits.
    """
    wait = WaitOp(ring.full, Position(ring.order))
    LocatedBuilder.before(ring.head).insert(wait)
    for load in ring.loads:
        replace_values(load, [])
    LocatedBuilder.after(ring.last_read).insert(
        TriggerOp(ring.empty, Position(ring.order, ring.stages - late))
    )
    body = Block(arg_types=[IndexType()])
    slot = body.args[0]
    slot.name_hint = "s"
    inner = LocatedBuilder.at_end(body, start.location)
    inner.insert(TriggerOp(ring.empty, Position(slot)))
    inner.insert(YieldOp())
    start.insert(ForeachOp(ring.stages - late, Region(body)))
