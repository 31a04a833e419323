"""
What one wgmma computes.

The products of a K slice are summed in f32 (integers exactly) and the sum is added once
to the accumulator; an f16 accumulator is rounded once per instruction. The order of the
sum inside the slice is the matrix product's of numpy, the device's is not documented.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from croqtile_mlir.dialects.nvvm import (
    MMALayout,
    WgmmaMmaAsyncOp,
    WgmmaScaleIn,
    WgmmaScaleOut,
    WgmmaType,
)
from croqtile_mlir.layouts import CHUNK_BYTES
from croqtile_mlir.simulator.actors import Actor
from croqtile_mlir.simulator.memory import Memory
from croqtile_mlir.simulator.values import Array
from croqtile_mlir.simulator.wgmma_operands import Chunks, MatrixDescriptor

_TF32_BITS = np.uint32(0xFFFFE000)
"""The bits of an f32 that the tensor core reads of a tf32 operand."""

_DTYPES: dict[WgmmaType, np.dtype[Any]] = {
    WgmmaType.F16: np.dtype(np.float16),
    WgmmaType.BF16: np.dtype(ml_dtypes.bfloat16),
    WgmmaType.TF32: np.dtype(np.float32),
    WgmmaType.E4M3: np.dtype(ml_dtypes.float8_e4m3fn),
    WgmmaType.E5M2: np.dtype(ml_dtypes.float8_e5m2),
    WgmmaType.S8: np.dtype(np.int8),
    WgmmaType.U8: np.dtype(np.uint8),
    WgmmaType.F32: np.dtype(np.float32),
    WgmmaType.S32: np.dtype(np.int32),
}


def dtype_of(type_: WgmmaType) -> np.dtype[Any] | None:
    """The numpy type of elements; None for those that are not simulated."""
    return _DTYPES.get(type_)


@dataclass(frozen=True)
class Operand:
    """How one operand of a wgmma is read."""

    rows: int
    """Extent along M or N."""

    k_bytes: int
    """Bytes of the K slice, 32 for all types."""

    dtype: np.dtype[Any]
    k_major: bool
    is_tf32: bool
    negated: bool

    def chunks(self, descriptor: int) -> Chunks:
        """The 16-byte chunks of shared memory that a descriptor names."""
        decoded = MatrixDescriptor.decode(descriptor)
        if self.k_major:
            return decoded.chunks(self.rows, self.k_bytes // CHUNK_BYTES, k_major=True)
        per_chunk = CHUNK_BYTES // self.dtype.itemsize
        depth = self.k_bytes // self.dtype.itemsize
        return decoded.chunks(self.rows // per_chunk, depth, k_major=False)

    def read(self, memory: Memory, actor: Actor, op: WgmmaMmaAsyncOp, at: int) -> Array:
        """Values (rows, K) as f32, or f64 for integers: read through async proxy."""
        chunks = self.chunks(at)
        offsets = chunks.ravel() * CHUNK_BYTES
        shape = (self.rows, self.k_bytes // self.dtype.itemsize)
        wide = np.float64 if self.dtype.kind in "iu" else np.float32
        if not memory.contains(actor, op, offsets, CHUNK_BYTES):
            return np.zeros(shape, wide)
        memory.note_read(
            actor, op, memory.where(offsets, CHUNK_BYTES), through_async=True
        )
        stored = memory.async_data
        whole = stored[: len(stored) // CHUNK_BYTES * CHUNK_BYTES]
        data = whole.reshape(-1, CHUNK_BYTES)[chunks]
        rows = data.reshape(len(chunks), -1).view(self.dtype)
        if self.is_tf32:
            rows = (rows.view(np.uint32) & _TF32_BITS).view(np.float32)
        values: Array = rows.astype(wide)
        if not self.k_major:
            values = values.T
        return -values if self.negated else values


@dataclass(frozen=True)
class Product:
    """One kind of wgmma: D = A B, or D = A B + D."""

    op: WgmmaMmaAsyncOp
    a: Operand
    b: Operand
    dtype: np.dtype[Any]
    adds: bool
    saturates: bool

    @classmethod
    def of(cls, op: WgmmaMmaAsyncOp) -> Product | None:
        """What an op computes; None when the simulator has no such types."""
        a, b, d = (dtype_of(each.data) for each in (op.type_a, op.type_b, op.type_d))
        if a is None or b is None or d is None:
            return None
        m, n, k = op.shape.extents
        tf32 = op.type_a.data is WgmmaType.TF32
        return cls(
            op,
            Operand(
                m,
                k * a.itemsize,
                a,
                op.layout_a.data is MMALayout.Row,
                tf32,
                op.scale_a.data is WgmmaScaleIn.Neg,
            ),
            Operand(
                n,
                k * b.itemsize,
                b,
                op.layout_b.data is MMALayout.Col,
                tf32,
                op.scale_b.data is WgmmaScaleIn.Neg,
            ),
            d,
            op.scale_d.data is WgmmaScaleOut.One,
            op.satfinite is not None,
        )

    def apply(
        self, memory: Memory, actor: Actor, a: int, b: int, before: Array
    ) -> Array:
        """The accumulator after the operation, whose descriptors are `a` and `b`."""
        left = self.a.read(memory, actor, self.op, a)
        right = self.b.read(memory, actor, self.op, b)
        product = left @ right.T
        if self.dtype.kind == "i":
            total = product.astype(np.int64)
            if self.adds:
                total = total + before
            if self.saturates:
                limits = np.iinfo(np.int32)
                total = np.clip(total, limits.min, limits.max)
            return total.astype(np.int32)
        if self.adds:
            product = product + before.astype(np.float32)
        return product.astype(self.dtype)
