"""The lanes of a warp that transpose a tile: sectors of global memory, banks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest

from croqtile_mlir import layouts
from croqtile_mlir.context import new_context
from croqtile_mlir.dialects.croq import CopyOp, Layout, Space, TileType, tile_type
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.lowering.dma_places import walk_of
from croqtile_mlir.passes.infer_layouts import InferLayoutsPass
from croqtile_mlir.passes.set_target import set_target

_KERNEL = """
croq.kernel @t (%x: !croq.tile<64xWIDExTYPE, global>,
    %y: !croq.tile<WIDEx64xTYPE, global>) {
  croq.parallel (%b) in (1) : block threads 128 {
    %a = croq.alloc : !croq.tile<SHAPExTYPE, shared>
    COPIES
  }
}
"""
_OUT = "croq.copy %x => %a\n    croq.copy %a => %y transpose(1, 0)"
_IN = "croq.copy %x => %a transpose(1, 0)\n    croq.copy %a => %y"


@dataclass(frozen=True)
class Lanes:
    """Where the lanes of the first warp are, on the two sides of a transposing copy."""

    shared: list[tuple[int, int]]
    rows: list[tuple[int, int]]
    """In global memory."""

    tile: TileType


def lanes(kind: str, wide: int, *, out: bool) -> Lanes:
    shape = f"64x{wide}" if out else f"{wide}x64"
    text = _KERNEL.replace("WIDE", str(wide)).replace("TYPE", kind)
    text = text.replace("SHAPE", shape).replace("COPIES", _OUT if out else _IN)
    module = parse_text(new_context(), text, "transpose.mlir")
    set_target(module, "sm_90a")
    InferLayoutsPass().apply(new_context(), module)
    copy = next(op for op in module.walk() if isinstance(op, CopyOp) and op.permutation)
    walk = walk_of(copy, tile_type(copy.destination).static_dims or ())
    high, across = walk.patch
    assert (walk.outer, walk.inner) == ((1, 0) if not out else (0, 1))
    place = [(lane // across % high, lane % across) for lane in range(32)]
    filled = [(d, i) if out else (i, d) for d, i in place]
    taken = [(col, row) for row, col in filled]
    inside, outside = (taken, filled) if out else (filled, taken)
    tile = tile_type(copy.source if out else copy.destination)
    assert tile.memory_space is Space.Shared
    return Lanes(inside, outside, tile)


@pytest.mark.parametrize("out", [True, False])
@pytest.mark.parametrize(
    ("kind", "wide", "ways"), [("f32", 32, 1), ("f16", 64, 2), ("f64", 32, 4)]
)
def test_lanes_are_in_different_banks(kind: str, wide: int, ways: int, out: bool):
    found = lanes(kind, wide, out=out)
    size = found.tile.element_bytes
    assert found.tile.layout is not Layout.RowMajor
    words = {
        layouts.byte_offset(found.tile, row, col) // 4 for row, col in found.shared
    }
    banks = Counter(word % 32 for word in words)
    assert max(banks.values()) <= ways
    # In global memory a row of the patch is a whole sector.
    rows = Counter(row for row, _ in found.rows)
    assert set(rows.values()) == {32 // size}
