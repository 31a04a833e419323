"""
Reductions of accumulators along their rows.

Each thread combines its elements of a row, column by column; the four threads of a row
combine theirs in a butterfly, with the lanes at distance 2 and 1.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import ReduceOp, ThreadIdOp
from croqtile_mlir.lowering.acc_registers import Places, Spot
from croqtile_mlir.lowering.combinations import (
    butterfly,
    combine,
    emit_neutral,
    extended,
    narrowed,
)
from croqtile_mlir.lowering.dma_vectors import all_of
from croqtile_mlir.lowering.memo_builder import MemoBuilder
from croqtile_mlir.lowering.reduce_threads import whole


def lower_reduce(op: ReduceOp, places: Places, parts: Sequence[SSAValue]) -> None:
    """Emit the reduction of an accumulator whose rows are each in one warp."""
    if op.dim.data != 1:
        fail(
            op,
            "must reduce an accumulator along its rows, dim 1, got dim 0",
            hint="store it to a tile, and reduce that",
        )
    if not places.whole_rows:
        fail(
            op,
            "must reduce an accumulator whose rows are each in one warp, got one "
            "divided along its rows",
            hint="use more rows or fewer warps, or store it to a tile and reduce that",
        )
    memo = MemoBuilder()
    memo.move_before(op)
    target = whole(op.destination, memo, op)
    b, combination = memo.builder, op.combination.data
    rows: dict[object, SSAValue] = {}
    first: dict[object, Spot] = {}
    for spot in places.spots():
        row = places.row_of(spot)
        first.setdefault(row, spot)
        for element in places.pair(b, parts, spot):
            before = rows.get(row)
            if before is None:
                before = emit_neutral(b, combination, op.computed)
            rows[row] = combine(b, combination, before, extended(b, element))
    thread = b.insert(ThreadIdOp()).result
    leads = b.cmp("eq", b.urem(thread, 4), 0)
    totals = {
        row: butterfly(b, combination, butterfly(b, combination, value, 2), 1)
        for row, value in rows.items()
    }
    with b.if_(leads) as leader:
        for row, value in totals.items():
            at = [places.at(leader, first[row])[0]]
            tests = target.inside(leader, at)
            made = narrowed(leader, value, target.element)
            if not tests:
                target.store(leader, at, [made])
                continue
            with leader.if_(all_of(leader, tests)) as then:
                target.store(then, at, [made])
