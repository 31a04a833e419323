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

Lanes = NDArray[np.int16]


class LaneShadow:
    """For each granule, the lane that wrote it and the one that read it since."""

    def __init__(self, granules: int):
        self._writer = np.full(granules, _NONE, np.int16)
        self._reader = np.full(granules, _NONE, np.int16)
        self._slot = np.full(granules, _NONE, np.int32)
        """The agent whose lanes these are."""

        self._epoch = np.zeros(granules, np.int64)
        """Its `lane_epoch` at that time."""

    def forget(self, touched: slice) -> None:
        """A further block begins; the last one accessed only the `touched` granules."""
        self._slot[touched] = _NONE

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
        clash = np.zeros(len(where), bool)
        found, first, inverse = np.unique(where, return_index=True, return_inverse=True)
        if len(found) < len(where):
            several = np.zeros(len(found), bool)
            several[inverse[by != by[first][inverse]]] = True
            by = np.where(several[inverse], np.int16(_MANY), by)
            if data is not None and data.size == len(where) * granule:
                parts = data.reshape(-1, granule)
                clash = (parts != parts[first][inverse]).any(axis=1)
        recent = (self._slot[where] == agent.slot) & (
            self._epoch[where] == agent.lane_epoch
        )
        writer, reader = self._writer[where], self._reader[where]
        clash |= wrote_last & recent & (writer >= 0) & (writer != by)
        if data is not None:
            clash |= recent & (reader != _NONE) & (reader != by)
        fresh = where[~recent]
        self._writer[fresh] = _NONE
        self._slot[where] = agent.slot
        self._epoch[where] = agent.lane_epoch
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
