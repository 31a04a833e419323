"""
Accumulators of `mma.sync` to tiles: each thread stores pairs of neighbours of a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    BFloat16Type,
    FixedBitwidthType,
    Float16Type,
    VectorType,
    i32,
)
from xdsl.ir import SSAValue

from croqtile_mlir import layouts
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import (
    AddressOp,
    MmaStoreOp,
    Space,
    tile_type,
)
from croqtile_mlir.layouts.fragments import MMA_COLS, MMA_ROWS
from croqtile_mlir.layouts.warp_grid import WarpGrid
from croqtile_mlir.lowering.mma_global_store import Pair, store_pairs
from croqtile_mlir.lowering.mma_lanes import Place
from croqtile_mlir.lowering.mma_shared_store import check_buffer
from croqtile_mlir.lowering.mma_sync_parts import pair, registers
from croqtile_mlir.lowering.rewriting import LocatedBuilder


def lower_store(
    op: MmaStoreOp, parts: Sequence[SSAValue], grid: WarpGrid, place: Place
) -> None:
    """Emit the stores of an `mma.store`; `place` is of a thread's first register."""
    if tile_type(op.tile).memory_space is Space.Global:
        store_pairs(op, _global_pairs(op, parts, grid, place))
        return
    check_buffer(op, 2 * tile_type(op.tile).element_bytes)
    b = LocatedBuilder.before(op)
    for number, part in enumerate(parts):
        i, j = divmod(number, grid.tiles_across)
        words = _pairs(b, op, part)
        _store(b, op, words, grid, place, MMA_ROWS * i, MMA_COLS * j)


def _global_pairs(
    op: MmaStoreOp, parts: Sequence[SSAValue], grid: WarpGrid, place: Place
) -> list[Pair]:
    """The pairs of a thread, those of other columns than are stored left out."""
    b = LocatedBuilder.before(op)
    cols = grid.cols * grid.across
    first, last = op.part or (0, cols)
    count = None if (first, last) == (0, cols) or grid.across == 1 else last - first
    found: list[Pair] = []
    for number, part in enumerate(parts):
        i, j = divmod(number, grid.tiles_across)
        if grid.across == 1 and not first <= MMA_COLS * j < last:
            continue
        for half, value in enumerate(_pairs(b, op, part)):
            rows = MMA_ROWS * i + layouts.CORE_ROWS * half
            row, col = place.at(b, rows, MMA_COLS * j - first)
            found.append(Pair(value, row, col, count))
    return found


def _store(
    b: LocatedBuilder,
    op: MmaStoreOp,
    words: Sequence[SSAValue],
    grid: WarpGrid,
    place: Place,
    row: int,
    col: int,
) -> None:
    """Store one part: rows that are 8 apart."""
    if op.part is None or op.part == (0, grid.cols * grid.across):
        _store_rows(b, op, words, place, row, col)
        return
    first, last = op.part
    if grid.across == 1:
        if first <= col < last:
            _store_rows(b, op, words, place, row, col - first)
        return
    # Whether the columns of this warp are among those stored is up to the warp.
    begin = b.sub(b.add(place.col, col), first)
    with b.if_(b.cmp("ult", begin, last - first)) as inside:
        _store_rows(inside, op, words, place, row, col - first)


def _store_rows(
    b: LocatedBuilder,
    op: MmaStoreOp,
    words: Sequence[SSAValue],
    place: Place,
    row: int,
    col: int,
) -> None:
    for half, word in enumerate(words):
        indices = place.at(b, row + layouts.CORE_ROWS * half, col)
        address = b.insert(AddressOp(op.tile, indices)).pointer
        b.insert(llvm.StoreOp(word, address))


def _pairs(b: LocatedBuilder, op: MmaStoreOp, part: SSAValue) -> list[SSAValue]:
    """The two pairs of a part, converted to the element type of the tile."""
    element = tile_type(op.tile).element_type
    found = registers(b, part)
    if len(found) == 2:
        return [b.insert(llvm.BitcastOp(each, i32)).result for each in found]
    pairs = [found[0:2], found[2:4]]
    if isinstance(element, Float16Type | BFloat16Type):
        to_bf16 = isinstance(element, BFloat16Type)
        convert = nvvm.ConvertF32x2ToBF16x2Op if to_bf16 else nvvm.ConvertF32x2ToF16x2Op
        packed = [b.insert(convert(high, low)).result for low, high in pairs]
        return [b.insert(llvm.BitcastOp(each, i32)).result for each in packed]
    kind = VectorType(cast(FixedBitwidthType, found[0].type), [2])
    return [pair(b, each, kind) for each in pairs]
