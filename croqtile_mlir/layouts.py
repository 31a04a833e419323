"""
Where the elements of tiles are: panels, swizzles, wgmma descriptors, fragments.

The one source of this maths for verifiers, lowering, simulator and tests. The layout
of a shared tile acts on its last two dims (rows and columns; a tile of rank 1 is one
row); leading dims are slots. A tile in a *panel* layout (every layout but `row_major`)
is a sequence of panels W bytes wide and as high as the tile, laid one after the other;
inside a panel a row takes W bytes and the 16-byte chunks of a row are permuted.

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

from croqtile_mlir.dialects.croq.types import Layout, Major, Space, TileType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Coordinate = TypeVar("Coordinate", int, "NDArray[np.signedinteger]")
"""A row, a column or a byte offset: an integer or a numpy array."""

CHUNK_BYTES = 16
"""What a swizzle moves as a whole."""

CORE_ROWS = 8
"""Rows of a core matrix, and of the pattern that a swizzle repeats."""

WGMMA_ROWS = 64
"""Rows of the accumulator of one wgmma."""

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
    rows, _ = matrix_shape(tile)
    width = panel_bytes(tile)
    inside = col * tile.element_bytes
    if layout_of(tile) is Layout.RowMajor:
        return row * width + inside
    panel, inside = inside // width, inside % width
    return (panel * rows + row) * width + (inside ^ row_xor(layout_of(tile), row))


@dataclass(frozen=True)
class Descriptor:
    """
    A wgmma matrix descriptor but for its start address.

    PTX ISA, "Matrix Descriptor Format": leading and stride byte offset, layout bits.
    """

    leading_bytes: int
    stride_bytes: int
    mode: int

    @property
    def constant(self) -> int:
        """The descriptor of an operand at address 0."""
        return (
            (self.mode << 62)
            | (self.stride_bytes >> 4 << 32)
            | (self.leading_bytes >> 4 << 16)
        )

    def encode(self, start: int) -> int:
        """The descriptor of an operand at a shared address; 64 bits, unsigned."""
        return self.constant | ((start & 0x3FFFF) >> 4)


_MODE: Mapping[int, int] = MappingProxyType({16: 0, 128: 1, 64: 2, 32: 3})
"""Layout bits of a descriptor, by the width of a panel."""


def operand_descriptor(tile: TileType, major: Major) -> Descriptor:
    """
    How wgmma reads a tile: rows are M or N when K-major, K when MN-major.

    The start address of the part at (row, col) is `byte_offset(tile, row, col)`; see
    `check_wgmma_operand` for which parts may be read. Raises LayoutError for row-major
    tiles.
    """
    layout = layout_of(tile)
    if layout is Layout.RowMajor:
        raise LayoutError(f"wgmma reads no row-major tile, got {tile}")
    rows, width = matrix_shape(tile)[0], panel_bytes(tile)
    panel, core = rows * width, CORE_ROWS * width
    if layout is Layout.SwizzleNone:
        # The two offsets change places when M or N is the contiguous dim.
        leading, stride = (panel, core) if major is Major.K else (core, panel)
    else:
        # A K-major swizzled operand has no leading offset; by convention it is 1 chunk.
        leading, stride = (CHUNK_BYTES if major is Major.K else panel), core
    return Descriptor(leading, stride, _MODE[width])


def check_wgmma_operand(
    tile: TileType, major: Major, origin: tuple[int, int] = (0, 0)
) -> str | None:
    """
    Why wgmma cannot read the part of a buffer at `origin`, as `<rule>, got <value>`.

    For an origin that is not known, pass what it is a multiple of.
    """
    layout = layout_of(tile)
    if layout is Layout.RowMajor:
        return f"operands must have a swizzle layout, got {tile}"
    if (reason := check_layout(tile)) is not None:
        return reason
    rows, _ = matrix_shape(tile)
    row, col = origin
    if rows % CORE_ROWS:
        return f"operands must have a multiple of {CORE_ROWS} rows, got {rows}"
    if major is Major.MN and tile.element_bytes != 2:
        return (
            "operands must be K-major unless their elements have 16 bits, got "
            f"{tile.element_type}"
        )
    if row % CORE_ROWS:
        return (
            f"operands must start at a multiple of {CORE_ROWS} rows of their buffer, "
            f"got row {row}"
        )
    if layout is Layout.SwizzleNone:
        unit = CHUNK_BYTES
    else:
        unit = 2 * CHUNK_BYTES if major is Major.K else panel_bytes(tile)
    if col * tile.element_bytes % unit:
        return (
            f"operands must start at a multiple of {unit // tile.element_bytes} "
            f"columns of their buffer, got column {col}"
        )
    return None


def accumulator_element(
    register: Coordinate, lane: Coordinate, warp: Coordinate
) -> tuple[Coordinate, Coordinate]:
    """
    Row and column of a register of the accumulator of one m64 wgmma, 32-bit elements.

    `warp` counts in the warpgroup. PTX ISA, "Register Fragments for wgmma".
    """
    row = warp * 16 + lane // 4 + register // 2 % 2 * 8
    return row, register // 4 * 8 + lane % 4 * 2 + register % 2


def packed_accumulator_element(
    register: Coordinate, lane: Coordinate, warp: Coordinate
) -> tuple[Coordinate, Coordinate]:
    """
    Row and first column of a register that holds two 16-bit elements of a row.

    The low half is the first column, the high half the next.
    """
    return accumulator_element(register * 2, lane, warp)


def accumulator_registers(cols: int, element_bits: int) -> int:
    """Registers of a thread for one m64 accumulator: 64 x cols over 128 threads."""
    return WGMMA_ROWS * cols * element_bits // 32 // 128


def stmatrix_lane(lane: Coordinate, warp: Coordinate) -> tuple[Coordinate, Coordinate]:
    """
    The row and column whose address a lane gives to store 16 columns of an accumulator.

    `stmatrix.x4` takes the packed registers r..r+3 of columns 4r..4r+15 in order: rows
    0-7 and 8-15 of the first 8 columns, then of the second. `.x2` is its first half.
    """
    return warp * 16 + lane % 16, lane // 16 * 8
