"""
Which lane of an agent touched a granule last: conflicts that clocks do not see.

An agent is many threads with one clock. Its lanes are ordered among themselves only by
barriers: of all its threads, or of lanes of one warp (`actor_lanes`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from croqtile_mlir.simulator.actor_lanes import (
    EVERY_WARP,
    NO_LANE,
    Codes,
    several_of,
    warp_of,
)
from croqtile_mlir.simulator.actors import Agent
from croqtile_mlir.simulator.clocks import Clock


class LaneShadow:
    """For each granule, the lanes that wrote it and that read it since."""

    def __init__(self, granules: int):
        self._writer = np.full(granules, NO_LANE, np.int16)
        self._reader = np.full(granules, NO_LANE, np.int16)
        self._written = np.zeros(granules, np.int64)
        self._read = np.zeros(granules, np.int64)
        """The epochs of the last accesses."""

        self._place = np.empty(granules, np.int32)
        """Of the granules of one access: where in it each is."""

        self._slot = np.full(granules, -1, np.int32)
        """The agent whose lanes these are."""

    def forget(self, touched: slice) -> None:
        """A further block begins; the last one accessed only the `touched` granules."""
        self._slot[touched] = -1

    def note(
        self,
        agent: Agent,
        where: NDArray[np.int64],
        lanes: NDArray[np.int64],
        granule: int,
        data: NDArray[np.uint8] | None,
        epoch: int,
    ) -> tuple[int, int] | None:
        """
        Remember an access, and find the first conflict: its place in `where`, the lane.

        `where` holds as many granules for each of the `lanes`. `data` is what is
        stored; None: a load. Lanes that store the same bytes in one place at once do
        not conflict.
        """
        by = lanes.astype(np.int16)
        if len(where) != len(lanes):
            by = np.repeat(by, len(where) // len(lanes))
        clash = self._unordered(agent, where, by, data is not None)
        codes = by
        order = np.arange(len(where), dtype=np.int32)
        self._place[where] = order
        # Of assignments to one place the last one holds: some are lost.
        if np.count_nonzero(self._place[where] != order):
            _, first, inverse = np.unique(where, return_index=True, return_inverse=True)
            codes = _together(by, first, inverse)
            if data is not None and data.size == len(where) * granule:
                parts = data.reshape(-1, granule)
                clash |= (parts != parts[first][inverse]).any(axis=1)
        fresh = self._slot[where] != agent.slot
        if np.count_nonzero(fresh):
            self._writer[where[fresh]] = NO_LANE
            self._reader[where[fresh]] = NO_LANE
            self._slot[where] = agent.slot
        if data is not None:
            self._writer[where] = codes
            self._written[where] = epoch
            self._reader[where] = NO_LANE
        else:
            before = self._reader[where]
            late = agent.order.unordered(before, self._read[where], by)
            if np.count_nonzero(late):
                codes = np.where(late, _joined(before, codes), codes)
            self._reader[where] = codes
            self._read[where] = epoch
        if not np.count_nonzero(clash):
            return None
        index = int(np.nonzero(clash)[0][0])
        return index, int(by[index])

    def conflicts(
        self, agent: Agent, where: NDArray[np.int64], lane: int, write: bool
    ) -> bool:
        """Whether an access by a lane is not ordered with those of other lanes."""
        by = np.full(len(where), lane, np.int16)
        return bool(self._unordered(agent, where, by, write).any())

    def known(self, clock: Clock, where: NDArray[np.int64], write: bool) -> bool:
        """Whether a clock has seen what single lanes last wrote, or read."""
        if not clock.lanes:
            return not len(where)
        codes, epochs = (
            (self._writer, self._written) if write else (self._reader, self._read)
        )
        return all(
            clock.lanes.get((int(self._slot[at]), int(codes[at])), -1) >= epochs[at]
            for at in where
        )

    def _unordered(
        self, agent: Agent, where: NDArray[np.int64], by: Codes, write: bool
    ) -> NDArray[np.bool_]:
        own = self._slot[where] == agent.slot
        late = agent.order.unordered(self._writer[where], self._written[where], by)
        if write:
            late |= agent.order.unordered(self._reader[where], self._read[where], by)
        return own & late


def _together(by: Codes, first: NDArray[np.intp], inverse: NDArray[np.intp]) -> Codes:
    """For each access the code of all lanes that make one to the same place."""
    least = np.full(len(first), np.iinfo(np.int16).max, np.int16)
    most = np.full(len(first), -1, np.int16)
    np.minimum.at(least, inverse, by)
    np.maximum.at(most, inverse, by)
    return _joined(least, most)[inverse]


def _joined(one: Codes, other: Codes) -> Codes:
    """The code of lanes of two codes."""
    warps = warp_of(one), warp_of(other)
    joined = np.where(warps[0] == warps[1], several_of(warps[0]), EVERY_WARP)
    joined = np.where(one == other, one, joined)
    return np.where(one == NO_LANE, other, joined).astype(np.int16)
