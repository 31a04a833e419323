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
    WARP,
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
        """Of the granules that one store writes: the first place in it of each."""

        self._together = np.empty(granules, np.int16)
        """Of the granules of one access: the lanes that make it to each."""

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
        own = self._slot[where] == agent.slot
        clash = self._unordered(agent, where, by, own, data is not None)
        if data is not None and data.size == len(where) * granule:
            clash |= self._differs(where, data.reshape(-1, granule))
        codes = self._lanes_together(where, by)
        if np.count_nonzero(own) < len(own):
            fresh = where[~own]
            self._writer[fresh] = NO_LANE
            self._reader[fresh] = NO_LANE
            self._slot[fresh] = agent.slot
        if data is not None:
            self._writer[where] = codes
            self._written[where] = epoch
            self._reader[where] = NO_LANE
        else:
            before = self._reader[where]
            late = agent.order.unordered(before, self._read[where], by)
            if np.count_nonzero(late):
                late &= before != codes
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
        own = self._slot[where] == agent.slot
        return bool(self._unordered(agent, where, by, own, write).any())

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
        self,
        agent: Agent,
        where: NDArray[np.int64],
        by: Codes,
        own: NDArray[np.bool_],
        write: bool,
    ) -> NDArray[np.bool_]:
        late = agent.order.unordered(self._writer[where], self._written[where], by)
        if write:
            late |= agent.order.unordered(self._reader[where], self._read[where], by)
        return own & late

    def _differs(
        self, where: NDArray[np.int64], parts: NDArray[np.uint8]
    ) -> NDArray[np.bool_]:
        """Which parts of a store are not what its first part for the same place is."""
        order = np.arange(len(where), dtype=np.int32)
        # Of assignments to one place the last one holds.
        self._place[where[::-1]] = order[::-1]
        first = self._place[where]
        if not np.count_nonzero(first != order):
            return np.zeros(len(where), np.bool_)
        return (parts != parts[first]).any(axis=1)

    def _lanes_together(self, where: NDArray[np.int64], by: Codes) -> Codes:
        """For each access the code of all lanes that make one to the same place."""
        found = self._together
        # Of assignments to one place one holds: the lanes of the others see another.
        found[where] = by
        codes = found[where]
        others = codes != by
        if not np.count_nonzero(others):
            return by
        warps = by // WARP
        found[where[others]] = several_of(warps[others])
        codes = found[where]
        found[where] = warps
        others = found[where] != warps
        if np.count_nonzero(others):
            found[where] = codes
            found[where[others]] = EVERY_WARP
            codes = found[where]
        return codes


def _joined(one: Codes, other: Codes) -> Codes:
    """The code of lanes of two codes."""
    warps = warp_of(one), warp_of(other)
    joined = np.where(warps[0] == warps[1], several_of(warps[0]), EVERY_WARP)
    joined = np.where(one == other, one, joined)
    return np.where(one == NO_LANE, other, joined).astype(np.int16)
