"""One case: a shape, measured in one run."""

from __future__ import annotations

import datetime
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import contenders
from .contenders import Candidate, Found, Stage
from .measures import (
    PRETEST,
    Effort,
    Launch,
    Measured,
    capture,
    in_graph,
    sustained,
    with_cold_cache,
)
from .operands import (
    Check,
    Operands,
    check_outputs,
    make_operands,
    poison,
)
from .power import Meter
from .records import Outcome, Record, Store
from .schedules import Schedule
from .shapes import Shape
from .tables import CONTENDERS, CUBLASLT, OURS, TORCH, TRITON

MEASURES = ("graph", "do_bench", "sustained")
SEARCHES = ("search graph", "search do_bench")
"""Measures of every schedule, instead of the best of each contender."""


class DeviceLost(Exception):
    """The device answers no more in this process."""


@dataclass(frozen=True)
class Case:
    """What is measured."""

    shape: Shape
    run: int
    measures: tuple[str, ...]
    schedules: tuple[Schedule, ...]
    contenders: tuple[str, ...] = CONTENDERS
    excluded: tuple[str, ...] = ()
    """Titles of candidates that are left out: they hung before."""

    all_ours: bool = False
    """Whether each schedule is measured, not only the best in the test before."""


@dataclass(frozen=True)
class _Ready:
    """A candidate that has made a right product."""

    candidate: Candidate
    launch: Launch
    check: Check


@dataclass
class _Bench:
    """The candidates of a case on the device."""

    case: Case
    operands: Operands
    effort: Effort
    meter: Meter | None
    stage: Stage
    order: random.Random
    failures: dict[str, str] = field(default_factory=dict[str, str])

    def prepared(self, found: Found) -> list[_Ready]:
        """The candidates that run and are right; the others become failures."""
        self.failures.update(found.failures)
        ready: list[_Ready] = []
        for candidate in found.candidates:
            if candidate.title in self.case.excluded:
                self.failures[candidate.title] = "left out: it hung, or lost the device"
                continue
            self.stage(f"{candidate.title} check")
            try:
                launch = candidate.prepare(self.operands)
                check = self.checked(launch)
            except Exception as error:
                self.failures[candidate.title] = f"{type(error).__name__}: {error}"
                self.alive()
                continue
            if check.correct:
                ready.append(_Ready(candidate, launch, check))
            else:
                self.failures[candidate.title] = f"wrong: {check}"
        return ready

    def alive(self) -> None:
        """Raise DeviceLost when a kernel's error has taken this process' device."""
        try:
            self.operands.torch.cuda.synchronize()
        except Exception as error:
            raise DeviceLost(str(error)) from error

    def checked(self, launch: Launch) -> Check:
        """The product of one launch of each of the first two sets."""
        torch, operands = self.operands.torch, self.operands
        launched = min(2, len(operands.out))
        poison(operands)
        with torch.cuda.stream(operands.stream):
            for number in range(launched):
                launch(number)
        return check_outputs(operands, launched)

    def replays(self, ready: Sequence[_Ready]) -> dict[str, Any]:
        """The graph of each candidate, by title, after a check of what it makes."""
        captured: dict[str, Any] = {}
        for each in ready:
            title = each.candidate.title
            self.stage(f"{title} capture")
            try:
                replay = capture(self.operands, each.launch)
                poison(self.operands)
                replay.replay(1)
                check = check_outputs(self.operands, len(self.operands.out))
            except Exception as error:
                self.failures[title] = f"in a graph: {type(error).__name__}: {error}"
                self.alive()
                continue
            if check.correct:
                captured[title] = replay
            else:
                self.failures[title] = f"in a graph: wrong: {check}"
        return captured

    def measure(
        self, measure: str, ready: Sequence[_Ready], effort: Effort
    ) -> dict[str, Measured]:
        """A measure of some candidates, by title."""
        if measure.endswith("do_bench"):
            self.stage(f"all {measure}")
            launches = {each.candidate.title: each.launch for each in ready}
            return with_cold_cache(self.operands, launches, effort, self.order)
        replays = self.replays(ready)
        if not replays:
            return {}
        self.stage(f"all {measure}")
        if measure == "sustained":
            return sustained(self.operands, replays, effort, self.meter)
        return in_graph(self.operands, replays, effort, self.order)

    def chosen(
        self, measure: str, ready: Sequence[_Ready]
    ) -> tuple[list[_Ready], dict[str, dict[str, float]]]:
        """The best candidate of each contender, and what the test before said."""
        kind = "do_bench" if measure == "do_bench" else "graph"
        families: dict[str, list[_Ready]] = {}
        for each in ready:
            families.setdefault(each.candidate.contender, []).append(each)
        several = [
            each
            for name, family in families.items()
            if len(family) > 1 and not (name == OURS and self.case.all_ours)
            for each in family
        ]
        tested = self.measure(kind, several, PRETEST) if several else {}
        best: list[_Ready] = []
        tests: dict[str, dict[str, float]] = {}
        for name, family in families.items():
            times = {
                each.candidate.name: statistics.median(
                    tested[each.candidate.title].rounds
                )
                for each in family
                if each.candidate.title in tested
            }
            if (name == OURS and self.case.all_ours) or len(family) == 1:
                best += family
            elif times:
                winner = min(times, key=lambda each: times[each])
                best += [each for each in family if each.candidate.name == winner]
                tests[name] = times
        return best, tests


