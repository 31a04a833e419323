"""The ops of `croq` between tile level and hardware level: addresses, descriptors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.ir import Operation

from croqtile_mlir import layouts
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Layout, Major
from croqtile_mlir.layouts import wgmma
from croqtile_mlir.simulator.program import Frame, Made, Maker, Step
from croqtile_mlir.simulator.tensor_maps import TensorMap
from croqtile_mlir.simulator.tile_kernel import Reader
from croqtile_mlir.simulator.tile_steps import Steps, out_of_bounds
from croqtile_mlir.simulator.tile_values import (
    GlobalView,
    Number,
    SharedTile,
    Tile,
)
from croqtile_mlir.simulator.tile_views import least_and_most, name_of


def _origin(
    frame: Frame, op: Operation, tile: Tile, readers: list[Reader]
) -> tuple[Number, ...]:
    """An element of a tile as one of its buffer; reports one that is not there."""
    indices: tuple[Number, ...] = tuple(read(frame) for read in readers)
    if isinstance(tile, SharedTile):
        for dim, (index, extent) in enumerate(zip(indices, tile.extents, strict=True)):
            found = least_and_most(frame, index)
            if found is not None and (found[0] < 0 or found[1] >= extent):
                bad = found[0] if found[0] < 0 else found[1]
                what = f"dim {dim} of {name_of(tile)}"
                out_of_bounds(frame, op, what, bad, 1, extent)
    return tile.at(indices)


def make_address(steps: Steps, op: croq.AddressOp, maker: Maker) -> Made:
    """The offset in shared memory, or the address in global memory, of an element."""
    source, result = maker.register(op.tile), maker.register(op.pointer)
    readers = [steps.kernel.reader(index, maker) for index in op.index_values]

    def step(frame: Frame) -> None:
        tile: Tile = frame.values[source]
        origin = _origin(frame, op, tile, readers)
        if isinstance(tile, GlobalView):
            frame.values[result] = tile.tile.buffer.base + tile.offset(origin)
        else:
            frame.values[result] = tile.buffer.offset(origin)

    return step


def make_pointer(steps: Steps, op: croq.PointerOp, maker: Maker) -> Made:
    """The address of the first element of an argument."""
    del steps
    source, result = maker.register(op.tile), maker.register(op.result)

    def step(frame: Frame) -> None:
        tile: GlobalView = frame.values[source]
        frame.values[result] = tile.tile.address

    return step


def make_stride(steps: Steps, op: croq.StrideOp, maker: Maker) -> Made:
    """Elements between neighbours along a dim of an argument."""
    del steps
    source, result, dim = maker.register(op.tile), maker.register(op.result), op.dim

    def step(frame: Frame) -> None:
        tile: GlobalView = frame.values[source]
        frame.values[result] = int(tile.tile.strides[dim.data])

    return step


def make_descriptor(steps: Steps, op: croq.DescriptorOp, maker: Maker) -> Made:
    """The matrix descriptor of an operand, 64 bits, signed."""
    source, result = maker.register(op.tile), maker.register(op.result)
    readers = [steps.kernel.reader(index, maker) for index in op.index_values]
    buffer = steps.kernel.buffer_of(op, op.tile).type
    if buffer.layout is Layout.RowMajor:
        fail(op, f"must be of a tile with a swizzle layout, got {buffer}")
    major = Major(op.major.data)
    constant = wgmma.operand_descriptor(buffer, major).constant
    if constant >= 1 << 63:
        constant -= 1 << 64

    def step(frame: Frame) -> None:
        tile: SharedTile = frame.values[source]
        start = tile.buffer.offset(_origin(frame, op, tile, readers))
        if isinstance(start, np.ndarray):
            start = start.astype(np.int64)
        frame.values[result] = constant | ((start & 0x3FFFF) >> 4)

    return step


def make_tensor_map(steps: Steps, op: croq.TensorMapOp, maker: Maker) -> Made:
    """The tensor map of an argument."""
    del steps
    source, result = maker.register(op.tile), maker.register(op.result)
    box, swizzle = op.box_values, op.swizzle.panel_bytes or 0
    swizzle = swizzle if swizzle > layouts.CHUNK_BYTES else 0

    def step(frame: Frame) -> None:
        tile: GlobalView = frame.values[source]
        frame.values[result] = TensorMap(tile.tile, box, swizzle)

    made: Step = step
    return made


HANDLERS: dict[type[Any], Callable[[Steps, Any, Maker], Made]] = {
    croq.AddressOp: make_address,
    croq.DescriptorOp: make_descriptor,
    croq.PointerOp: make_pointer,
    croq.StrideOp: make_stride,
    croq.TensorMapOp: make_tensor_map,
}
