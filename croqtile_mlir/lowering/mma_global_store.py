"""
Accumulators straight to global memory: pairs of neighbours of a row by each thread.

A tile that is all in range, and of an argument whose address and pitches allow it, goes
pair by pair; else each element has its test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects.croq import AddressOp, MmaStoreOp, tile_type
from croqtile_mlir.dialects.nvvm.matrix import F16X2
from croqtile_mlir.lowering.dma_vectors import Guard, all_of, guard_of
from croqtile_mlir.lowering.memo_builder import MemoBuilder
from croqtile_mlir.lowering.rewriting import LocatedBuilder


@dataclass(frozen=True)
class Pair:
    """Two neighbours of a row: an i32 of two elements of 16 bits, or a vector."""

    value: SSAValue
    row: SSAValue
    col: SSAValue
    """Of the first, in the tile."""

    count: int | None = None
    """Of how many columns the tile has it may be one; None: it is one of them."""


def store_pairs(op: MmaStoreOp, pairs: Sequence[Pair]) -> None:
    """Emit the stores of pairs to the global tile of an op."""
    memo = MemoBuilder()
    memo.move_before(op)
    kind = tile_type(op.tile)
    dims = kind.static_dims
    if dims is None:
        fail(
            op,
            f"must store to a tile of constant extents, got {kind}",
            hint="run --bind-params first",
        )
    width = 2 * kind.element_bytes
    guard = guard_of(memo, op, op.tile, dims, [width])
    assert guard is not None
    builder = memo.builder
    tests = [*guard.aligned.values(), *guard.whole(builder, dims)]
    with builder.if_else(all_of(builder, tests)) as (whole, elements):
        for pair in pairs:
            _store_whole(whole, op, pair)
            _store_elements(elements, op, pair, guard)


def _store_whole(b: LocatedBuilder, op: MmaStoreOp, pair: Pair) -> None:
    if pair.count is not None:
        with b.if_(b.cmp("ult", pair.col, pair.count)) as inside:
            _store(inside, op, pair.value, pair.row, pair.col)
        return
    _store(b, op, pair.value, pair.row, pair.col)


def _store_elements(
    b: LocatedBuilder, op: MmaStoreOp, pair: Pair, guard: Guard
) -> None:
    """Store what of a pair is in range."""
    vector = pair.value
    if vector.type == i32:
        vector = b.insert(llvm.BitcastOp(vector, F16X2)).result
    for number in range(2):
        col = b.add(pair.col, number)
        at = (pair.row, col)
        tests = [
            test
            for outer in (True, False)
            for test in guard.inside(b, at, 1, outer=outer)
        ]
        if pair.count is not None:
            tests.append(b.cmp("ult", col, pair.count))
        element = b.insert(llvm.ExtractElementOp(vector, b.i32(number))).result
        if not tests:
            _store(b, op, element, *at)
            continue
        with b.if_(all_of(b, tests)) as inside:
            _store(inside, op, element, *at)


def _store(
    b: LocatedBuilder, op: MmaStoreOp, value: SSAValue, row: SSAValue, col: SSAValue
) -> None:
    address = b.insert(AddressOp(op.tile, (row, col))).pointer
    b.insert(llvm.StoreOp(value, address))
