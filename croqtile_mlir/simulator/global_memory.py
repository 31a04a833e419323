"""Global memory: the arguments of a launch, at addresses of their own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation

from croqtile_mlir.simulator.actors import Actor
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.granules import Granules, Where, extent
from croqtile_mlir.simulator.memory import Bytes, Memory

_SPACING = 1 << 40
"""Bytes between the starts of two buffers: an access past one never hits another."""

_NOBODY = -1
_MANY = -2


class GlobalBuffer(Memory):
    """
    The bytes of one argument, with a check across blocks.

    Blocks of a grid are not ordered: what one writes, no other may touch. Here those of
    a cluster count as one block: clocks know how they are ordered.
    """

    def __init__(
        self,
        name: str,
        data: Bytes,
        *,
        base: int,
        granule: int,
        written: bool,
        proxies: bool = True,
        checked: bool = True,
    ):
        super().__init__(
            name,
            data,
            base=base,
            granule=granule,
            written=written,
            proxies=proxies,
            checked=checked,
        )
        count = len(self.is_written)
        self.current = 0
        self.unit = "block"
        self._lower, self._upper = count, 0
        self.writer_block = np.full(count, _NOBODY, np.int32)
        self.reader_block = np.full(count, _NOBODY, np.int32)
        self.updated = np.zeros(count, bool)
        """Whether the last write was one of those that may be in any order."""

    def enter_block(self, index: int, unit: str = "block") -> None:
        """The block, or the cluster, of this linear index begins."""
        self.begin_block(slice(self._lower, self._upper))
        self._lower, self._upper = len(self.is_written), 0
        self.current, self.unit = index, unit

    def _touch(self, where: Where) -> None:
        low, high = extent(where)
        self._lower, self._upper = min(self._lower, low), max(self._upper, high)

    def note_read(
        self,
        actor: Actor,
        op: Operation,
        where: Where,
        *,
        through_async: bool = False,
        lanes: Granules | None = None,
    ) -> None:
        """Check a read of granules, and remember it."""
        super().note_read(actor, op, where, through_async=through_async, lanes=lanes)
        if not self.checked:
            return
        self._touch(where)
        writers = self.writer_block[where]
        self._check_blocks(actor, op, writers, "reads", "writes")
        readers = self.reader_block[where]
        others = readers != self.current
        if np.count_nonzero(others):
            others &= readers != _NOBODY
            self.reader_block[where] = np.where(others, _MANY, self.current)

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
        """Check a write of granules, and remember it."""
        super().note_write(
            actor,
            op,
            where,
            through_async=through_async,
            unordered=unordered,
            lanes=lanes,
        )
        if not self.checked:
            return
        self._touch(where)
        if unordered is None:
            self._check_blocks(actor, op, self.writer_block[where], "writes", "writes")
            self.writer_block[where] = self.current
            self.updated[where] = False
        self._check_blocks(actor, op, self.reader_block[where], "writes", "reads")

    def note_update(self, actor: Actor, op: Operation, where: Granules) -> None:
        """
        Check a reduction of TMA: of each element one step, in any order with others.

        Only reads, and writes that are none, must be ordered with it, and other blocks
        may update the same elements.
        """
        if not self.checked:
            return
        again = where[self.updated[where]]
        first = where[~self.updated[where]]
        self._check_blocks(actor, op, self.writer_block[first], "updates", "writes")
        self.note_write(actor, op, where, through_async=True, unordered=again)
        writers = self.writer_block[where]
        alone = (writers == _NOBODY) | (writers == self.current)
        self.writer_block[where] = np.where(alone, self.current, _MANY)
        self.updated[where] = True

    def check_strong(
        self, actor: Actor, op: Operation, where: Where, reads: bool, writes: bool
    ) -> None:
        """
        An access that synchronises must be ordered after plain ones, also of blocks.

        Other blocks may synchronise through the same elements.
        """
        super().check_strong(actor, op, where, reads, writes)
        self._touch(where)
        plain = self.writer_block[where][~self.updated[where]]
        self._check_blocks(actor, op, plain, "writes" if writes else "reads", "writes")
        if not writes:
            return
        self._check_blocks(actor, op, self.reader_block[where], "writes", "reads")
        writers = self.writer_block[where]
        alone = (writers == _NOBODY) | (writers == self.current)
        self.writer_block[where] = np.where(alone, self.current, _MANY)
        self.updated[where] = True

    def _check_blocks(
        self,
        actor: Actor,
        op: Operation,
        blocks: NDArray[np.int32],
        verb: str,
        other: str,
    ) -> None:
        clash = (blocks != _NOBODY) & (blocks != self.current)
        if not np.count_nonzero(clash):
            return
        block = int(blocks[np.nonzero(clash)[0][0]])
        who = f"another {self.unit}"
        if block != _MANY:
            who = f"{self.unit} {block} of the grid"
        actor.engine.fault(
            FaultKind.RACE,
            op,
            f"{actor.name} {verb} bytes of {self.name} that {who} {other} too",
        )


@dataclass(frozen=True)
class GlobalTile:
    """An argument: a strided array in a buffer. Offset and strides are in elements."""

    name: str
    buffer: GlobalBuffer
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0

    @property
    def address(self) -> int:
        """Where element 0 is."""
        return self.buffer.base + self.offset * self.dtype.itemsize


@dataclass(eq=False)
class GlobalMemory:
    """All buffers of a launch."""

    granule: int = 2
    proxies: bool = True
    checked: bool = True
    buffers: list[GlobalBuffer] = field(default_factory=list[GlobalBuffer])

    def add(self, name: str, data: Bytes, *, written: bool) -> GlobalBuffer:
        """A buffer at a new address; `written`: its bytes have values."""
        buffer = GlobalBuffer(
            name,
            data,
            base=_SPACING * (len(self.buffers) + 1),
            granule=self.granule,
            written=written,
            proxies=self.proxies,
            checked=self.checked,
        )
        self.buffers.append(buffer)
        return buffer

    def at(self, address: int) -> GlobalBuffer | None:
        """The buffer that an address belongs to; None when it is in none."""
        index = (address + _SPACING // 2) // _SPACING - 1
        return self.buffers[index] if 0 <= index < len(self.buffers) else None
