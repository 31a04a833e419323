"""
Rings of stages for what a loop loads, with the events of its two sides.

Generation g of a slot of `empty` says that what was loaded at order g - S has been
read; the first generation of every slot is a credit. Generation g of `full` says that
what is loaded at order g has landed.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType, IntAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from croqtile_mlir.analysis.scopes import block_of
from croqtile_mlir.dialects.croq import (
    AllocOp,
    CopyOp,
    EventOp,
    EventType,
    ForeachOp,
    Position,
    SlotOp,
    TriggerOp,
    WaitOp,
    YieldOp,
)
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values
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


def make_ring(
    pipelined: PipelinedLoop,
    loop: ForeachOp,
    order: SSAValue,
    stages: int,
    *,
    arrivals: int | None = None,
) -> Ring:
    """
    Give the buffers of a loop stages, and make the events; in place.

    `loop` is what has become of it, at the head of whose body the order is known.
    `arrivals` states those that release a slot where its orders are of several roles.
    """
    full, empty = (event_of(loop, name, stages) for name in ("full", "empty"))
    if arrivals is not None:
        empty.properties["arrivals"] = IntAttr(arrivals)
    slots = add_stages(pipelined, loop, order, stages)
    return Ring(
        loop=loop,
        loads=pipelined.loads,
        head=slots[0],
        last_read=pipelined.last_read,
        stages=stages,
        full=full.event,
        empty=empty.event,
        order=order,
    )


def event_of(loop: ForeachOp, name: str, slots: int) -> EventOp:
    """A new event of the block around a loop, after those that are there."""
    block = block_of(loop).body.block
    first = next(op for op in block.ops if not isinstance(op, EventOp))
    event = EventOp(EventType(slots))
    event.event.name_hint = name
    event.location = loop.location
    return LocatedBuilder.before(first).insert(event)


def add_stages(
    pipelined: PipelinedLoop, loop: ForeachOp, order: SSAValue, stages: int
) -> list[SlotOp]:
    """Give the buffers of a loop stages; the ops at its head that take them."""
    head = _after_arithmetic(loop, order)
    return [
        _add_stages(buffer_of(load), stages, order, head) for load in pipelined.loads
    ]


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


def add_producer_side(ring: Ring) -> list[Operation]:
    """Make loads wait for empty slots and fill them; the ops that do it."""
    before = LocatedBuilder.before(ring.head)
    made: list[Operation] = [before.insert(WaitOp(ring.empty, Position(ring.order)))]
    futures: list[SSAValue] = []
    after = LocatedBuilder.after(ring.loads[-1])
    for load in ring.loads:
        builder = LocatedBuilder.before(load)
        copy = load.as_started()
        copy.attributes |= load.attributes
        futures.append(builder.insert(copy).future)
        made.append(copy)
        replace_values(load, [])
    made.append(after.insert(TriggerOp(ring.full, Position(ring.order), futures)))
    return made


def wait_for_loads(ring: Ring) -> None:
    """Make the reads wait for full slots; the loads go."""
    wait = WaitOp(ring.full, Position(ring.order))
    LocatedBuilder.before(ring.head).insert(wait)
    for load in ring.loads:
        replace_values(load, [])


def release(ring: Ring, *, late: int) -> None:
    """
    Release slots in every iteration: its own, or that of the one `late` before it.

    That one may have been in an earlier run of the loop; nobody waits for the last
    `late` releases.
    """
    LocatedBuilder.after(ring.last_read).insert(
        TriggerOp(ring.empty, Position(ring.order, ring.stages - late))
    )


def give_credits(ring: Ring, start: LocatedBuilder, number: int) -> None:
    """Release the first slots to begin with: they are free."""
    body = Block(arg_types=[IndexType()])
    slot = body.args[0]
    slot.name_hint = "s"
    inner = LocatedBuilder.at_end(body, start.location)
    inner.insert(TriggerOp(ring.empty, Position(slot)))
    inner.insert(YieldOp())
    start.insert(ForeachOp(number, Region(body)))
