"""
How `wgmma` sees a matrix: descriptors of its operands, registers of its accumulator.

PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions". Coordinates may be integers
or numpy arrays; `warp` counts in the warpgroup.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from croqtile_mlir.dialects.croq.types import Layout, Major, TileType
from croqtile_mlir.layouts import (
    CHUNK_BYTES,
    CORE_ROWS,
    Coordinate,
    LayoutError,
    check_layout,
    layout_of,
    matrix_shape,
    panel_bytes,
)

WGMMA_ROWS = 64
"""Rows of the accumulator of one wgmma."""


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
