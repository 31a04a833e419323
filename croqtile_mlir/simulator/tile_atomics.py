"""Elements with an order, atomic updates and fences at tile level."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import MemoryOrder, MemoryScope
from croqtile_mlir.lowering.element_accesses import require_single_threads
from croqtile_mlir.simulator import atomics, strong
from croqtile_mlir.simulator.actors import Reach
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.program import Frame, Made, Maker
from croqtile_mlir.simulator.strong import Ordering
from croqtile_mlir.simulator.tile_kernel import Reader, leads
from croqtile_mlir.simulator.tile_steps import Steps, memory_of
from croqtile_mlir.simulator.tile_threads import (
    Access,
    element,
    is_collective,
    make_load,
    make_store,
    offsets_of,
)
from croqtile_mlir.simulator.tile_values import Tile
from croqtile_mlir.simulator.updates import (
    COMPUTES,
    Change,
    access,
    change_to,
    change_where,
    change_with,
    ordering_of,
)
from croqtile_mlir.simulator.values import is_integer, spread


def _ordering(op: croq.LoadOp | croq.StoreOp | croq.AtomicOp) -> Ordering:
    order = MemoryOrder.Relaxed if op.order is None else op.order.data
    scope = MemoryScope.Sys if op.scope is None else op.scope.data
    name = "relaxed" if order is MemoryOrder.Volatile else order.value
    return ordering_of(
        name,
        scope.value,
        reads=not isinstance(op, croq.StoreOp),
        writes=not isinstance(op, croq.LoadOp),
    )


def synchronises_blocks(op: Operation) -> bool:
    """
    Whether an op may order what different blocks do: by what it finds in global memory,
    what it releases there, with a scope that may be too narrow, or as a fence.
    """
    match op:
        case croq.LoadOp() | croq.StoreOp():
            return op.order is not None and _is_global(op.tile)
        case croq.AtomicOp():
            found = op.old is not None or op.order.data is not MemoryOrder.Relaxed
            # Whether the scope is enough shows among the blocks.
            narrow = op.scope.data in (MemoryScope.Cta, MemoryScope.Cluster)
            return (found or narrow) and _is_global(op.tile)
        case croq.FenceOp():
            return op.scope.data is not MemoryScope.Cta
        case _:
            return atomics.synchronises_blocks(op)


def _is_global(tile: SSAValue) -> bool:
    return croq.tile_type(tile).memory_space is croq.Space.Global


def _accessed(
    frame: Frame,
    op: Access,
    tile: Tile,
    readers: list[Reader],
    collective: bool,
    ordering: Ordering,
    change: Change | None,
) -> Any:
    """Access the element of each active lane, or one of all; the old values."""
    dtype = tile.dtype
    values = np.zeros(frame.agent.threads, dtype)
    offset = element(frame, op, tile, readers)
    if offset is None:
        return values
    offsets, lanes = offsets_of(frame, offset, collective)
    rows = access(
        memory_of(frame, tile),
        frame.agent,
        op,
        offsets,
        dtype.itemsize,
        lanes,
        ordering,
        change,
    )
    found = rows.view(dtype)[:, 0]
    if lanes is None:
        return int(found[0]) if dtype.kind in "iu" else found[0]
    values[lanes] = found
    return values


def _operands(frame: Frame, register: int, tile: Tile, collective: bool) -> Any:
    """The operands of the accesses: of each active lane, or one."""
    data = spread(frame.values[register], frame.agent.threads, tile.dtype)
    data = data[:1] if collective else data[frame.lanes]
    return np.ascontiguousarray(data.astype(tile.dtype))


def make_ordered_load(steps: Steps, op: croq.LoadOp, maker: Maker) -> Made:
    """An element; with an order it may synchronise."""
    if op.order is None:
        return make_load(steps, op, maker)
    source, result = maker.register(op.tile), maker.register(op.value)
    readers = [steps.kernel.reader(index, maker) for index in op.index_values]
    collective, ordering = is_collective(op), _ordering(op)

    def step(frame: Frame) -> None:
        tile: Tile = frame.values[source]
        frame.values[result] = _accessed(
            frame, op, tile, readers, collective, ordering, None
        )

    return steps.collective(op, step, maker)


def make_ordered_store(steps: Steps, op: croq.StoreOp, maker: Maker) -> Made:
    """An element; with an order it may synchronise."""
    if op.order is None:
        return make_store(steps, op, maker)
    value, target = maker.register(op.value), maker.register(op.tile)
    readers = [steps.kernel.reader(index, maker) for index in op.index_values]
    collective, ordering = is_collective(op), _ordering(op)
    scope = steps.kernel.scope(op)

    def step(frame: Frame) -> None:
        if collective and not leads(frame.agent, scope):
            return
        tile: Tile = frame.values[target]
        rows = _operands(frame, value, tile, collective)[:, None].view(np.uint8)
        change = change_to(rows)
        _accessed(frame, op, tile, readers, collective, ordering, change)

    return steps.collective(op, step, maker)


def make_atomic(steps: Steps, op: croq.AtomicOp, maker: Maker) -> Made:
    """
    An update by each thread, one after the other, or one by a whole scope.

    Of neighbours one after the other: each is a step of its own.
    """
    require_single_threads(op)
    values, target = maker.registers(op.values), maker.register(op.tile)
    compare = None if op.compare is None else maker.register(op.compare)
    result = None if op.old is None else maker.register(op.old)
    readers = [steps.kernel.reader(index, maker) for index in op.index_values]
    collective, ordering = is_collective(op), _ordering(op)
    scope, kind = steps.kernel.scope(op), op.kind.data.value
    assert is_integer(op.value.type) or compare is None

    def step(frame: Frame) -> None:
        if collective and not leads(frame.agent, scope):
            return
        tile: Tile = frame.values[target]
        if len(values) > 1 and not _is_aligned(
            frame, op, tile, readers, collective, len(values)
        ):
            return
        for number, value in enumerate(values):
            operands = _operands(frame, value, tile, collective)
            if compare is None:
                change = change_with(COMPUTES[kind], operands)
            else:
                expected = _operands(frame, compare, tile, collective)
                change = change_where(expected, operands)
            at = [*readers[:-1], _moved(readers[-1], number)] if number else readers
            old = _accessed(frame, op, tile, at, collective, ordering, change)
            if result is not None:
                frame.values[result] = old

    return steps.collective(op, step, maker)


def _moved(reader: Reader, by: int) -> Reader:
    return lambda frame: reader(frame) + by


def _is_aligned(
    frame: Frame,
    op: croq.AtomicOp,
    tile: Tile,
    readers: list[Reader],
    collective: bool,
    count: int,
) -> bool:
    """Whether neighbours start at multiples of the bytes of all; a fault when not."""
    offset = element(frame, op, tile, readers)
    if offset is None:
        return False
    offsets, _ = offsets_of(frame, offset, collective)
    size = count * tile.dtype.itemsize
    wrong = offsets[offsets % size != 0]
    if not len(wrong):
        return True
    frame.block.engine.fault(
        FaultKind.MISUSE,
        op,
        f"{frame.agent.name} accesses byte {int(wrong[0])}, which must be a multiple "
        f"of {size} bytes",
    )
    return False


def make_fence(steps: Steps, op: croq.FenceOp, maker: Maker) -> Made:
    """Orders what each thread did and does."""
    reach = Reach[op.scope.data.value.upper()]

    def step(frame: Frame) -> None:
        strong.fence(frame.agent, frame.lanes.tolist(), reach)

    return steps.collective(op, step, maker)


HANDLERS: dict[type[Any], Callable[[Steps, Any, Maker], Made]] = {
    croq.AtomicOp: make_atomic,
    croq.FenceOp: make_fence,
    croq.LoadOp: make_ordered_load,
    croq.StoreOp: make_ordered_store,
}
