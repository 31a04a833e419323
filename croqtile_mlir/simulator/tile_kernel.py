"""What is known of a kernel before it runs: grain, agents, buffers, indices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import gcd
from typing import Any

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation, SSAValue
from xdsl.utils.hints import isa

from croqtile_mlir import layouts
from croqtile_mlir.analysis.grain import has_explicit_barriers, has_explicit_fences
from croqtile_mlir.analysis.origins import origin_in_buffer
from croqtile_mlir.analysis.scopes import (
    WARP_THREADS,
    Scope,
    block_threads,
    scope_of,
)
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import (
    DYNAMIC,
    AllocOp,
    AnyOp,
    AtomicOp,
    CopyAsyncOp,
    CopyOp,
    DataOp,
    Dim,
    ElementwiseOp,
    Engine,
    FillOp,
    KernelOp,
    Layout,
    LoadOp,
    ParallelOp,
    ReduceOp,
    RoleOp,
    Space,
    StoreOp,
    TileType,
    WarpgroupBarrierOp,
    known_extent,
    root_of,
    tile_type,
    why_not_box,
)
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.lowering.bind_names import require_bound
from croqtile_mlir.lowering.parallel_host import host_side
from croqtile_mlir.lowering.parallel_params import argument_names
from croqtile_mlir.simulator.actors import Agent
from croqtile_mlir.simulator.program import Frame, Maker
from croqtile_mlir.simulator.state import Extents
from croqtile_mlir.simulator.tile_values import Buffer, element_dtype
from croqtile_mlir.simulator.values import dtype_of, elements
from croqtile_mlir.targets.architecture import WARPGROUP_THREADS

UNIT = 16
"""Bytes that tiles are moved in, and the largest granule."""

Reader = Callable[[Frame], Any]
"""The value of an index operand."""


@dataclass(frozen=True)
class AgentPlan:
    """Threads of a block that execute its body together."""

    name: str
    first_thread: int
    threads: int


@dataclass(eq=False)
class TileKernel:
    """A kernel of tile level, or a mixed one, before it runs."""

    op: KernelOp
    block: ParallelOp
    names: Mapping[SSAValue, str]
    """Names of the arguments and of the returned tiles."""

    threads: int
    warp_grain: bool
    """Whether an agent is a warp, and only barriers order warps; else it is a whole
    role, and the ops of a scope are sequential."""

    agents: tuple[AgentPlan, ...]
    params: Mapping[str, int]
    buffers: dict[SSAValue, Buffer] = field(default_factory=dict[SSAValue, Buffer])
    shared_bytes: int = 0
    granule: int = UNIT

    @classmethod
    def of(cls, op: KernelOp) -> TileKernel:
        """Read a kernel; a located error for what cannot be executed."""
        require_bound(op)
        block, returned = host_side(op)
        threads = block_threads(block)
        warps = has_explicit_barriers(op)
        plan = _warps(block, threads) if warps else _scopes(block, threads)
        kernel = cls(
            op,
            block,
            argument_names(op, returned),
            threads,
            warps,
            tuple(plan),
            op.param_values,
        )
        kernel._place_buffers()
        kernel.granule = min((UNIT, *kernel._access_sizes()))
        return kernel

    @property
    def cluster(self) -> Extents:
        """The blocks of a cluster along x, y and z."""
        extents = self.block.extents_in_cluster or ()
        x, y, z = (*extents, 1, 1, 1)[:3]
        return x, y, z

    @property
    def explicit_fences(self) -> bool:
        """Whether fences are in the kernel."""
        return has_explicit_fences(self.op)

    # Names and types

    def extent(self, op: Operation, dim: Dim) -> int:
        """A dim of a shared tile: an integer or a parameter."""
        value = self.params.get(dim) if isinstance(dim, str) else dim
        if value is None or value == DYNAMIC:
            fail(op, f"must have constant extents, got {dim}")
        return value

    def resolved(self, op: Operation, tile: TileType) -> TileType:
        """
        A shared tile type with its parameters' values, and a layout; one of registers
        is laid out as a shared one.
        """
        dims = [self.extent(op, dim) for dim in tile.dims]
        layout = tile.layout or Layout.RowMajor
        return TileType(dims, tile.element_type, Space.Shared, layout)

    def reader(self, index: Index, maker: Maker) -> Reader:
        """What reads an index operand."""
        if isinstance(index, SSAValue):
            register = maker.register(index)
            return lambda frame: frame.values[register]
        if isinstance(index, str):
            known = self.params.get(index)
            if known is None:
                name = index
                return lambda frame: frame.block.launch.dims[name]
            index = known
        constant = index
        return lambda _: constant

    # Buffers

    def _place_buffers(self) -> None:
        place = 0
        for op in self.op.walk():
            if not isinstance(op, AllocOp | AnyOp) or (
                op.tile_type.memory_space is not Space.Shared
            ):
                continue
            self.buffers[op.results[0]] = buffer = self.buffer(op, place)
            place = buffer.base + layouts.buffer_bytes(buffer.type)
        self.shared_bytes = -(-place // UNIT) * UNIT

    def buffer(self, op: AllocOp | AnyOp, place: int) -> Buffer:
        """A buffer, at the first address from a place on that is aligned as it asks."""
        tile = self.resolved(op, op.tile_type)
        if (reason := layouts.check_layout(tile)) is not None:
            fail(op, reason)
        unit = layouts.alignment(tile)
        dims = tile.static_dims
        assert dims is not None
        name = op.results[0].name_hint
        return Buffer(
            f"%{name}" if name else f"buffer {len(self.buffers)}",
            tile,
            -(-place // unit) * unit,
            element_dtype(tile.element_type),
            dims,
            layouts.slot_strides(tile),
        )

    @property
    def parts(self) -> tuple[tuple[int, int, str], ...]:
        """The bytes of shared memory that each buffer has, and its name."""
        return tuple(
            (b.base, b.base + layouts.buffer_bytes(b.type), b.name)
            for b in self.buffers.values()
        )

    def _access_sizes(self) -> Iterator[int]:
        """Bytes of the accesses to memory that are smaller than the unit."""
        for op in self.op.walk():
            match op:
                case LoadOp() | StoreOp() | AtomicOp():
                    yield tile_type(op.tile).element_bytes
                case FillOp():
                    yield tile_type(op.tile).element_bytes
                case CopyOp() | CopyAsyncOp():
                    yield self.vector(op)
                    for tile in (op.source, op.destination):
                        kind = tile_type(tile)
                        if kind.memory_space is Space.Global and not _whole(op, tile):
                            yield kind.element_bytes
                case ElementwiseOp() | ReduceOp():
                    for tile, _ in op.tiles:
                        yield tile_type(tile).element_bytes
                case nvvm.MbarrierInitOp():
                    yield 8
                case nvvm.CpAsyncOp():
                    yield op.size.value.data if op.cp_size is None else 1
                case llvm.LoadOp():
                    yield _bytes_of(op, op.results[0])
                case llvm.StoreOp():
                    yield _bytes_of(op, op.operands[0])
                case llvm.AtomicRMWOp() | llvm.AtomicCmpXchgOp():
                    yield _bytes_of(op, op.val)
                case _:
                    pass

    def copied_extents(self, op: CopyOp | CopyAsyncOp) -> tuple[int, ...]:
        """The extents of what a copy fills, from the side where they are known."""
        source, destination = (tile_type(t) for t in (op.source, op.destination))
        extents = op.rearrangement.destination_extents(
            source.dims,
            destination.dims,
            lambda dim: (
                self.params.get(dim) if isinstance(dim, str) else known_extent(dim)
            ),
        )
        if extents is None:
            fail(op, f"must have constant extents, got {source} and {destination}")
        return extents

    def vector(self, op: CopyOp | CopyAsyncOp) -> int:
        """Bytes that a thread moves at once, of the shared tiles of a copy."""
        if op.rearranges:
            return tile_type(op.source).element_bytes
        size = UNIT
        if all(
            tile_type(tile).memory_space is Space.Global
            for tile in (op.source, op.destination)
        ):
            row = self.copied_extents(op)[-1] * tile_type(op.source).element_bytes
            size = gcd(size, row)
        for tile in (op.source, op.destination):
            kind = tile_type(tile)
            if kind.memory_space is not Space.Shared:
                continue
            col = origin_in_buffer(tile)[1].multiple
            parts = [kind.element_bytes * self.extent(op, kind.dims[-1])]
            parts.append(col * kind.element_bytes)
            if why_not_box(tile) is not None:
                parts.append(kind.element_bytes)
            buffer = self._buffer_type(op, tile)
            if buffer.layout is Layout.RowMajor:
                parts.append(layouts.panel_bytes(buffer))
            for part in parts:
                while part % size:
                    size //= 2
        return size

    def _buffer_type(self, op: Operation, tile: SSAValue) -> TileType:
        """The type of the buffer of a tile, also where a future says which it is."""
        root = root_of(tile)
        if isinstance(root.owner, DataOp):
            return self.resolved(op, tile_type(root))
        return self.buffer_of(op, tile).type

    def buffer_of(self, op: Operation, tile: SSAValue) -> Buffer:
        """The buffer that a shared tile is a view of."""
        root = root_of(tile)
        if root not in self.buffers:
            fail(op, "must use views of a croq.alloc, got another shared tile")
        return self.buffers[root]

    # Who executes

    def scope(self, op: Operation) -> Scope:
        """The threads that execute an op together."""
        return scope_of(op)

    def is_shared(self, scope: Scope) -> bool:
        """Whether several agents execute the ops of a scope."""
        first, last = scope.first_thread, scope.first_thread + scope.num_threads
        return sum(first <= agent.first_thread < last for agent in self.agents) > 1


def leads(agent: Agent, scope: Scope) -> bool:
    """Whether an agent holds the first thread of a scope, which acts for all."""
    return agent.first_thread == scope.first_thread


def _bytes_of(op: Operation, value: SSAValue) -> int:
    type_ = value.type
    if isa(type_, VectorType):
        return dtype_of(type_, op).itemsize * (elements(type_) or 1)
    return dtype_of(type_, op).itemsize


def _whole(op: CopyOp | CopyAsyncOp, tile: SSAValue) -> bool:
    """Whether rows of a global tile surely start at multiples of 16 bytes."""
    size = tile_type(tile).element_bytes
    return op.engine.data is Engine.Tma and not (
        origin_in_buffer(tile)[1].multiple * size % UNIT
    )


def _role_at(block: ParallelOp, thread: int) -> RoleOp | None:
    for op in block.body.block.ops:
        if isinstance(op, RoleOp) and (
            op.first_thread <= thread < op.first_thread + op.num_threads
        ):
            return op
    return None


def _warps(block: ParallelOp, threads: int) -> Iterator[AgentPlan]:
    for first in range(0, threads, WARP_THREADS):
        role = _role_at(block, first)
        name = f"warp {first // WARP_THREADS}"
        if role is not None:
            name += f' of role "{role.role_name.data}"'
        yield AgentPlan(name, first, WARP_THREADS)


def _scopes(block: ParallelOp, threads: int) -> Iterator[AgentPlan]:
    """Roles, or the block; their warpgroups, where these meet on their own."""
    roots = {
        scope_of(op).root for op in block.walk() if isinstance(op, WarpgroupBarrierOp)
    }
    for agent in _roles(block, threads):
        if block not in roots and _role_at(block, agent.first_thread) not in roots:
            yield agent
            continue
        end, first = agent.first_thread + agent.threads, agent.first_thread
        while first < end:
            last = min(end, (first // WARPGROUP_THREADS + 1) * WARPGROUP_THREADS)
            if last - first == agent.threads:
                yield agent
            else:
                name = f"threads {first} to {last - 1}"
                yield AgentPlan(name, first, last - first)
            first = last


def _roles(block: ParallelOp, threads: int) -> Iterator[AgentPlan]:
    thread = 0
    while thread < threads:
        role = _role_at(block, thread)
        if role is not None:
            yield AgentPlan(f'role "{role.role_name.data}"', thread, role.num_threads)
            thread += role.num_threads
            continue
        first = thread
        while thread < threads and _role_at(block, thread) is None:
            thread += WARP_THREADS
        whole = first == 0 and thread >= threads
        name = "the block" if whole else f"threads {first} to {thread - 1}"
        yield AgentPlan(name, first, thread - first)
