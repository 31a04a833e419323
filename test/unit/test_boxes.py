"""The boxes of TMA copies: they cover the tile, and each lies dense."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from xdsl.dialects.builtin import f16, f32
from xdsl.ir import TypeAttribute

from croqtile_mlir import layouts
from croqtile_mlir.dialects.croq import Layout, Space, TileType
from croqtile_mlir.layouts import boxes
from croqtile_mlir.layouts.boxes import Box, tma_boxes


def shared(
    *dims: int, layout: Layout = Layout.RowMajor, element: TypeAttribute = f16
) -> TileType:
    return TileType(dims, element, Space.Shared, layout)


TILES = [
    shared(64, element=f32),
    shared(1000, element=f32),
    shared(8, 64),
    shared(8, 512),
    shared(300, 64),
    shared(2, 16, 64, layout=Layout.Swizzle128),
    shared(2, 12, 64, layout=Layout.Swizzle128),
    shared(2, 16, 128, layout=Layout.Swizzle128),
    shared(3, 2, 8, 64, layout=Layout.Swizzle128),
    shared(2, 3, 4, 5, 32, element=f32),
    shared(300, 2, 4, 64),
    shared(2, 3, 576),
]


@pytest.mark.parametrize("tile", TILES, ids=str)
def test_boxes_cover_the_tile_and_lie_dense(tile: TileType):
    dims = tile.static_dims
    assert dims is not None
    assert boxes.check_tma_tile(tile, tile) is None
    seen = np.zeros(dims, np.int64)
    strides = layouts.slot_strides(tile)
    for box in tma_boxes(tile, tile):
        assert all(1 <= extent <= 256 for extent in box.extents)
        assert box.extents[-1] * tile.element_bytes % 16 == 0
        where = tuple(
            slice(at, at + extent)
            for at, extent in zip(box.at, box.extents, strict=True)
        )
        seen[where] += 1
        # Rows of the box follow each other, whatever the swizzle does inside of them.
        at, extents = (1, *box.at)[:-1], (1, *box.extents)[:-1]
        index = np.indices(extents).reshape(len(dims), -1)[1:]
        index = index + np.array(at[1:], np.int64)[:, None]
        rows = index[-1] if len(dims) > 1 else np.zeros(1, np.int64)
        col = box.at[-1] * tile.element_bytes
        width = layouts.panel_bytes(tile)
        start = rows * width + col // width * layouts.matrix_shape(tile)[0] * width
        start = start + col % width
        for stride, slot in zip(strides, index, strict=False):
            start = start + slot * stride
        step = box.extents[-1] * tile.element_bytes
        np.testing.assert_array_equal(start, start[0] + step * np.arange(len(start)))
        assert start[0] % 128 == 0
    assert (seen == 1).all()


def test_what_follows_each_other_is_one_box():
    assert tma_boxes(TILES[5], TILES[5]) == (Box((0, 0, 0), (2, 16, 64)),)
    # 12 rows are no whole repetition of the swizzle: slots are apart.
    assert len(tma_boxes(TILES[6], TILES[6])) == 2
    # Two panels.
    assert len(tma_boxes(TILES[7], TILES[7])) == 4
    assert tma_boxes(TILES[8], TILES[8]) == (Box((0,) * 4, (3, 2, 8, 64)),)
    assert len(tma_boxes(TILES[9], TILES[9])) == 1
    assert [b.extents[0] for b in tma_boxes(TILES[10], TILES[10])] == [1] * 300
    # A part of the inner slots: what is in between belongs to others.
    part = shared(3, 1, 8, 64, layout=Layout.Swizzle128)
    assert [b.at for b in tma_boxes(part, TILES[8])] == [(n, 0, 0, 0) for n in range(3)]


def test_boxes_of_a_high_tile():
    tile = shared(320, 128, layout=Layout.Swizzle128)
    assert tma_boxes(tile, tile) == (
        Box((0, 0), (256, 64)),
        Box((256, 0), (64, 64)),
        Box((0, 64), (256, 64)),
        Box((256, 64), (64, 64)),
    )


def test_long_rows_and_parts_of_rows_are_boxes_of_their_own():
    wide = shared(2, 320)
    assert tma_boxes(wide, wide) == (
        Box((0, 0), (1, 256)),
        Box((1, 0), (1, 256)),
        Box((0, 256), (1, 64)),
        Box((1, 256), (1, 64)),
    )
    part = shared(2, 64)
    assert tma_boxes(part, wide) == (Box((0, 0), (1, 64)), Box((1, 0), (1, 64)))
    assert prod(tma_boxes(part, part)[0].extents) == 128


def test_tiles_that_tma_cannot_move():
    wide = shared(8, 264)
    reason = boxes.check_tma_tile(wide, wide) or ""
    assert "multiple of 128 bytes apart, got 528" in reason
    narrow = shared(8, 4)
    assert "multiple of 16 bytes, got 8" in (boxes.check_tma_tile(narrow, narrow) or "")
    tile = shared(64, 64, layout=Layout.Swizzle128)
    assert "got row 4" in (boxes.check_tma_origin(tile, (4, 0)) or "")
    assert "got column 32" in (boxes.check_tma_origin(tile, (0, 32)) or "")
    plain = shared(64, 16)
    assert "128 bytes" in (boxes.check_tma_origin(plain, (2, 0)) or "")
    assert boxes.check_tma_origin(plain, (4, 0)) is None
