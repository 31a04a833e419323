"""Where in a memory an access goes: a slice or an array of granule indices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Granules = NDArray[np.int64]
Where = slice | Granules


def granules_of(offsets: Granules | int, width: int, step: int) -> Where:
    """The granules of `step` bytes in `width` bytes at byte offsets, row by row."""
    if isinstance(offsets, int):
        return slice(offsets // step, -(-(offsets + width) // step))
    first, rest = np.divmod(offsets, step)
    over = int(rest.max()) if len(offsets) else 0
    count = -(-(over + width) // step)
    if count == 1:
        return first
    rows = first[:, None] + np.arange(count)
    if over:
        # Rows that start in the middle of a granule may need one more than others.
        last = (offsets + width - 1) // step
        rows = np.minimum(rows, last[:, None])
    return rows.ravel()


def without(where: Where, some: Where) -> Where:
    """Granules that are not among some; slices stay whole."""
    if isinstance(where, slice) or isinstance(some, slice):
        return where
    return where[~np.isin(where, some)]


def extent(where: Where) -> tuple[int, int]:
    """The first granule, and one more than the last."""
    if isinstance(where, slice):
        return where.start, where.stop
    if not len(where):
        return 1 << 62, 0
    return int(where.min()), int(where.max()) + 1


def each_of(where: Where) -> Granules:
    """The granules one by one."""
    if not isinstance(where, slice):
        return where
    first, last = int(where.start), int(where.stop)
    return np.arange(first, last, dtype=np.int64)
