"""
Accumulators to memory: `stmatrix` to shared tiles of 16-bit elements, else pairs.

The maps from registers to rows and columns are those of `layouts.wgmma`: here they are
arithmetic on the index of the thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from xdsl.dialects.builtin import BFloat16Type, Float32Type, VectorType, f32, i32
from xdsl.ir import Operation, SSAValue

from croqtile_mlir import layouts
from croqtile_mlir.analysis.scopes import WARP_THREADS, WARPGROUP_THREADS
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import (
    STORE_COLS,
    AddressOp,
    MmaStoreOp,
    Space,
    ThreadIdOp,
    tile_type,
)
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.layouts import wgmma
from croqtile_mlir.lowering.acc_registers import Neighbours, Places
from croqtile_mlir.lowering.mma_fragments import Fragments, add_index
from croqtile_mlir.lowering.mma_global_store import Pair, store_pairs
from croqtile_mlir.lowering.mma_shared_store import check_buffer
from croqtile_mlir.lowering.rewriting import LocatedBuilder
from croqtile_mlir.targets.architecture import Architecture

_PAIR = VectorType(f32, [2])


def _check_store(op: MmaStoreOp, target: Architecture) -> None:
    wide = isinstance(tile_type(op.tile).element_type, Float32Type)
    if not wide and not target.has("stmatrix"):
        fail(
            op,
            f"must be compiled for a target with stmatrix, got {target.name}",
            hint="set the target to sm_90a",
        )
    check_buffer(op, 8 if wide else layouts.CHUNK_BYTES)


@dataclass(frozen=True)
class _Place:
    """Row and column of a thread, to which constants are added."""

    row: SSAValue
    col: SSAValue


def _half_rows(b: LocatedBuilder, thread: SSAValue) -> SSAValue:
    """16 rows for each warp of the warpgroup: 16 * (thread / 32 mod 4)."""
    return b.and_(b.shr(thread, 1), 48)


def _matrix_place(b: LocatedBuilder, thread: SSAValue) -> _Place:
    """`wgmma.stmatrix_lane`."""
    row = b.add(_half_rows(b, thread), b.and_(thread, 15))
    return _Place(row, b.shr(b.and_(thread, 16), 1))


def _pair_place(b: LocatedBuilder, thread: SSAValue) -> _Place:
    """`wgmma.accumulator_element` of register 0."""
    row = b.add(_half_rows(b, thread), b.and_(b.shr(thread, 2), 7))
    return _Place(row, b.shl(b.and_(thread, 3), 1))


def places_of(op: Operation, found: Fragments, first_row: Index) -> Places:
    """Where the elements are that a thread holds of an accumulator."""
    b = LocatedBuilder.before(op)
    place = _pair_place(b, b.insert(ThreadIdOp()).result)
    origins: list[tuple[SSAValue, SSAValue]] = []
    for number in range(found.blocks):
        start = add_index(b, first_row, number * wgmma.WGMMA_ROWS)
        origins.append((b.add(place.row, start), place.col))
    neighbours = Neighbours.WORD if found.packed else Neighbours.APART
    down = found.warpgroups * WARPGROUP_THREADS // WARP_THREADS
    return Places(origins, found.cols, found.struct, neighbours, down, across=1)


def lower_store(
    op: MmaStoreOp,
    blocks: Sequence[SSAValue],
    found: Fragments,
    first_row: Index,
    target: Architecture,
) -> None:
    """Emit the stores of an `mma.store`."""
    if tile_type(op.tile).memory_space is Space.Global:
        store_pairs(op, _global_pairs(op, blocks, found, first_row))
        return
    _check_store(op, target)
    b = LocatedBuilder.before(op)
    thread = b.insert(ThreadIdOp()).result
    wide = isinstance(tile_type(op.tile).element_type, Float32Type)
    place = _pair_place(b, thread) if wide else _matrix_place(b, thread)
    for number, block in enumerate(blocks):
        start = add_index(b, first_row, number * wgmma.WGMMA_ROWS)
        rows = b.add(place.row, start) if not isinstance(start, str) else place.row
        if wide:
            _store_pairs(b, op, block, found, _Place(rows, place.col))
        else:
            _store_matrices(b, op, block, found, _Place(rows, place.col))


def _global_pairs(
    op: MmaStoreOp, blocks: Sequence[SSAValue], found: Fragments, first_row: Index
) -> list[Pair]:
    """The pairs of a thread."""
    b = LocatedBuilder.before(op)
    place = _pair_place(b, b.insert(ThreadIdOp()).result)
    element = tile_type(op.tile).element_type
    first, last = op.part or (0, found.cols)
    pairs: list[Pair] = []
    for number, block in enumerate(blocks):
        start = add_index(b, first_row, number * wgmma.WGMMA_ROWS)
        for col, half in product(range(first, last, 8), range(2)):
            if found.packed:
                value = _extract(b, block, col // 4 + half)
            elif isinstance(element, Float32Type):
                value = _pair(b, block, col // 2 + 2 * half)
            else:
                to_bf16 = isinstance(element, BFloat16Type)
                value = _pack(b, block, col // 4 + half, to_bf16)
            row = b.add(b.add(place.row, start), layouts.CORE_ROWS * half)
            pairs.append(Pair(value, row, b.add(place.col, col - first)))
    return pairs


def _store_matrices(
    b: LocatedBuilder,
    op: MmaStoreOp,
    block: SSAValue,
    found: Fragments,
    place: _Place,
) -> None:
    to_bf16 = isinstance(tile_type(op.tile).element_type, BFloat16Type)
    start, end = op.part or (0, found.cols)
    for first in range(start, end, STORE_COLS):
        count = 4 if first + STORE_COLS <= end else 2
        registers = range(first // 4, first // 4 + count)
        if found.packed:
            packed = [_extract(b, block, register) for register in registers]
        else:
            packed = [_pack(b, block, register, to_bf16) for register in registers]
        # The lanes of the second half give addresses to x4 only.
        inside = first - start
        col: Index = b.add(place.col, inside) if count == 4 else inside
        address = b.insert(AddressOp(op.tile, (place.row, col))).pointer
        b.insert(nvvm.StMatrixOp(address, packed))


def _store_pairs(
    b: LocatedBuilder,
    op: MmaStoreOp,
    block: SSAValue,
    found: Fragments,
    place: _Place,
) -> None:
    start, end = op.part or (0, found.cols)
    for half in range(2):
        row = b.add(place.row, 8 * half)
        for first in range(start, end, 8):
            register = first // 2 + 2 * half
            address = AddressOp(op.tile, (row, b.add(place.col, first - start)))
            pair = _pair(b, block, register)
            b.insert(llvm.StoreOp(pair, b.insert(address).pointer))


def _pair(b: LocatedBuilder, block: SSAValue, register: int) -> SSAValue:
    """A register and the next one as a vector."""
    pair = b.insert(llvm.UndefOp(_PAIR)).result
    for lane in range(2):
        value = _extract(b, block, register + lane)
        pair = b.insert(llvm.InsertElementOp(pair, value, b.i32(lane))).result
    return pair


def _extract(b: LocatedBuilder, block: SSAValue, register: int) -> SSAValue:
    return b.insert(llvm.ExtractValueOp(block, register)).result


def _pack(b: LocatedBuilder, block: SSAValue, register: int, to_bf16: bool) -> SSAValue:
    """Two neighbours of a row as 16-bit floats in one i32, the first in the low."""
    low = _extract(b, block, 2 * register)
    high = _extract(b, block, 2 * register + 1)
    convert = nvvm.ConvertF32x2ToBF16x2Op if to_bf16 else nvvm.ConvertF32x2ToF16x2Op
    pair = b.insert(convert(high, low)).result
    return b.insert(llvm.BitcastOp(pair, i32)).result
