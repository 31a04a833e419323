"""Single elements of tiles, many at once: where they are, loading and storing them."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation

from croqtile_mlir.simulator.actors import Agent
from croqtile_mlir.simulator.program import Body, Frame
from croqtile_mlir.simulator.tile_steps import memory_of
from croqtile_mlir.simulator.tile_values import Elements, GlobalView, Tile

Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Places:
    """Elements of a tile: an index for each dim, and the lanes that access them."""

    at: tuple[Indices, ...]
    lanes: Indices | None = None
    """The lane of each element, where lanes are told apart."""

    def along(self, dims: tuple[int, ...]) -> Places:
        """The places in a tile that has only some of the dims."""
        return Places(tuple(self.at[dim] for dim in dims), self.lanes)

    def only(self, mask: Mask) -> Places:
        """Some of the places."""
        lanes = None if self.lanes is None else self.lanes[mask]
        return Places(tuple(index[mask] for index in self.at), lanes)

    @property
    def count(self) -> int:
        """The number of elements."""
        return len(self.at[0])


def every_place(extents: tuple[int, ...]) -> Places:
    """All elements of a tile, in rows."""
    grid = np.indices(extents).reshape(len(extents), -1)
    return Places(tuple(index.astype(np.int64) for index in grid))


def inside(tile: Tile, places: Places) -> Mask | None:
    """Which elements are in range; None: all."""
    if not isinstance(tile, GlobalView):
        return None
    found: Any = np.ones(places.count, np.bool_)
    origin = tile.at(places.at)
    for index, end in zip(origin, tile.ends, strict=True):
        found = found & (np.asarray(index) < end) & (np.asarray(index) >= 0)
    return None if found.all() else found


def _offsets(tile: Tile, places: Places) -> Indices:
    origin = tile.at(places.at)
    if isinstance(tile, GlobalView):
        found: Any = tile.offset(origin)
    else:
        found = tile.buffer.offset(origin)
    return np.broadcast_to(np.asarray(found, np.int64), (places.count,))


def load(frame: Frame, op: Operation, tile: Tile, places: Places) -> Elements:
    """Elements of a tile: an array (elements,); zero where out of range."""
    mask = inside(tile, places)
    if mask is not None:
        values: Elements = np.zeros(places.count, tile.dtype)
        if mask.any():
            values[mask] = load(frame, op, tile, places.only(mask))
        return values
    offsets, size = _offsets(tile, places), tile.dtype.itemsize
    data = memory_of(frame, tile).load(frame.agent, op, offsets, size, places.lanes)
    return np.ascontiguousarray(data).view(tile.dtype)[:, 0]


def store(
    frame: Frame, op: Operation, tile: Tile, places: Places, values: Elements
) -> None:
    """Store elements of a tile, (elements,); not those out of range."""
    mask = inside(tile, places)
    if mask is not None:
        if mask.any():
            store(frame, op, tile, places.only(mask), values[mask])
        return
    data = np.ascontiguousarray(values.astype(tile.dtype)[:, None]).view(np.uint8)
    offsets = _offsets(tile, places)
    memory_of(frame, tile).store(frame.agent, op, offsets, data, places.lanes)


def evaluate(
    frame: Frame, body: Body, arguments: list[Any], count: int, dtype: np.dtype[Any]
) -> Elements:
    """What the body of a computation makes of arrays (elements,)."""
    for register, value in zip(body.arguments, arguments, strict=True):
        frame.values[register] = value
    elements: Agent = copy(frame.agent)
    # The ops of the body see the elements as lanes.
    elements.threads = count
    body.run(Frame(elements, frame.block, frame.values))
    made = np.asarray(frame.values[body.yields[0]]).astype(dtype)
    return np.broadcast_to(made, (count,))
