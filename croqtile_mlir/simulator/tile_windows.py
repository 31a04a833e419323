"""
The bytes and granules of tiles: reading and writing whole windows, or single elements.

Whole windows go in units of up to 16 bytes, which no layout takes apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from math import gcd, prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation

from croqtile_mlir import layouts
from croqtile_mlir.dialects.croq import TileType
from croqtile_mlir.simulator.actors import Actor
from croqtile_mlir.simulator.granules import Where
from croqtile_mlir.simulator.memory import Memory
from croqtile_mlir.simulator.tile_kernel import UNIT
from croqtile_mlir.simulator.tile_values import (
    Elements,
    GlobalView,
    Number,
    SharedTile,
    Tile,
)

Indices = NDArray[np.int64]

Rows = tuple[int, ...] | None
"""Rows of a window that are meant; None: all."""


@dataclass(frozen=True, eq=False)
class _Footprint:
    """Where a window is in a slot of its buffer."""

    unit: int
    index: Indices
    """For each row and unit of the window, the number of the unit in the slot."""

    where: Where
    """The granules in the slot."""


@dataclass(eq=False)
class Windows:
    """Reads and writes tiles in memory; remembers where windows are."""

    granule: int
    _footprints: dict[object, _Footprint] = field(
        default_factory=dict[object, _Footprint]
    )

    # Whole windows

    def read(
        self,
        memory: Memory,
        actor: Actor,
        op: Operation,
        tile: Tile,
        *,
        rows: Rows = None,
        through_async: bool = False,
    ) -> Elements:
        """The elements of a tile; what is out of range is zero."""
        if tile.scales is not None and rows is None:
            return _read_apart(memory, actor, op, tile, through_async)
        if isinstance(tile, GlobalView):
            return _read_global(tile, actor, op, through_async)
        shape = tile.extents if rows is None else (len(rows), tile.extents[-1])
        values: Elements = np.empty(shape, tile.dtype)
        data = memory.async_data if through_async else memory.data
        for at, slot, found in self._parts(tile, rows):
            where = _shifted(found.where, slot // self.granule)
            memory.note_read(actor, op, where, through_async=through_async)
            units = data.reshape(-1, found.unit)[found.index + slot // found.unit]
            part = units.reshape(len(found.index), -1).view(tile.dtype)
            values[at] = part.reshape(values[at].shape)
        return values

    def write(
        self,
        memory: Memory,
        actor: Actor,
        op: Operation,
        tile: Tile,
        values: Elements,
        *,
        rows: Rows = None,
        through_async: bool = False,
    ) -> None:
        """Store elements in a tile; what is out of range is left out."""
        if tile.scales is not None and rows is None:
            _write_apart(memory, actor, op, tile, values, through_async)
            return
        if isinstance(tile, GlobalView):
            _write_global(tile, actor, op, values, through_async)
            return
        for at, slot, found in self._parts(tile, rows):
            where = _shifted(found.where, slot // self.granule)
            memory.note_write(actor, op, where, through_async=through_async)
            part = np.ascontiguousarray(values[at])
            units = part.reshape(len(found.index), -1).view(np.uint8)
            units = units.reshape(*found.index.shape, found.unit)
            index = found.index + slot // found.unit
            memory.data.reshape(-1, found.unit)[index] = units
            if through_async and memory.separate:
                memory.async_data.reshape(-1, found.unit)[index] = units

    def _parts(
        self, tile: SharedTile, rows: Rows
    ) -> Iterator[tuple[tuple[int, ...], int, _Footprint]]:
        """The matrices of a tile: where in its values, the slot, the footprint."""
        buffer = tile.buffer
        origin = tuple(_one(index) for index in tile.origin)
        leading = tile.extents[:-2]
        *_, row, col = (0, *origin)
        *_, count, cols = (1, *tile.extents)
        found = self._footprint(buffer.type, row, col, count, cols, rows)
        dropped = max(0, len(origin) - len(tile.extents))
        for at in product(*map(range, leading)):
            moved = list(origin)
            for dim, index in enumerate(at):
                moved[dropped + dim] += index
            yield at, _one(buffer.slot(tuple(moved))), found

    def _footprint(
        self, buffer: TileType, row: int, col: int, count: int, cols: int, rows: Rows
    ) -> _Footprint:
        key = (buffer, row, col, count, cols, rows)
        found = self._footprints.get(key)
        if found is None:
            found = self._footprints[key] = self._made(*key)
        return found

    def _made(
        self, buffer: TileType, row: int, col: int, count: int, cols: int, rows: Rows
    ) -> _Footprint:
        size = buffer.element_bytes
        unit = gcd(UNIT, col * size, cols * size)
        if layouts.matrix_shape(buffer)[0] > 1:
            unit = gcd(unit, layouts.panel_bytes(buffer))
        step = unit // size
        down = row + np.asarray(range(count) if rows is None else rows, np.int64)
        across = np.arange(col, col + cols, step)
        offsets = layouts.byte_offset(buffer, down[:, None], across[None, :])
        offsets = np.broadcast_to(offsets, (len(down), len(across)))
        first = offsets.ravel() // self.granule
        each = max(1, unit // self.granule)
        granules = np.unique((first[:, None] + np.arange(each)).ravel())
        where: Where = granules
        if len(granules) and granules[-1] - granules[0] == len(granules) - 1:
            where = slice(int(granules[0]), int(granules[-1]) + 1)
        return _Footprint(unit, offsets // unit, where)


def _one(index: Number) -> int:
    """An index that is the same in all lanes."""
    return index if isinstance(index, int) else int(np.asarray(index).flat[0])


def _shifted(where: Where, by: int) -> Where:
    if isinstance(where, slice):
        return slice(where.start + by, where.stop + by)
    return where + by


# Elements that are apart


def _places(tile: Tile) -> tuple[Indices, NDArray[np.bool_]]:
    """The byte offset of each element of a tile, and which are in range."""
    steps = tuple(np.ogrid[tuple(slice(extent) for extent in tile.extents)])
    origin = tile.at(cast(tuple[Number, ...], steps))
    if isinstance(tile, GlobalView):
        offsets = tile.offset(origin)
    else:
        offsets = tile.buffer.offset(origin)
    inside = np.ones(tile.extents, np.bool_)
    for index, end in zip(origin, tile.ends, strict=True):
        inside &= np.asarray(index >= 0) & np.asarray(index < end)
    if not isinstance(tile, GlobalView):
        # What joins rows counts on beyond the end of one.
        inside[...] = True
    return np.broadcast_to(np.asarray(offsets, np.int64), tile.extents), inside


def _where_of(tile: Tile, memory: Memory, offsets: Indices) -> Where:
    size = tile.dtype.itemsize
    if isinstance(tile, GlobalView):
        return tile.tile.buffer.where(offsets, size)
    first = offsets // memory.granule
    each = max(1, size // memory.granule)
    return np.unique((first[:, None] + np.arange(each)).ravel())


def _read_apart(
    memory: Memory, actor: Actor, op: Operation, tile: Tile, through_async: bool
) -> Elements:
    memory = tile.tile.buffer if isinstance(tile, GlobalView) else memory
    offsets, inside = _places(tile)
    values: Elements = np.zeros(tile.extents, tile.dtype)
    if not inside.any():
        return values
    found = offsets[inside]
    where = _where_of(tile, memory, found)
    memory.note_read(actor, op, where, through_async=through_async)
    data = memory.async_data if through_async else memory.data
    raw = data[found[:, None] + np.arange(tile.dtype.itemsize)]
    values[inside] = np.ascontiguousarray(raw).view(tile.dtype)[:, 0]
    return values


def _write_apart(
    memory: Memory,
    actor: Actor,
    op: Operation,
    tile: Tile,
    values: Elements,
    through_async: bool,
) -> None:
    memory = tile.tile.buffer if isinstance(tile, GlobalView) else memory
    offsets, inside = _places(tile)
    if not inside.any():
        return
    found = offsets[inside]
    where = _where_of(tile, memory, found)
    memory.note_write(actor, op, where, through_async=through_async)
    raw = np.ascontiguousarray(values[inside][:, None]).view(np.uint8)
    at = found[:, None] + np.arange(tile.dtype.itemsize)
    memory.data[at] = raw
    if through_async and memory.separate:
        memory.async_data[at] = raw


# Global memory


def _box(
    tile: GlobalView,
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[slice, ...]]:
    """
    The first element in range and the extents that are, for each dim of the argument;
    and where these elements are in the tile.
    """
    origin = tuple(_one(index) for index in tile.origin)
    dropped = len(origin) - len(tile.extents)
    extents = (*(1 for _ in range(dropped)), *tile.extents)
    ends = (_one(end) for end in tile.ends)
    first = tuple(max(0, start) for start in origin)
    inside = tuple(
        max(0, min(start + extent, end) - low)
        for extent, end, start, low in zip(extents, ends, origin, first, strict=True)
    )
    where = tuple(
        slice(low - start, low - start + count)
        for low, start, count in zip(first, origin, inside, strict=True)
    )
    return first, inside, where[dropped:]


def _elements(
    tile: GlobalView, data: NDArray[np.uint8], start: int, inside: tuple[int, ...]
) -> Elements:
    """A view of the bytes of a buffer as the elements that are in range."""
    size = tile.dtype.itemsize
    array = np.ndarray(
        inside,
        tile.dtype,
        buffer=cast(Any, data),
        offset=start,
        strides=tuple(stride * size for stride in tile.tile.strides),
    )
    return array


def _granules(tile: GlobalView, start: int, inside: tuple[int, ...]) -> Where:
    size = tile.dtype.itemsize
    offsets: Indices = np.array([start], np.int64)
    for extent, stride in zip(inside[:-1], tile.tile.strides, strict=False):
        steps = np.arange(extent, dtype=np.int64) * (stride * size)
        offsets = (offsets[:, None] + steps).ravel()
    return tile.tile.buffer.where(offsets, inside[-1] * size)


def _read_global(
    tile: GlobalView, actor: Actor, op: Operation, through_async: bool
) -> Elements:
    values: Elements = np.zeros(tile.extents, tile.dtype)
    origin, inside, shown = _box(tile)
    if not prod(inside):
        return values
    start, buffer = _one(tile.offset(origin)), tile.tile.buffer
    where = _granules(tile, start, inside)
    buffer.note_read(actor, op, where, through_async=through_async)
    data = buffer.async_data if through_async else buffer.data
    part = _elements(tile, data, start, inside)
    values[shown] = part.reshape(values[shown].shape)
    return values


def _write_global(
    tile: GlobalView,
    actor: Actor,
    op: Operation,
    values: Elements,
    through_async: bool,
) -> None:
    origin, inside, shown = _box(tile)
    if not prod(inside):
        return
    start, buffer = _one(tile.offset(origin)), tile.tile.buffer
    where = _granules(tile, start, inside)
    buffer.note_write(actor, op, where, through_async=through_async)
    part = values[shown].reshape(inside)
    _elements(tile, buffer.data, start, inside)[...] = part
    if through_async and buffer.separate:
        _elements(tile, buffer.async_data, start, inside)[...] = part
