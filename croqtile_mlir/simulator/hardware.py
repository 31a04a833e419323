"""
Kernels at hardware level: `llvm.func` with a launch plan, an agent for each warp.

The table of handlers is that of all ops of the hardware level, whatever they are in.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np
from xdsl.dialects.builtin import AnyFloat, DenseArrayBase, IntegerType
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.launch.plan import (
    DimParam,
    LaunchPlan,
    Param,
    PointerParam,
    ScalarParam,
    StrideParam,
    TensorMapParam,
    WorkspaceParam,
)
from croqtile_mlir.simulator import (
    aggregates,
    atomics,
    branches,
    cluster_ops,
    constants,
    control,
    copies,
    floats,
    integers,
    matrix,
    mbarrier,
    mma,
    pointers,
    special_registers,
    synchronization,
    tensor_copies,
    warp,
    wgmma,
)
from croqtile_mlir.simulator.actors import Progress
from croqtile_mlir.simulator.atomics import synchronises_blocks
from croqtile_mlir.simulator.branches import Graph
from croqtile_mlir.simulator.pointers import SharedLayout, shared_layout
from croqtile_mlir.simulator.program import Frame, Handlers, Maker
from croqtile_mlir.simulator.state import BlocksMeet, BlockState, Extents, LaunchState
from croqtile_mlir.simulator.synchronization import Exit
from croqtile_mlir.simulator.tensor_maps import TensorMap
from croqtile_mlir.simulator.values import WARP, dtype_of, width, wrapped

_TABLES = (
    aggregates,
    atomics,
    branches,
    cluster_ops,
    constants,
    control,
    copies,
    floats,
    integers,
    matrix,
    mbarrier,
    mma,
    pointers,
    special_registers,
    synchronization,
    tensor_copies,
    warp,
    wgmma,
)

_LARGEST_GRANULE = 16


@lru_cache(maxsize=1)
def handlers() -> Handlers:
    """The handlers of all ops of the hardware level."""
    merged: dict[type[Operation], Any] = {}
    for table in _TABLES:
        merged.update(table.HANDLERS)
    return MappingProxyType(merged)


def smallest_access(root: Operation) -> int:
    """Bytes of the smallest access of hardware-level ops to memory."""
    smallest = _LARGEST_GRANULE
    for op in root.walk():
        match op:
            case llvm.LoadOp():
                smallest = min(smallest, pointers.bytes_of(op.result.type, op))
            case llvm.StoreOp():
                smallest = min(smallest, pointers.bytes_of(op.value.type, op))
            case llvm.AtomicRMWOp() | llvm.AtomicCmpXchgOp():
                smallest = min(smallest, pointers.bytes_of(op.val.type, op))
            case nvvm.CpAsyncOp():
                smallest = min(smallest, op.size.value.data if not op.cp_size else 1)
            case nvvm.CpAsyncBulkStoreOp():
                smallest = smallest if op.byte_mask is None else 1
            case nvvm.MbarrierInitOp():
                smallest = min(smallest, mbarrier.BYTES)
            case _:
                pass
    return smallest


@dataclass(frozen=True)
class HardwareKernel:
    """A kernel whose ops have been made steps: an `Executable`."""

    name: str
    plan: LaunchPlan
    granule: int
    layout: SharedLayout
    maker: Maker
    graph: Graph
    parameters: tuple[tuple[int, Param, Attribute, Operation], ...]
    """Register, what it holds, and its type."""

    explicit_fences: bool = True
    synchronises: bool = False
    """Whether blocks synchronise through global memory."""

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.plan.block

    @property
    def shared_bytes(self) -> int:
        """Bytes of shared memory of a block, static and dynamic."""
        total = self.layout.static_bytes + self.plan.shared_bytes
        return -(-total // _LARGEST_GRANULE) * _LARGEST_GRANULE

    @property
    def cluster(self) -> Extents:
        """The number of blocks of a cluster along x, y and z."""
        return self.plan.cluster

    @property
    def blocks_meet(self) -> BlocksMeet:
        """What blocks have to do with each other."""
        if self.plan.cooperative:
            return BlocksMeet.AtBarrier
        return BlocksMeet.InMemory if self.synchronises else BlocksMeet.Never

    def grid(self, launch: LaunchState) -> Extents:
        """The number of blocks along x, y and z."""
        return self.plan.grid_extents(launch.dims)

    def start(self, block: BlockState) -> None:
        """Add an agent for each warp, and give them the kernel's program."""
        arguments = self._arguments(block.launch)
        for first in range(0, self.threads, WARP):
            agent = block.engine.add_agent(f"warp {first // WARP}", first, WARP)
            frame = self.maker.frame(agent, block)
            for register, value in arguments.items():
                frame.values[register] = value
            block.engine.start(agent, self._program(frame))

    def _program(self, frame: Frame) -> Progress:
        try:
            yield from self.graph.run(frame)
        except Exit:
            return

    def _arguments(self, launch: LaunchState) -> dict[int, Any]:
        return {
            register: _argument(param, type_, op, launch)
            for register, param, type_, op in self.parameters
        }


def _argument(
    param: Param, type_: Attribute, op: Operation, launch: LaunchState
) -> Any:
    """The value of a parameter of the kernel."""
    match param:
        case TensorMapParam():
            return TensorMap(launch.tiles[param.arg], param.box, param.swizzle)
        case PointerParam():
            return launch.tiles[param.arg].address
        case WorkspaceParam():
            return launch.workspace(param.bytes // 4).address
        case StrideParam():
            return launch.tiles[param.arg].strides[param.dim]
        case DimParam():
            return launch.dims[param.dim]
        case ScalarParam():
            value = launch.scalars[param.arg]
            if isinstance(type_, AnyFloat):
                return np.asarray(value).astype(dtype_of(type_, op))[()]
            return wrapped(int(value), width(type_))


def executable(func: llvm.FuncOp, plan: LaunchPlan) -> HardwareKernel:
    """
    Make the steps of a kernel.

    Raises:
        CompileError: an op or a type has no meaning in the simulator.
    """
    entry = func.body.blocks.first
    if entry is None:
        fail(func, "must have a body")
    if len(entry.args) != len(plan.params):
        fail(
            func,
            f"must have the {len(plan.params)} parameters of its launch plan, got "
            f"{len(entry.args)}",
        )
    stated = func.attributes.get("nvvm.cluster_dim")
    extents: tuple[int, ...] = (1, 1, 1)
    if isa(stated, DenseArrayBase[IntegerType]):
        extents = stated.get_values()
    if extents != plan.cluster:
        fail(
            func,
            f"must have the cluster of its launch plan, {list(plan.cluster)}, as "
            f"nvvm.cluster_dim, got {list(extents)}",
        )
    if plan.block % WARP:
        fail(func, f"must have a multiple of {WARP} threads, got {plan.block}")
    maker = Maker(handlers())
    parameters = tuple(
        (maker.register(argument), param, argument.type, func)
        for argument, param in zip(entry.args, plan.params, strict=True)
    )
    return HardwareKernel(
        func.sym_name.data,
        plan,
        smallest_access(func),
        shared_layout(entry.first_op or func),
        maker,
        Graph.of(func.body, maker),
        parameters,
        synchronises=any(map(synchronises_blocks, func.walk())),
    )


__all__ = ["HardwareKernel", "executable", "handlers", "smallest_access"]
