"""Accesses to buffers in one execution: races, reads of nothing, missing fences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from croqtile_mlir.analysis.sync import written
from croqtile_mlir.analysis.sync.execution.graph import Graph
from croqtile_mlir.analysis.sync.execution.intervals import Nearby
from croqtile_mlir.analysis.sync.execution.regions import Part, Parts
from croqtile_mlir.analysis.sync.expressions import Value
from croqtile_mlir.analysis.sync.model import Access, Action, Buffer, Proxy

Key = tuple[int, bool, Proxy, bool]
"""Part, whether it writes, proxy, whether it synchronises."""


class Entry(NamedTuple):
    """One access."""

    event: int
    action: Action
    iteration: tuple[Value, ...]
    access: Access
    part: Part

    @property
    def key(self) -> Key:
        """What makes a later access of the same agent take its place."""
        access = self.access
        return self.part.index, access.write, access.proxy, access.strong

    def may_conflict(self, other: Entry) -> bool:
        """Whether two accesses to the same bytes have to be ordered."""
        if self.access.strong and other.access.strong:
            return False
        return self.access.write or other.access.write


class Conflict(NamedTuple):
    """Two accesses that nothing orders, or that no fence is between."""

    first: Entry
    second: Entry
    fence: bool
    filled: bool
    """Something that happens before `second` wrote what it touches."""


class Unwritten(NamedTuple):
    """A read of what nothing wrote."""

    entry: Entry
    lacking: str = ""
    """What of it, if not all."""


_Latest = dict[int, Nearby[Entry]]
"""Accesses by their events."""


def _sorted(entries: Iterable[Entry]) -> Nearby[Entry]:
    found = Nearby[Entry]()
    for entry in entries:
        found.add(entry.part, entry)
    return found


class Memory:
    """
    The accesses that a later one can still conflict with.

    When one access happens before another of the same part and kind, whatever is not
    ordered after the first is not ordered after the second, so that only the second is
    kept.
    """

    def __init__(self, graph: Graph, parts: Parts, fences: bool, cluster: bool):
        self._graph = graph
        self._parts = parts
        self._fences = fences
        self._cluster = cluster
        """Whether blocks may fill a part each of what is read."""

        self._whole: set[int] = set()
        """Parts that were read when all of them was written."""

        self._latest: dict[Buffer, dict[int | None, _Latest]] = {}
        """By the slot, and the event of the access."""

        self._read: set[int] = set()
        """Parts that were read when something of them was written."""

        self._events: dict[Key, list[int]] = {}
        self._filled: dict[Buffer, Nearby[Entry]] = {}
        """The first write of each part."""

        self._filled_parts: dict[Buffer, dict[int, Part]] = {}
        self.last_written: dict[Buffer, int] = {}
        """The slot of each buffer that was written last."""

    def touch(self, entry: Entry) -> Iterator[Conflict | Unwritten]:
        """
        Add an access whose event is in the graph; gives conflicts, and reads of what
        nothing wrote.
        """
        if entry.part.empty:
            return
        buffer = entry.part.buffer
        before = self._graph.ancestors[entry.event]
        write = entry.access.write
        if buffer.shared and not write:
            yield from self._unwritten(entry)
        for latest in self._in_slot(entry.part):
            for event, entries in latest.items():
                if before >> event & 1:
                    continue
                for other in entries.near(entry.part):
                    if entry.may_conflict(other) and self._parts.meet(
                        other.part, entry.part
                    ):
                        has_data = self._has_data(entry, before)
                        yield Conflict(other, entry, False, has_data)
        if self._fences and entry.access.proxy is Proxy.ASYNC:
            yield from self._unfenced(entry, before)
        slots = self._latest.setdefault(buffer, {})
        self._keep(entry, before, slots.setdefault(entry.part.slot, {}))

    def _in_slot(self, part: Part) -> Iterable[_Latest]:
        """The accesses that may be to the slot of a part."""
        slots = self._latest.get(part.buffer, {})
        if part.slot is None:
            return slots.values()
        return [slots[slot] for slot in (part.slot, None) if slot in slots]

    def _unfenced(self, entry: Entry, before: int) -> Iterator[Conflict]:
        visible = self._graph.visible[entry.event]
        for latest in self._in_slot(entry.part):
            for event, entries in latest.items():
                if not before >> event & 1 or visible >> event & 1:
                    continue
                for other in entries.near(entry.part):
                    access = other.access
                    if (
                        access.write
                        and access.proxy is Proxy.GENERIC
                        and self._parts.meet(other.part, entry.part)
                    ):
                        yield Conflict(other, entry, True, True)

    def _unwritten(self, entry: Entry) -> Iterator[Unwritten]:
        part = entry.part
        if not self._is_written(entry):
            yield Unwritten(entry)
        elif self._cluster and part.index not in self._whole:
            if not written.is_exact(entry.action, entry.access, part):
                return
            filled = [
                other
                for other in self._filled[part.buffer].near(part)
                if self._parts.meet(other.part, part)
            ]
            if not all(written.is_exact(o.action, o.access, o.part) for o in filled):
                return
            self._whole.add(part.index)
            lacking = written.missing(part, [other.part for other in filled])
            if lacking is not None:
                yield Unwritten(entry, lacking)

    def _is_written(self, entry: Entry) -> bool:
        """
        Whether some write came earlier; one that does not happen before is a race,
        which is found as such.
        """
        buffer, index = entry.part.buffer, entry.part.index
        if index in self._read:
            return True
        filled = self._filled.get(buffer)
        if filled is None:
            return False
        if index in self._filled_parts[buffer] or any(
            self._parts.meet(other.part, entry.part)
            for other in filled.near(entry.part)
        ):
            self._read.add(index)
            return True
        return False

    def _has_data(self, entry: Entry, before: int) -> bool:
        filled = self._filled.get(entry.part.buffer)
        if filled is None or not entry.part.buffer.shared:
            return not entry.part.buffer.shared
        return any(
            before >> other.event & 1 and self._parts.meet(other.part, entry.part)
            for other in filled.near(entry.part)
        )

    def _keep(self, entry: Entry, before: int, latest: _Latest) -> None:
        key = entry.key
        events = self._events.setdefault(key, [])
        for event in [event for event in events if before >> event & 1]:
            events.remove(event)
            if len(latest[event]) == 1:
                del latest[event]
            else:
                latest[event] = _sorted(e for e in latest[event] if e.key != key)
        events.append(entry.event)
        here = latest.get(entry.event)
        if here is None:
            here = latest[entry.event] = Nearby()
        here.add(entry.part, entry)
        if entry.access.write:
            buffer = entry.part.buffer
            known = self._filled_parts.setdefault(buffer, {})
            if entry.part.slot is not None:
                self.last_written[buffer] = entry.part.slot
            if entry.part.index not in known:
                known[entry.part.index] = entry.part
                self._filled.setdefault(buffer, Nearby()).add(entry.part, entry)

    def forget(self, knowledge: Callable[[Buffer], tuple[int, int]]) -> None:
        """
        Drop accesses that every agent knows of that may touch their buffer.

        `knowledge` of a buffer: what these know, and the generic writes that a fence
        known to all of them is after.
        """
        for buffer, slots in self._latest.items():
            for latest in slots.values():
                if not latest:
                    continue
                known, visible = knowledge(buffer)
                for event in tuple(latest):
                    if known >> event & 1:
                        self._forget(latest, event, bool(visible >> event & 1))

    def _forget(self, latest: _Latest, event: int, fenced: bool) -> None:
        left: list[Entry] = []
        for entry in latest[event]:
            generic = entry.access.write and entry.access.proxy is Proxy.GENERIC
            if self._fences and generic and not fenced:
                left.append(entry)
            else:
                self._events[entry.key].remove(event)
        if not left:
            del latest[event]
        elif len(left) < len(latest[event]):
            latest[event] = _sorted(left)

    def kept(self) -> Iterator[Entry]:
        """Accesses to shared memory that a later one can conflict with."""
        for buffer, slots in self._latest.items():
            if buffer.shared:
                for latest in slots.values():
                    for entries in latest.values():
                        yield from entries

    def written(self) -> Iterator[Part]:
        """The parts of shared memory that were written."""
        for buffer, parts in self._filled_parts.items():
            if buffer.shared:
                yield from parts.values()
