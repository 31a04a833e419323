"""
Threads: indices, elections, barriers, and the levels of parallelism below the block.

Part of `--lower-parallel`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from croqtile_mlir.analysis.scopes import (
    WARP_THREADS,
    Scope,
    inner_threads,
    scope_of,
    scope_parallel,
)
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import croq, nvvm
from croqtile_mlir.lowering.one_lane import one_lane
from croqtile_mlir.lowering.parallel_barriers import ALL_LANES, BarrierLowering
from croqtile_mlir.lowering.rewriting import (
    LocatedBuilder,
    constant_value,
    replace_values,
)
from croqtile_mlir.targets.architecture import Architecture

_index = IndexType()


@dataclass
class BlockThreads:
    """The thread and warp index in the block, read at most once, in `prologue`."""

    prologue: LocatedBuilder

    @cached_property
    def thread_i32(self) -> SSAValue:
        """The thread's index in the block."""
        value = self.prologue.insert(nvvm.TidXOp()).result
        value.name_hint = "tid"
        return value

    @cached_property
    def thread(self) -> SSAValue:
        """The thread's index in the block, as an index."""
        return self.prologue.cast(self.thread_i32, _index)

    @cached_property
    def warp(self) -> SSAValue:
        """
        The warp's index in the block, an i32 that the assembler knows to be the same in
        all lanes.
        """
        builder = self.prologue
        warp = builder.shr(self.thread_i32, 5)
        shuffle = nvvm.ShflSyncOp(
            nvvm.ShflKind.Idx,
            builder.i32(ALL_LANES),
            warp,
            builder.i32(0),
            builder.i32(WARP_THREADS - 1),
        )
        value = builder.insert(shuffle).result
        value.name_hint = "warp"
        return value


@dataclass
class ScopeThreads:
    """
    The same for the threads of a scope.

    What is made once for the scope goes in `prologue`, to be put at its start.
    """

    scope: Scope
    block: BlockThreads
    architecture: Architecture
    prologue: LocatedBuilder

    @cached_property
    def thread(self) -> SSAValue:
        """The thread's index in the scope."""
        return self.prologue.sub(self.block.thread, self.scope.first_thread)

    @cached_property
    def warp(self) -> SSAValue:
        """The warp's index in the scope, an index that is the same in all lanes."""
        first = self.scope.first_thread // WARP_THREADS
        warp = self.prologue.sub(self.block.warp, first)
        return self.prologue.cast(warp, _index)

    @cached_property
    def elect(self) -> SSAValue:
        """True in one thread; executed here by whole warps."""
        builder = self.prologue
        elected = one_lane(builder, self.architecture)
        if self.scope.num_warps == 1:
            return elected
        first = self.scope.first_thread // WARP_THREADS
        return builder.and_(builder.cmp("eq", self.block.warp, first), elected)

    @property
    def instance(self) -> Instance:
        """The scope as what a level divides."""
        return Instance(self.thread, self.scope.num_threads, lambda: self.warp)


@dataclass(frozen=True)
class Instance:
    """
    The threads that a level divides: the index of each and how many they are.

    `warp` makes the index of the warp, where these are whole warps.
    """

    thread: SSAValue
    count: int
    warp: Callable[[], SSAValue] | None


