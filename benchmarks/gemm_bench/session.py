"""All cases of a call: what is left to do, in this process or in workers."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from .cases import Case, DeviceLost, run_case
from .environment import environment
from .library import for_shape
from .measures import FULL, QUICK
from .power import Meter
from .records import Store, read_results
from .schedules import Schedule
from .shapes import NINE, OTHERS, SUSTAINED, Shape
from .workers import Ending, announce, supervise

ATTEMPTS = 4
"""A case is begun so often, each time without what ended the last try."""

LOST = 75
"""The exit status of a worker whose device answers no more."""


@dataclass(frozen=True)
class Task:
    """What a call is asked for."""

    out: Path
    shapes: tuple[Shape, ...]
    measures: tuple[str, ...]
    runs: int
    schedules: tuple[Schedule, ...]
    contenders: tuple[str, ...]
    quick: bool = False
    all_ours: bool = False

    def cases(self) -> list[Case]:
        """The cases that are not in the results file, a whole run after the other."""
        done = read_results(self.out).done()
        found: list[Case] = []
        for run in range(self.runs):
            for shape in self.shapes:
                left = tuple(
                    measure
                    for measure in self.measures
                    if (shape, run, measure) not in done and wanted(shape, measure)
                )
                if left:
                    found.append(
                        Case(
                            shape,
                            run,
                            left,
                            for_shape(self.schedules, shape),
                            self.contenders,
                            all_ours=self.all_ours,
                        )
                    )
        return found


BATCH = 24
"""Schedules of a search that are timed beside each other."""


def search_cases(task: Task) -> list[Case]:
    """A search: schedules in batches, which stand where runs do otherwise."""
    done = read_results(task.out).done()
    found: list[Case] = []
    for shape in task.shapes:
        schedules = for_shape(task.schedules, shape)
        for batch in range(-(-len(schedules) // BATCH)):
            some = schedules[batch * BATCH : (batch + 1) * BATCH]
            measures = tuple(
                each for each in task.measures if (shape, batch, each) not in done
            )
            if measures:
                found.append(Case(shape, batch, measures, some, task.contenders))
    return found


def wanted(shape: Shape, measure: str) -> bool:
    """Whether a shape has a measure: of the known ones, few are sustained."""
    return measure != "sustained" or shape in SUSTAINED or shape not in NINE + OTHERS


def encode(cases: Sequence[Case], out: Path, quick: bool) -> str:
    """Cases as the text that a worker reads."""
    listed = [
        {
            "shape": str(case.shape),
            "run": case.run,
            "measures": case.measures,
            "schedules": [
                [s.name, s.passes, s.params, s.without] for s in case.schedules
            ],
            "contenders": case.contenders,
            "excluded": case.excluded,
            "all_ours": case.all_ours,
        }
        for case in cases
    ]
    return json.dumps({"out": str(out), "quick": quick, "cases": listed})


def decode(text: str) -> tuple[list[Case], Path, bool]:
    """What `encode` was given."""
    data = json.loads(text)
    cases = [
        Case(
            shape=Shape.parse(each["shape"]),
            run=each["run"],
            measures=tuple(each["measures"]),
            schedules=tuple(
                Schedule(
                    name,
                    tuple(passes),
                    tuple((k, v) for k, v in params),
                    tuple(without),
                )
                for name, passes, params, without in each["schedules"]
            ),
            contenders=tuple(each["contenders"]),
            excluded=tuple(each["excluded"]),
            all_ours=each["all_ours"],
        )
        for each in data["cases"]
    ]
    return cases, Path(data["out"]), data["quick"]


Tell = Callable[[str, str], None]
"""Called with an event (`case`, `stage`, `done`) and a text."""


def work(cases: Sequence[Case], out: Path, quick: bool, tell: Tell) -> None:
    """Run cases in this process.

    Raises DeviceLost when the device answers no more.
    """
    torch: Any = import_module("torch")
    store = Store(out)
    number = store.add_environment(environment(torch))
    meter = Meter.open(str(getattr(torch.cuda.get_device_properties(0), "uuid", "")))
    for case in cases:
        tell("case", f"{case.shape} {case.run}")
        try:
            run_case(
                torch,
                case,
                store,
                number,
                QUICK if quick else FULL,
                meter,
                lambda text: tell("stage", text),
            )
        except DeviceLost:
            raise
        except Exception as error:
            # Memory that ran out, for one: this case fails, and the next is tried.
            fail_case(store, case, f"{type(error).__name__}: {error}")
            torch.cuda.synchronize()
        torch.cuda.empty_cache()
        tell("done", f"{case.shape} {case.run}")


def worker() -> int:
    """The main function of a worker."""
    cases, out, quick = decode(sys.stdin.read())
    try:
        work(cases, out, quick, announce)
    except DeviceLost as error:
        print(f"the device is lost: {error}", flush=True)
        # What the driver does at an orderly end may wait for the device.
        os._exit(LOST)
    announce("finished", "")
    return 0


def alone(cases: Sequence[Case], out: Path, quick: bool) -> bool:
    """Run cases in this process for someone to watch; whether the device lasted."""

    def tell(event: str, text: str) -> None:
        if event in ("case", "done"):
            print(f"{text}: {'begun' if event == 'case' else event}", flush=True)

    try:
        work(cases, out, quick, tell)
    except DeviceLost as error:
        print(f"the device is lost: {error}; --isolate goes on without the culprit")
        return False
    return True


def fail_case(store: Store, case: Case, reason: str) -> None:
    """Note a case that has no record."""
    store.add_failure(
        {"shape": str(case.shape), "run": case.run, "reason": " ".join(reason.split())}
    )


def without_done(case: Case, out: Path) -> Case:
    """The case without the measures that were recorded before it ended."""
    done = read_results(out).done()
    left = [each for each in case.measures if (case.shape, case.run, each) not in done]
    return replace(case, measures=tuple(left))


def isolated(
    cases: Sequence[Case],
    out: Path,
    quick: bool,
    command: Sequence[str],
    seconds: float,
) -> None:
    """Run cases in workers, one after the other, until none is left."""
    left = list(cases)
    store = Store(out)
    attempts: dict[tuple[Shape, int], int] = {}

    def progress(event: str, text: str) -> None:
        if event == "done":
            left.pop(0)
            print(f"{text}: done, {len(left)} cases left", flush=True)

    while left:
        ending = supervise(command, encode(left, out, quick), seconds, progress)
        if not ending.reason or not left:
            break
        case = without_done(left[0], out)
        key = (case.shape, case.run)
        attempts[key] = attempts.get(key, 0) + 1
        culprit = culprit_of(ending)
        print(f"{case.shape} {case.run}: {ending.reason} at {ending.stage}", flush=True)
        fail_case(store, case, f"{ending.reason} at {ending.stage}")
        if culprit and case.measures and attempts[key] < ATTEMPTS:
            left[0] = replace(case, excluded=(*case.excluded, culprit))
        else:
            left.pop(0)


def culprit_of(ending: Ending) -> str:
    """The title of the candidate that a worker ended with; empty where unknown."""
    title, _, what = ending.stage.rpartition(" ")
    return title if what in ("check", "capture", "candidates") else ""
