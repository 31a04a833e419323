"""Elements, thread indices, elections and barriers at tile level."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from croqtile_mlir.analysis.uniformity import divergence, divergent_source
from croqtile_mlir.dialects import croq
from croqtile_mlir.simulator.actors import Progress
from croqtile_mlir.simulator.barriers import BarrierWait, NamedBarrier
from croqtile_mlir.simulator.cluster_barrier import ClusterWait
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.program import Frame, Made, Maker, Suspending
from croqtile_mlir.simulator.tile_kernel import Reader, leads
from croqtile_mlir.simulator.tile_steps import Steps, meet, memory_of, out_of_bounds
from croqtile_mlir.simulator.tile_values import GlobalView, Number, PrivateTile, Tile
from croqtile_mlir.simulator.tile_views import least_and_most, name_of
from croqtile_mlir.simulator.values import is_integer, spread

_BOOL = np.dtype(np.bool_)

Access = croq.LoadOp | croq.StoreOp | croq.AtomicOp


def is_collective(op: Access) -> bool:
    """Whether the whole scope accesses one element together."""
    return divergence(op) is None and not any(
        divergent_source(value) for value in op.operands
    )


def element(
    frame: Frame, op: Access, tile: Tile, readers: Sequence[Reader]
) -> Number | None:
    """The byte offset of an element in its memory; None, reported: out of range."""
    indices: tuple[Number, ...] = tuple(read(frame) for read in readers)
    origin = tile.at(indices)
    for dim, (index, extent) in enumerate(zip(indices, tile.extents, strict=True)):
        found = least_and_most(frame, index)
        if found is not None and (found[0] < 0 or found[1] >= extent):
            bad = found[0] if found[0] < 0 else found[1]
            what = f"dim {dim} of {name_of(tile)}"
            out_of_bounds(frame, op, what, bad, 1, extent)
            return None
    if not isinstance(tile, GlobalView):
        return tile.buffer.offset(origin)
    # Also elements of a tile that overhangs its argument do not exist.
    for dim, (at, end) in enumerate(zip(origin, tile.ends, strict=True)):
        beyond = least_and_most(frame, at - end)
        if beyond is not None and beyond[1] >= 0:
            limit = least_and_most(frame, end)
            size = 0 if limit is None else limit[0]
            what = f"dim {dim} of {name_of(tile)}"
            out_of_bounds(frame, op, what, size + beyond[1], 1, size)
            return None
    return tile.offset(origin)


def own_offset(frame: Frame, tile: Tile, offset: Number) -> Number:
    """An offset in the buffer of a lane as one in the memory of all of them."""
    if isinstance(tile, PrivateTile):
        return offset + np.arange(frame.agent.threads) * tile.lane_bytes
    return offset


def offsets_of(
    frame: Frame, offset: Number, collective: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """The offset of each active lane, and the lanes; one of all when collective."""
    if collective:
        return np.asarray([offset], np.int64).ravel()[:1], None
    lanes = frame.lanes
    if isinstance(offset, int):
        return np.full(len(lanes), offset, np.int64), lanes
    return np.asarray(offset, np.int64)[lanes], lanes


def make_load(steps: Steps, op: croq.LoadOp, maker: Maker) -> Made:
    """An element, for each lane its own."""
    source, result = maker.register(op.tile), maker.register(op.value)
    readers = [steps.kernel.reader(index, maker) for index in op.index_values]
    collective = is_collective(op)
    integer = is_integer(op.value.type)

    def step(frame: Frame) -> None:
        tile: Tile = frame.values[source]
        offset = element(frame, op, tile, readers)
        dtype = tile.dtype
        if offset is None:
            frame.values[result] = 0 if integer else dtype.type(0)
            return
        offset = own_offset(frame, tile, offset)
        offsets, lanes = offsets_of(frame, offset, collective)
        memory = memory_of(frame, tile)
        data = memory.load(frame.agent, op, offsets, dtype.itemsize, lanes)
        found = data.view(dtype)[:, 0]
        if lanes is None or (isinstance(offset, int) and len(found)):
            frame.values[result] = int(found[0]) if integer else found[0]
            return
        values = np.zeros(frame.agent.threads, dtype)
        values[lanes] = found
        frame.values[result] = values

    return steps.collective(op, step, maker)


def make_store(steps: Steps, op: croq.StoreOp, maker: Maker) -> Made:
    """An element, by each lane its own."""
    value, target = maker.register(op.value), maker.register(op.tile)
    readers = [steps.kernel.reader(index, maker) for index in op.index_values]
    collective = is_collective(op)
    scope = steps.kernel.scope(op)

    def step(frame: Frame) -> None:
        if collective and not leads(frame.agent, scope):
            return
        tile: Tile = frame.values[target]
        offset = element(frame, op, tile, readers)
        if offset is None:
            return
        offset = own_offset(frame, tile, offset)
        offsets, lanes = offsets_of(frame, offset, collective)
        data = spread(frame.values[value], frame.agent.threads, tile.dtype)
        data = data[:1] if lanes is None else data[lanes]
        raw = np.ascontiguousarray(data.astype(tile.dtype)[:, None]).view(np.uint8)
        memory_of(frame, tile).store(frame.agent, op, offsets, raw, lanes)

    return steps.collective(op, step, maker)


def make_thread_id(steps: Steps, op: croq.ThreadIdOp, maker: Maker) -> Made:
    """The index of each thread in its scope."""
    result = maker.register(op.result)
    first = steps.kernel.scope(op).first_thread

    def step(frame: Frame) -> None:
        agent = frame.agent
        frame.values[result] = agent.first_thread - first + np.arange(agent.threads)

    return step


def make_elect(steps: Steps, op: croq.ElectOp, maker: Maker) -> Made:
    """True in the first thread of the scope."""
    result = maker.register(op.result)
    scope = steps.kernel.scope(op)

    def step(frame: Frame) -> None:
        agent = frame.agent
        if not leads(agent, scope):
            frame.values[result] = False
            return
        elected = np.zeros(agent.threads, np.bool_)
        elected[0] = True
        frame.values[result] = elected

    return step


def make_barrier(steps: Steps, op: croq.BarrierOp, maker: Maker) -> Made:
    """All threads of the scope meet, or those of the cluster."""
    del maker
    scope = steps.kernel.scope(op)

    def resume(frame: Frame) -> Progress:
        if frame.mask is not None:
            frame.block.engine.fault(
                FaultKind.PARTICIPATION,
                op,
                f"{frame.active} of {frame.agent.threads} threads of "
                f"{frame.agent.name} come to a barrier of all",
            )
        if op.cluster is None and op.grid is None:
            yield from meet(frame, op, scope)
            return
        barrier = frame.block.cluster.barrier
        if op.grid is not None:
            barrier = frame.block.engine.machine.barrier
        generation = barrier.arrive(frame.agent, op)
        yield ClusterWait(barrier, frame.agent, generation, op)
        barrier.leave(frame.agent)

    return Suspending(resume)


def _named(frame: Frame, op: croq.SplitBarrierOp) -> NamedBarrier:
    """The barrier of a name, made at its first use."""
    barriers, key = frame.block.engine.named_barriers, ("named", op.identity.data)
    if key not in barriers:
        name = f'barrier "{op.identity.data}"'
        barriers[key] = NamedBarrier(name, op.threads.value.data, op)
    return barriers[key]


def make_barrier_arrive(steps: Steps, op: croq.BarrierArriveOp, maker: Maker) -> Made:
    """The threads of the scope arrive at a named barrier, and go on."""
    del steps, maker

    def resume(frame: Frame) -> Progress:
        _named(frame, op).arrive(frame.agent, op, op.threads.value.data)
        yield None

    return Suspending(resume)


def make_barrier_wait(steps: Steps, op: croq.BarrierWaitOp, maker: Maker) -> Made:
    """The threads of the scope wait until a named barrier is complete."""
    del steps, maker

    def resume(frame: Frame) -> Progress:
        barrier = _named(frame, op)
        generation = barrier.arrive(frame.agent, op, op.threads.value.data)
        yield BarrierWait(barrier, generation, op)
        barrier.leave(frame.agent)

    return Suspending(resume)


def make_assert(steps: Steps, op: croq.AssertOp, maker: Maker) -> Made:
    """A condition that holds for each thread; outside of blocks launches check it."""
    del steps
    if isinstance(op.parent_op(), croq.KernelOp):
        return None
    condition = maker.register(op.condition)

    def step(frame: Frame) -> None:
        agent = frame.agent
        holds = spread(frame.values[condition], agent.threads, _BOOL)
        failing = frame.lanes[~holds[frame.lanes]]
        if len(failing):
            thread = agent.first_thread + int(failing[0])
            agent.engine.end(
                FaultKind.ASSERTION,
                op,
                f"{op.message.data}: the condition must hold, got false in thread "
                f"{thread} of the block",
            )

    return step


HANDLERS: dict[type[Any], Callable[[Steps, Any, Maker], Made]] = {
    croq.AssertOp: make_assert,
    croq.BarrierArriveOp: make_barrier_arrive,
    croq.BarrierOp: make_barrier,
    croq.BarrierWaitOp: make_barrier_wait,
    croq.ElectOp: make_elect,
    croq.ThreadIdOp: make_thread_id,
}
