"""
How copies and fills by threads, and computations for each element, divide a tile.

All of them deal vectors along the rows, vector v to thread v modulo the threads. Two
that have the same extents and vectors give each element to the same thread.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import gcd

from xdsl.ir import SSAValue

from croqtile_mlir.analysis.row_alignment import VECTOR_BYTES
from croqtile_mlir.dialects.croq import (
    AllocOp,
    CopyAsyncOp,
    CopyOp,
    FillOp,
    Space,
    known_extent,
    root_of,
    tile_type,
)
from croqtile_mlir.lowering.dma_vectors import (
    row_alignment,
    vector_bytes,
)


def vectors(dims: Sequence[int], lanes: int) -> Hashable:
    """Equal for ops that deal the elements of such a tile to the same threads."""
    return "vectors", tuple(dims), lanes


def division_of_copy(op: CopyOp) -> Hashable:
    """That of a copy by threads; its own where it moves elements to other places."""
    dims, lanes = _copied(op), copy_lanes(op)
    return op if dims is None or lanes is None else vectors(dims, lanes)


def copy_lanes(op: CopyOp | CopyAsyncOp) -> int | None:
    """The elements of a vector of a copy, where known and they stay in order."""
    tiles = (op.source, op.destination)
    dims = _copied(op)
    if op.rearranges or dims is None or not _is_laid_out(tiles):
        return None
    return vector_bytes(op, dims) // tile_type(op.source).element_bytes


def _copied(op: CopyOp | CopyAsyncOp) -> tuple[int, ...] | None:
    return op.rearrangement.destination_extents(
        tile_type(op.source).dims, tile_type(op.destination).dims, known_extent
    )


def division_of_fill(op: FillOp) -> Hashable:
    """That of a fill."""
    dims, lanes = tile_type(op.tile).static_dims, fill_lanes(op)
    return op if dims is None or lanes is None else vectors(dims, lanes)


def fill_lanes(op: FillOp) -> int | None:
    """The elements of a vector of a fill, where that is known."""
    kind = tile_type(op.tile)
    dims = kind.static_dims
    if dims is None or not _is_laid_out((op.tile,)):
        return None
    row = dims[-1] * kind.element_bytes
    vector = gcd(VECTOR_BYTES, row, row_alignment(op, op.tile))
    return vector // kind.element_bytes


def _is_laid_out(tiles: Sequence[SSAValue]) -> bool:
    """Whether those of some tiles that are not global are in buffers with a layout."""
    for tile in tiles:
        kind = tile_type(tile)
        if kind.memory_space is Space.Global:
            continue
        root = root_of(tile)
        if not isinstance(root.owner, AllocOp) or tile_type(root).layout is None:
            return False
    return True
