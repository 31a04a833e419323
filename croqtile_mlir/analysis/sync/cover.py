"""
Which counts have to be looked at, so that all others are longer by periods.

A *line* is all instances that differ in one count only. Once as many successive
instances of a line as a period is long can be lengthened by that period, every further
one is one of them with more periods, and the line is closed.
"""

from __future__ import annotations

from collections.abc import Iterator

Counts = tuple[int, ...]

TILES = 3
"""Runs of an inner loop that show what happens between two, if all are alike."""


class Cover:
    """Instances in order of their sum, until what is left repeats."""

    def __init__(self, dimensions: int):
        self._dimensions = dimensions
        self._looked: set[Counts] = set()
        self._grows: dict[tuple[int, Counts], dict[int, set[int]]] = {}
        self._closed: dict[tuple[int, Counts], int] = {}
        self.limit: tuple[int, int] | None = None
        """An axis, and the largest number of it that is looked at now."""

        self.tiles = TILES
        """Runs of an inner loop that show what happens between two of them."""

        self.settled: tuple[int, int, int] | None = None
        """Outer and inner axis, and from when on more than `tiles` add nothing."""

    def next_sum(self, total: int) -> Iterator[Counts]:
        """Instances with a sum that have to be looked at."""
        for counts in _with_sum(total, self._dimensions):
            if self._is_needed(counts):
                self._looked.add(counts)
                yield counts

    def goes_on(self, total: int) -> bool:
        """Whether some instance with this sum was looked at, ever."""
        return any(sum(counts) == total for counts in self._looked)

    def _line(self, axis: int, counts: Counts) -> tuple[int, Counts]:
        return axis, counts[:axis] + counts[axis + 1 :]

    def _is_closed(self, counts: Counts) -> bool:
        for axis in range(self._dimensions):
            limit = self._closed.get(self._line(axis, counts))
            if limit is not None and counts[axis] >= limit:
                return True
        return False

    def _is_needed(self, counts: Counts) -> bool:
        if counts in self._looked or self._is_closed(counts):
            return False
        if self.limit is not None and counts[self.limit[0]] > self.limit[1]:
            return False
        if self.settled is not None:
            outer, inner, least = self.settled
            if counts[outer] > self.tiles and counts[inner] >= least:
                return False
        before = [
            (*counts[:axis], number - 1, *counts[axis + 1 :])
            for axis, number in enumerate(counts)
            if number > 0
        ]
        return not before or any(c in self._looked for c in before)

    def grows(self, counts: Counts, axis: int, growths: set[int]) -> None:
        """Note by what an instance can be lengthened along an axis."""
        line = self._line(axis, counts)
        known = self._grows.setdefault(line, {})
        known[counts[axis]] = growths
        for growth in sorted(growths):
            last = range(counts[axis], counts[axis] - growth, -1)
            if all(
                growth in known.get(number, ())
                or (number >= 0 and self._is_hole(counts, axis, number))
                for number in last
            ):
                self._closed[line] = counts[axis] + 1
                return

    def _is_hole(self, counts: Counts, axis: int, number: int) -> bool:
        other = (*counts[:axis], number, *counts[axis + 1 :])
        return other not in self._looked and self._is_closed(other)

    def largest(self) -> Counts:
        """The largest number that was looked at of each count."""
        return tuple(
            max((c[axis] for c in self._looked), default=0)
            for axis in range(self._dimensions)
        )


def _with_sum(total: int, number: int) -> Iterator[Counts]:
    if number == 0:
        if total == 0:
            yield ()
        return
    if number == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _with_sum(total - first, number - 1):
            yield (first, *rest)
