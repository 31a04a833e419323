"""Medians, spreads, ratios and means of timings."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Spread:
    """A median with the smallest and the largest value."""

    median: float
    least: float
    most: float

    @staticmethod
    def of(values: Sequence[float]) -> Spread:
        """The spread of at least one value."""
        return Spread(statistics.median(values), min(values), max(values))

    def __str__(self) -> str:
        digits = digits_of(self.median)
        median, least, most = (
            f"{each:.{digits}f}" for each in (self.median, self.least, self.most)
        )
        return f"{median} [{least}-{most}]"


def digits_of(value: float) -> int:
    """Decimals that show about four digits of a time in microseconds."""
    return 2 if value < 10 else 1


def over_runs(runs: Sequence[Sequence[float]]) -> Spread:
    """The median of the runs' medians; least and most of all rounds of all runs."""
    everything = [value for run in runs for value in run]
    return Spread(
        statistics.median(statistics.median(run) for run in runs),
        min(everything),
        max(everything),
    )


def geometric_mean(values: Iterable[float]) -> float | None:
    """The geometric mean of positive values; None of none."""
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs)) if logs else None
