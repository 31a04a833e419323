"""How warps share an accumulator, and how they read operands."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerType, f16, f32
from xdsl.ir import TypeAttribute

from croqtile_mlir import layouts
from croqtile_mlir.dialects.croq.types import Layout, Major, Space, TileType
from croqtile_mlir.layouts import fragments
from croqtile_mlir.layouts.warp_grid import STEP_BYTES, check_operand, warp_grid


@pytest.mark.parametrize(
    ("warps", "rows", "cols"),
    [(1, 16, 8), (4, 128, 128), (8, 128, 256), (8, 256, 128), (3, 96, 16), (6, 96, 48)],
)
def test_warps_share_all_elements(warps: int, rows: int, cols: int):
    grid = warp_grid(warps, rows, cols)
    assert grid is not None
    owners = np.zeros((rows, cols), int)
    for warp in range(warps):
        row, col = grid.origin(warp)
        owners[row : row + grid.rows, col : col + grid.cols] += 1
    assert (owners == 1).all()
    assert grid.tiles_down * fragments.MMA_ROWS == grid.rows
    assert grid.tiles_across * fragments.MMA_COLS == grid.cols


@pytest.mark.parametrize(
    ("warps", "rows", "cols", "shape"),
    [
        (4, 128, 128, (2, 2)),
        (8, 128, 256, (2, 4)),
        (8, 256, 128, (4, 2)),
        (4, 64, 8, (4, 1)),
        (4, 16, 64, (1, 4)),
    ],
)
def test_a_grid_is_as_square_as_it_can_be(
    warps: int, rows: int, cols: int, shape: tuple[int, int]
):
    grid = warp_grid(warps, rows, cols)
    assert grid is not None
    assert (grid.down, grid.across) == shape


def test_what_no_grid_divides():
    assert warp_grid(4, 16, 16) is None
    assert warp_grid(1, 24, 8) is None
    assert warp_grid(3, 64, 64) is None


I8 = IntegerType(8)


@pytest.mark.parametrize("element", [f16, f32, I8], ids=str)
@pytest.mark.parametrize(
    "layout",
    [Layout.Swizzle128, Layout.Swizzle64, Layout.Swizzle32, Layout.SwizzleNone],
    ids=lambda layout: layout.value,
)
@pytest.mark.parametrize("side", ["A", "B"])
def test_swizzled_operands_are_read_without_conflicts(
    element: TypeAttribute, layout: Layout, side: str
):
    """Eight rows of a matrix lie in eight different groups of four banks."""
    size = TileType([1], element, Space.Global).element_bytes
    width = max(layout.panel_bytes or 0, STEP_BYTES)
    tile = TileType((32, 2 * width // size), element, Space.Shared, layout)
    assert check_operand(tile, Major.K) is None
    find = fragments.ldmatrix_a_lane if side == "A" else fragments.ldmatrix_b_lane
    row, byte = find(np.arange(32))
    for step in range(0, 2 * width, STEP_BYTES):
        at = layouts.byte_offset(tile, row + 16, (byte + step) // size)
        groups = (at // layouts.CHUNK_BYTES % 8).reshape(4, 8)
        assert all(len(set(matrix)) == 8 for matrix in groups.tolist())


def tile(rows: int, cols: int, element: TypeAttribute, layout: Layout) -> TileType:
    return TileType((rows, cols), element, Space.Shared, layout)


@pytest.mark.parametrize(
    ("operand", "major", "origin", "reason"),
    [
        (
            tile(16, 12, f16, Layout.RowMajor),
            Major.K,
            (0, 0),
            "operands must have rows of a multiple of 16 bytes, got 24",
        ),
        (
            tile(16, 16, f32, Layout.Swizzle64),
            Major.MN,
            (0, 0),
            "operands must be K-major unless their elements have 16 bits, got f32",
        ),
        (
            tile(16, 32, f16, Layout.Swizzle64),
            Major.K,
            (3, 4),
            "operands must start at a multiple of 8 columns of their buffer, got "
            "column 4",
        ),
        (
            tile(16, 24, f16, Layout.Swizzle64),
            Major.K,
            (0, 0),
            "rows of a swizzle<64> tile must be a multiple of 64 bytes, got 48",
        ),
        (tile(16, 24, f16, Layout.RowMajor), Major.MN, (5, 8), None),
    ],
)
def test_what_cannot_be_read(
    operand: TileType, major: Major, origin: tuple[int, int], reason: str | None
):
    assert check_operand(operand, major, origin) == reason
