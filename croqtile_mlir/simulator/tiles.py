"""Kernels of tile level, and mixed ones between passes, made executable."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from xdsl.ir import Operation

from croqtile_mlir.analysis.grain import is_cooperative
from croqtile_mlir.dialects.croq import KernelOp, ParallelOp, TileType
from croqtile_mlir.lowering.bounded_indices import with_plain_indices
from croqtile_mlir.lowering.inner_tiles import inner_ops, with_inner_tiles_expanded
from croqtile_mlir.lowering.parallel_host import cluster_of
from croqtile_mlir.simulator import (
    hardware,
    tile_atomics,
    tile_awaits,
    tile_elementwise,
    tile_events,
    tile_futures,
    tile_hardware,
    tile_indices,
    tile_lanes,
    tile_mma,
    tile_movement,
    tile_reduce,
    tile_structure,
    tile_threads,
    tile_views,
)
from croqtile_mlir.simulator.actors import Progress
from croqtile_mlir.simulator.engine import Engine
from croqtile_mlir.simulator.faults import FaultLog
from croqtile_mlir.simulator.machine import Machine
from croqtile_mlir.simulator.memory import Memory
from croqtile_mlir.simulator.policies import RoundRobin
from croqtile_mlir.simulator.program import (
    Frame,
    Handler,
    Handlers,
    Maker,
    Step,
    Suspending,
    SuspendingStep,
)
from croqtile_mlir.simulator.state import BlocksMeet, BlockState, Extents, LaunchState
from croqtile_mlir.simulator.tile_kernel import TileKernel
from croqtile_mlir.simulator.tile_steps import Steps

_TILE_HANDLERS: tuple[Mapping[type[Any], Callable[[Steps, Any, Maker], Any]], ...] = (
    tile_elementwise.HANDLERS,
    tile_events.HANDLERS,
    tile_futures.HANDLERS,
    tile_hardware.HANDLERS,
    tile_indices.HANDLERS,
    tile_lanes.HANDLERS,
    tile_mma.HANDLERS,
    tile_awaits.HANDLERS,
    tile_movement.HANDLERS,
    tile_reduce.HANDLERS,
    tile_structure.HANDLERS,
    tile_threads.HANDLERS,
    tile_atomics.HANDLERS,
    tile_views.HANDLERS,
)


def _handlers(steps: Steps) -> Handlers:
    made: dict[type[Operation], Handler] = {
        **hardware.handlers(),
        **tile_structure.NOTHING,
    }
    for table in _TILE_HANDLERS:
        for kind, handler in table.items():
            made[kind] = partial(handler, steps)
    return made


@dataclass(eq=False)
class TileExecutable:
    """A kernel whose ops have been made steps; see `state.Executable`."""

    kernel: TileKernel
    steps: Steps
    maker: Maker
    host: tuple[Step, ...]
    """What computes the extents of the grid."""

    indices: tuple[int, ...]
    """The registers of the indices of the cluster."""

    around: tuple[Step, ...]
    """What computes indices in the cluster, before its block."""

    block: SuspendingStep
    rings: tuple[tile_events.Ring, ...] = field(default=())

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self.kernel.op.sym_name.data

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.kernel.threads

    @property
    def shared_bytes(self) -> int:
        """Bytes of shared memory of a block: its buffers one after the other."""
        return self.kernel.shared_bytes

    @property
    def granule(self) -> int:
        """Bytes of the smallest access to memory."""
        return self.kernel.granule

    @property
    def explicit_fences(self) -> bool:
        """Whether a missing proxy fence is a fault."""
        return self.kernel.explicit_fences

    @property
    def cluster(self) -> Extents:
        """The number of blocks of a cluster along x, y and z."""
        return self.kernel.cluster

    @property
    def blocks_meet(self) -> BlocksMeet:
        """What blocks have to do with each other."""
        ops = list(self.kernel.op.walk())
        if is_cooperative(self.kernel.op):
            return BlocksMeet.AtBarrier
        if any(map(tile_atomics.synchronises_blocks, ops)):
            return BlocksMeet.InMemory
        return BlocksMeet.Never

    def grid(self, launch: LaunchState) -> Extents:
        """The number of blocks along x, y and z."""
        engine = Engine(Machine(RoundRobin()), FaultLog())
        agent = engine.add_agent("the host", 0, 1)
        shared = Memory("nothing", np.zeros(0, np.uint8))
        frame = self._frame(agent, BlockState(launch, engine, (0, 0, 0), 1, shared))
        for step in self.host:
            step(frame)
        outer = cluster_of(self.kernel.block) or self.kernel.block
        readers = [
            self.kernel.reader(extent, self.maker) for extent in outer.extent_values
        ]
        x, y, z = (*(int(read(frame)) for read in readers), 1, 1)[:3]
        if outer is self.kernel.block:
            return x, y, z
        i, j, k = self.cluster
        return x * i, y * j, z * k

    def _frame(self, agent: Any, block: BlockState) -> Frame:
        frame = self.maker.frame(agent, block)
        kernel = self.kernel.op
        for argument, name in zip(
            kernel.body.block.args, kernel.arg_names, strict=True
        ):
            register = self.maker.register(argument)
            if isinstance(argument.type, TileType):
                value: Any = tile_structure.global_view(frame, name.data)
            else:
                value = block.launch.scalars[name.data]
            frame.values[register] = value
        return frame

    def start(self, block: BlockState) -> None:
        """Add the agents of a block, and give them their programs."""
        suffix = block.engine.suffix
        block.shared.parts = tuple(
            (first, last, name + suffix) for first, last, name in self.kernel.parts
        )
        for ring in self.rings:
            ring.create(block.engine)

        def program(frame: Frame) -> Progress:
            for step in self.host:
                step(frame)
            at = zip(frame.block.index, self.cluster, strict=True)
            for register, (index, extent) in zip(self.indices, at, strict=False):
                frame.values[register] = index // extent
            for step in self.around:
                step(frame)
            yield from self.block(frame)

        for plan in self.kernel.agents:
            agent = block.engine.add_agent(plan.name, plan.first_thread, plan.threads)
            block.engine.start(agent, program(self._frame(agent, block)))


def executable(kernel: KernelOp) -> TileExecutable:
    """
    Make a kernel executable.

    Raises:
        CompileError: an op has no meaning, or breaks a rule that no run is needed for.
    """
    kernel = _expanded(kernel)
    known = TileKernel.of(kernel)
    steps = Steps(known)
    maker = Maker(_handlers(steps))
    maker.registers(kernel.body.block.args)
    cluster = cluster_of(known.block)
    host = _before(cluster or known.block, maker)
    indices: tuple[int, ...] = ()
    around: tuple[Step, ...] = ()
    if cluster is not None:
        indices = maker.registers(cluster.body.block.args)
        around = _before(known.block, maker)
    block = maker.step(known.block)
    assert isinstance(block, Suspending)
    rings = tuple(tile_events.rings_of(steps))
    return TileExecutable(known, steps, maker, host, indices, around, block.step, rings)


def _expanded(kernel: KernelOp) -> KernelOp:
    """A kernel whose threads and warps have no ops on tiles of their own."""
    module = kernel.parent_op()
    if module is None or next(inner_ops(kernel), None) is None:
        return kernel
    number = [op for op in module.walk() if isinstance(op, KernelOp)].index(kernel)
    whole = with_inner_tiles_expanded(with_plain_indices(module))
    return [op for op in whole.walk() if isinstance(op, KernelOp)][number]


def _before(last: ParallelOp, maker: Maker) -> tuple[Step, ...]:
    """The steps of the ops before one in its block, none of which may wait."""
    found: list[Step] = []
    assert last.parent is not None
    for op in last.parent.ops:
        if op is last:
            break
        made = maker.step(op)
        if made is not None and not isinstance(made, Suspending):
            found.append(made)
    return tuple(found)
