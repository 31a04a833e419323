"""
Copies at tile level, by TMA or by the threads of a scope.

TMA moves a tile as one operation in flight, which reads and writes when it lands. By
threads, each agent of the scope moves its share of the vectors, dealt to the threads
one after the other, at once; by `cp.async` as an operation in flight of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.ir import Operation

from croqtile_mlir.analysis.counted_loads import is_grouped
from croqtile_mlir.analysis.counted_stores import is_counted
from croqtile_mlir.analysis.vector_divisions import copy_lanes, fill_lanes
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Engine, Rearrangement, tile_type
from croqtile_mlir.simulator.actors import Progress, Transfer
from croqtile_mlir.simulator.bulk_groups import Copy as InGroup
from croqtile_mlir.simulator.bulk_groups import Groups
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.in_flight import Watched, watch
from croqtile_mlir.simulator.mbarrier import mbarrier_in
from croqtile_mlir.simulator.program import Frame, Made, Maker, Suspending
from croqtile_mlir.simulator.state import BlockState
from croqtile_mlir.simulator.tile_awaits import (
    LoadGroups,
    await_flight,
    counted_flights,
    waits_for,
)
from croqtile_mlir.simulator.tile_kernel import UNIT, leads
from croqtile_mlir.simulator.tile_shares import Share, fill_share, move_share
from croqtile_mlir.simulator.tile_steps import Steps
from croqtile_mlir.simulator.tile_values import (
    Elements,
    Flight,
    GlobalView,
    Part,
    SharedTile,
    Tile,
    element_dtype,
)

Copy = croq.CopyOp | croq.CopyAsyncOp


@dataclass(eq=False)
class _Mover:
    """Executes one copy op."""

    steps: Steps
    op: Copy
    engine: Engine
    size: int
    """Bytes of the whole tile."""

    share: Share

    def start(self, frame: Frame, source: Tile, destination: Tile) -> Flight:
        """Start a copy, or the agent's share of it."""
        flight = self._flight(frame, destination)
        if self.engine is Engine.CpAsync:
            self._launch_share(frame, flight, source, destination)
        elif not self.by_tma:
            move_share(self.steps, frame, self.op, self.share, source, destination)
            flight.issued = True
        elif leads(frame.agent, self.share.scope):
            self._launch(frame, flight, source, destination)
        return flight

    @property
    def by_tma(self) -> bool:
        """Whether TMA makes the copy."""
        return self.engine is Engine.Tma

    @property
    def is_in_flight(self) -> bool:
        """Whether the copy goes on when it has been started."""
        return self.engine in (Engine.Tma, Engine.CpAsync)

    def _launch_share(
        self, frame: Frame, flight: Flight, source: Tile, destination: Tile
    ) -> None:
        """Start the agent's share of a copy by `cp.async`."""
        agent, op = frame.agent, self.op
        watched = watch(frame, op, "a copy by cp.async")

        def run(transfer: Transfer) -> None:
            move_share(self.steps, frame, op, self.share, source, destination, transfer)
            watched.landed(transfer)

        flight.issued = True
        transfer = agent.engine.launch(
            [agent], op, run, track="cp.async", name=f"a cp.async of {agent.name}"
        )
        flight.reading = flight.writing = transfer
        if isinstance(op, croq.CopyAsyncOp) and op.completes is not None:
            # `nvvm.cp.async.mbarrier.arrive` asks for them.
            groups = Groups.of(frame, "cp.async")
            groups.add(frame, InGroup(transfer), range(agent.threads))

    def _flight(self, frame: Frame, destination: Tile) -> Flight:
        """The copy that this execution is part of; agents of one scope share it."""
        if not self.by_tma or not self.share.several:
            return Flight(self.op, destination, self.size)
        objects = frame.block.objects
        count = ("executions", self.op, frame.agent)
        number = objects[count] = objects.get(count, 0) + 1
        key = ("copy", self.op, number)
        if key not in objects:
            objects[key] = Flight(self.op, destination, self.size)
        return objects[key]

    def _launch(
        self, frame: Frame, flight: Flight, source: Tile, destination: Tile
    ) -> None:
        agent, engine = frame.agent, frame.block.engine
        for tile in (source, destination):
            if isinstance(tile, GlobalView):
                _check_alignment(frame, self.op, tile)
        steps, op = self.steps, self.op
        flight.issued = True
        if isinstance(op, croq.CopyAsyncOp) and op.multicast is not None:
            self._multicast(frame, flight, source, op.multicast_indices)
            return
        watched = watch(frame, op, "a copy by TMA")

        def load(transfer: Transfer) -> None:
            values = steps.read(frame, transfer, op, source, through_async=True)
            steps.write(frame, transfer, op, destination, values, through_async=True)
            watched.landed(transfer)
            if flight.completes is not None:
                flight.completes.deliver(transfer, op, flight.size)

        if isinstance(destination, SharedTile):
            flight.reading = flight.writing = engine.launch(
                [agent], op, load, track="TMA", name=f"a copy of {agent.name}"
            )
            return
        self._launch_store(frame, flight, source, watched)

    def _multicast(
        self, frame: Frame, flight: Flight, source: Tile, dims: tuple[int, ...]
    ) -> None:
        """Start the parts of a load: each block gets its bytes on its own."""
        agent, block = frame.agent, frame.block
        windows, op = self.steps.windows, self.op

        def start(target: BlockState) -> Part:
            part = Part(op, target, flight.size)
            watched = watch(frame, op, "a copy by TMA", target)
            memory = target.shared

            def load(transfer: Transfer) -> None:
                values = windows.read(memory, transfer, op, source, through_async=True)
                windows.write(
                    memory,
                    transfer,
                    op,
                    flight.destination,
                    values,
                    through_async=True,
                )
                watched.landed(transfer)
                part.land(transfer)

            name = f"a copy of {agent.name}"
            if target is not block:
                name += f" to rank {target.rank}"
            part.transfer = block.engine.launch(
                [agent], op, load, track="TMA", name=name
            )
            return part

        flight.parts = [start(each) for each in block.cluster.along(block, dims)]
        own = next(part for part in flight.parts if part.block is block)
        flight.reading = flight.writing = own.transfer

    def _launch_store(
        self, frame: Frame, flight: Flight, source: Tile, watched: Watched
    ) -> None:
        agent, engine = frame.agent, frame.block.engine
        steps, op, destination = self.steps, self.op, flight.destination
        staged: list[Any] = []

        def read(transfer: Transfer) -> None:
            staged.append(steps.read(frame, transfer, op, source, through_async=True))
            watched.landed(transfer)

        def write(transfer: Transfer) -> None:
            transfer.clock.join(reading.clock)
            steps.write(frame, transfer, op, destination, staged[0], through_async=True)

        queue = ("bulk", agent)
        reading = engine.launch(
            [agent],
            op,
            read,
            track="TMA",
            queue=queue,
            name=f"the read of a store of {agent.name}",
        )
        flight.reading = reading
        flight.writing = engine.launch(
            [agent],
            op,
            write,
            track="TMA",
            queue=queue,
            name=f"the write of a store of {agent.name}",
        )


