"""How the threads of a scope arrive for a trigger."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from croqtile_mlir.analysis.program_order import block_around
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import (
    AddressOp,
    CopyAsyncOp,
    Engine,
    TriggerOp,
    event_type,
    tile_type,
)
from croqtile_mlir.lowering.cluster_reach import reach_of
from croqtile_mlir.lowering.dma_cp_async import may_go_by_elements
from croqtile_mlir.lowering.elected import when_elected
from croqtile_mlir.lowering.event_arrivals import Arrivers, copies_of
from croqtile_mlir.lowering.event_positions import Positions
from croqtile_mlir.lowering.one_lane import one_lane
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values
from croqtile_mlir.lowering.single_arrivals import place_of_arrival
from croqtile_mlir.targets.architecture import Architecture

_ALL_LANES = -1


def lower_trigger(
    trigger: TriggerOp,
    mbarriers: SSAValue,
    positions: Positions,
    arrivers: Arrivers,
    target: Architecture,
) -> None:
    """
    Replace a trigger by arrivals on its mbarrier, an element of `mbarriers`.

    `arrivers` is `arrivers_of` the trigger before its role was changed.
    """
    copies = copies_of(trigger)
    loads = [c for c in copies if c.engine.data is Engine.Tma]
    by_cp_async = [c for c in copies if c.engine.data is Engine.CpAsync]
    first = min(
        [*loads, *by_cp_async],
        key=lambda c: block_around(c).get_operation_index(c),
        default=None,
    )
    if first is None:
        pointer = _pointer(trigger, trigger, mbarriers, positions)
    else:
        _hoist_order(trigger, first)
        pointer = _pointer(trigger, first, mbarriers, positions)
        for copy in (*loads, *by_cp_async):
            copy.operands = [copy.source, copy.destination, pointer]
    if loads and first is not None:
        # As many come from the peers that send the same, or other parts, here.
        total = sum(_bytes(load) * reach_of(load).count for load in loads)
        if arrivers is Arrivers.Elected:
            place = place_of_arrival(trigger, first)
            _arrive_elected(trigger, place, pointer, total)
        else:
            with when_elected(first) as builder:
                builder.location = trigger.location
                builder.insert(nvvm.MbarrierExpectTxOp(pointer, builder.i32(total)))
    builder = LocatedBuilder.before(trigger)
    if arrivers is Arrivers.Elected and not loads:
        with when_elected(trigger) as elected:
            _arrive(elected, trigger, pointer)
    elif arrivers is Arrivers.Threads:
        _arrive_threads(builder, copies, pointer)
    elif arrivers is Arrivers.Warps:
        builder.insert(nvvm.BarWarpSyncOp(builder.i32(_ALL_LANES)))
        with builder.if_(one_lane(builder, target)) as elected:
            _arrive(elected, trigger, pointer)
    replace_values(trigger, ())


def _arrive_threads(
    builder: LocatedBuilder, copies: Sequence[CopyAsyncOp], pointer: SSAValue
) -> None:
    """
    Each thread arrives once, when its parts of the copies are there.

    PTX ISA, "cp.async.mbarrier.arrive": the arrival comes when the thread's `cp.async`
    are done, with `noinc` as one that the mbarrier counts; without, what it takes is
    given back first, so that it only holds the phase up. Nothing there says that it
    publishes the thread's stores: for those there is an arrival of the thread itself.
    """
    by_cp_async = [c for c in copies if c.engine.data is Engine.CpAsync]
    stores = any(c.engine.data is Engine.Threads for c in copies) or any(
        map(may_go_by_elements, by_cp_async)
    )
    if by_cp_async:
        builder.insert(nvvm.CpAsyncMbarrierArriveOp(pointer, noinc=not stores))
    if stores:
        builder.insert(nvvm.MbarrierArriveOp(pointer))


def _arrive(builder: LocatedBuilder, trigger: TriggerOp, pointer: SSAValue) -> None:
    """Arrive on the mbarrier of each block that a trigger reaches."""
    reach = reach_of(trigger)
    if reach.count == 1:
        builder.insert(nvvm.MbarrierArriveOp(pointer))
        return
    first = reach.first(builder)
    for offset in reach.offsets:
        known = isinstance(first, int)
        rank = builder.i32(first + offset) if known else builder.add(first, offset)
        remote = builder.insert(nvvm.MapaOp(pointer, rank)).result
        builder.insert(nvvm.MbarrierArriveOp(remote))


def _pointer(
    trigger: TriggerOp, before: Operation, mbarriers: SSAValue, positions: Positions
) -> SSAValue:
    slots = event_type(trigger.event).slots
    if not isinstance(slots, int):
        fail(
            trigger,
            f"event must have a number of slots, got [{slots}]",
            hint="run --bind-params first",
        )
    slot = positions.slot(before, trigger.position, slots)
    builder = LocatedBuilder(LocatedBuilder.before(before).point, trigger.location)
    return builder.insert(AddressOp(mbarriers, [slot])).pointer


def _bytes(copy: CopyAsyncOp) -> int:
    """The bytes a load writes: the whole tile, also where it overhangs its source."""
    tile = tile_type(copy.destination)
    if (dims := tile.static_dims) is None:
        fail(
            copy,
            f"destination must have constant extents, got {tile}",
            hint="run --bind-params first",
        )
    return prod(dims) * tile.element_bytes


def _hoist_order(trigger: TriggerOp, first: Operation) -> None:
    """Move what computes the order of a trigger above its first copy."""
    block = block_around(first)
    todo = [value.owner for value in trigger.order]
    move: list[Operation] = []
    while todo:
        owner = todo.pop()
        if isinstance(owner, Block) or owner.parent_block() is not block:
            continue
        if owner in move or not first.is_before_in_block(owner):
            continue
        if not is_side_effect_free(owner) or owner.regions:
            fail(
                trigger,
                "order must be known before the first of its copies is started",
                notes=[(first, "this copy"), (owner, "the order follows from this")],
            )
        move.append(owner)
        todo += [operand.owner for operand in owner.operands]
    for op in [op for op in block.ops if op in move]:
        op.detach()
        block.insert_op_before(op, first)


def _arrive_elected(
    trigger: TriggerOp,
    place: Operation,
    pointer: SSAValue,
    total: int,
) -> None:
    """The elected thread arrives and announces the bytes."""
    with when_elected(place) as builder:
        builder.location = trigger.location
        builder.insert(nvvm.MbarrierArriveExpectTxOp(pointer, builder.i32(total)))
