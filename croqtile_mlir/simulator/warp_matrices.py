"""
The matrices that the registers of warps hold: of `mma.sync` and of `ldmatrix`.

Words are arrays (registers, warps, lanes) of 32 bits; matrices (warps, rows, columns).
The maps are those of `fragments.py`. Used at the hardware level and for PTX text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from croqtile_mlir.layouts import CORE_ROWS, fragments

Words = NDArray[np.uint32]
Array = NDArray[Any]
Places = tuple[NDArray[np.int64], NDArray[np.int64]]

OPERANDS: Final[Mapping[str, np.dtype[Any]]] = MappingProxyType(
    {
        "f16": np.dtype(np.float16),
        "bf16": np.dtype(ml_dtypes.bfloat16),
        "tf32": np.dtype(np.float32),
        "s8": np.dtype(np.int8),
        "u8": np.dtype(np.uint8),
    }
)
"""How the elements of A and B are kept, by PTX's name of their type."""

SUMS: Final[Mapping[str, np.dtype[Any]]] = MappingProxyType(
    {
        "f32": np.dtype(np.float32),
        "f16": np.dtype(np.float16),
        "s32": np.dtype(np.int32),
    }
)
"""How the elements of C and D are kept."""

_MAPS: Final[Mapping[str, Callable[..., Places]]] = MappingProxyType(
    {
        "a": fragments.mma_a_element,
        "b": fragments.mma_b_element,
        "c": fragments.mma_c_element,
    }
)
_TF32_BITS = np.uint32(0xFFFFE000)
"""The hardware reads no more of a tf32."""

_TF32_HALF = np.uint32(1 << 12)


@cache
def places(operand: str, registers: int, bits: int) -> Places:
    """Row and column of every element: arrays (registers, lanes, parts)."""
    parts = fragments.per_register(bits)
    index = np.indices((registers, fragments.WARP_LANES, parts))
    row, col = _MAPS[operand](index[0], index[2], index[1], bits)
    return row, col


def matrix_of(operand: str, words: Words, dtype: np.dtype[Any]) -> Array:
    """The matrix of each warp that an operand holds; B as its transpose, (n, k)."""
    registers, warps, lanes = words.shape
    row, col = places(operand, registers, dtype.itemsize * 8)
    elements = np.ascontiguousarray(words).view(dtype)
    found = np.empty((warps, int(row.max()) + 1, int(col.max()) + 1), dtype)
    parts = elements.reshape(registers, warps, lanes, -1)
    found[:, row, col] = parts.transpose(1, 0, 2, 3)
    return found


def words_of(operand: str, matrix: Array, registers: int) -> Words:
    """The registers that hold the matrices of warps: the inverse of `matrix_of`."""
    row, col = places(operand, registers, matrix.dtype.itemsize * 8)
    elements = np.ascontiguousarray(matrix[:, row, col].transpose(1, 0, 2, 3))
    return elements.view(np.uint32)[..., 0]


def multiply(
    a: Words, b: Words, c: Words, types: tuple[str, str, str], *, saturates: bool
) -> Words:
    """
    D = A * B + C of `mma.sync`, in the registers of C; `types` are those of A, B, C.

    Integers are exact; floats are summed in f32, in no order that one may rely on.
    """
    sums = SUMS[types[2]]
    wide = np.dtype(np.int64 if sums.kind == "i" else np.float32)
    left, right = (
        _wide(matrix_of(name, words, OPERANDS[kind]), kind, wide)
        for name, words, kind in (("a", a, types[0]), ("b", b, types[1]))
    )
    before = matrix_of("c", c, sums).astype(wide)
    with np.errstate(over="ignore", invalid="ignore"):
        total = left @ right.swapaxes(1, 2) + before
        if saturates:
            limits = np.iinfo(np.int32)
            total = np.clip(total, limits.min, limits.max)
        return words_of("c", total.astype(sums), len(c))


def _wide(matrix: Array, kind: str, wide: np.dtype[Any]) -> Array:
    if kind == "tf32":
        matrix = (matrix.view(np.uint32) & _TF32_BITS).view(np.float32)
    return matrix.astype(wide)


def tf32_words(values: NDArray[np.float32]) -> Words:
    """The words of f32 rounded to tf32: to nearest, halves away from zero (`rna`).

    What is no number loses its low bits, as seen on an H200.
    """
    bits = np.ascontiguousarray(values).view(np.uint32)
    rounded = (bits + _TF32_HALF) & _TF32_BITS
    return np.where(np.isfinite(values), rounded, bits & _TF32_BITS)


def loaded_words(rows: NDArray[np.uint8], *, transposed: bool) -> Words:
    """
    What `ldmatrix` makes of rows of 16 bytes, 8 of each matrix: (matrices, lanes).

    The matrices of several warps follow each other.
    """
    matrices = np.ascontiguousarray(rows).view(np.uint16)
    matrices = matrices.reshape(-1, CORE_ROWS, CORE_ROWS)
    lane, part = np.indices((fragments.WARP_LANES, 2))
    row, col = fragments.ldmatrix_element(part, lane, transposed=transposed)
    return np.ascontiguousarray(matrices[:, row, col]).view(np.uint32)[..., 0]


def stored_rows(words: Words, *, transposed: bool) -> NDArray[np.uint8]:
    """The rows of 16 bytes that `stmatrix` stores of words (matrices, lanes)."""
    halves = np.ascontiguousarray(words).view(np.uint16)
    halves = halves.reshape(-1, fragments.WARP_LANES, 2)
    lane, part = np.indices((fragments.WARP_LANES, 2))
    row, col = fragments.ldmatrix_element(part, lane, transposed=transposed)
    matrices = np.empty((len(halves), CORE_ROWS, CORE_ROWS), np.uint16)
    matrices[:, row, col] = halves
    return matrices.view(np.uint8).reshape(-1, 2 * CORE_ROWS)
