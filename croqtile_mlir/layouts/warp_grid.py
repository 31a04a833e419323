"""
How the warps of a scope share a product by `mma.sync`, and how they read its operands.

The warps form a grid over the accumulator; each has a rectangle of it, cut into tiles
of 16 x 8. An operand is read by `ldmatrix`, 32 bytes of K at a time: what one
`mma.sync` takes, whatever the element type (PTX ISA, "Matrix Fragments for
mma.m16n8k16" and its neighbours of other types; a matrix of `ldmatrix` is 8 rows of 16
bytes).
"""

from __future__ import annotations

from dataclasses import dataclass

from croqtile_mlir import layouts
from croqtile_mlir.dialects.croq.types import Layout, Major, TileType
from croqtile_mlir.layouts.fragments import MMA_COLS, MMA_ROWS

STEP_BYTES = 32
"""Bytes of K of one `mma.sync`: two chunks of `ldmatrix`."""


@dataclass(frozen=True)
class WarpGrid:
    """`down` x `across` warps, each with a rectangle of rows x cols."""

    down: int
    across: int
    rows: int
    cols: int

    @property
    def tiles_down(self) -> int:
        """Tiles of 16 rows of a warp."""
        return self.rows // MMA_ROWS

    @property
    def tiles_across(self) -> int:
        """Tiles of 8 columns of a warp."""
        return self.cols // MMA_COLS

    def origin(self, warp: int) -> tuple[int, int]:
        """The first row and column of a warp of the scope; neighbours are across."""
        return warp // self.across * self.rows, warp % self.across * self.cols


def warp_grid(warps: int, rows: int, cols: int) -> WarpGrid | None:
    """
    The grid of `warps` warps over an accumulator; None where none divides it.

    The one whose warps read the least of the operands: the least rows + columns.
    """
    grids = [
        WarpGrid(down, warps // down, rows // down, cols * down // warps)
        for down in range(1, warps + 1)
        if warps % down == 0
        and rows % (down * MMA_ROWS) == 0
        and cols % (warps // down * MMA_COLS) == 0
    ]
    return min(grids, key=lambda grid: (grid.rows + grid.cols, grid.rows), default=None)


def check_operand(
    tile: TileType, major: Major, origin: tuple[int, int] = (0, 0)
) -> str | None:
    """
    Why `ldmatrix` cannot read the part of a buffer at `origin`, `<rule>, got <value>`.

    For an origin that is not known, pass what it is a multiple of. Rows of 16 bytes
    must be aligned to 16 bytes; only matrices of 16-bit elements are transposed.
    """
    if (reason := layouts.check_layout(tile)) is not None:
        return reason
    pitch = layouts.panel_bytes(tile)
    if layouts.layout_of(tile) is Layout.RowMajor and pitch % layouts.CHUNK_BYTES:
        return (
            f"operands must have rows of a multiple of {layouts.CHUNK_BYTES} bytes, "
            f"got {pitch}"
        )
    if major is Major.MN and tile.element_bytes != 2:
        return (
            "operands must be K-major unless their elements have 16 bits, got "
            f"{tile.element_type}"
        )
    unit = layouts.CHUNK_BYTES // tile.element_bytes
    if origin[1] % unit:
        return (
            f"operands must start at a multiple of {unit} columns of their buffer, got "
            f"column {origin[1]}"
        )
    return None
