"""Views at tile level: where they are, and whether they leave their source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
from xdsl.ir import Operation

from croqtile_mlir.analysis.view_scales import Scales, last_dims, rescaled
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq.index import WHOLE
from croqtile_mlir.dialects.croq.views import is_clipped
from croqtile_mlir.simulator.program import Frame, Made, Maker
from croqtile_mlir.simulator.tile_kernel import Reader
from croqtile_mlir.simulator.tile_steps import Steps, out_of_bounds
from croqtile_mlir.simulator.tile_values import GlobalView, Number, SharedTile, Tile


def name_of(tile: Tile) -> str:
    """The buffer or argument that a tile is in."""
    return tile.buffer.name if isinstance(tile, SharedTile) else tile.tile.name


def least_and_most(frame: Frame, index: Number) -> tuple[int, int] | None:
    """The range of an index over the active lanes; None when there are none."""
    if isinstance(index, int) or index.ndim == 0:
        return int(index), int(index)
    lanes = index if frame.mask is None else index[frame.mask]
    return (int(lanes.min()), int(lanes.max())) if len(lanes) else None


def _check(
    frame: Frame,
    op: Operation,
    tile: Tile,
    steps: Sequence[Number],
    extents: Sequence[int],
    overhangs: bool,
    starts_before: bool = False,
) -> bool:
    """
    Report a window that leaves its source; a global one may overhang its end, and one
    at an element offset its start.
    """
    for dim, (step, extent, size) in enumerate(
        zip(steps, extents, tile.extents, strict=True)
    ):
        found = least_and_most(frame, step)
        if found is None:
            continue
        low, high = found
        if (low < 0 and not starts_before) or (not overhangs and high + extent > size):
            at = low if low < 0 else high
            what = f"dim {dim} of {name_of(tile)}"
            out_of_bounds(frame, op, what, at, extent, size)
            return False
    return True


def _clamped(
    steps: Sequence[Number], extents: Sequence[int], sizes: Sequence[int]
) -> tuple[Number, ...]:
    """Steps inside the source, to go on with after a report."""
    return tuple(
        min(max(step, 0), max(0, size - extent))
        if isinstance(step, int)
        else np.clip(step, 0, max(0, size - extent))
        for step, extent, size in zip(steps, extents, sizes, strict=True)
    )


def _window(
    steps: Steps, op: croq.SubspanOp | croq.ElementViewOp, maker: Maker, *, tiles: bool
) -> Made:
    source, result = maker.register(op.source), maker.register(op.result)
    readers = [steps.kernel.reader(at, maker) for at in op.at_values]
    extents, units, strides = op.extent_values, op.unit_values, op.stride_values
    reach = tuple((e - 1) * s + 1 for e, s in zip(extents, strides, strict=True))
    may_clip = tiles or is_clipped(op)

    def step(frame: Frame) -> None:
        tile: Tile = frame.values[source]
        start: tuple[Number, ...] = tuple(
            read(frame) * unit for read, unit in zip(readers, units, strict=True)
        )
        clips = may_clip and isinstance(tile, GlobalView)
        if not _check(frame, op, tile, start, reach, clips, clips and not tiles):
            start = _clamped(start, reach, tile.extents)
        part = tile.part(start, reach, clips=clips)
        if op.is_strided:
            part = replace(part, extents=extents, scales=_rescaled(op, tile))
        frame.values[result] = part

    return step


def make_subspan(steps: Steps, op: croq.SubspanOp, maker: Maker) -> Made:
    """The tile at a tile index."""
    return _window(steps, op, maker, tiles=True)


def make_view(steps: Steps, op: croq.ElementViewOp, maker: Maker) -> Made:
    """The window at an element offset."""
    return _window(steps, op, maker, tiles=False)


def make_chunkat(steps: Steps, op: croq.ChunkAtOp, maker: Maker) -> Made:
    """One of equal chunks."""
    source, result = maker.register(op.source), maker.register(op.result)
    counts = [steps.kernel.reader(count, maker) for count in op.chunk_values]
    readers: list[Reader] = [
        steps.kernel.reader(0 if at == WHOLE else at, maker) for at in op.at_values
    ]

    def step(frame: Frame) -> None:
        tile: Tile = frame.values[source]
        chunks = [int(count(frame)) for count in counts]
        for dim, (size, count) in enumerate(zip(tile.extents, chunks, strict=True)):
            if count < 1 or size % count:
                fail(
                    op,
                    f"dim {dim} must be divisible in {count} chunks, got {size}",
                )
        extents = tuple(
            size // count for size, count in zip(tile.extents, chunks, strict=True)
        )
        start: tuple[Number, ...] = tuple(
            read(frame) * extent for read, extent in zip(readers, extents, strict=True)
        )
        if not _check(frame, op, tile, start, extents, False):
            start = _clamped(start, extents, tile.extents)
        frame.values[result] = tile.part(start, extents, clips=False)

    return step


def make_slot(steps: Steps, op: croq.SlotOp, maker: Maker) -> Made:
    """A stage of a buffer array: `at order` modulo their number, or `[stage]`."""
    source, result = maker.register(op.source), maker.register(op.result)
    position = op.position
    base = steps.kernel.reader(position.base, maker)
    offset = steps.kernel.reader(position.offset, maker)

    def step(frame: Frame) -> None:
        tile: Tile = frame.values[source]
        stages, *inner = tile.extents
        stage = base(frame) + offset(frame)
        if not position.by_slot:
            stage = stage % stages
        whole: tuple[Number, ...] = (stage, *(0 for _ in inner))
        if not _check(frame, op, tile, whole, (1, *inner), False):
            whole = _clamped(whole, (1, *inner), tile.extents)
        part = tile.part(whole, (1, *inner), clips=False)
        frame.values[result] = _without_first_dim(part)

    return step


def make_squeeze(steps: Steps, op: croq.SqueezeOp, maker: Maker) -> Made:
    """A tile without some dims of extent 1."""
    del steps
    source, result = maker.register(op.source), maker.register(op.result)
    kept = op.kept_dims

    def step(frame: Frame) -> None:
        tile: Tile = frame.values[source]
        extents = tuple(tile.extents[dim] for dim in kept)
        scales = _rescaled(op, tile)
        if scales == last_dims(len(tile.origin), len(extents)):
            scales = None
        frame.values[result] = replace(tile, extents=extents, scales=scales)

    return step


def make_span_as(steps: Steps, op: croq.SpanAsOp, maker: Maker) -> Made:
    """A tile in another shape."""
    source, result = maker.register(op.source), maker.register(op.result)
    readers = [
        steps.kernel.reader(dim, maker) for dim in op.extent_dims if dim != WHOLE
    ]

    def step(frame: Frame) -> None:
        tile: Tile = frame.values[source]
        known = [int(read(frame)) for read in readers]
        count = prod(tile.extents)
        rest, left = divmod(count, prod(known))
        given = iter(known)
        shape = tuple(rest if d == WHOLE else next(given) for d in op.extent_dims)
        if left:
            fail(op, f"extents {shape} must divide the {count} elements of the source")
        frame.values[result] = replace(tile, extents=shape, scales=_rescaled(op, tile))

    return step


def _without_first_dim(tile: Tile) -> Tile:
    scales = tile.scales
    if scales is not None:
        scales = tuple(row[1:] for row in scales)
    return replace(tile, extents=tile.extents[1:], scales=scales)


def _rescaled(op: croq.ViewOp, tile: Tile) -> Scales:
    rows = tile.scales or last_dims(len(tile.origin), len(tile.extents))
    return rescaled(op, rows)


HANDLERS: dict[type[Any], Callable[[Steps, Any, Maker], Made]] = {
    croq.ChunkAtOp: make_chunkat,
    croq.ElementViewOp: make_view,
    croq.SlotOp: make_slot,
    croq.SpanAsOp: make_span_as,
    croq.SqueezeOp: make_squeeze,
    croq.SubspanOp: make_subspan,
}
