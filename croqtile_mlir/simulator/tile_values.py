"""What registers hold at tile level: tiles, futures, accumulators."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Operation

from croqtile_mlir import layouts
from croqtile_mlir.analysis.view_scales import Scales, last_dims
from croqtile_mlir.dialects.croq import TileType
from croqtile_mlir.simulator.actors import Transfer
from croqtile_mlir.simulator.barriers import Mbarrier
from croqtile_mlir.simulator.global_memory import GlobalTile
from croqtile_mlir.simulator.memory import Memory
from croqtile_mlir.simulator.state import BlockState

Number = int | NDArray[np.int64]
"""An index: one for all lanes, or one for each lane of the agent."""

Elements = NDArray[Any]

_FLOATS: dict[str, np.dtype[Any]] = {
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "tf32": np.dtype(np.float32),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}


def element_dtype(element: Attribute) -> np.dtype[Any]:
    """The numpy type of the elements of a tile."""
    if isinstance(element, IntegerType):
        return np.dtype(f"int{element.bitwidth}")
    return _FLOATS[element.name]


@dataclass(frozen=True, eq=False)
class Buffer:
    """A `croq.alloc` in shared memory: where it is, and its type with a layout."""

    name: str
    type: TileType
    base: int
    dtype: np.dtype[Any]
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    """Bytes between neighbours along the leading dims."""

    @cached_property
    def _inside(self) -> layouts.ElementOffsets:
        return layouts.ElementOffsets.of(self.type)

    def slot(self, origin: tuple[Number, ...]) -> Number:
        """The byte offset in shared memory of the slot that an element is in."""
        at: Number = self.base
        for index, stride in zip(origin, self.strides, strict=False):
            at = at + index * stride
        return at

    def offset(self, origin: tuple[Number, ...]) -> Number:
        """The byte offset in shared memory of an element."""
        *_, row, col = (0, *origin)
        if isinstance(row, np.ndarray) or isinstance(col, np.ndarray):
            inside: Number = self._inside.at(np.asarray(row), np.asarray(col))
        else:
            inside = self._inside.at(row, col)
        return self.slot(origin) + inside


@dataclass(frozen=True, eq=False)
class SharedTile:
    """A view of a buffer."""

    buffer: Buffer
    origin: tuple[Number, ...]
    """The first element, for each dim of the buffer."""

    extents: tuple[int, ...]
    scales: Scales | None = None
    """Where its dims are not the last ones of the buffer: how far each goes there."""

    def at(self, steps: tuple[Number, ...]) -> tuple[Number, ...]:
        """The element of the buffer so many elements of the tile further on."""
        return moved(self.origin, steps, self.scales)

    @property
    def size(self) -> int:
        """Bytes of its elements."""
        return int(np.prod(self.extents)) * self.buffer.dtype.itemsize

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its elements."""
        return self.buffer.dtype

    @property
    def ends(self) -> tuple[Number, ...]:
        """Where elements are out of range: nowhere, a shared tile is all there."""
        return self.buffer.dims

    def part(
        self, steps: tuple[Number, ...], extents: tuple[int, ...], *, clips: bool
    ) -> SharedTile:
        """The view of these extents that starts so many elements further on."""
        del clips
        return replace(self, origin=self.at(steps), extents=extents)


@dataclass(frozen=True, eq=False)
class PrivateTile(SharedTile):
    """A view of a buffer of which each thread has one of its own."""

    memory: Memory = field(kw_only=True)
    """Those of the lanes of an agent, one after the other."""

    lane_bytes: int = field(kw_only=True)
    """Bytes of the buffer of a lane."""


