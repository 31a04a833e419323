"""
Memory with a shadow: who wrote and read each granule, through which proxy.

A *granule* is the smallest unit that the kernel accesses on its own (1 to 16 bytes), so
that two accesses conflict exactly when they share a byte. *Where* an access goes is a
slice or an array of granule indices. Two views are kept: the newest bytes, and what the
async proxy sees; a generic write is invisible to the async proxy until a proxy fence
that is ordered after it (PTX ISA, Async proxy).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation

from croqtile_mlir.simulator.actors import Actor
from croqtile_mlir.simulator.clocks import HOST, Clock
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.granules import (
    Granules,
    Where,
    each_of,
    extent,
    granules_of,
    without,
)
from croqtile_mlir.simulator.lane_checks import known_to_lanes, note_lanes
from croqtile_mlir.simulator.lane_shadow import LaneShadow
from croqtile_mlir.simulator.strong import StrongShadow

Bytes = NDArray[np.uint8]


class Memory:
    """
    A range of bytes from address `base` on, with checks.

    `proxies` keeps the two views apart; without, the async proxy sees every byte at
    once (before proxy fences are in the IR). `checked` off keeps the data only.
    """

    def __init__(
        self,
        name: str,
        data: Bytes,
        *,
        base: int = 0,
        granule: int = 16,
        written: bool = False,
        proxies: bool = True,
        checked: bool = True,
    ):
        self.name = name
        self.base = base
        self.granule = granule
        size = -(-len(data) // granule) * granule
        self.data: Bytes = data if size == len(data) else np.resize(data, size)
        self.size = len(data)
        """Bytes that exist; `data` may be padded to whole granules."""

        self.checked = checked
        self.separate = proxies and checked
        self.async_data: Bytes = self.data.copy() if self.separate else self.data
        count = size // granule
        self.is_written = np.full(count, written)
        self.writer_slot = np.zeros(count, np.int32)
        self.writer_epoch = np.zeros(count, np.int64)
        self.read_slots = 8
        self._reads = np.zeros((64, count), np.int32)
        """Epoch of the last read by each slot since the last write."""

        self.dirty = np.zeros(count if self.separate else 0, bool)
        self.dirty_lower, self.dirty_upper = count, 0
        self.fence_slot = np.zeros(len(self.dirty), np.int32)
        self.fence_epoch = np.zeros(len(self.dirty), np.int64)
        self.lanes = LaneShadow(count)
        self.strong = StrongShadow(self)
        self.parts: tuple[tuple[int, int, str], ...] = ()
        """Names for messages: of the bytes from the first up to the second offset."""

    # Addresses

    def where(self, offsets: Granules | int, width: int) -> Where:
        """The granules of `width` bytes at byte offsets, row by row."""
        return granules_of(offsets, width, self.granule)

    def contains(
        self, actor: Actor, op: Operation, offsets: Granules | int, width: int
    ) -> bool:
        """Whether accesses are within the memory; reports the first that is not."""
        if not isinstance(offsets, np.ndarray):
            low, high = offsets, offsets + width
        elif not offsets.size or offsets.view(np.uint64).max() <= self.size - width:
            # As an unsigned number one below 0 is beyond the end.
            return True
        else:
            low, high = int(offsets.min()), int(offsets.max()) + width
        if low >= 0 and high <= self.size:
            return True
        at = low if low < 0 else high - width
        actor.engine.fault(
            FaultKind.OUT_OF_BOUNDS,
            op,
            f"{actor.name} accesses {width} bytes at offset {at} of {self.name}, which "
            f"has {self.size} bytes",
        )
        return False

    # Loads and stores of the generic proxy

    def load(
        self,
        actor: Actor,
        op: Operation,
        offsets: Granules,
        width: int,
        lanes: Granules | None = None,
    ) -> Bytes:
        """Load `width` bytes at each byte offset, of the lane of each if there are."""
        if not self.contains(actor, op, offsets, width):
            return np.zeros((len(offsets), width), np.uint8)
        if self.checked:
            where = self.where(offsets, width)
            with actor.as_lanes(lanes):
                self.note_read(actor, op, where, lanes=lanes)
            if lanes is not None:
                note_lanes(self, actor, op, where, lanes)
            places = each_of(where)
            if len(places) * self.granule == len(offsets) * width:
                # Whole granules only, which are fewer than bytes.
                granules = self.data.reshape(-1, self.granule)
                return granules.take(places, axis=0).reshape(-1, width)
        return self.data[offsets[:, None] + np.arange(width)]

    def store(
        self,
        actor: Actor,
        op: Operation,
        offsets: Granules,
        data: Bytes,
        lanes: Granules | None = None,
    ) -> None:
        """Store an array of bytes (offsets, width) at byte offsets."""
        width = data.shape[1]
        if not self.contains(actor, op, offsets, width):
            return
        if self.checked:
            where = self.where(offsets, width)
            if lanes is not None:
                note_lanes(self, actor, op, where, lanes, data)
            with actor.as_lanes(lanes):
                self.note_write(actor, op, where, lanes=lanes)
        self.data[offsets[:, None] + np.arange(width)] = data

    # The shadow

    def note_read(
        self,
        actor: Actor,
        op: Operation,
        where: Where,
        *,
        through_async: bool = False,
        lanes: Granules | None = None,
    ) -> None:
        """Check a read of granules, and remember it; `lanes` make equal parts of it."""
        if not self.checked:
            return
        epoch = actor.act(op)
        written = self.is_written[where]
        if np.count_nonzero(written) < len(written):
            self.report_uninitialised(actor, op, where)
        self._check_order(actor, op, where, "reads", lanes)
        if self.strong:
            self.strong.check_plain(actor, op, where, False, lanes)
        if through_async and self.separate:
            self._check_fence(actor, op, where, "reads")
        self._reads_of(actor.slot)[where] = epoch

    def note_write(
        self,
        actor: Actor,
        op: Operation,
        where: Where,
        *,
        through_async: bool = False,
        unordered: Where | None = None,
        lanes: Granules | None = None,
    ) -> None:
        """
        Check a write of granules, and remember it; the caller moves the bytes.
        `unordered` are those of them whose last write this one need not follow: both
        are updates of one step. None: there are none. `lanes` make equal parts.
        """
        if not self.checked:
            return
        epoch = actor.act(op)
        after = where if unordered is None else without(where, unordered)
        self._check_order(actor, op, after, "writes", lanes)
        self._check_reads(actor, op, where, lanes)
        if through_async and self.separate:
            self._check_fence(actor, op, where, "writes")
        if self.strong:
            self.strong.check_plain(actor, op, where, True, lanes)
        self._reads[: self.read_slots, where] = 0
        self.is_written[where] = True
        self.writer_slot[where] = actor.slot
        self.writer_epoch[where] = epoch
        if not self.separate:
            return
        if through_async:
            self.dirty[where] = False
            self.fence_epoch[where] = 0
            return
        self._mark_dirty(where)

    def _mark_dirty(self, where: Where) -> None:
        self.dirty[where] = True
        low, high = extent(where)
        self.dirty_lower = min(self.dirty_lower, low)
        self.dirty_upper = max(self.dirty_upper, high)

    def check_strong(
        self, actor: Actor, op: Operation, where: Where, reads: bool, writes: bool
    ) -> None:
        """An access that synchronises must be ordered after plain ones."""
        if reads and not self.is_written[where].all():
            self.report_uninitialised(actor, op, where)
        self._check_order(actor, op, where, "writes" if writes else "reads")
        if writes:
            self._check_reads(actor, op, where)
            self.is_written[where] = True
            if self.separate:
                self._mark_dirty(where)

    def proxy_fence(self, actor: Actor, op: Operation) -> None:
        """
        `fence.proxy.async`: generic writes ordered before it reach the async proxy.

        They are the actor's own and those that it has waited for.
        """
        if not self.separate:
            return
        actor.fenced[self] = actor.clock.copy()
        if self.dirty_lower >= self.dirty_upper:
            return
        span = slice(self.dirty_lower, self.dirty_upper)
        slots = self.writer_slot[span]
        seen = actor.clock.room(actor.engine.history.slots)[slots]
        known = self.dirty[span] & (self.writer_epoch[span] <= seen)
        where = np.nonzero(known)[0] + span.start
        if not len(where):
            return
        step = self.granule
        shape = (-1, step)
        self.async_data.reshape(shape)[where] = self.data.reshape(shape)[where]
        self.dirty[where] = False
        self.fence_slot[where] = actor.slot
        self.fence_epoch[where] = actor.act(op)
        if not self.dirty[span].any():
            self.dirty_lower, self.dirty_upper = len(self.dirty), 0

    def _reads_of(self, slot: int) -> NDArray[np.int32]:
        self.read_slots = max(self.read_slots, slot + 1)
        if slot >= len(self._reads):
            # Rows that no slot has used yet take no memory.
            grown = np.zeros((2 * slot, self._reads.shape[1]), np.int32)
            grown[: len(self._reads)] = self._reads
            self._reads = grown
        return self._reads[slot]

    def unseen(
        self, clock: Clock, granules: Granules, write: bool
    ) -> NDArray[np.bool_]:
        """Of which granules a clock does not know the last write, or a read since."""
        if write:
            slots = self.writer_slot[granules]
            seen = clock.room(int(slots.max()) + 1)[slots]
            return self.writer_epoch[granules] > seen
        reads = self._reads[: self.read_slots, granules]
        late = reads > clock.room(self.read_slots)[: self.read_slots, None]
        return np.logical_or.reduce(late, axis=0)

    def _check_order(
        self,
        actor: Actor,
        op: Operation,
        where: Where,
        verb: str,
        lanes: Granules | None = None,
    ) -> None:
        slots, epochs = self.writer_slot[where], self.writer_epoch[where]
        seen = actor.clock.room(actor.engine.history.slots)
        late = epochs > seen[slots]
        if not np.count_nonzero(late) or known_to_lanes(
            self, actor, where, late, True, lanes
        ):
            return
        index = int(np.nonzero(late)[0][0])
        slot, epoch = int(slots[index]), int(epochs[index])
        self._report_race(actor, op, verb, where, index, slot, epoch, "write")

    def _check_reads(
        self, actor: Actor, op: Operation, where: Where, lanes: Granules | None = None
    ) -> None:
        slots = self.read_slots
        seen = actor.clock.room(slots)[:slots]
        reads = self._reads[:slots, where]
        late = reads > seen[:, None]
        if np.count_nonzero(late) and not known_to_lanes(
            self, actor, where, np.logical_or.reduce(late, axis=0), False, lanes
        ):
            slot, index = (int(x[0]) for x in np.nonzero(late))
            self._report_race(
                actor, op, "writes", where, index, slot, int(reads[slot, index]), "read"
            )

    def _check_fence(
        self, actor: Actor, op: Operation, where: Where, verb: str
    ) -> None:
        dirty = self.dirty[where]
        slots = self.fence_slot[where]
        late = (
            self.fence_epoch[where]
            > actor.clock.room(actor.engine.history.slots)[slots]
        )
        if np.count_nonzero(late) and self in actor.fenced:
            # Another fence was first; its own, or those of all issuers, do as well.
            writers, epochs = self.writer_slot[where], self.writer_epoch[where]
            own = actor.fenced[self].room(actor.engine.history.slots)
            late &= epochs > own[writers]
        stale = dirty | late
        if not np.count_nonzero(stale):
            return
        index = int(np.nonzero(stale)[0][0])
        writer, who = actor.engine.history.at(
            int(self.writer_slot[where][index]), int(self.writer_epoch[where][index])
        )
        actor.engine.fault(
            FaultKind.STALE_READ,
            op,
            f"{actor.name} {verb} {self.place_of(where, index)} through the async "
            f"proxy, without a proxy fence after the write by {who}",
            notes=[(writer, "the write through the generic proxy is here")],
            hint="`nvvm.fence.proxy` of the writing threads must come before the "
            "barrier that orders the two, or of the reading ones after it",
        )

    def _report_race(
        self,
        actor: Actor,
        op: Operation,
        verb: str,
        where: Where,
        index: int,
        slot: int,
        epoch: int,
        other: str,
    ) -> None:
        place, who = actor.engine.history.at(slot, epoch)
        actor.engine.fault(
            FaultKind.RACE,
            op,
            f"{actor.name} {verb} {self.place_of(where, index)}, not ordered after a "
            f"{other} by {who}",
            notes=[(place, f"the {other} is here")],
        )

    def report_uninitialised(self, actor: Actor, op: Operation, where: Where) -> None:
        """Report a read of what has no value."""
        index = int(np.nonzero(~self.is_written[where])[0][0])
        actor.engine.fault(
            FaultKind.UNINITIALISED,
            op,
            f"{actor.name} reads {self.place_of(where, index)}, which nothing has "
            "written",
        )

    def place_of(self, where: Where, index: int) -> str:
        """A granule for a message."""
        granule = where.start + index if isinstance(where, slice) else where[index]
        return self.place(int(granule) * self.granule)

    def place(self, offset: int) -> str:
        """A byte offset for a message."""
        for first, last, name in self.parts:
            if first <= offset < last:
                return f"byte {offset - first} of {name}"
        return f"byte {offset} of {self.name}"

    def begin_block(self, touched: slice) -> None:
        """A further block begins: forget what the last one did to some granules."""
        self.writer_slot[touched] = HOST
        self.writer_epoch[touched] = 0
        self._reads[: self.read_slots, touched] = 0
        self.read_slots = 8
        self.fence_epoch[touched] = 0
        self.lanes.forget(touched)
        self.strong = StrongShadow(self)
