"""
The schedule of a matrix product: found by search and saved, or the model's choice.

```python
schedule = choose_schedule(Problem(4096, 4096, 4096))
croq.compile("examples/matmul.mlir", dims=.., schedule=schedule)
```
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from croqtile_mlir.kernels.matmul_model import (
    FLOPS_PER_CYCLE,
    LATENCY,
    Problem,
    estimate,
)
from croqtile_mlir.kernels.schedule import SHARED_BYTES, Mode, Schedule

SEARCHED = Path(__file__).parent / "matmul_searched.json"
"""Schedules that were found by search on a device, by `searched_key`."""

MOST_STAGES = 12

_SHAPES: tuple[tuple[int, int, Mode], ...] = (
    (128, 2, "cooperative"),
    (128, 2, "pingpong"),
    (256, 2, "cooperative"),
    (192, 3, "cooperative"),
    (64, 1, "cooperative"),
    (64, 2, "pingpong"),
)
"""Rows of a tile, consumers and mode."""

_PANELS = {
    "cooperative": ((64, 2), (32, 2), (16, 2)),
    # Each consumer has panels of its own: narrow ones leave room for one stage more.
    "pingpong": ((16, 2),),
}
"""Columns and buffers of the epilogue, the best first."""

_ENOUGH_AHEAD = 1.5 * LATENCY
_COLUMNS = range(16, 257, 16)
_CLUSTERS = ((1, 1), (2, 1), (1, 2))


@lru_cache(maxsize=1024)
def choose_schedule(problem: Problem, kind: str = "f16-f16-row.row") -> Schedule:
    """
    The schedule for a product.

    `kind` names element types and layouts: the key of searched schedules beside the
    shape and the number of multiprocessors.
    """
    found = searched_schedules().get(searched_key(problem, kind))
    return ranked_schedules(problem)[0] if found is None else found


def ranked_schedules(problem: Problem) -> list[Schedule]:
    """All candidates, the cheapest by the model first."""

    def cost(schedule: Schedule) -> tuple[float, int]:
        # Of equal ones, the one with the larger tile.
        area = schedule.bm * schedule.bn
        cycles = estimate(problem, schedule).cycles
        return round(cycles), -area

    return sorted(candidates(problem), key=cost)


def candidates(problem: Problem) -> Iterator[Schedule]:
    """Every schedule that the model looks at."""
    clusters = [c for c in _CLUSTERS if not problem.multiprocessors % (c[0] * c[1])]
    for bm, consumers, mode in _SHAPES:
        for bn in _COLUMNS:
            if bn >= problem.n + _COLUMNS.step:
                break
            base = Schedule(
                bm=bm,
                bn=bn,
                consumers=consumers,
                mode=mode,
                split=mode == "cooperative" and consumers > 1,
                blocks=problem.multiprocessors,
            )
            found = _filled(problem, base)
            if found is None:
                continue
            tiles = -(-problem.m // bm), -(-problem.n // bn)
            for each in clusters:
                # No blocks of a cluster without a tile.
                if each[0] <= tiles[0] and each[1] <= tiles[1]:
                    yield replace(found, cluster=each)


def _filled(problem: Problem, base: Schedule) -> Schedule | None:
    """With stages, panels and grid that suit; None where the schedule cannot be."""
    tiles = -(-problem.m // base.bm) * -(-problem.n // base.bn)
    if tiles <= problem.multiprocessors:
        if base.mode == "pingpong":
            return None
        base = replace(base, persistent=False)
    best: Schedule | None = None
    for cols, buffers in _PANELS[base.mode]:
        if cols >= base.bn > _COLUMNS.start:
            # One panel would be stored only when all of the tile is in it.
            continue
        schedule = _most_stages(
            problem, replace(base, epilogue_cols=cols, epilogue_buffers=buffers)
        )
        if schedule is None:
            continue
        if best is None or schedule.stages > best.stages:
            best = schedule
        if _ahead(schedule) >= _ENOUGH_AHEAD:
            return schedule
    return best


def _most_stages(problem: Problem, schedule: Schedule) -> Schedule | None:
    sizes = problem.element_bytes, problem.out_bytes
    least = replace(schedule, stages=schedule.in_flight + 1)
    if least.why_not(*sizes) is not None:
        return None
    stage = (schedule.bm + schedule.bn) * schedule.bk * problem.element_bytes
    room = SHARED_BYTES - least.shared_bytes(*sizes)
    most = min(least.stages + room // stage, MOST_STAGES)
    for stages in range(most, least.stages, -1):
        if (found := replace(schedule, stages=stages)).why_not(*sizes) is None:
            return found
    return least


def _ahead(schedule: Schedule) -> float:
    """Cycles that the producer is ahead of the products."""
    stage = 2 * schedule.bm * schedule.bn * schedule.bk / FLOPS_PER_CYCLE
    return (schedule.stages - schedule.in_flight) * stage


def searched_key(problem: Problem, kind: str) -> str:
    """What a searched schedule is saved under."""
    shape = f"{problem.m}x{problem.n}x{problem.k}"
    return f"{kind} {shape} on {problem.multiprocessors}"


@cache
def searched_schedules() -> Mapping[str, Schedule]:
    """The saved table."""
    table: dict[str, dict[str, Any]] = json.loads(SEARCHED.read_text(encoding="utf-8"))
    return MappingProxyType({key: from_record(each) for key, each in table.items()})


def from_record(record: Mapping[str, Any]) -> Schedule:
    """A schedule from the fields in which it is not the default."""
    values = dict(record)
    if "cluster" in values:
        values["cluster"] = tuple(values["cluster"])
    return Schedule(**values)


def to_record(schedule: Schedule) -> dict[str, Any]:
    """The fields in which a schedule is not the default."""
    default = asdict(Schedule())
    return {n: v for n, v in asdict(schedule).items() if v != default[n]}
