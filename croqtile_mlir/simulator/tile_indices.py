"""Bounded indices and extents of tiles, before they are arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.simulator.program import Frame, Made, Maker
from croqtile_mlir.simulator.tile_kernel import Reader
from croqtile_mlir.simulator.tile_steps import Steps, out_of_bounds
from croqtile_mlir.simulator.tile_values import Number, Tile
from croqtile_mlir.simulator.tile_views import least_and_most


def _readers(steps: Steps, maker: Maker, indices: tuple[Index, ...]) -> list[Reader]:
    return [steps.kernel.reader(index, maker) for index in indices]


def make_with(steps: Steps, op: croq.WithOp, maker: Maker) -> Made:
    """An index that stays below its extent."""
    result = maker.register(op.result)
    read_extent, read_at = _readers(steps, maker, (op.extent, op.at))

    def step(frame: Frame) -> None:
        extent, at = read_extent(frame), read_at(frame)
        found = least_and_most(frame, at)
        if found is not None and not (0 <= found[0] and found[1] < extent):
            bad = found[0] if found[0] < 0 else found[1]
            out_of_bounds(frame, op, "a bounded index", bad, 1, int(extent))
        frame.values[result] = at

    return step


def make_compose(steps: Steps, op: croq.ComposeOp, maker: Maker) -> Made:
    """Indices as digits of one, each counting below its extent."""
    result = maker.register(op.result)
    first, *rest = _readers(steps, maker, tuple(op.parts))
    extents = [
        _readers(steps, maker, croq.extents_of_index(part) or ()) for part in op.parts
    ]

    def step(frame: Frame) -> None:
        total: Number = first(frame)
        for read, factors in zip(rest, extents[1:], strict=True):
            total = total * prod(factor(frame) for factor in factors) + read(frame)
        frame.values[result] = total

    return step


def make_axis(steps: Steps, op: croq.AxisOp, maker: Maker) -> Made:
    """The extent of a bounded index."""
    result = maker.register(op.result)
    factors = _readers(steps, maker, op.extents)

    def step(frame: Frame) -> None:
        frame.values[result] = prod(factor(frame) for factor in factors)

    return step


def make_span(steps: Steps, op: croq.SpanOp, maker: Maker) -> Made:
    """The extent of a dim of a tile."""
    del steps
    source, result = maker.register(op.tile), maker.register(op.result)
    dim = op.dim.data

    def step(frame: Frame) -> None:
        tile: Tile = frame.values[source]
        frame.values[result] = tile.extents[dim]

    return step


HANDLERS: dict[type[Any], Callable[[Steps, Any, Maker], Made]] = {
    croq.AxisOp: make_axis,
    croq.ComposeOp: make_compose,
    croq.SpanOp: make_span,
    croq.WithOp: make_with,
}
