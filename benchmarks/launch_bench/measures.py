"""Host times of calls: contenders take turns, and one that fails stops no other."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

Call = Callable[[int], object]


@dataclass(frozen=True)
class Contender:
    """A call to measure."""

    name: str
    batch: Callable[[int], Call]
    """Makes ready for some calls; what it gives is called with their numbers."""

    bare: str | None = None
    """The contender that is the bare launch of the same kernel."""


def ready(call: Call) -> Callable[[int], Call]:
    """A contender's `batch` where there is nothing to make ready."""
    return lambda count: call


@dataclass(frozen=True)
class Result:
    """Host time of one call in microseconds."""

    contender: str
    bare: str | None
    """The bare launch of the same kernel."""

    median: float
    """Of the rounds."""

    fastest: float
    slowest: float


@dataclass(frozen=True)
class Failures:
    """What failed, and with what; the rest is measured all the same."""

    reasons: dict[str, str] = field(default_factory=dict[str, str])

    def add(self, name: str, error: Exception) -> None:
        """Write down a failure, and say so at once."""
        self.reasons[name] = f"{type(error).__name__}: {error}"
        print(f"failed: {name}: {self.reasons[name]}", flush=True)

    def made(
        self, name: str, make: Callable[[], Iterable[Contender]]
    ) -> list[Contender]:
        """A group of contenders; none if making them fails."""
        try:
            return list(make())
        except Exception as error:
            # Whatever a library or a device raises: it is shown and kept.
            self.add(name, error)
            return []


def measure(
    every: Sequence[Contender],
    rounds: int,
    calls: int,
    wait: Callable[[], object],
    failures: Failures | None = None,
    seconds: float = float("inf"),
) -> list[Result]:
    """Rounds of `calls` calls, in turn; the first of them is not counted.

    No round begins after `seconds`. Without `failures` the first one is raised.
    """
    times: dict[str, list[float]] = {each.name: [] for each in every}
    end = time.monotonic() + seconds
    for round in range(rounds + 1):
        if round > 1 and time.monotonic() > end:
            break
        at = round % len(every) if every else 0
        for each in [*every[at:], *every[:at]]:
            if failures is not None and each.name in failures.reasons:
                continue
            try:
                taken = _batch(each, calls, wait)
            except Exception as error:
                if failures is None:
                    raise
                failures.add(each.name, error)
                continue
            if round:
                times[each.name].append(taken)
    return [
        Result(each.name, each.bare, statistics.median(taken), min(taken), max(taken))
        for each, taken in zip(every, times.values(), strict=True)
        if taken
    ]


def _batch(each: Contender, calls: int, wait: Callable[[], object]) -> float:
    """Microseconds of one of some calls."""
    call = each.batch(calls)
    wait()
    began = time.perf_counter_ns()
    for number in range(calls):
        call(number)
    ended = time.perf_counter_ns()
    wait()
    return (ended - began) / calls / 1e3