def _candidates(case: Case, bench: _Bench) -> list[_Ready]:
    makers: Mapping[str, Callable[[], Found]] = {
        OURS: lambda: contenders.ours(bench.operands, case.schedules, bench.stage),
        TORCH: lambda: contenders.torch_matmul(bench.operands),
        CUBLASLT: lambda: contenders.cublaslt(bench.operands),
        TRITON: lambda: contenders.triton(bench.operands),
    }
    ready: list[_Ready] = []
    for name in case.contenders:
        bench.stage(f"{name} candidates")
        if name in case.excluded:
            bench.failures[name] = "left out: it hung, or lost the device"
            continue
        try:
            found = makers[name]()
        except Exception as error:
            bench.failures[name] = f"{type(error).__name__}: {error}"
            bench.alive()
            continue
        ready += bench.prepared(found)
    return ready


def run_case(
    torch: Any,
    case: Case,
    store: Store,
    environment: int,
    effort: Effort,
    meter: Meter | None,
    stage: Stage,
) -> None:
    """Measure a case; each measure is added to the store when it is complete.

    Raises DeviceLost when nothing more can be measured in this process.
    """
    stage("operands")
    operands = make_operands(torch, case.shape, seed=17 + case.run, sets=None)
    bench = _Bench(
        case, operands, effort, meter, stage, random.Random(f"{case.shape} {case.run}")
    )
    ready = _candidates(case, bench)
    before = dict(bench.failures)
    for measure in case.measures:
        bench.failures = dict(before)
        if measure in SEARCHES:
            chosen, tests = list(ready), {}
        else:
            chosen, tests = bench.chosen(measure, ready)
        measured = bench.measure(measure, chosen, effort)
        outcomes: dict[str, Outcome] = {}
        for each in chosen:
            candidate = each.candidate
            found = measured.get(candidate.title)
            if found is None:
                continue
            ours = candidate.contender == OURS
            every = measure in SEARCHES or (ours and case.all_ours)
            name = candidate.title if every else candidate.contender
            outcomes[name] = Outcome(
                choice=candidate.name,
                rounds=found.rounds,
                error=each.check.relative,
                correct=each.check.correct,
                pretest=tests.get(candidate.contender, {}),
                extra={**candidate.facts(), **found.extra},
            )
        if case.all_ours and measure not in SEARCHES:
            outcomes = with_best_of_ours(outcomes)
        date = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        store.add(
            Record(
                case.shape,
                case.run,
                measure,
                date,
                environment,
                outcomes,
                dict(bench.failures),
            )
        )
        stage(f"recorded {measure}")


def with_best_of_ours(outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """The outcomes, the fastest schedule as `ours` among them."""
    schedules = [each for name, each in outcomes.items() if name.startswith(f"{OURS}:")]
    best = min(schedules, key=lambda each: statistics.median(each.rounds), default=None)
    return {**outcomes, **({OURS: best} if best else {})}
