"""TMA: boxes between global and shared memory (`nvvm.cp.async.bulk.tensor`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.layouts import CHUNK_BYTES, TMA_ALIGNMENT
from croqtile_mlir.simulator.actors import Transfer
from croqtile_mlir.simulator.bulk_groups import Copy, Groups
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.in_flight import Watched, watch
from croqtile_mlir.simulator.mbarrier import by_lanes, paused, predicated
from croqtile_mlir.simulator.memory import Memory
from croqtile_mlir.simulator.multicast import Destination, destinations
from croqtile_mlir.simulator.program import Frame, Handlers, Made, Maker
from croqtile_mlir.simulator.reductions import combined
from croqtile_mlir.simulator.synchronization import make_nothing
from croqtile_mlir.simulator.tensor_maps import TensorMap, Window
from croqtile_mlir.simulator.values import Array, Integers


def rows_of(memory: Memory, offsets: Integers, size: int) -> Integers:
    """The granules of rows of bytes, whose offsets agree modulo the granule."""
    step = memory.granule
    first = offsets // step
    if not len(offsets):
        return first
    count = -(-(int(offsets[0]) % step + size) // step)
    return (first[:, None] + np.arange(count)).ravel()


def put(memory: Memory, where: Any, data: Array) -> None:
    """Set 16-byte chunks in both views of a memory."""
    views = {id(each): each for each in (memory.data, memory.async_data)}
    for view in views.values():
        whole = view[: len(view) // CHUNK_BYTES * CHUNK_BYTES]
        whole.reshape(-1, CHUNK_BYTES)[where] = data


def put_rows(memory: Memory, offsets: Integers, data: Array) -> None:
    """Set rows of bytes in both views of a memory."""
    where = offsets[:, None] + np.arange(int(data.shape[1]))
    views = {id(each): each for each in (memory.data, memory.async_data)}
    for view in views.values():
        view[where] = data


def tensor_map(frame: Frame, op: Operation, value: Any) -> TensorMap:
    """The tensor map that a pointer operand names."""
    if not isinstance(value, TensorMap):
        fail(op, "must have a tensor map that is a parameter of the kernel")
    return value


def _box_at(
    frame: Frame, op: Operation, tensor: TensorMap, address: int, memory: Memory
) -> bool:
    """Whether a box may be at a shared offset; a fault when not."""
    engine = frame.agent.engine
    if tensor.row_bytes % CHUNK_BYTES or address % TMA_ALIGNMENT:
        engine.fault(
            FaultKind.MISUSE,
            op,
            f"box must have rows of a multiple of {CHUNK_BYTES} bytes at a shared "
            f"offset that is a multiple of {TMA_ALIGNMENT}, got {tensor.row_bytes} "
            f"bytes at {address}",
        )
        return False
    return memory.contains(frame.agent, op, address, tensor.shared_bytes)


def make_load(op: nvvm.CpAsyncBulkTensorLoadOp, maker: Maker) -> Made:
    """`nvvm.cp.async.bulk.tensor.shared.cluster.global`."""
    if op.mode.data is not nvvm.TMALoadMode.Tile:
        fail(op, f"must have mode tile in the simulator, got {op.mode.data.value}")
    target, source, bar = (
        maker.register(op.dst),
        maker.register(op.tensor_map),
        maker.register(op.mbar),
    )
    coordinates = maker.registers(tuple(op.coordinates))[::-1]
    multicast = None if op.multicast_mask is None else maker.register(op.multicast_mask)

    def start(
        frame: Frame, tensor: TensorMap, position: tuple[int, ...], to: Destination
    ) -> None:
        memory, address, barrier = to.block.shared, to.offset, to.barrier
        if not _box_at(frame, op, tensor, address, memory):
            return
        watched = watch(frame, op, "a TMA load", to.block)

        def run(transfer: Transfer) -> None:
            data = _load(transfer, op, tensor, position)
            where = memory.where(address, tensor.shared_bytes)
            memory.note_write(transfer, op, where, through_async=True)
            chunks = data.reshape(tensor.rows, -1, CHUNK_BYTES)
            put(memory, tensor.chunks(address), chunks)
            watched.landed(transfer)
            barrier.deliver(transfer, op, tensor.box_bytes)

        frame.agent.engine.launch(
            [frame.agent], op, run, track="TMA", name=to.name(frame)
        )

    def step(frame: Frame) -> None:
        values = frame.values
        tensor = tensor_map(frame, op, values[source])
        if len(coordinates) != len(tensor.box):
            fail(op, f"box must have {len(tensor.box)} coordinates")
        mask = 0 if multicast is None else values[multicast]
        operands = (values[target], values[bar], mask)
        rows = by_lanes(frame, *operands, *(values[c] for c in coordinates))
        for address, bar_address, ranks, *at, lanes in rows:
            chosen = None if multicast is None else ranks
            for _ in range(lanes):
                for to in destinations(frame, op, address, bar_address, chosen):
                    start(frame, tensor, tuple(at), to)

    return paused(predicated(op.predicate, maker, step))


def _load(
    transfer: Transfer, op: Operation, tensor: TensorMap, at: tuple[int, ...]
) -> Array:
    """The bytes of a box, (rows, bytes), zero outside of the tensor."""
    data = np.zeros((tensor.rows, tensor.row_bytes), np.uint8)
    window, buffer = Window.of(tensor, at), tensor.tile.buffer
    if window.bytes and buffer.contains(transfer, op, window.offsets, window.bytes):
        where = rows_of(buffer, window.offsets, window.bytes)
        buffer.note_read(transfer, op, where, through_async=True)
        inside = buffer.async_data[window.offsets[:, None] + np.arange(window.bytes)]
        data[window.rows, window.first : window.first + window.bytes] = inside
    return data


Combine = Callable[[Array, Array, np.dtype[Any]], Array]


def _make_store(
    op: nvvm.CpAsyncBulkTensorStoreOp | nvvm.CpAsyncBulkTensorReduceOp,
    maker: Maker,
    predicate: SSAValue | None,
    combine: Combine | None,
) -> Made:
    if op.mode.data is not nvvm.TMAStoreMode.Tile:
        fail(op, f"must have mode tile in the simulator, got {op.mode.data.value}")
    target, source = maker.register(op.tensor_map), maker.register(op.src)
    coordinates = maker.registers(tuple(op.coordinates))[::-1]

    def start(frame: Frame, tensor: TensorMap, at: tuple[int, ...]) -> Copy | None:
        address, *position = at
        memory = frame.block.shared
        if not _box_at(frame, op, tensor, address, memory):
            return None
        watched = watch(frame, op, "a TMA store")

        def run(transfer: Transfer) -> None:
            where = memory.where(address, tensor.shared_bytes)
            memory.note_read(transfer, op, where, through_async=True)
            stored = memory.async_data
            whole = stored[: len(stored) // CHUNK_BYTES * CHUNK_BYTES]
            chunks = whole.reshape(-1, CHUNK_BYTES)[tensor.chunks(address)]
            _read(copy, watched, transfer)
            _store(
                transfer,
                op,
                tensor,
                tuple(position),
                chunks.reshape(tensor.rows, -1),
                combine,
            )

        copy = Copy(frame.agent.engine.launch([frame.agent], op, run, track="TMA"))
        return copy

    def step(frame: Frame) -> None:
        values = frame.values
        tensor = tensor_map(frame, op, values[target])
        if len(coordinates) != len(tensor.box):
            fail(op, f"box must have {len(tensor.box)} coordinates")
        groups = Groups.of(frame, "bulk")
        operands = (values[source], *(values[c] for c in coordinates))
        around = frame.mask
        for lane in frame.lanes:
            at = tuple(
                int(each[lane]) if each.__class__ is np.ndarray else each
                for each in operands
            )
            copy = start(frame, tensor, at)
            if copy is not None:
                groups.add(frame, copy, (lane,))
        frame.mask = around

    return paused(predicated(predicate, maker, step))


def _read(copy: Copy, watched: Watched, transfer: Transfer) -> None:
    """The source of a copy has been read: what a wait for that learns."""
    watched.landed(transfer)
    copy.read = transfer.clock.copy()


def _store(
    transfer: Transfer,
    op: Operation,
    tensor: TensorMap,
    at: tuple[int, ...],
    data: Array,
    combine: Combine | None,
) -> None:
    """Write the rows of a box that are inside of the tensor, to the next 16 bytes."""
    window, buffer = Window.of(tensor, at), tensor.tile.buffer
    size = window.bytes + window.beyond
    if not size:
        return
    if window.beyond:
        transfer.engine.fault(
            FaultKind.OUT_OF_BOUNDS,
            op,
            f"{transfer.name} writes {window.beyond} bytes behind the rows of "
            f"{tensor.tile.name}: TMA clips at {CHUNK_BYTES} bytes",
            hint="--guard-tma-stores leaves such rows to threads",
        )
    if not buffer.contains(transfer, op, window.offsets, size):
        size = window.bytes
        if not buffer.contains(transfer, op, window.offsets, size):
            return
    rows = data[window.rows, window.first : window.first + size]
    where = rows_of(buffer, window.offsets, size)
    if combine is None:
        buffer.note_write(transfer, op, where, through_async=True)
    else:
        buffer.note_update(transfer, op, where)
        before = buffer.async_data[window.offsets[:, None] + np.arange(size)]
        rows = combine(before, np.ascontiguousarray(rows), tensor.tile.dtype)
    put_rows(buffer, window.offsets, rows)


def make_store(op: nvvm.CpAsyncBulkTensorStoreOp, maker: Maker) -> Made:
    """`nvvm.cp.async.bulk.tensor.global.shared.cta`."""
    return _make_store(op, maker, op.predicate, None)


def make_reduce(op: nvvm.CpAsyncBulkTensorReduceOp, maker: Maker) -> Made:
    """`nvvm.cp.async.bulk.tensor.reduce`."""
    kind = op.kind.data

    def combine(before: Array, new: Array, dtype: np.dtype[Any]) -> Array:
        return combined(kind, before, new, dtype)

    return _make_store(op, maker, None, combine)


HANDLERS: Final[Handlers] = {
    nvvm.CpAsyncBulkTensorLoadOp: make_load,
    nvvm.CpAsyncBulkTensorStoreOp: make_store,
    nvvm.CpAsyncBulkTensorReduceOp: make_reduce,
    nvvm.CpAsyncBulkTensorPrefetchOp: make_nothing,
}
