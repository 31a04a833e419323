"""The three ways to time: in a graph, with a cold cache, and under the power limit.

Times are microseconds of one product. All contenders of a call share the clock and the
temperature of the device: rounds are short, and in each the order is shuffled anew.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from .operands import Operands
from .power import Meter, Sampler, figures

FLUSHED_BYTES = 256 << 20
"""Memory that is written before a product to empty the L2 cache."""

Launch = Callable[[int], None]


@dataclass(frozen=True)
class Effort:
    """How long is measured."""

    rounds: int = 9
    round_ms: float = 6.0
    passes: int = 5
    warm_up_ms: float = 25.0
    pass_ms: float = 80.0
    sustained_passes: int = 3
    sustained_warm_up_ms: float = 200.0
    sustained_ms: float = 400.0


FULL = Effort()
QUICK = Effort(rounds=3, passes=2, pass_ms=30.0, sustained_passes=1)
PRETEST = Effort(rounds=3, round_ms=2.0, passes=1, warm_up_ms=5.0, pass_ms=20.0)
"""For choosing one of many candidates."""


@dataclass(frozen=True)
class Measured:
    """What was found for one contender."""

    rounds: tuple[float, ...]
    extra: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True)
class _Replay:
    """A captured graph that launches one product for each set of operands."""

    graph: Any
    products: int

    def replay(self, times: int) -> None:
        for _ in range(times):
            self.graph.replay()


@contextmanager
def _no_collection() -> Generator[None]:
    """Garbage must not be collected while a graph is captured: it may be CUDA's."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def capture(operands: Operands, launch: Launch) -> _Replay:
    """Capture one launch for each set; `launch` must have run before."""
    torch = operands.torch
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    products = len(operands.out)
    with _no_collection(), torch.cuda.stream(operands.stream):
        graph.capture_begin(capture_error_mode="thread_local")
        try:
            for number in range(products):
                launch(number)
        finally:
            graph.capture_end()
    torch.cuda.synchronize()
    return _Replay(graph, products)


@dataclass(frozen=True)
class Clock:
    """Times work on the operands' stream."""

    operands: Operands
    start: Any
    end: Any

    @staticmethod
    def of(operands: Operands) -> Clock:
        """A clock of two events."""
        event = operands.torch.cuda.Event
        return Clock(operands, event(enable_timing=True), event(enable_timing=True))

    def milliseconds(self, work: Callable[[], None]) -> float:
        """How long some work takes on the device."""
        torch = self.operands.torch
        torch.cuda.synchronize()
        with torch.cuda.stream(self.operands.stream):
            self.start.record()
            work()
            self.end.record()
        self.end.synchronize()
        return float(self.start.elapsed_time(self.end))


def _times(replay: _Replay, clock: Clock, wanted_ms: float) -> int:
    """How many replays take so long, by a first look."""
    replay_ms = clock.milliseconds(lambda: replay.replay(1))
    return max(1, round(wanted_ms / max(replay_ms, 1e-3)))


def in_graph(
    operands: Operands,
    replays: Mapping[str, _Replay],
    effort: Effort,
    order: random.Random,
) -> dict[str, Measured]:
    """Rounds of replays; operands rotate, so that they come from memory."""
    clock = Clock.of(operands)
    for replay in replays.values():
        clock.milliseconds(lambda each=replay: each.replay(1))
    times = {
        name: _times(replay, clock, effort.round_ms) for name, replay in replays.items()
    }
    found: dict[str, list[float]] = {name: [] for name in replays}
    names = list(replays)
    for _ in range(effort.rounds):
        order.shuffle(names)
        for name in names:
            replay, count = replays[name], times[name]
            taken = clock.milliseconds(lambda r=replay, c=count: r.replay(c))
            found[name].append(taken * 1e3 / (count * replay.products))
    return {name: Measured(tuple(rounds)) for name, rounds in found.items()}


def with_cold_cache(
    operands: Operands,
    launches: Mapping[str, Launch],
    effort: Effort,
    order: random.Random,
) -> dict[str, Measured]:
    """As `triton.testing.do_bench`: each call has events of its own, after a flush."""
    torch = operands.torch
    cache = torch.empty(FLUSHED_BYTES // 4, dtype=torch.int32, device="cuda")
    found: dict[str, list[float]] = {name: [] for name in launches}
    names = list(launches)
    for _ in range(effort.passes):
        order.shuffle(names)
        for name in names:
            found[name].append(_one_pass(operands, launches[name], cache, effort))
    return {name: Measured(tuple(rounds)) for name, rounds in found.items()}


def _one_pass(operands: Operands, launch: Launch, cache: Any, effort: Effort) -> float:
    torch = operands.torch
    event = torch.cuda.Event

    def flushed() -> None:
        for _ in range(5):
            cache.zero_()
            launch(0)

    def warm() -> None:
        for _ in range(warm_ups):
            launch(0)

    clock = Clock.of(operands)
    estimate = max(clock.milliseconds(flushed) / 5, 1e-3)
    warm_ups = max(1, int(effort.warm_up_ms / estimate))
    calls = max(1, int(effort.pass_ms / estimate))
    starts = [event(enable_timing=True) for _ in range(calls)]
    ends = [event(enable_timing=True) for _ in range(calls)]
    clock.milliseconds(warm)
    with torch.cuda.stream(operands.stream):
        for start, end in zip(starts, ends, strict=True):
            cache.zero_()
            start.record()
            launch(0)
            end.record()
    torch.cuda.synchronize()
    pairs = zip(starts, ends, strict=True)
    return median(start.elapsed_time(end) * 1e3 for start, end in pairs)


def sustained(
    operands: Operands,
    replays: Mapping[str, _Replay],
    effort: Effort,
    meter: Meter | None,
) -> dict[str, Measured]:
    """Long rows of replays, the device at its limit; with its clock and power."""
    clock = Clock.of(operands)
    found: dict[str, list[float]] = {name: [] for name in replays}
    extras: dict[str, list[dict[str, float]]] = {name: [] for name in replays}
    names = list(replays)
    for number in range(effort.sustained_passes):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            replay = replays[name]
            count = _times(replay, clock, effort.sustained_ms)
            before = _times(replay, clock, effort.sustained_warm_up_ms)
            with Sampler(meter.sample if meter else None) as sampler:
                clock.milliseconds(lambda r=replay, c=before: r.replay(c))
                taken = clock.milliseconds(lambda r=replay, c=count: r.replay(c))
                end = time.perf_counter()
            found[name].append(taken * 1e3 / (count * replay.products))
            extras[name].append(figures(sampler.between(end - taken / 1e3, end)))
    return {
        name: Measured(tuple(rounds), _medians(extras[name]))
        for name, rounds in found.items()
    }


def _medians(figures: list[dict[str, float]]) -> dict[str, float]:
    names = dict.fromkeys(name for each in figures for name in each)
    return {
        name: median(each[name] for each in figures if name in each) for name in names
    }
