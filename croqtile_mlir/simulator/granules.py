"""Where in a memory an access goes: a slice or an array of granule indices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Granules = NDArray[np.int64]
Where = slice | Granules


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
