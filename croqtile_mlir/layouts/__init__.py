"""
Where the elements of shared tiles are: slots, panels, swizzles.

With its modules the one source of this maths for verifiers, lowering, simulator and
tests: `wgmma` and `fragments` say which elements the registers of the matrix
instructions hold, `warp_grid` how warps share a product, `boxes` what TMA moves.

The layout of a shared tile acts on its last two dims (rows and columns; a tile of rank
1 is one row); leading dims are slots. A tile in a *panel* layout (every layout but
`row_major`) is a sequence of panels W bytes wide and as high as the tile, laid one
after the other; inside a panel a row takes W bytes and the 16-byte chunks of a row are
permuted.

Functions take the type of a whole buffer: a view has the layout of the buffer it is
part of. Offsets and sizes are bytes. Coordinates may be integers or numpy arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from xdsl.dialects.builtin import i64

from croqtile_mlir.dialects.croq.types import Layout, Space, TileType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Coordinate = TypeVar("Coordinate", int, "NDArray[np.signedinteger]")
"""A row, a column or a byte offset: an integer or a numpy array."""

CHUNK_BYTES = 16
"""What a swizzle moves as a whole."""

CORE_ROWS = 8
"""Rows of a core matrix, and of the pattern that a swizzle repeats."""

TMA_ALIGNMENT = 128
"""Alignment of the shared address of a bulk tensor copy without a swizzle."""


class LayoutError(ValueError):
    """A tile type without layout maths: not shared, open, or of unknown extents."""


@dataclass(frozen=True)
class Panel:
    """One panel of a tile: where it starts, and the columns it holds."""

    byte_offset: int
    first_col: int
    cols: int


def _extents(tile: TileType) -> tuple[int, ...]:
    dims = tile.static_dims
    if not dims or tile.memory_space is not Space.Shared:
        raise LayoutError(f"must be a shared tile of constant extents, got {tile}")
    return dims


def layout_of(tile: TileType) -> Layout:
    """The layout of a shared tile; a LayoutError while it is open."""
    if tile.layout is None:
        raise LayoutError(f"must have a layout, got {tile}")
    return tile.layout


def matrix_shape(tile: TileType) -> tuple[int, int]:
    """Rows and columns of one slot; a tile of rank 1 is one row."""
    dims = _extents(tile)
    *_, rows, cols = (1, *dims)
    return rows, cols


def slots(tile: TileType) -> int:
    """The number of slots: the product of the leading dims."""
    return prod(_extents(tile)[:-2])


def panel_bytes(tile: TileType) -> int:
    """Bytes of a row inside a panel; of the whole row when the tile is row-major."""
    width = layout_of(tile).panel_bytes
    return width or matrix_shape(tile)[1] * tile.element_bytes


def panel_cols(tile: TileType) -> int:
    """Columns of a panel; all of them when the tile is row-major."""
    return panel_bytes(tile) // tile.element_bytes


def panels(tile: TileType) -> tuple[Panel, ...]:
    """The panels of one slot, in order of columns and of addresses."""
    rows, cols = matrix_shape(tile)
    width = panel_cols(tile)
    size = rows * panel_bytes(tile)
    return tuple(
        Panel(number * size, first, min(width, cols - first))
        for number, first in enumerate(range(0, cols, width))
    )


def check_layout(tile: TileType) -> str | None:
    """Why the extents don't fit the layout: `<rule>, got <value>`; None if they do."""
    width = layout_of(tile).panel_bytes
    if width is None:
        return None
    rows, cols = matrix_shape(tile)
    row = cols * tile.element_bytes
    if row % width:
        return (
            f"rows of a {layout_of(tile).value} tile must be a multiple of {width} "
            f"bytes, got {row}"
        )
    if row > width and width > CHUNK_BYTES and rows % CORE_ROWS:
        return (
            f"a {layout_of(tile).value} tile wider than {width} bytes must have a "
            f"multiple of {CORE_ROWS} rows, got {rows}"
        )
    return None


def tile_bytes(tile: TileType) -> int:
    """Bytes of one slot, without the padding to the next."""
    last = panels(tile)[-1]
    return last.byte_offset + matrix_shape(tile)[0] * panel_bytes(tile)


def alignment(tile: TileType) -> int:
    """
    Alignment of a buffer and of each of its slots.

    A swizzled buffer: one repetition of the pattern, 8 rows. Otherwise what TMA asks
    for, and 16 for a few words of 64 bits, as mbarriers are.
    """
    width = layout_of(tile).panel_bytes
    if width is not None and width > CHUNK_BYTES:
        return CORE_ROWS * width
    are_words = tile.rank == 1 and tile.element_type == i64
    if width is None and are_words and tile_bytes(tile) < TMA_ALIGNMENT:
        return CHUNK_BYTES
    return TMA_ALIGNMENT


def slot_bytes(tile: TileType) -> int:
    """Bytes from one slot to the next: the bytes of one, rounded to the alignment."""
    unit = alignment(tile)
    return -(-tile_bytes(tile) // unit) * unit


def slot_strides(tile: TileType) -> tuple[int, ...]:
    """Bytes between neighbours along each leading dim."""
    leading = _extents(tile)[:-2]
    return tuple(
        prod(leading[dim + 1 :]) * slot_bytes(tile) for dim in range(len(leading))
    )


def buffer_bytes(tile: TileType) -> int:
    """Bytes of the whole buffer."""
    return slots(tile) * slot_bytes(tile)


_SWIZZLE_SHIFT: Mapping[int | None, int] = MappingProxyType({128: 0, 64: 1, 32: 2})


def swizzle_shift(layout: Layout) -> int | None:
    """The swizzle XORs `(row mod 8) >> shift` to the chunk index; None: none does."""
    return _SWIZZLE_SHIFT.get(layout.panel_bytes)


def row_xor(layout: Layout, row: Coordinate) -> Coordinate:
    """What the swizzle XORs to the byte offset inside a row of a panel."""
    shift = swizzle_shift(layout)
    if shift is None:
        return row * 0
    return ((row % CORE_ROWS) >> shift) * CHUNK_BYTES


def byte_offset(tile: TileType, row: Coordinate, col: Coordinate) -> Coordinate:
    """Bytes from the start of the slot to an element, swizzle included."""
    return ElementOffsets.of(tile).at(row, col)


@dataclass(frozen=True)
class ElementOffsets:
    """`byte_offset` of one type, for those that ask about many of its elements."""

    layout: Layout
    rows: int
    row_bytes: int
    """Of a row of a panel."""

    element_bytes: int

    @classmethod
    def of(cls, tile: TileType) -> ElementOffsets:
        """Those of a tile in shared memory."""
        rows, _ = matrix_shape(tile)
        return cls(layout_of(tile), rows, panel_bytes(tile), tile.element_bytes)

    def at(self, row: Coordinate, col: Coordinate) -> Coordinate:
        """Bytes from the start of the slot to an element, swizzle included."""
        inside = col * self.element_bytes
        if self.layout is Layout.RowMajor:
            return row * self.row_bytes + inside
        panel, inside = inside // self.row_bytes, inside % self.row_bytes
        return (panel * self.rows + row) * self.row_bytes + (
            inside ^ row_xor(self.layout, row)
        )
