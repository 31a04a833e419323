"""
What the lanes of an agent know of each other's accesses.

Barriers of all its threads order everything before them. A barrier of lanes of one warp
orders those lanes: which epochs a lane knows of each other one of its warp is kept in a
table, made when it is first needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

WARP = 32

NO_LANE = -1
EVERY_WARP = -2
"""Stands for lanes of more than one warp."""

Codes = NDArray[np.int16]
"""A lane, several lanes of one warp (`several_of`), of several warps, or none."""

_ALL = np.iinfo(np.int64).max


def several_of(warp: Codes) -> Codes:
    """Stands for more than one lane of a warp."""
    return (-3 - warp).astype(np.int16)


def warp_of(code: Codes) -> Codes:
    """The warp of the lanes of a code; -1 where they are of none, or of several."""
    one = np.where(code <= -3, -3 - code, -1)
    return np.where(code >= 0, code // WARP, one).astype(np.int16)


class LaneOrder:
    """The epochs of an agent up to which its lanes know of each other's accesses."""

    def __init__(self) -> None:
        self.until = 0
        """All lanes know of all others up to here."""

        self._known: NDArray[np.int64] | None = None
        """`[warp, lane, other]`: further."""

    def all_meet(self, epoch: int) -> None:
        """A barrier of all threads."""
        self.until = epoch
        self._known = None

    def some_meet(self, lanes: Sequence[int], threads: int, epoch: int) -> None:
        """A barrier of these lanes, which are of one warp."""
        if self._known is None:
            warps = -(-threads // WARP)
            self._known = np.zeros((warps, WARP, WARP), np.int64)
            self._known[:, range(WARP), range(WARP)] = _ALL
        table = self._known[lanes[0] // WARP]
        members = np.asarray(lanes) % WARP
        learned = table[members].copy()
        learned[range(len(members)), members] = epoch
        table[members] = np.maximum(learned.max(axis=0), epoch * _is_in(members))
        table[members, members] = _ALL

    def unordered(
        self, codes: Codes, epochs: NDArray[np.int64], by: Codes
    ) -> NDArray[np.bool_]:
        """Which accesses by some lanes others do not know to be over."""
        late = epochs > self.until
        if not np.count_nonzero(late):
            return late
        late &= (codes != NO_LANE) & (codes != by)
        if self._known is None or not np.count_nonzero(late):
            return late
        warp = by // WARP
        near = np.nonzero(late & (warp_of(codes) == warp))[0]
        rows = self._known[warp[near], by[near] % WARP]
        code = codes[near]
        one = rows[range(len(near)), np.maximum(code, 0) % WARP]
        seen = np.where(code >= 0, one, rows.min(axis=1))
        late[near] = epochs[near] > seen
        return late

    def known_to(self, lane: int) -> Iterator[tuple[int, int]]:
        """The other lanes of which a lane knows more than all do, and up to where."""
        if self._known is None:
            return
        first = lane // WARP * WARP
        row = self._known[lane // WARP, lane % WARP]
        for other in np.nonzero((row > self.until) & (row < _ALL))[0]:
            yield first + int(other), int(row[other])


def _is_in(members: NDArray[np.int64]) -> NDArray[np.int64]:
    found = np.zeros(WARP, np.int64)
    found[members] = 1
    return found