def _check_alignment(frame: Frame, op: Operation, tile: GlobalView) -> None:
    """PTX ISA, "Tensors": what the address and the pitches of a tensor map are."""
    size = tile.dtype.itemsize
    address = tile.tile.address
    if address % UNIT:
        _misused(frame, op, f"{tile.tile.name} starts at address {address:#x}")
    for dim, stride in enumerate(tile.tile.strides[:-1]):
        if stride * size % UNIT and tile.tile.shape[dim] > 1:
            _misused(
                frame,
                op,
                f"the pitch of dim {dim} of {tile.tile.name} is {stride * size} bytes",
            )


def _misused(frame: Frame, op: Operation, what: str) -> None:
    frame.block.engine.fault(
        FaultKind.MISUSE,
        op,
        f"TMA needs addresses and pitches in multiples of {UNIT} bytes: {what}",
    )


def _mover(steps: Steps, op: Copy) -> _Mover:
    kernel = steps.kernel
    kind = tile_type(op.destination)
    extents = kernel.copied_extents(op)
    scope = kernel.scope(op)
    share = Share(
        scope,
        extents,
        op.rearrangement,
        (op.engine.data is Engine.Threads and copy_lanes(op))
        or max(1, kernel.vector(op) // kind.element_bytes),
        several=kernel.is_shared(scope),
        lanes=kernel.warp_grain,
    )
    size = int(np.prod(extents)) * kind.element_bytes
    return _Mover(steps, op, op.engine.data, size, share)


def make_copy(steps: Steps, op: croq.CopyOp, maker: Maker) -> Made:
    """A copy that is complete on return."""
    mover = _mover(steps, op)
    source, destination = maker.registers((op.source, op.destination))

    def step(frame: Frame) -> None:
        mover.start(frame, frame.values[source], frame.values[destination])

    def resume(frame: Frame) -> Progress:
        flight = mover.start(frame, frame.values[source], frame.values[destination])
        if waits_for(steps, frame, flight, mover.share.scope):
            yield from await_flight(frame, op, flight)

    made: Made = Suspending(resume) if mover.is_in_flight else step
    return steps.collective(op, made, maker)


def make_copy_async(steps: Steps, op: croq.CopyAsyncOp, maker: Maker) -> Made:
    """Starts a copy; its future is what is in flight."""
    mover = _mover(steps, op)
    source, destination = maker.registers((op.source, op.destination))
    result = maker.register(op.future)
    by_bytes = op.completes is not None and mover.by_tma
    completes = maker.register(op.completes) if op.completes and by_bytes else None
    counted, grouped = is_counted(op), is_grouped(op)

    def step(frame: Frame) -> None:
        values = frame.values
        flight = mover.start(frame, values[source], values[destination])
        if counted:
            counted_flights(frame).append(flight)
        if grouped:
            LoadGroups.of(frame).open.append(flight)
        if completes is not None and leads(frame.agent, mover.share.scope):
            _complete(frame, op, flight, _address(values[completes]))
        values[result] = flight

    return steps.collective(op, step, maker)


def _complete(frame: Frame, op: croq.CopyAsyncOp, flight: Flight, address: int) -> None:
    """Count the bytes of a copy on the mbarriers at an address, of all its blocks."""
    flight.completes = frame.block.engine.mbarriers.get(address)
    for part in flight.parts:
        barrier = mbarrier_in(part.block, frame, op, address)
        if barrier is not None:
            part.complete_on(barrier)


def _address(pointer: Any) -> int:
    return int(np.asarray(pointer).flat[0])


def make_fill(steps: Steps, op: croq.FillOp, maker: Maker) -> Made:
    """Gives the elements of a tile a value, each thread its share of them."""
    kernel, kind = steps.kernel, tile_type(op.tile)
    extents = tuple(kernel.extent(op, dim) for dim in kind.dims)
    scope = kernel.scope(op)
    share = Share(
        scope,
        extents,
        Rearrangement.of(len(extents), None, None),
        fill_lanes(op) or 1,
        several=kernel.is_shared(scope),
        lanes=kernel.warp_grain,
    )
    number = np.asarray(op.number).astype(element_dtype(kind.element_type))
    values: Elements = np.full(extents, number)
    tile = maker.register(op.tile)

    def step(frame: Frame) -> None:
        fill_share(steps, frame, op, share, frame.values[tile], values)

    return steps.collective(op, step, maker)


HANDLERS: dict[type[Any], Callable[[Steps, Any, Maker], Made]] = {
    croq.CopyAsyncOp: make_copy_async,
    croq.CopyOp: make_copy,
    croq.FillOp: make_fill,
}
