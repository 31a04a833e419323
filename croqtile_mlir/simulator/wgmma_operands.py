"""
Operands of wgmma in shared memory: which 16-byte chunks a matrix descriptor names.

PTX ISA, "Matrix Descriptor Format", "Strides", "Shared Memory Matrix Layout". Bytes are
found by the address bits that a swizzle XORs, as the hardware does, so that a tile that
is not where its layout needs it reads as on the device.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from croqtile_mlir.layouts import CHUNK_BYTES, CORE_ROWS

Chunks = NDArray[np.int64]

_WIDTHS = (16, 128, 64, 32)
"""Bytes of a row of the swizzle pattern, by the layout bits."""

_XOR = (0, 7, 3, 1)
"""Bits 7 to 9 of an address that are XORed to bits 4 to 6, by the layout bits."""

_PATTERN = 1024
"""Addresses that agree modulo this are swizzled alike."""


@dataclass(frozen=True)
class MatrixDescriptor:
    """A decoded descriptor; addresses and offsets in bytes."""

    start: int
    leading: int
    stride: int
    base: int
    mode: int

    @classmethod
    def decode(cls, bits: int) -> MatrixDescriptor:
        """From the 64 bits of the operand, as a signed or unsigned number."""
        return cls(
            (bits & 0x3FFF) << 4,
            (bits >> 16 & 0x3FFF) << 4,
            (bits >> 32 & 0x3FFF) << 4,
            bits >> 49 & 7,
            bits >> 62 & 3,
        )

    def chunks(self, rows: int, depth: int, *, k_major: bool) -> Chunks:
        """
        Numbers of the 16-byte chunks of shared memory that the operand consists of.

        K-major: an array (rows, chunks along K), `depth` counts those chunks. Else an
        array (K, chunks along the rows), `rows` counts chunks and `depth` elements.
        """
        low = self.start % _PATTERN
        relative = _relative_chunks(
            low, self.leading, self.stride, self.mode, rows, depth, k_major
        )
        return relative + (self.start - low) // CHUNK_BYTES


@lru_cache(maxsize=512)
def _relative_chunks(
    start: int,
    leading: int,
    stride: int,
    mode: int,
    rows: int,
    depth: int,
    k_major: bool,
) -> Chunks:
    width = _WIDTHS[mode]
    if k_major:
        row, chunk = np.indices((rows, depth))
        address = row // CORE_ROWS * stride
        if mode == 0:
            address = address + row % CORE_ROWS * CHUNK_BYTES + chunk * leading
        else:
            address = address + row % CORE_ROWS * width + chunk * CHUNK_BYTES
    else:
        k, chunk = np.indices((depth, rows))
        if mode == 0:
            address = chunk * stride + k // CORE_ROWS * leading
            address = address + k % CORE_ROWS * CHUNK_BYTES
        else:
            panel, inside = np.divmod(chunk * CHUNK_BYTES, width)
            address = panel * leading + inside
            address = address + k // CORE_ROWS * stride + k % CORE_ROWS * width
    address = start + address
    address = address ^ ((address >> 7 & _XOR[mode]) << 4)
    return address // CHUNK_BYTES
