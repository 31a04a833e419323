"""
Reductions of tiles by a single thread, or by the lanes of a warp.

A thread combines the elements of each result in order. In a warp the order is that of
`analysis/reduction_groups` for a scope of 32 threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region, SSAValue

from croqtile_mlir.analysis.reduction_groups import Groups, groups_for
from croqtile_mlir.dialects.croq import (
    ForeachOp,
    ReduceOp,
    ShuffleKind,
    ShuffleOp,
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
from croqtile_mlir.lowering.memo_builder import MemoBuilder, Value
from croqtile_mlir.lowering.rewriting import LocatedBuilder

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

    def by_lanes(self, b: LocatedBuilder, lane: SSAValue) -> None:
        """All results by the lanes of a warp, in rounds of one for each group."""
        groups = self.groups
        member, group = b.urem(lane, groups.size), b.udiv(lane, groups.size)

        def make(inner: LocatedBuilder, at: Sequence[Value]) -> None:
            result = inner.add(inner.mul(_value(inner, at[0]), groups.count), group)
            self._round(inner, result, member)

        each_element(b, (groups.rounds,), make)

    def _round(self, b: LocatedBuilder, result: SSAValue, member: SSAValue) -> None:
        """The result of a number by each group; by all lanes of the warp."""
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
        distance = groups.size // 2
        while distance:
            shuffle = ShuffleOp(ShuffleKind.Xor, value, b.i32(distance))
            value = combine(b, combination, value, b.insert(shuffle).result)
            distance //= 2
        leads = [*exists, *([b.cmp("eq", member, 0)] if groups.size > 1 else [])]
        if not leads:
            self._write(b, at, value)
            return
        with b.if_(all_of(b, leads)) as leader:
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


def _value(b: LocatedBuilder, value: Value) -> SSAValue:
    return b.index(value) if isinstance(value, int) else value
