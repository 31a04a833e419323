"""Accesses sorted by where they begin, to find those near a part without trying all."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Generic, TypeVar

from croqtile_mlir.analysis.sync.execution.regions import Part

T = TypeVar("T")


class Nearby(Generic[T]):
    """Things that touch parts of one buffer, by the first interval of the part."""

    def __init__(self) -> None:
        self._begins: list[int] = []
        self._things: list[T] = []
        self._longest = 0
        self._anywhere: list[T] = []

    def add(self, part: Part, thing: T) -> None:
        """Add something that touches a part."""
        side = part.hull[0] if part.hull else None
        if side is None:
            self._anywhere.append(thing)
            return
        begin, end = side
        at = bisect_right(self._begins, begin)
        self._begins.insert(at, begin)
        self._things.insert(at, thing)
        self._longest = max(self._longest, end - begin)

    def near(self, part: Part) -> Iterator[T]:
        """What may touch something of a part."""
        yield from self._anywhere
        side = part.hull[0] if part.hull else None
        if side is None:
            yield from self._things
            return
        begin, end = side
        first = bisect_right(self._begins, begin - self._longest)
        last = bisect_left(self._begins, end)
        yield from self._things[first:last]

    def __iter__(self) -> Iterator[T]:
        yield from self._anywhere
        yield from self._things

    def __len__(self) -> int:
        return len(self._anywhere) + len(self._things)
