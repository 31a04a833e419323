"""Functions of numbers that differ between the lanes of a warp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Lanes: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]


def indices(count: int) -> Lanes:
    """The index of each lane."""
    return np.arange(count, dtype=np.int64)


def numbers(value: object) -> Lanes:
    """Numbers of what may be truth values."""
    return np.asarray(value, dtype=np.int64)


def less(a: int | Lanes, b: int | Lanes) -> Lanes:
    """Whether the one is less than the other, lane by lane."""
    return numbers(np.asarray(a) < np.asarray(b))


def minimum(a: int | Lanes, b: int | Lanes) -> Lanes:
    """The smaller one, lane by lane."""
    return np.minimum(a, b)


def maximum(a: int | Lanes, b: int | Lanes) -> Lanes:
    """The larger one, lane by lane."""
    return np.maximum(a, b)


def select(c: int | Lanes, a: int | Lanes, b: int | Lanes) -> Lanes:
    """`a` where `c` holds, else `b`."""
    return np.where(np.asarray(c) != 0, a, b)


def unsigned_less(a: int | Lanes, b: int | Lanes, equal: bool) -> Lanes:
    """Whether the one is less than the other, or equal, as unsigned numbers."""
    x = np.asarray(a, dtype=np.int64).view(np.uint64)
    y = np.asarray(b, dtype=np.int64).view(np.uint64)
    return np.asarray(x <= y if equal else x < y, dtype=np.int64)


def mask_of(condition: int | Lanes, active: Mask | None, count: int) -> Mask:
    """The lanes for which a condition holds, of those that are active."""
    holds = np.broadcast_to(np.asarray(condition) != 0, (count,))
    return holds.copy() if active is None else holds & active


def without(active: Mask | None, left: Mask) -> Mask:
    """The active lanes that are not in `left`."""
    return ~left if active is None else active & ~left


def any_of(mask: Mask) -> bool:
    """Whether a lane is active."""
    return bool(mask.any())


def number_of(mask: Mask) -> int:
    """How many lanes are active."""
    return int(mask.sum())


def spread(value: int | Lanes, count: int) -> Lanes:
    """The value for each lane."""
    return np.broadcast_to(np.asarray(value, dtype=np.int64), (count,))


def bounds(
    lower: int | Lanes, upper: int | Lanes, active: Mask | None, count: int
) -> tuple[Lanes, Lanes]:
    """An interval for each active lane."""
    low, high = spread(lower, count), spread(upper, count)
    return (low, high) if active is None else (low[active], high[active])


def boxes_meet(
    a: Sequence[tuple[Lanes, Lanes]], b: Sequence[tuple[Lanes, Lanes]]
) -> bool:
    """
    Whether the box of a lane in `a` and that of a lane in `b` have a common point; a
    box is given by an interval for each dimension.
    """
    meet: Mask | None = None
    for (low, high), (other_low, other_high) in zip(a, b, strict=True):
        here = (low[:, None] < other_high[None, :]) & (
            other_low[None, :] < high[:, None]
        )
        meet = here if meet is None else meet & here
    return True if meet is None else bool(meet.any())
