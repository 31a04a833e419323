"""
Reductions of tiles by the threads of a scope (`analysis/reduction_groups`).

Each group of threads makes one element of the result in a round: every thread combines
its elements, shuffles combine those of a warp, and where a group has several warps
these meet in shared memory. The barriers around that come last, where they are needed.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region, SSAValue, TypeAttribute

from croqtile_mlir.analysis.barrier_places import barriers_between
from croqtile_mlir.analysis.reduction_groups import Groups, groups_of
from croqtile_mlir.analysis.scopes import WARP_THREADS, block_of
from croqtile_mlir.analysis.uniformity import require_whole_scope
from croqtile_mlir.dialects.croq import (
    AllocOp,
    BarrierOp,
    LoadOp,
    ParallelOp,
    ReduceOp,
    StoreOp,
    ThreadIdOp,
    tile_type,
)
from croqtile_mlir.dialects.croq.types import Layout, Space, TileType
from croqtile_mlir.lowering.combinations import (
    butterfly,
    combine,
    emit_neutral,
    extended,
    narrowed,
)
from croqtile_mlir.lowering.dma_vectors import (
    all_of,
    chosen,
    guard_of,
    split_index,
)
from croqtile_mlir.lowering.elementwise_threads import Operand
from croqtile_mlir.lowering.memo_builder import MemoBuilder, Value
from croqtile_mlir.lowering.rewriting import LocatedBuilder

_index = IndexType()


def whole(tile: SSAValue, memo: MemoBuilder, op: ReduceOp) -> Operand:
    """A tile of a reduction, accessed by elements."""
    dims = tuple(d for d in tile_type(tile).dims if isinstance(d, int))
    return Operand(tile, tuple(range(len(dims))), guard_of(memo, op, tile, dims, ()), 1)


@dataclass(frozen=True)
class ThreadReductions:
    """Lowers reductions of tiles."""

    memo: MemoBuilder
    partials: set[SSAValue] = field(default_factory=set[SSAValue])
    """Where the warps of groups leave what they have."""

    def lower(self, op: ReduceOp) -> None:
        """Emit the loops of a reduction before it."""
        require_whole_scope(
            op,
            "move the reduction out of parallel levels and of conditions on the thread",
        )
        groups = groups_of(op)
        self.memo.move_before(op)
        source = whole(op.source, self.memo, op)
        target = whole(op.destination, self.memo, op)
        reduction = _Reduction(op, groups, source, target)
        self.partials.update(reduction.emit(self.memo.builder))

    def insert_barriers(self, block: ParallelOp) -> None:
        """Let warps meet where one reads what another has left, or leaves it anew."""
        meet_at(block, self.partials)


@dataclass(frozen=True)
class _Reduction:
    """One reduction, and its tiles."""

    op: ReduceOp
    groups: Groups
    source: Operand
    target: Operand

    @property
    def kind(self) -> TypeAttribute:
        """The type that is computed with."""
        return self.op.computed

    def emit(self, b: LocatedBuilder) -> set[SSAValue]:
        """Emit the rounds; the shared memory that warps need between them, if any."""
        groups, size = self.groups, self.groups.size
        thread = b.insert(ThreadIdOp()).result
        thread.name_hint = "thread"
        member = b.urem(thread, size)
        group = b.udiv(thread, size)
        partials = None
        if groups.warps > 1:
            partials = partials_of(self.op, self.kind, groups.threads // WARP_THREADS)
        buffers = set[SSAValue]() if partials is None else {partials}
        if groups.rounds == 1:
            self._round(b, group, thread, member, partials)
            return buffers
        with b.for_(0, groups.rounds) as (each, number):
            result = each.add(each.mul(number, groups.count), group)
            self._round(each, result, thread, member, partials)
        return buffers

    def _round(
        self,
        b: LocatedBuilder,
        result: SSAValue,
        thread: SSAValue,
        member: SSAValue,
        partials: SSAValue | None,
    ) -> None:
        """Make the element of the result that has a number; by all threads."""
        groups, combination = self.groups, self.op.combination.data
        exists: list[SSAValue] = []
        if groups.rounds * groups.count > groups.results:
            exists = [b.cmp("ult", result, groups.results)]

        def own(inner: LocatedBuilder) -> SSAValue:
            return self._own(inner, result, member)

        def nothing(inner: LocatedBuilder) -> SSAValue:
            return emit_neutral(inner, combination, self.kind)

        value = chosen(b, exists, self.kind, own, nothing)
        distance = groups.in_warp // 2
        while distance:
            value = butterfly(b, combination, value, distance)
            distance //= 2
        if partials is not None:
            warp = b.udiv(thread, WARP_THREADS)
            with b.if_(b.cmp("eq", b.urem(thread, WARP_THREADS), 0)) as first:
                first.insert(StoreOp(value, partials, (warp,)))
        leads = [*exists, *([b.cmp("eq", member, 0)] if groups.size > 1 else [])]
        if not leads:
            self._write(b, result, value)
        else:
            with b.if_(all_of(b, leads)) as leader:
                if partials is not None:
                    warp = leader.udiv(thread, WARP_THREADS)
                    for number in range(1, groups.warps):
                        at = leader.add(warp, number)
                        other = leader.insert(LoadOp(partials, (at,))).value
                        value = combine(leader, combination, value, other)
                self._write(leader, result, value)

    def _own(self, b: LocatedBuilder, result: SSAValue, member: SSAValue) -> SSAValue:
        """What a thread combines on its own."""
        groups, combination = self.groups, self.op.combination.data
        outer = split_index(b, result, groups.outer) if groups.outer else []
        start = emit_neutral(b, combination, self.kind)
        body = Block(arg_types=[_index, self.kind])
        each = LocatedBuilder.at_end(body, self.op.location)
        number, before = body.args
        at: list[Value] = [*outer[: groups.dim], number, *outer[groups.dim :]]

        def combined(inner: LocatedBuilder) -> SSAValue:
            element = extended(inner, self.source.load(inner, at)[0])
            return combine(inner, combination, before, element)

        tests = self.source.inside(each, at)
        after = chosen(each, tests, self.kind, combined, lambda _: before)
        each.insert(scf.YieldOp(after))
        loop = scf.ForOp(
            member if groups.size > 1 else b.index(0),
            b.index(groups.extent),
            b.index(groups.size),
            [start],
            Region(body),
        )
        return b.insert(loop).res[0]

    def _write(self, b: LocatedBuilder, result: SSAValue, value: SSAValue) -> None:
        groups = self.groups
        at: Sequence[Value] = (
            split_index(b, result, groups.outer) if groups.outer else [0]
        )
        tests = self.target.inside(b, at)
        if not tests:
            self.target.store(b, at, [narrowed(b, value, self.target.element)])
            return
        with b.if_(all_of(b, tests)) as then:
            self.target.store(then, at, [narrowed(then, value, self.target.element)])


def meet_at(block: ParallelOp, buffers: Set[SSAValue]) -> None:
    """Let warps meet where one reads what another has left, or leaves it anew."""
    for place in barriers_between(block, frozenset(buffers)):
        LocatedBuilder.before(place).insert(BarrierOp())


def partials_of(op: ReduceOp, kind: TypeAttribute, count: int) -> SSAValue:
    """A place in shared memory for so many values of warps."""
    block = block_of(op)
    tile = TileType([count], kind, Space.Shared, Layout.RowMajor)
    alloc = LocatedBuilder.at_start(block.body.block, op.location).insert(AllocOp(tile))
    alloc.tile.name_hint = "partials"
    return alloc.tile
