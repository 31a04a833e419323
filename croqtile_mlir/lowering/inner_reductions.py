"""
Reductions of tiles by a single thread, or by those of a warp or a warpgroup.

A thread combines the elements of each result in order. In a warp or a warpgroup the
order is that of `analysis/reduction_groups` for a scope of 32 or 128 threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region, SSAValue

from croqtile_mlir.analysis.reduction_groups import Groups, groups_for
from croqtile_mlir.analysis.scopes import WARP_THREADS, inner_threads, scope_of
from croqtile_mlir.dialects.croq import (
    ForeachOp,
    LoadOp,
    ParallelOp,
    ReduceOp,
    ShuffleKind,
    ShuffleOp,
    StoreOp,
    YieldOp,
)
from croqtile_mlir.lowering.combinations import (
    combine,
    emit_neutral,
    extended,
    narrowed,
)
from croqtile_mlir.lowering.dma_vectors import all_of, chosen, split_index
from croqtile_mlir.lowering.inner_elements import Elements, each_element
from croqtile_mlir.lowering.inner_meetings import barrier_of
from croqtile_mlir.lowering.memo_builder import MemoBuilder, Value
from croqtile_mlir.lowering.reduce_threads import partials_of
from croqtile_mlir.lowering.rewriting import LocatedBuilder
from croqtile_mlir.targets.architecture import WARPGROUP_THREADS

_index = IndexType()


@dataclass(frozen=True)
class InnerReduction:
    """One reduction, and its tiles."""

    op: ReduceOp
    groups: Groups
    source: Elements
    target: Elements

    @classmethod
    def of(cls, op: ReduceOp, threads: int, memo: MemoBuilder) -> InnerReduction:
        """That of an op by so many threads; tests of ranges go where the memo is."""
        groups = groups_for(op, threads)
        target = groups.outer or (1,)
        return cls(
            op,
            groups,
            Elements.of(op, op.source, groups.dims, memo),
            Elements.of(op, op.destination, target, memo),
        )

    def by_thread(self, b: LocatedBuilder, *, unroll: bool) -> None:
        """Each result by one thread."""

        def make(inner: LocatedBuilder, at: Sequence[Value]) -> None:
            value = self._combined(inner, at, 0, 1, unroll=unroll)
            self._write(inner, at, value)

        each_element(b, self.groups.outer, make, unroll=unroll)

    def by_level(
        self, b: LocatedBuilder, level: ParallelOp, thread: SSAValue, *, met: bool
    ) -> None:
        """
        All results by the threads of a level, in rounds of one for each group.

        `met`: they have met just before.
        """
        groups = self.groups
        member, group = b.urem(thread, groups.size), b.udiv(thread, groups.size)
        partials = None
        if groups.warps > 1:
            partials = _Partials.of(self.op, level, thread)

        def make(inner: LocatedBuilder, at: Sequence[Value]) -> None:
            result = inner.add(inner.mul(_value(inner, at[0]), groups.count), group)
            if partials is not None and not (met and groups.rounds == 1):
                # Those of the round before are read.
                inner.insert(barrier_of(level))
            self._round(inner, result, member, partials)

        each_element(b, (groups.rounds,), make)

    def _round(
        self,
        b: LocatedBuilder,
        result: SSAValue,
        member: SSAValue,
        partials: _Partials | None,
    ) -> None:
        """The result of a number by each group; by all threads of the level."""
        groups, combination = self.groups, self.op.combination.data
        exists: list[SSAValue] = []
        if groups.rounds * groups.count > groups.results:
            exists = [b.cmp("ult", result, groups.results)]
        at = split_index(b, result, groups.outer) if groups.outer else []
        value = chosen(
            b,
            exists,
            self.op.computed,
            lambda inner: self._combined(inner, at, member, groups.size),
            lambda inner: emit_neutral(inner, combination, self.op.computed),
        )
        distance = groups.in_warp // 2
        while distance:
            shuffle = ShuffleOp(ShuffleKind.Xor, value, b.i32(distance))
            value = combine(b, combination, value, b.insert(shuffle).result)
            distance //= 2
        if partials is not None:
            partials.leave(b, value)
        leads = [*exists, *([b.cmp("eq", member, 0)] if groups.size > 1 else [])]
        if not leads:
            self._write(b, at, value)
            return
        with b.if_(all_of(b, leads)) as leader:
            if partials is not None:
                for other in partials.others(leader, groups.warps):
                    value = combine(leader, combination, value, other)
            self._write(leader, at, value)

    def _combined(
        self,
        b: LocatedBuilder,
        outer: Sequence[Value],
        first: Value,
        step: int,
        *,
        unroll: bool = False,
    ) -> SSAValue:
        """Every so many-th element of a result from the first on, combined in order."""
        groups, combination, kind = (
            self.groups,
            self.op.combination.data,
            self.op.computed,
        )
        body = Block(arg_types=[_index, kind])
        inner = LocatedBuilder.at_end(body, b.location)
        number, before = body.args
        at = [*outer[: groups.dim], number, *outer[groups.dim :]]

        def combined(then: LocatedBuilder) -> SSAValue:
            element = extended(then, self.source.load_inside(then, at))
            return combine(then, combination, before, element)

        tests = self.source.inside(inner, at)
        after = chosen(inner, tests, kind, combined, lambda _: before)
        inner.insert(YieldOp([after]))
        loop = ForeachOp(
            groups.extent,
            Region(body),
            lower=first,
            step=step,
            iter_args=[emit_neutral(b, combination, kind)],
            unroll=unroll,
        )
        return b.insert(loop).res[0]

    def _write(self, b: LocatedBuilder, at: Sequence[Value], value: SSAValue) -> None:
        self.target.store(
            b, at or [0], lambda inner: narrowed(inner, value, self.target.element)
        )


@dataclass(frozen=True)
class _Partials:
    """Where the warps of a warpgroup leave what they have for its groups."""

    tile: SSAValue
    """`[warpgroup of the scope, warp]`, in shared memory."""

    level: ParallelOp
    thread: SSAValue

    @classmethod
    def of(cls, op: ReduceOp, level: ParallelOp, thread: SSAValue) -> _Partials:
        """One for each warp of the scope."""
        inner_threads(level)
        count = scope_of(level).num_threads // WARP_THREADS
        return cls(partials_of(op, op.computed, count), level, thread)

    def leave(self, b: LocatedBuilder, value: SSAValue) -> None:
        """Each warp stores its value; then all of the warpgroup meet."""
        with b.if_(b.cmp("eq", b.urem(self.thread, WARP_THREADS), 0)) as first:
            first.insert(StoreOp(value, self.tile, (self._warp(first),)))
        b.insert(barrier_of(self.level))

    def others(self, b: LocatedBuilder, warps: int) -> Iterator[SSAValue]:
        """What the warps after the own one have left, in order."""
        for number in range(1, warps):
            at = b.add(self._warp(b), number)
            yield b.insert(LoadOp(self.tile, (at,))).value

    def _warp(self, b: LocatedBuilder) -> SSAValue:
        """The number of the warp in the scope."""
        number = b.index(0)
        for index, extent in zip(
            self.level.body.block.args, self.level.extent_values, strict=True
        ):
            assert isinstance(extent, int)
            number = b.add(b.mul(number, extent), index)
        warps = WARPGROUP_THREADS // WARP_THREADS
        return b.add(b.mul(number, warps), b.udiv(self.thread, WARP_THREADS))


def _value(b: LocatedBuilder, value: Value) -> SSAValue:
    return b.index(value) if isinstance(value, int) else value
