"""
Boxes of tensor maps: what TMA reads and writes in global and in shared memory.

PTX ISA, "Tensors". Boxes and coordinates stand outermost first here. In shared memory a
row of a box takes its bytes, or the width of the swizzle; the hardware XORs bits 7 to 9
of the address to bits 4 to 6, so that what a box means depends on where it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from croqtile_mlir.layouts import CHUNK_BYTES
from croqtile_mlir.simulator.global_memory import GlobalTile
from croqtile_mlir.simulator.values import Integers

_XOR = {0: 0, 32: 1, 64: 3, 128: 7}
"""Bits 7 to 9 of an address that take part, by the width of the swizzle in bytes."""

_PATTERN = 1024


@dataclass(frozen=True, eq=False)
class TensorMap:
    """A tensor map: a tile of global memory, the box of a copy, the swizzle."""

    tile: GlobalTile
    box: tuple[int, ...]
    swizzle: int

    @cached_property
    def row_bytes(self) -> int:
        """Bytes of a row of the box."""
        return self.box[-1] * self.tile.dtype.itemsize

    @cached_property
    def rows(self) -> int:
        """Rows of the box."""
        return prod(self.box[:-1])

    @cached_property
    def pitch(self) -> int:
        """Bytes between rows in shared memory."""
        return self.swizzle or self.row_bytes

    @property
    def box_bytes(self) -> int:
        """Bytes that a copy delivers, clipped or not."""
        return self.rows * self.row_bytes

    @property
    def shared_bytes(self) -> int:
        """Bytes of shared memory that a box takes."""
        return self.rows * self.pitch

    def chunks(self, address: int) -> NDArray[np.int64]:
        """16-byte chunks of shared memory, an array (rows, chunks of a row)."""
        low = address % _PATTERN
        relative = _relative(
            low, self.rows, self.pitch, self.row_bytes // CHUNK_BYTES, self.swizzle
        )
        return relative + (address - low) // CHUNK_BYTES


@lru_cache(maxsize=512)
def _relative(
    start: int, rows: int, pitch: int, chunks: int, swizzle: int
) -> NDArray[np.int64]:
    row, chunk = np.indices((rows, chunks))
    address = start + row * pitch + chunk * CHUNK_BYTES
    address = address ^ ((address >> 7 & _XOR[swizzle]) << 4)
    return address // CHUNK_BYTES


@dataclass(frozen=True)
class Window:
    """The part of a box that is inside its tensor."""

    rows: NDArray[np.int64]
    """Rows of the box, by number."""

    offsets: Integers
    """Byte offsets in the buffer of where each of them starts, at column `first`."""

    first: int
    """First byte of a row of the box that is inside."""

    bytes: int
    """Bytes of a row that are inside."""

    beyond: int
    """Bytes of a row that follow them in the same 16 bytes, which a store writes."""

    @classmethod
    def of(cls, tensor: TensorMap, at: tuple[int, ...]) -> Window:
        """Of the box whose first element has the coordinates `at`."""
        tile, size = tensor.tile, tensor.tile.dtype.itemsize
        row_numbers = np.zeros(1, np.int64)
        offsets = np.full(1, tile.offset * size, np.int64)
        outer = zip(tensor.box[:-1], at, tile.shape, tile.strides, strict=False)
        for extent, start, limit, stride in outer:
            low, high = max(0, -start), min(extent, limit - start)
            inside = np.arange(low, max(low, high))
            row_numbers = (row_numbers[:, None] * extent + inside).ravel()
            offsets = (offsets[:, None] + (start + inside) * (stride * size)).ravel()
        start, limit = at[-1], tile.shape[-1]
        low, high = max(0, -start), min(tensor.box[-1], limit - start)
        if high <= low or not len(row_numbers):
            return cls(row_numbers[:0], offsets[:0], 0, 0, 0)
        end = limit * size
        clipped = min(-end % CHUNK_BYTES, (tensor.box[-1] - high) * size)
        return cls(
            row_numbers,
            offsets + (start + low) * size,
            low * size,
            (high - low) * size,
            clipped if high + start == limit else 0,
        )
