"""Futures as handles of buffers: their tiles, placeholders, permutations, choices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import croq
from croqtile_mlir.simulator.program import Frame, Made, Maker
from croqtile_mlir.simulator.tile_steps import Steps
from croqtile_mlir.simulator.tile_values import Flight, SharedTile


def make_data(steps: Steps, op: croq.DataOp, maker: Maker) -> Made:
    """The destination of a copy."""
    del steps
    future, result = maker.register(op.future), maker.register(op.tile)

    def step(frame: Frame) -> None:
        flight: Flight = frame.values[future]
        frame.values[result] = flight.destination

    return step


def make_any(steps: Steps, op: croq.AnyOp, maker: Maker) -> Made:
    """A placeholder: a future over a buffer of its own, whose copy never starts."""
    result = maker.register(op.future)
    buffer = steps.kernel.buffers[op.future]
    tile = SharedTile(buffer, (0,) * len(buffer.dims), buffer.dims)

    def step(frame: Frame) -> None:
        frame.values[result] = Flight(op, tile, tile.size)

    return step


def make_permute(steps: Steps, op: croq.PermuteOp, maker: Maker) -> Made:
    """Futures under new names."""
    del steps
    names = maker.registers(op.results)
    futures = maker.registers(op.permuted)

    def step(frame: Frame) -> None:
        values = frame.values
        for name, flight in zip(names, [values[f] for f in futures], strict=True):
            values[name] = flight

    return step


def make_select(steps: Steps, op: croq.SelectOp, maker: Maker) -> Made:
    """One of two futures; all lanes choose the same."""
    del steps
    condition, first, second = maker.registers((op.condition, op.first, op.second))
    result = maker.register(op.chosen)

    def step(frame: Frame) -> None:
        values = frame.values
        holds = values[condition]
        if not isinstance(holds, bool | int | np.bool):
            fail(op, "condition must be the same in all threads")
        values[result] = values[first if holds else second]

    return step


HANDLERS: dict[type[Any], Callable[[Steps, Any, Maker], Made]] = {
    croq.AnyOp: make_any,
    croq.DataOp: make_data,
    croq.RotateOp: make_permute,
    croq.SelectOp: make_select,
    croq.SwapOp: make_permute,
}