@dataclass(frozen=True, eq=False)
class GlobalView:
    """A view of an argument."""

    tile: GlobalTile
    origin: tuple[Number, ...]
    extents: tuple[int, ...]
    ends: tuple[Number, ...]
    """Elements from there on are out of range, for each dim of the argument."""

    scales: Scales | None = None
    """Where its dims are not the last ones of the argument: how far each goes there."""

    def at(self, steps: tuple[Number, ...]) -> tuple[Number, ...]:
        """The element of the argument so many elements of the tile further on."""
        return moved(self.origin, steps, self.scales)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its elements."""
        return self.tile.dtype

    def part(
        self, steps: tuple[Number, ...], extents: tuple[int, ...], *, clips: bool
    ) -> GlobalView:
        """
        The view of these extents that starts so many elements further on.

        `clips`: it may reach beyond this one, and what does is out of range.
        """
        ends = self.ends
        if clips:
            rows = self.scales or last_dims(len(ends), len(self.extents))
            # Of dims that one was split in, the first says where it ends.
            reach = [
                max(s * e for s, e in zip(row, self.extents, strict=True))
                for row in rows
            ]
            ends = tuple(
                minimum(end, start + further) if further else end
                for end, start, further in zip(ends, self.origin, reach, strict=True)
            )
        return replace(self, origin=self.at(steps), extents=extents, ends=ends)

    def offset(self, origin: tuple[Number, ...]) -> Number:
        """The byte offset in its buffer of an element."""
        at: Number = self.tile.offset
        for index, stride in zip(origin, self.tile.strides, strict=True):
            at = at + index * stride
        return at * self.tile.dtype.itemsize


Tile = SharedTile | GlobalView


def minimum(a: Number, b: Number) -> Number:
    """The smaller one, lane by lane."""
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    return np.minimum(a, b)


def moved(
    origin: tuple[Number, ...],
    steps: tuple[Number, ...],
    scales: Scales | None = None,
) -> tuple[Number, ...]:
    """
    An origin so many elements further on along the last dims, or as the scales say.
    """
    if scales is None:
        dropped = len(origin) - len(steps)
        return (
            *origin[:dropped],
            *(a + b for a, b in zip(origin[dropped:], steps, strict=True)),
        )
    found: list[Number] = []
    for start, row in zip(origin, scales, strict=True):
        for step, scale in zip(steps, row, strict=True):
            if scale:
                start = start + step * scale
        found.append(start)
    return tuple(found)


@dataclass(eq=False)
class Part:
    """What a multicast copy sends to one block."""

    op: Operation
    block: BlockState
    size: int
    transfer: Transfer | None = None
    completes: Mbarrier | None = None
    """Where its bytes are counted when they land."""

    def complete_on(self, barrier: Mbarrier) -> None:
        """Count the bytes on a barrier of the block, now if they have landed."""
        transfer = self.transfer
        if transfer is not None and transfer.landed:
            barrier.deliver(transfer, self.op, self.size, transfer.clock)
        else:
            self.completes = barrier

    def land(self, transfer: Transfer) -> None:
        """The bytes have landed."""
        if self.completes is not None:
            self.completes.deliver(transfer, self.op, self.size)


@dataclass(eq=False)
class Flight:
    """
    A copy in flight: the value of a future.

    `reading` ends when the source may be reused, `writing` when the destination is
    complete; one transfer does both but for stores by TMA. Both are None when the
    threads of the scope move the bytes themselves.
    """

    op: Operation
    destination: Tile
    size: int
    reading: Transfer | None = None
    writing: Transfer | None = None
    issued: bool = False
    completes: Mbarrier | None = None
    """Where its bytes are counted when it lands."""

    parts: list[Part] = field(default_factory=list[Part])
    """Of a multicast copy, one for each block; `writing` is that of the own one."""


@dataclass(eq=False)
class Product:
    """A wgmma in flight."""

    transfer: Transfer
    awaited: bool = False


@dataclass(eq=False)
class TileAccumulator:
    """The part of an accumulator that an agent holds: rows by columns."""

    values: Elements | None
    product: Product | None = None
    """What computes `values`."""


@dataclass(eq=False)
class ProductGroups:
    """The wgmma groups of an agent that it has not waited for."""

    open: list[Product] = field(default_factory=list[Product])
    closed: list[list[Product]] = field(default_factory=list[list[Product]])
