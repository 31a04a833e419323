"""
Which lane of an agent touched a granule last: conflicts that clocks do not see.

An agent is many threads with one clock. Its lanes are ordered among themselves only by
what counts its `lane_epoch` up: barriers of the warp or of more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from croqtile_mlir.simulator.actors import Agent

_NONE = -1
_MANY = -2
"""More than one lane."""

_EPOCH_BITS = 40

Lanes = NDArray[np.int16]


class LaneShadow:
    """For each granule, the lane that wrote it and the one that read it since."""

    def __init__(self, granules: int):
        self._writer = np.full(granules, _NONE, np.int16)
        self._reader = np.full(granules, _NONE, np.int16)
        self._stamp = np.full(granules, _NONE, np.int64)
        """The agent whose lanes these are, and its `lane_epoch` at that time."""

        self._place = np.empty(granules, np.int32)
        self._several = np.empty(granules, np.bool_)
        """Of the granules of one access: where in it each is first, whether several
        lanes access it. These need not sort, as `np.unique` does."""

    def forget(self, touched: slice) -> None:
        """A further block begins; the last one accessed only the `touched` granules."""
        self._stamp[touched] = _NONE

    def note(
        self,
        agent: Agent,
        where: NDArray[np.int64],
        lanes: NDArray[np.int64],
        wrote_last: NDArray[np.bool_],
        granule: int,
        data: NDArray[np.uint8] | None,
    ) -> tuple[int, int] | None:
        """
        Remember an access, and find the first conflict: its place in `where`, the lane.

        `where` holds as many granules for each of the `lanes`; `wrote_last` says which
        of them the agent was the last to write. `data` is what is stored; None: a load.
        Lanes that store the same bytes in one place at once do not conflict.
        """
        by = np.repeat(lanes, len(where) // len(lanes)).astype(np.int16)
        clash = None
        order = np.arange(len(where), dtype=np.int32)
        # Of assignments to one place the last one holds.
        self._place[where[::-1]] = order[::-1]
        first = self._place[where]
        if (first != order).any():
            self._several[where] = False
            self._several[where[by != by[first]]] = True
            by = np.where(self._several[where], np.int16(_MANY), by)
            if data is not None and data.size == len(where) * granule:
                parts = data.reshape(-1, granule)
                clash = (parts != parts[first]).any(axis=1)
        stamp = (agent.slot << _EPOCH_BITS) + agent.lane_epoch
        recent = self._stamp[where] == stamp
        writer, reader = self._writer[where], self._reader[where]
        wrong = wrote_last & recent & (writer >= 0) & (writer != by)
        clash = wrong if clash is None else clash | wrong
        if data is not None:
            clash |= recent & (reader != _NONE) & (reader != by)
        if not recent.all():
            self._writer[where[~recent]] = _NONE
            self._stamp[where] = stamp
        if data is not None:
            self._writer[where] = by
            self._reader[where] = _NONE
        else:
            alone = ~recent | (reader == _NONE) | (reader == by)
            self._reader[where] = np.where(alone, by, np.int16(_MANY))
        if not clash.any():
            return None
        index = int(np.nonzero(clash)[0][0])
        return index, int(by[index])
