"""
The boxes that TMA moves a shared tile as, and what it asks of the tile.

PTX ISA, "Tensors"; the driver's rules for `cuTensorMapEncodeTiled`. A box lies dense in
shared memory: a panel, or rows that follow each other, of all slots that do, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from croqtile_mlir.dialects.croq.types import Layout, TileType
from croqtile_mlir.layouts import (
    CHUNK_BYTES,
    CORE_ROWS,
    TMA_ALIGNMENT,
    alignment,
    check_layout,
    layout_of,
    matrix_shape,
    panel_bytes,
    panel_cols,
    panels,
    slot_bytes,
    tile_bytes,
)

TMA_MAX_EXTENT = 256
"""Most elements of a box along a dim."""


@dataclass(frozen=True)
class Box:
    """One TMA copy of a tile: its first element, and its extents along each dim."""

    at: tuple[int, ...]
    extents: tuple[int, ...]


def _splits_rows(tile: TileType, whole: TileType) -> bool:
    """Whether each row is a box of its own: rows are long, or apart."""
    rows, cols = matrix_shape(tile)
    if rows == 1 or layout_of(tile) is not Layout.RowMajor:
        return False
    return cols > TMA_MAX_EXTENT or cols != matrix_shape(whole)[1]


def tma_boxes(tile: TileType, whole: TileType) -> tuple[Box, ...]:
    """
    The TMA copies that move a part of a buffer, which is of the type `whole`.

    One for each panel and 256 rows, or for each 256 elements of a row that is longer;
    for all slots that follow each other, up to 256 along a dim. The destination of a
    box is the address of its first element.
    """
    rows, _ = matrix_shape(tile)
    high = 1 if _splits_rows(tile, whole) else TMA_MAX_EXTENT
    matrices = [
        (
            (row, panel.first_col + col),
            (min(high, rows - row), min(TMA_MAX_EXTENT, panel.cols - col)),
        )
        for panel in panels(tile)
        for col in range(0, panel.cols, TMA_MAX_EXTENT)
        for row in range(0, rows, high)
    ]
    leading = (tile.static_dims or ())[:-2]
    joined = _joined(tile, whole) if len(matrices) == 1 else 0
    outer, inner = leading[: len(leading) - joined], leading[len(leading) - joined :]
    start = (0,) * joined
    return tuple(
        Box(
            (*slot, *start, *at)[-tile.rank :],
            (*(1 for _ in slot), *inner, *extents)[-tile.rank :],
        )
        for slot in product(*map(range, outer))
        for at, extents in matrices
    )


def _joined(tile: TileType, whole: TileType) -> int:
    """How many of the leading dims of a tile lie dense, the inner ones first."""
    if matrix_shape(tile) != matrix_shape(whole):
        return 0
    if slot_bytes(whole) != tile_bytes(whole):
        return 0
    own, others = (each.static_dims or () for each in (tile, whole))
    count = 0
    for extent, other in zip(own[-3::-1], others[-3::-1], strict=False):
        if extent > TMA_MAX_EXTENT:
            break
        count += 1
        if extent != other:
            break
    return count


def check_tma_tile(tile: TileType, whole: TileType) -> str | None:
    """
    Why TMA cannot move a part of a shared buffer, which is of the type `whole`.

    As `<rule>, got <value>`; None if it can.
    """
    if (reason := check_layout(tile)) is not None:
        return reason
    _, cols = matrix_shape(tile)
    width = min(cols, panel_cols(tile))
    if width * tile.element_bytes % CHUNK_BYTES:
        return (
            f"rows of a box must be a multiple of {CHUNK_BYTES} bytes, got "
            f"{width * tile.element_bytes}"
        )
    pitch = matrix_shape(whole)[1] * whole.element_bytes
    if _splits_rows(tile, whole) and pitch % TMA_ALIGNMENT:
        return (
            "rows that are boxes of their own must be a multiple of "
            f"{TMA_ALIGNMENT} bytes apart, got {pitch}"
        )
    if alignment(whole) % TMA_ALIGNMENT:
        return (
            f"words of 64 bits must be {TMA_ALIGNMENT} bytes or more, got "
            f"{tile_bytes(whole)}"
        )
    return None


def check_tma_origin(tile: TileType, origin: tuple[int, int]) -> str | None:
    """
    Why TMA cannot move the part of a buffer at `origin`, as `<rule>, got <value>`.

    For an origin that is not known, pass what it is a multiple of.
    """
    row, col = origin
    if layout_of(tile) is Layout.RowMajor:
        for offset in (row * panel_bytes(tile), col * tile.element_bytes):
            if offset % TMA_ALIGNMENT:
                return (
                    f"box must start at a multiple of {TMA_ALIGNMENT} bytes of its "
                    f"buffer, got {offset}"
                )
        return None
    if row % CORE_ROWS:
        return (
            f"box must start at a multiple of {CORE_ROWS} rows of its buffer, got row "
            f"{row}"
        )
    if col % panel_cols(tile):
        return (
            f"box must start at a multiple of {panel_cols(tile)} columns of its "
            f"buffer, got column {col}"
        )
    return None
