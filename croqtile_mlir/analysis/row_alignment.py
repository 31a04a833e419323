"""How wide the accesses of a thread to the rows of a tile may be."""

from __future__ import annotations

from math import gcd

from xdsl.ir import Operation, SSAValue

from croqtile_mlir import layouts
from croqtile_mlir.analysis.origins import origin_in_buffer
from croqtile_mlir.analysis.view_scales import is_contiguous, scales_of
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AllocOp,
    DataOp,
    Layout,
    Space,
    root_of,
    tile_type,
)

VECTOR_BYTES = 16
"""The widest access of a thread."""


def row_alignment(op: Operation, tile: SSAValue) -> int:
    """
    What the address of every row of a tile is a multiple of, up to 16 bytes; an element
    where those of a row are no neighbours. Of a buffer in global memory, which is
    tested at run time, as if it were aligned.
    """
    kind, scales = tile_type(tile), scales_of(tile)
    size = kind.element_bytes
    if not is_contiguous(scales):
        return size
    steps = gcd(VECTOR_BYTES, *(scale * size for scale in scales[-1][:-1]))
    if kind.memory_space is not Space.Shared:
        return steps
    buffer = root_of(tile)
    if not isinstance(buffer.owner, AllocOp | DataOp):
        fail(op, "must use views of a croq.alloc, got another shared tile")
    start = origin_in_buffer(tile)[1].multiple * size
    whole = tile_type(buffer)
    if whole.layout not in (None, Layout.RowMajor):
        return gcd(steps, start)
    rows, cols = layouts.matrix_shape(whole)
    return gcd(steps, start, cols * size if rows > 1 else 0)