@dataclass
class ThreadLowering:
    """Lowers what depends on threads, in all scopes of one block."""

    parallel: croq.ParallelOp
    architecture: Architecture
    prologue: LocatedBuilder
    scopes: dict[Operation, ScopeThreads] = field(
        default_factory=dict[Operation, ScopeThreads]
    )

    @cached_property
    def block(self) -> BlockThreads:
        """The threads of the block."""
        return BlockThreads(self.prologue)

    def scope(self, op: Operation) -> ScopeThreads:
        """The threads of the scope of an op."""
        scope = scope_of(op)
        found = self.scopes.get(scope.root)
        if found is None:
            prologue = self.prologue
            if not scope.is_block:
                prologue = LocatedBuilder.at_end(Block(), scope.root.location)
            found = ScopeThreads(scope, self.block, self.architecture, prologue)
            self.scopes[scope.root] = found
        return found

    def lower(self) -> None:
        """Lower all ops of the block that depend on threads."""
        barriers = BarrierLowering(
            self.parallel, self.architecture, lambda op: self.scope(op).warp
        )
        for op in tuple(self.parallel.body.walk()):
            match op:
                case (
                    croq.BarrierOp()
                    | croq.BarrierArriveOp()
                    | croq.BarrierWaitOp()
                    | croq.WarpgroupBarrierOp()
                ):
                    barriers.lower(op)
                case croq.ElectOp():
                    replace_values(op, (self.scope(op).elect,))
                case croq.ThreadIdOp():
                    self._lower_thread_id(op)
                case _:
                    pass
        for op in tuple(self.parallel.body.walk()):
            if isinstance(op, croq.ParallelOp) and scope_parallel(op) is self.parallel:
                threads = self.scope(op)
                self._lower_level(op, threads.instance)
        for root, threads in self.scopes.items():
            if root is not self.parallel:
                _inline_at_start(root.regions[0].block, threads.prologue.point.block)

    def _lower_thread_id(self, op: croq.ThreadIdOp) -> None:
        threads = self.scope(op)
        for use in tuple(op.result.uses):
            user = use.operation
            warps = _warps_divided(user) if use.index == 0 else None
            if warps is not None:
                # The index of a whole number of warps, from what is known uniform.
                replace_values(user, (threads.prologue.udiv(threads.warp, warps),))
        replace_values(op, (threads.thread,))

    def _lower_level(self, op: croq.ParallelOp, around: Instance) -> None:
        extents = [extent for extent in op.extent_values if isinstance(extent, int)]
        needed = inner_threads(op)
        if needed > around.count:
            root = scope_of(op).root
            fail(
                op,
                f"must fit in the {around.count} threads around it, got {needed}",
                notes=[(root, "they are the threads of this scope")],
            )
        instances = 1
        for extent in extents:
            instances *= extent
        unit = needed // instances
        builder = LocatedBuilder.before(op)
        if around.warp is not None and unit % WARP_THREADS == 0:
            number = builder.udiv(around.warp(), unit // WARP_THREADS)
        else:
            number = builder.udiv(around.thread, unit)
        nested = [
            level
            for level in op.body.walk()
            if isinstance(level, croq.ParallelOp) and scope_parallel(level) is op
        ]
        if nested:
            inner = _divide(builder, around, unit)
            for level in nested:
                self._lower_level(level, inner)
        body = op.body.block
        point = InsertPoint.before(op)
        if needed < around.count:
            guard = Block()
            inside = builder.cmp("ult", number, instances)
            builder.insert(scf.IfOp(inside, [], Region(guard)))
            guard.add_op(end := scf.YieldOp())
            end.location = op.location
            point = InsertPoint.before(end)
            builder = LocatedBuilder(point, op.location)
        indices: list[SSAValue] = []
        for extent in reversed(extents[1:]):
            indices.insert(0, builder.urem(number, extent))
            number = builder.udiv(number, extent)
        indices.insert(0, number)
        Rewriter.inline_block(body, point, indices)
        op.detach()
        op.erase()


def _divide(builder: LocatedBuilder, around: Instance, unit: int) -> Instance:
    """The threads of one instance of `unit` threads."""
    warp = around.warp
    if warp is None or unit % WARP_THREADS:
        return Instance(builder.urem(around.thread, unit), unit, None)
    outer = warp
    return Instance(
        builder.urem(around.thread, unit),
        unit,
        lambda: builder.urem(outer(), unit // WARP_THREADS),
    )


def _warps_divided(op: Operation) -> int | None:
    """The number of warps that an op divides a thread index by, if it does that."""
    if not isinstance(op, arith.DivUIOp | arith.ShRUIOp):
        return None
    divisor = constant_value(op.rhs)
    if divisor is None or divisor < 1:
        return None
    if isinstance(op, arith.ShRUIOp):
        divisor = 1 << divisor
    return None if divisor % WARP_THREADS else divisor // WARP_THREADS


def _inline_at_start(block: Block, prologue: Block) -> None:
    first = block.first_op
    if first is None:
        return
    Rewriter.inline_block(prologue, InsertPoint.before(first))
