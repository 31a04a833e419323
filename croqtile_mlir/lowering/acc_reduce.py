"""
Reductions of accumulators along their rows or along their columns.

Of a row each thread combines its elements, column by column; the four threads of a row
combine theirs in a butterfly, with the lanes at distance 2 and 1.

Of a column each thread combines its elements, row by row; the eight threads of a warp
that have it combine theirs in a butterfly, with the lanes at distance 16, 8 and 4. What
the warps have that are one below the other meets in shared memory, where one thread
combines it in the order of the warps.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from croqtile_mlir.analysis.scopes import WARP_THREADS, scope_of
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    LoadOp,
    ReduceOp,
    StoreOp,
    ThreadIdOp,
    acc_type,
)
from croqtile_mlir.lowering.acc_registers import Places, Spot
from croqtile_mlir.lowering.combinations import (
    butterfly,
    combine,
    emit_neutral,
    extended,
    narrowed,
)
from croqtile_mlir.lowering.dma_vectors import add, all_of
from croqtile_mlir.lowering.elementwise_threads import Operand
from croqtile_mlir.lowering.memo_builder import MemoBuilder, Value
from croqtile_mlir.lowering.reduce_threads import partials_of, whole
from croqtile_mlir.lowering.rewriting import LocatedBuilder


def lower_reduce(
    op: ReduceOp, places: Places, parts: Sequence[SSAValue]
) -> SSAValue | None:
    """
    Emit the reduction of an accumulator; the shared memory that warps need for it.

    Barriers around that memory are still to come.
    """
    memo = MemoBuilder()
    memo.move_before(op)
    target = whole(op.destination, memo, op)
    reduction = _Reduction(op, places, parts, target, memo.builder)
    if op.dim.data == 0:
        return reduction.of_columns()
    if not places.whole_rows:
        fail(
            op,
            "must reduce an accumulator whose rows are each in one warp, got one "
            "divided along its rows",
            hint="use more rows or fewer warps, or store it to a tile and reduce that",
        )
    reduction.of_rows()
    return None


@dataclass(frozen=True)
class _Own:
    """What a thread has for a result: a value, and the first of its elements."""

    spot: Spot
    lane: int
    value: SSAValue


@dataclass(frozen=True)
class _Reduction:
    """One reduction, and where its accumulator is."""

    op: ReduceOp
    places: Places
    parts: Sequence[SSAValue]
    target: Operand
    b: LocatedBuilder

    def of_rows(self) -> None:
        """Each row by the four threads that have it."""
        b = self.b
        totals = self._combined((2, 1), of_rows=True)
        thread = b.insert(ThreadIdOp()).result
        with b.if_(b.cmp("eq", b.urem(thread, 4), 0)) as leader:
            for own in totals.values():
                row, _ = self.places.at(leader, own.spot)
                self._write(leader, row, own.value)

    def of_columns(self) -> SSAValue | None:
        """Each column by the threads of all warps that have it."""
        b, places = self.b, self.places
        totals = self._combined((16, 8, 4), of_rows=False)
        thread = b.insert(ThreadIdOp()).result
        cols = acc_type(self.op.source).shape[1]
        partials = first = None
        if places.down > 1:
            partials = partials_of(self.op, self.op.computed, places.down * cols)
            warp = b.udiv(thread, WARP_THREADS)
            first = b.mul(b.udiv(warp, places.across), cols)
        with b.if_(b.cmp("ult", b.urem(thread, WARP_THREADS), 4)) as leader:
            for own in totals.values():
                col = add(leader, places.at(leader, own.spot)[1], own.lane)
                if partials is None or first is None:
                    self._write(leader, col, own.value)
                else:
                    at = leader.add(first, col)
                    leader.insert(StoreOp(own.value, partials, (at,)))
        if partials is None:
            return None
        with b.for_(thread, cols, scope_of(self.op).num_threads) as (each, col):
            values = self._left(each, partials, col, cols)
            total = next(values)
            for value in values:
                total = combine(each, self.op.combination.data, total, value)
            self._write(each, col, total)
        return partials

    def _left(
        self, b: LocatedBuilder, partials: SSAValue, col: SSAValue, cols: int
    ) -> Iterator[SSAValue]:
        """What warps have left of a column, in order."""
        for warp in range(self.places.down):
            at = b.add(col, warp * cols)
            yield b.insert(LoadOp(partials, (at,))).value

    def _combined(
        self, distances: Sequence[int], *, of_rows: bool
    ) -> Mapping[Hashable, _Own]:
        """For each row or column of a thread: its elements and those of other lanes."""
        b, combination = self.b, self.op.combination.data
        found: dict[Hashable, _Own] = {}
        for spot in self.places.spots():
            for lane, element in enumerate(self.places.pair(b, self.parts, spot)):
                key: Hashable = self.places.row_of(spot)
                if not of_rows:
                    key = (self.places.cols_of(spot), lane)
                if (before := found.get(key)) is None:
                    neutral = emit_neutral(b, combination, self.op.computed)
                    before = _Own(spot, lane, neutral)
                value = combine(b, combination, before.value, extended(b, element))
                found[key] = _Own(before.spot, before.lane, value)
        for key, own in found.items():
            value = own.value
            for distance in distances:
                value = butterfly(b, combination, value, distance)
            found[key] = _Own(own.spot, own.lane, value)
        return found

    def _write(self, b: LocatedBuilder, at: Value, value: SSAValue) -> None:
        """An element of the result, unless it is out of range."""
        tests = self.target.inside(b, [at])
        made = narrowed(b, value, self.target.element)
        if not tests:
            self.target.store(b, [at], [made])
            return
        with b.if_(all_of(b, tests)) as then:
            self.target.store(then, [at], [made])
