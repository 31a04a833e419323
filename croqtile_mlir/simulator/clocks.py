"""
Vector clocks: what an agent or an operation in flight knows to have happened.

Every agent and every operation in flight has a *slot*; its *epochs* count what it did.
A pair (slot, epoch) names one access. Slot 0 is the host, which did everything before
the launch. The slot of an operation is used again only by an operation whose issuer has
seen the end of the earlier one, so that two that are not ordered never look ordered.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation

Times = NDArray[np.int64]

HOST = 0


class Clock:
    """The newest epoch known of every slot; shorter arrays stand for zeros."""

    __slots__ = ("lanes", "times")

    def __init__(
        self,
        times: Times | None = None,
        lanes: dict[tuple[int, int], int] | None = None,
    ):
        self.times: Times = np.zeros(16, np.int64) if times is None else times
        self.lanes: dict[tuple[int, int], int] = {} if lanes is None else lanes
        """Further epochs of single lanes: by slot and lane."""

    def copy(self) -> Clock:
        """A clock of its own with the same knowledge."""
        return Clock(self.times.copy(), self.lanes.copy())

    def room(self, slots: int) -> Times:
        """
        The times, at least so many.

        Lengths are powers of two: clocks that join each other in turn don't grow.
        """
        if len(self.times) < slots:
            grown = np.zeros(1 << (slots - 1).bit_length(), np.int64)
            grown[: len(self.times)] = self.times
            self.times = grown
        return self.times

    def join(self, other: Clock) -> None:
        """Learn what another one knows."""
        count = len(other.times)
        mine = self.room(count)[:count]
        np.maximum(mine, other.times, out=mine)
        for lane, epoch in other.lanes.items():
            self.lanes[lane] = max(epoch, self.lanes.get(lane, 0))

    def meet(self, other: Clock) -> None:
        """Forget what another one does not know."""
        count = len(other.times)
        self.times = self.times[:count].copy()
        np.minimum(self.times, other.times[: len(self.times)], out=self.times)
        self.lanes = {
            lane: min(epoch, other.lanes[lane])
            for lane, epoch in self.lanes.items()
            if lane in other.lanes
        }

    def covers(self, other: Clock) -> bool:
        """Whether it knows all that another one does."""
        count = len(other.times)
        return bool((self.room(count)[:count] >= other.times).all())

    def saw(self, slot: int, epoch: int, lane: int | None = None) -> bool:
        """Whether it knows of one access, by a lane if it is of one."""
        if epoch == 0 or (slot < len(self.times) and int(self.times[slot]) >= epoch):
            return True
        return lane is not None and self.lanes.get((slot, lane), -1) >= epoch


@dataclass
class History:
    """What each slot did, by epoch, to name both sides of a conflict."""

    ops: list[list[tuple[Operation | None, str]]] = field(
        default_factory=lambda: [[(None, "the host")]]
    )
    _free: list[int] = field(default_factory=list[int])

    @property
    def slots(self) -> int:
        """The number of slots so far."""
        return len(self.ops)

    def new_slot(self) -> int:
        """A slot that nobody used."""
        self.ops.append([(None, "")])
        return len(self.ops) - 1

    def slot_after(self, clock: Clock) -> int:
        """A free slot whose former user had ended as far as the clock knows."""
        for index, slot in enumerate(self._free):
            if clock.saw(slot, len(self.ops[slot]) - 1):
                del self._free[index]
                return slot
        return self.new_slot()

    def release(self, slot: int) -> None:
        """The user of a slot is over."""
        self._free.append(slot)

    def next_epoch(self, slot: int, op: Operation | None, who: str) -> int:
        """Begin the next epoch of a slot: one access or arrival of an op."""
        line = self.ops[slot]
        line.append((op, who))
        return len(line) - 1

    def last_epoch(self, slot: int) -> int:
        """The newest epoch of a slot."""
        return len(self.ops[slot]) - 1

    def at(self, slot: int, epoch: int) -> tuple[Operation | None, str]:
        """The op of an epoch, and who executed it."""
        return self.ops[slot][epoch]
