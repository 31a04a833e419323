"""`cp.async` of threads, bulk copies without a tensor map, and their groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from xdsl.ir import Operation

from croqtile_mlir.dialects import nvvm
from croqtile_mlir.layouts import CHUNK_BYTES
from croqtile_mlir.simulator.actors import Transfer
from croqtile_mlir.simulator.barriers import Mbarrier
from croqtile_mlir.simulator.bulk_groups import Copy, Groups
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.in_flight import watch
from croqtile_mlir.simulator.mbarrier import barrier_at, by_lanes, paused
from croqtile_mlir.simulator.multicast import Destination, destinations
from croqtile_mlir.simulator.pointers import aligned, memory_at, offsets_in
from croqtile_mlir.simulator.program import Frame, Handlers, Made, Maker
from croqtile_mlir.simulator.synchronization import make_nothing
from croqtile_mlir.simulator.tensor_copies import put_rows, rows_of
from croqtile_mlir.simulator.values import Array, Integers, lanes_of


def make_thread_copy(op: nvvm.CpAsyncOp, maker: Maker) -> Made:
    """`nvvm.cp.async.shared.global`: of each active lane, through the generic proxy."""
    target, source = maker.register(op.dst), maker.register(op.src)
    size = op.size.value.data
    used = None if op.cp_size is None else maker.register(op.cp_size)

    def step(frame: Frame) -> None:
        agent, threads, lanes = frame.agent, frame.agent.threads, frame.lanes
        targets = lanes_of(frame.values[target], threads)[lanes]
        sources = lanes_of(frame.values[source], threads)[lanes]
        counts = np.full(len(lanes), size)
        if used is not None:
            counts = lanes_of(frame.values[used], threads)[lanes]
            if ((counts < 0) | (counts > size)).any():
                agent.engine.fault(FaultKind.MISUSE, op, f"must copy 0 to {size} bytes")
                return
        if not aligned(frame, op, targets, size) or not aligned(
            frame, op, sources, size
        ):
            return
        shared = frame.block.shared
        read = counts > 0
        memory = memory_at(frame, op, int(sources[read][0])) if read.any() else None
        watched = watch(frame, op, "a cp.async")

        def run(transfer: Transfer) -> None:
            data = np.zeros((len(lanes), size), np.uint8)
            if memory is not None:
                offsets = offsets_in(memory, sources)
                for count in np.unique(counts[read]):
                    rows = counts == count
                    found = memory.load(transfer, op, offsets[rows], int(count))
                    data[rows, : int(count)] = found
            shared.store(transfer, op, targets, data)
            watched.landed(transfer)

        copy = Copy(agent.engine.launch([agent], op, run, track="cp.async"))
        Groups.of(frame, "cp.async").add(frame, copy, lanes)

    return paused(step)


def make_thread_commit(op: nvvm.CpAsyncCommitGroupOp, maker: Maker) -> Made:
    """`nvvm.cp.async.commit.group`."""

    def step(frame: Frame) -> None:
        Groups.of(frame, "cp.async").commit(frame)

    return step


def make_thread_wait(op: nvvm.CpAsyncWaitGroupOp, maker: Maker) -> Made:
    """`nvvm.cp.async.wait.group`."""
    kept = op.n.value.data

    def step(frame: Frame) -> None:
        Groups.of(frame, "cp.async").wait(frame, kept)

    return paused(step)


def make_thread_arrive(op: nvvm.CpAsyncMbarrierArriveOp, maker: Maker) -> Made:
    """`nvvm.cp.async.mbarrier.arrive`: when the copies of the lanes so far are done."""
    address = maker.register(op.addr)
    raises_count = not op.noinc.value.data

    def step(frame: Frame) -> None:
        engine = frame.agent.engine
        copies = Groups.of(frame, "cp.async").so_far(frame, frame.lanes)
        for at, lanes in by_lanes(frame, frame.values[address]):
            barrier = barrier_at(frame, op, at)
            if barrier is None:
                continue
            if raises_count:
                barrier.pending += lanes

            run = arrival_after(op, barrier, [c.transfer for c in copies], lanes)
            engine.launch([frame.agent], op, run, track="cp.async")

    return paused(step)


def arrival_after(
    op: Operation, barrier: Mbarrier, copies: Sequence[Transfer], lanes: int
) -> Callable[[Transfer], None]:
    """The arrival of lanes, once their copies are done."""

    def run(transfer: Transfer) -> None:
        for copy in copies:
            transfer.engine.land(copy)
            transfer.clock.join(copy.clock)
        barrier.arrive(transfer, op, lanes)

    return run


def make_bulk_commit(op: nvvm.CpAsyncBulkCommitGroupOp, maker: Maker) -> Made:
    """`nvvm.cp.async.bulk.commit.group`."""

    def step(frame: Frame) -> None:
        Groups.of(frame, "bulk").commit(frame)

    return step


def make_bulk_wait(op: nvvm.CpAsyncBulkWaitGroupOp, maker: Maker) -> Made:
    """`nvvm.cp.async.bulk.wait_group`; with `read`, only for the sources."""
    kept, read = op.group.value.data, op.read is not None

    def step(frame: Frame) -> None:
        Groups.of(frame, "bulk").wait(frame, kept, read=read)

    return paused(step)


def _may_copy(frame: Frame, op: Operation, *sizes: int) -> bool:
    if all(size % CHUNK_BYTES == 0 for size in sizes):
        return True
    frame.agent.engine.fault(
        FaultKind.MISUSE,
        op,
        f"addresses and size must be multiples of {CHUNK_BYTES}, got "
        f"{', '.join(str(size) for size in sizes)}",
    )
    return False


def _one(offset: int) -> Integers:
    return np.array([offset], np.int64)


def make_bulk_load(op: nvvm.CpAsyncBulkLoadOp, maker: Maker) -> Made:
    """`nvvm.cp.async.bulk.shared.cluster.global`."""
    target, source, bar, count = (
        maker.register(each) for each in (op.dst, op.src, op.mbar, op.size)
    )

    mask = None if op.multicast_mask is None else maker.register(op.multicast_mask)

    def start(frame: Frame, into: Destination, address: int, size: int) -> None:
        barrier, shared, to = into.barrier, into.block.shared, into.offset
        memory = memory_at(frame, op, address)
        if memory is None or not _may_copy(frame, op, to, address, size):
            return
        watched = watch(frame, op, "a bulk copy", into.block)
        at = offsets_in(memory, _one(address))

        def run(transfer: Transfer) -> None:
            data: Array = np.zeros((1, size), np.uint8)
            if memory.contains(transfer, op, at, size):
                where = rows_of(memory, at, size)
                memory.note_read(transfer, op, where, through_async=True)
                data = memory.async_data[at[:, None] + np.arange(size)]
            if shared.contains(transfer, op, to, size):
                where = shared.where(to, size)
                shared.note_write(transfer, op, where, through_async=True)
                put_rows(shared, _one(to), data)
            watched.landed(transfer)
            barrier.deliver(transfer, op, size)

        frame.agent.engine.launch(
            [frame.agent], op, run, track="TMA", name=into.name(frame)
        )

    def step(frame: Frame) -> None:
        values = frame.values
        ranks = 0 if mask is None else values[mask]
        operands = (values[target], values[source], values[bar], values[count], ranks)
        for to, address, bar_at, size, chosen, lanes in by_lanes(frame, *operands):
            chosen = None if mask is None else chosen
            for _ in range(lanes):
                for into in destinations(frame, op, to, bar_at, chosen):
                    start(frame, into, address, size)

    return paused(step)


def make_bulk_store(op: nvvm.CpAsyncBulkStoreOp, maker: Maker) -> Made:
    """`nvvm.cp.async.bulk.global.shared.cta`."""
    target, source, count = (maker.register(each) for each in (op.dst, op.src, op.size))
    byte_mask = None if op.byte_mask is None else maker.register(op.byte_mask)

    def start(frame: Frame, to: int, address: int, size: int, kept: int) -> Copy | None:
        shared, memory = frame.block.shared, memory_at(frame, op, to)
        if memory is None or not _may_copy(frame, op, to, address, size):
            return None
        watched = watch(frame, op, "a bulk copy")
        at = offsets_in(memory, _one(to))

        def run(transfer: Transfer) -> None:
            data: Array = np.zeros(size, np.uint8)
            if shared.contains(transfer, op, address, size):
                where = shared.where(address, size)
                shared.note_read(transfer, op, where, through_async=True)
                data = shared.async_data[address : address + size]
            watched.landed(transfer)
            copy.read = transfer.clock.copy()
            if not memory.contains(transfer, op, at, size):
                return
            memory.note_write(
                transfer, op, rows_of(memory, at, size), through_async=True
            )
            lanes = np.arange(size)
            lanes = lanes[(kept >> (lanes % CHUNK_BYTES) & 1).astype(bool)]
            put_rows(memory, at + lanes, data[lanes][:, None])

        copy = Copy(frame.agent.engine.launch([frame.agent], op, run, track="TMA"))
        return copy

    def step(frame: Frame) -> None:
        values, threads = frame.values, frame.agent.threads
        groups = Groups.of(frame, "bulk")
        targets, sources, sizes = (
            lanes_of(values[each], threads) for each in (target, source, count)
        )
        masks = lanes_of(-1 if byte_mask is None else values[byte_mask], threads)
        for lane in frame.lanes:
            copy = start(
                frame,
                int(targets[lane]),
                int(sources[lane]),
                int(sizes[lane]),
                int(masks[lane]),
            )
            if copy is not None:
                groups.add(frame, copy, (int(lane),))

    return paused(step)


HANDLERS: Final[Handlers] = {
    nvvm.CpAsyncOp: make_thread_copy,
    nvvm.CpAsyncCommitGroupOp: make_thread_commit,
    nvvm.CpAsyncWaitGroupOp: make_thread_wait,
    nvvm.CpAsyncMbarrierArriveOp: make_thread_arrive,
    nvvm.CpAsyncBulkCommitGroupOp: make_bulk_commit,
    nvvm.CpAsyncBulkWaitGroupOp: make_bulk_wait,
    nvvm.CpAsyncBulkLoadOp: make_bulk_load,
    nvvm.CpAsyncBulkStoreOp: make_bulk_store,
    nvvm.PrefetchOp: make_nothing,
}
