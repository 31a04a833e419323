"""Accesses to buffers in one execution: races, reads of nothing, missing fences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from croqtile_mlir.analysis.sync.expressions import Value
from croqtile_mlir.analysis.sync.graph import Graph
from croqtile_mlir.analysis.sync.model import Access, Action, Buffer, Proxy
from croqtile_mlir.analysis.sync.regions import Part, Parts


class Entry(NamedTuple):
    """One access."""

    event: int
    action: Action
    iteration: tuple[Value, ...]
    access: Access
    part: Part

    @property
    def key(self) -> tuple[int, bool, Proxy]:
        """What makes a later access of the same agent take its place."""
        return self.part.index, self.access.write, self.access.proxy


class Conflict(NamedTuple):
    """Two accesses that nothing orders, or that no fence is between."""

    first: Entry
    second: Entry
    fence: bool
    filled: bool
    """Something that happens before `second` wrote what it touches."""


class Memory:
    """
    The accesses that a later one can still conflict with.

    When one access happens before another of the same part and kind, whatever is not
    ordered after the first is not ordered after the second, so that only the second is
    kept.
    """

    def __init__(self, graph: Graph, parts: Parts, fences: bool):
        self._graph = graph
        self._parts = parts
        self._fences = fences
        self._latest: dict[Buffer, dict[int, list[Entry]]] = {}
        self._events: dict[tuple[int, bool, Proxy], list[int]] = {}
        self._filled: dict[Buffer, dict[int, Entry]] = {}

    def touch(self, entry: Entry) -> Iterator[Conflict | Entry]:
        """
        Add an access whose event is in the graph; gives conflicts, and the access itself
        when it reads what nothing wrote.
        """
        if entry.part.empty:
            return
        buffer = entry.part.buffer
        before = self._graph.ancestors[entry.event]
        latest = self._latest.setdefault(buffer, {})
        write = entry.access.write
        if buffer.shared and not write and not self._is_written(entry):
            yield entry
        for event, entries in latest.items():
            if before >> event & 1:
                continue
            for other in entries:
                if (write or other.access.write) and self._parts.meet(
                    other.part, entry.part
                ):
                    yield Conflict(other, entry, False, self._has_data(entry, before))
        if self._fences and entry.access.proxy is Proxy.ASYNC:
            yield from self._unfenced(entry, before)
        self._keep(entry, before, latest)

    def _unfenced(self, entry: Entry, before: int) -> Iterator[Conflict]:
        visible = self._graph.visible[entry.event]
        for event, entries in self._latest[entry.part.buffer].items():
            if not before >> event & 1 or visible >> event & 1:
                continue
            for other in entries:
                access = other.access
                if (
                    access.write
                    and access.proxy is Proxy.GENERIC
                    and self._parts.meet(other.part, entry.part)
                ):
                    yield Conflict(other, entry, True, True)

    def _is_written(self, entry: Entry) -> bool:
        """
        Whether some write came earlier; one that does not happen before is a race, which
        is found as such.
        """
        filled = self._filled.get(entry.part.buffer, {})
        return entry.part.index in filled or any(
            self._parts.meet(other.part, entry.part) for other in filled.values()
        )

    def _is_filled(self, entry: Entry, before: int) -> bool:
        found = self._filled.get(entry.part.buffer)
        if found is None:
            return False
        same = found.get(entry.part.index)
        if same is not None and before >> same.event & 1:
            return True
        return any(
            before >> other.event & 1 and self._parts.meet(other.part, entry.part)
            for other in found.values()
        )

    def _has_data(self, entry: Entry, before: int) -> bool:
        return not entry.part.buffer.shared or self._is_filled(entry, before)

    def _keep(self, entry: Entry, before: int, latest: dict[int, list[Entry]]) -> None:
        key = entry.key
        events = self._events.setdefault(key, [])
        old = [event for event in events if before >> event & 1]
        for event in old:
            events.remove(event)
            left = [e for e in latest[event] if e.key != key]
            if left:
                latest[event] = left
            else:
                del latest[event]
        events.append(entry.event)
        latest.setdefault(entry.event, []).append(entry)
        if entry.access.write:
            filled = self._filled.setdefault(entry.part.buffer, {})
            filled.setdefault(entry.part.index, entry)

    def forget(self, known: int, visible: int) -> None:
        """
        Drop accesses that every agent knows of; `visible`: the generic writes that a
        fence known to every agent is after.
        """
        for latest in self._latest.values():
            for event in tuple(latest):
                if not known >> event & 1:
                    continue
                if self._fences and not visible >> event & 1:
                    left = [
                        e
                        for e in latest[event]
                        if e.access.write and e.access.proxy is Proxy.GENERIC
                    ]
                else:
                    left = []
                for entry in latest[event]:
                    if entry not in left:
                        self._events[entry.key].remove(event)
                if left:
                    latest[event] = left
                else:
                    del latest[event]

    def kept(self) -> Iterator[Entry]:
        """Accesses to shared memory that a later one can conflict with."""
        for buffer, latest in self._latest.items():
            if buffer.shared:
                for entries in latest.values():
                    yield from entries

    def written(self) -> frozenset[int]:
        """The parts of shared memory that were written."""
        return frozenset(
            index
            for buffer, filled in self._filled.items()
            if buffer.shared
            for index in filled
        )
