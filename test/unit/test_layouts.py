"""The layout maths: swizzles, panels, descriptors, fragments, boxes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import IntegerType, bf16, f16, f32, f64
from xdsl.ir import TypeAttribute

from croqtile_mlir import layouts
from croqtile_mlir.dialects.croq.types import Layout, Major, Space, TileType
from croqtile_mlir.layouts import wgmma

SWIZZLES = [
    Layout.Swizzle128,
    Layout.Swizzle64,
    Layout.Swizzle32,
    Layout.SwizzleNone,
]


def shared(
    *shape: int, layout: Layout | None, element: TypeAttribute = f16
) -> TileType:
    return TileType(shape, element, Space.Shared, layout)


@st.composite
def tiles(draw: st.DrawFn) -> TileType:
    """Shared tiles whose extents fit their layout."""
    layout = draw(st.sampled_from([*SWIZZLES, Layout.RowMajor]))
    element = draw(st.sampled_from([f16, bf16, f32, f64, IntegerType(8)]))
    unit = layout.panel_bytes
    panels = draw(st.integers(1, 4))
    rows = draw(st.integers(1, 24))
    if unit is not None and panels > 1:
        rows *= 8
    bytes_per_element = TileType([1], element, Space.Global).element_bytes
    cols = panels * (unit or draw(st.integers(1, 40)) * bytes_per_element)
    leading = draw(st.lists(st.integers(1, 4), max_size=2))
    return shared(
        *leading, rows, cols // bytes_per_element, layout=layout, element=element
    )


def all_offsets(tile: TileType) -> np.ndarray:
    rows, cols = layouts.matrix_shape(tile)
    row, col = np.indices((rows, cols), dtype=np.int64)
    return layouts.byte_offset(tile, row, col)


@settings(deadline=None)
@given(tiles())
def test_elements_have_places_of_their_own(tile: TileType):
    assert layouts.check_layout(tile) is None
    offsets = np.sort(all_offsets(tile).ravel())
    assert len(np.unique(offsets)) == offsets.size
    # Dense: the elements fill the tile, so the swizzle is a permutation.
    expected = np.arange(offsets.size) * tile.element_bytes
    np.testing.assert_array_equal(offsets, expected)
    assert layouts.tile_bytes(tile) == offsets.size * tile.element_bytes


@settings(deadline=None)
@given(tiles())
def test_a_swizzle_permutes_the_chunks_inside_each_row(tile: TileType):
    layout = layouts.layout_of(tile)
    if layout is Layout.RowMajor:
        return
    width = layouts.panel_bytes(tile)
    offsets = all_offsets(tile)
    rows, cols = offsets.shape
    row, col = np.indices((rows, cols))
    panel = col // layouts.panel_cols(tile)
    np.testing.assert_array_equal(offsets // width, panel * rows + row)
    per_chunk = 16 // tile.element_bytes
    np.testing.assert_array_equal(offsets % 16, col % per_chunk * tile.element_bytes)


@settings(deadline=None)
@given(tiles())
def test_panels_cover_the_tile(tile: TileType):
    panels = layouts.panels(tile)
    assert panels[0].first_col == 0
    for panel, following in pairwise(panels):
        assert panel.first_col + panel.cols == following.first_col
    assert panels[-1].first_col + panels[-1].cols == layouts.matrix_shape(tile)[1]
    for panel in panels:
        # Row 0 is not permuted: a panel starts where its first element is.
        assert layouts.byte_offset(tile, 0, panel.first_col) == panel.byte_offset


@settings(deadline=None)
@given(tiles())
def test_slots_are_aligned(tile: TileType):
    unit = layouts.alignment(tile)
    stride = layouts.slot_bytes(tile)
    assert stride % unit == 0
    assert 0 <= stride - layouts.tile_bytes(tile) < unit
    assert layouts.buffer_bytes(tile) == layouts.slots(tile) * stride
    leading = (tile.static_dims or ())[:-2]
    last = sum(
        (extent - 1) * step
        for extent, step in zip(leading, layouts.slot_strides(tile), strict=True)
    )
    assert last + stride == layouts.buffer_bytes(tile)


@settings(deadline=None)
@given(tiles())
def test_integers_and_arrays_agree(tile: TileType):
    rows, cols = layouts.matrix_shape(tile)
    offsets = all_offsets(tile)
    for row, col in ((0, 0), (rows - 1, cols - 1), (rows // 2, cols // 3)):
        assert layouts.byte_offset(tile, row, col) == offsets[row, col]


@pytest.mark.parametrize(
    ("layout", "alignment"),
    [
        (Layout.Swizzle128, 1024),
        (Layout.Swizzle64, 512),
        (Layout.Swizzle32, 256),
        (Layout.SwizzleNone, 128),
        (Layout.RowMajor, 128),
    ],
)
def test_alignment(layout: Layout, alignment: int):
    assert layouts.alignment(shared(4, 64, 64, layout=layout)) == alignment


def test_mbarriers_are_packed():
    tile = shared(4, layout=Layout.RowMajor, element=IntegerType(64))
    assert layouts.alignment(tile) == 16
    assert layouts.tile_bytes(tile) == 32
    assert layouts.byte_offset(tile, 0, 3) == 24


def test_swizzle_of_the_hardware():
    """The chunk index is XORed with address bits above it: 7-9, 7-8 or 7."""
    for layout, bits in (
        (Layout.Swizzle128, 7),
        (Layout.Swizzle64, 3),
        (Layout.Swizzle32, 1),
    ):
        tile = shared(32, 64, layout=layout)
        plain = shared(32, 64, layout=Layout.RowMajor)
        width = layouts.panel_bytes(tile)
        for row in range(32):
            for col in range(64):
                at = layouts.byte_offset(plain, row, col) % 128
                linear = (at // width * 32 + row) * width + at % width
                swizzled = linear ^ ((linear >> 7) & bits) << 4
                assert layouts.byte_offset(tile, row, col) == swizzled


# The table that was verified on the device, A and B of R rows and 64 of K, f16: columns
# of a panel, LBO (None: ignored), SBO, mode, byte offsets of the steps of 16 in K.
Row = tuple[int, int | None, int, int, tuple[int, ...]]
R = 128
K_MAJOR: dict[Layout, Row] = {
    Layout.Swizzle128: (64, None, 1024, 1, (0, 32, 64, 96)),
    Layout.Swizzle64: (32, None, 512, 2, (0, 32, R * 64, R * 64 + 32)),
    Layout.Swizzle32: (16, None, 256, 3, (0, R * 32, 2 * R * 32, 3 * R * 32)),
    Layout.SwizzleNone: (8, R * 16, 128, 0, (0, R * 32, 2 * R * 32, 3 * R * 32)),
}
MN_MAJOR: dict[Layout, Row] = {
    Layout.Swizzle128: (64, 8192, 1024, 1, (0, 2048, 4096, 6144)),
    Layout.Swizzle64: (32, 4096, 512, 2, (0, 1024, 2048, 3072)),
    Layout.Swizzle32: (16, 2048, 256, 3, (0, 512, 1024, 1536)),
    Layout.SwizzleNone: (8, 128, 1024, 0, (0, 256, 512, 768)),
}


@pytest.mark.parametrize("layout", SWIZZLES)
def test_descriptors_of_k_major_operands(layout: Layout):
    cols, leading, stride, mode, steps = K_MAJOR[layout]
    tile = shared(R, 64, layout=layout)
    descriptor = wgmma.operand_descriptor(tile, Major.K)
    assert layouts.panel_cols(tile) == cols
    assert (descriptor.stride_bytes, descriptor.mode) == (stride, mode)
    if leading is not None:
        assert descriptor.leading_bytes == leading
    for kk in range(4):
        assert layouts.byte_offset(tile, 0, 16 * kk) == steps[kk]
        assert wgmma.check_wgmma_operand(tile, Major.K, (0, 16 * kk)) is None
    # The second block of 64 rows.
    assert layouts.byte_offset(tile, 64, 0) == 64 * layouts.panel_bytes(tile)


@pytest.mark.parametrize("layout", SWIZZLES)
def test_descriptors_of_mn_major_operands(layout: Layout):
    cols, leading, stride, mode, steps = MN_MAJOR[layout]
    tile = shared(64, R, layout=layout)
    descriptor = wgmma.operand_descriptor(tile, Major.MN)
    assert layouts.panel_cols(tile) == cols
    assert leading is not None
    assert descriptor == wgmma.Descriptor(leading, stride, mode)
    for kk in range(4):
        assert layouts.byte_offset(tile, 16 * kk, 0) == steps[kk]
        assert wgmma.check_wgmma_operand(tile, Major.MN, (16 * kk, 0)) is None


def test_encoded_descriptor():
    tile = shared(128, 64, layout=Layout.Swizzle128)
    descriptor = wgmma.operand_descriptor(tile, Major.K)
    assert descriptor.constant == (1 << 62) | (64 << 32) | (1 << 16)
    assert descriptor.encode(0x400) == descriptor.constant | 0x40
    assert descriptor.encode(0x40400) == descriptor.constant | 0x40


@pytest.mark.parametrize(
    ("tile", "major", "origin", "reason"),
    [
        (shared(64, 64, layout=Layout.RowMajor), Major.K, (0, 0), "swizzle layout"),
        (
            shared(64, 96, layout=Layout.Swizzle128),
            Major.K,
            (0, 0),
            "128 bytes, got 192",
        ),
        (shared(60, 64, layout=Layout.Swizzle128), Major.K, (0, 0), "8 rows, got 60"),
        (shared(64, 64, layout=Layout.Swizzle128), Major.K, (4, 0), "got row 4"),
        (shared(64, 64, layout=Layout.Swizzle128), Major.K, (8, 8), "got column 8"),
        (shared(64, 64, layout=Layout.SwizzleNone), Major.K, (8, 8), None),
        (shared(64, 64, layout=Layout.SwizzleNone), Major.K, (8, 4), "got column 4"),
        (shared(64, 128, layout=Layout.Swizzle128), Major.MN, (0, 32), "got column 32"),
        (shared(64, 128, layout=Layout.Swizzle64), Major.MN, (0, 32), None),
        (
            shared(64, 64, layout=Layout.Swizzle128, element=f32),
            Major.MN,
            (0, 0),
            "16 bits",
        ),
    ],
)
def test_operands_that_wgmma_cannot_read(
    tile: TileType, major: Major, origin: tuple[int, int], reason: str | None
):
    got = wgmma.check_wgmma_operand(tile, major, origin)
    if reason is None:
        assert got is None
    else:
        assert got is not None
        assert reason in got


@pytest.mark.parametrize("cols", [8, 40, 256])
def test_the_fragment_map_is_a_bijection(cols: int):
    registers = wgmma.accumulator_registers(cols, 32)
    assert registers == cols // 2
    register, lane, warp = np.indices((registers, 32, 4), dtype=np.int64)
    row, col = wgmma.accumulator_element(register, lane, warp)
    places = np.sort((row * cols + col).ravel())
    np.testing.assert_array_equal(places, np.arange(64 * cols))


def test_packed_fragments_hold_neighbours():
    cols = 24
    assert wgmma.accumulator_registers(cols, 16) == cols // 4
    register, lane, warp = np.indices((cols // 4, 32, 4), dtype=np.int64)
    row, col = wgmma.packed_accumulator_element(register, lane, warp)
    for half in range(2):
        expected = wgmma.accumulator_element(register * 2 + half, lane, warp)
        np.testing.assert_array_equal((row, col + half), expected)


@pytest.mark.parametrize("matrices", [2, 4])
def test_stmatrix_addresses_agree_with_fragments(matrices: int):
    """Lane 8i + r gives row r of matrix i; lane l holds columns 2(l%4) of row l/4."""
    for warp in range(4):
        for matrix in range(matrices):
            for lane in range(32):
                row, col = wgmma.stmatrix_lane(8 * matrix + lane // 4, warp)
                place = row, col + 2 * (lane % 4)
                assert place == wgmma.packed_accumulator_element(matrix, lane, warp)


def test_tiles_without_layout_maths():
    with pytest.raises(layouts.LayoutError, match="must have a layout"):
        layouts.panels(shared(64, 64, layout=None))
    with pytest.raises(layouts.LayoutError, match="constant extents"):
        layouts.tile_bytes(TileType(["M", 64], f16, Space.Global))
    with pytest.raises(layouts.LayoutError, match="row-major"):
        wgmma.operand_descriptor(shared(64, 64, layout=Layout.RowMajor), Major.K)
