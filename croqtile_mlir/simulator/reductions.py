"""What a reducing TMA store does to the elements of global memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from croqtile_mlir.dialects.nvvm import TMAReduxKind
from croqtile_mlir.simulator.values import Array


def combined(
    kind: TMAReduxKind, before: Array, new: Array, dtype: np.dtype[Any]
) -> Array:
    """
    The bytes of rows of elements after a reduction; both are arrays of bytes.

    `inc` and `dec` wrap as PTX `atom` does: old >= new ? 0 : old + 1, and
    old == 0 or old > new ? new : old - 1. Integers wrap.
    """
    a = np.ascontiguousarray(before).view(dtype)
    b = np.ascontiguousarray(new).view(dtype)
    match kind:
        case TMAReduxKind.Add:
            found = a + b
        case TMAReduxKind.Max:
            found = np.maximum(a, b)
        case TMAReduxKind.Min:
            found = np.minimum(a, b)
        case TMAReduxKind.And:
            found = a & b
        case TMAReduxKind.Or:
            found = a | b
        case TMAReduxKind.Xor:
            found = a ^ b
        case TMAReduxKind.Inc:
            old, limit = a.view(f"u{dtype.itemsize}"), b.view(f"u{dtype.itemsize}")
            found = np.where(old >= limit, 0, old + 1).astype(old.dtype)
        case TMAReduxKind.Dec:
            old, limit = a.view(f"u{dtype.itemsize}"), b.view(f"u{dtype.itemsize}")
            found = np.where((old == 0) | (old > limit), limit, old - 1)
            found = found.astype(old.dtype)
    return np.ascontiguousarray(found).view(np.uint8)
