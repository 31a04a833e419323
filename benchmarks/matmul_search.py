"""
Keep measured schedules of the matrix product, and save the fastest of each shape.

    python benchmarks/matmul_search.py times.json schedules.txt

adds a run to `results/matmul-search-h200.json` and writes
`croqtile_mlir/kernels/matmul_searched.json` anew from all runs; without arguments it
only does the latter. A line of schedules.txt is `name | shapes | passes`. times.json
holds microseconds, one for each round:

    {"4096x4096x4096": {"graph": {name: [us, ..]}, "bench": {name: [us, ..]}}}

`torch` and `lt0`, `lt1`.. are cuBLAS in the same rounds: what runs are compared by.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import date
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

from croqtile_mlir.kernels.matmul_model import Problem
from croqtile_mlir.kernels.matmul_schedules import (
    SEARCHED,
    from_record,
    searched_key,
    to_record,
)
from croqtile_mlir.kernels.schedule import Schedule
from croqtile_mlir.pass_manager.running import parse_passes

RESULTS = Path(__file__).parent / "results" / "matmul-search-h200.json"
KIND = "f16-f16-row.row"

_PASS = re.compile(r"([\w-]+)(?:\{([^}]*)\})?")
_WITHOUT_OPTIONS = {"persist": {"persistent": True}, "split-consumers": {"split": True}}
_FIELDS = {
    "BM": "bm",
    "BN": "bn",
    "BK": "bk",
    "cols": "epilogue_cols",
    "buffers": "epilogue_buffers",
}
"""Fields of a schedule whose option has another name."""

_KNOWN = frozenset(field.name for field in fields(Schedule))
_MEASURES = {"graph": "graph_us", "bench": "do_bench_us"}

Times = Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]]


def schedule_of(passes: str) -> Schedule:
    """The schedule with these passes; raises ValueError where there is none."""
    # What is left out has the default of the passes, which is not that of a schedule.
    values: dict[str, Any] = {"persistent": False, "in_flight": 0}
    for name, options in _PASS.findall(passes):
        values |= _WITHOUT_OPTIONS.get(name, {})
        for option, _, value in (each.partition("=") for each in options.split()):
            field = _FIELDS.get(option, option)
            if field not in _KNOWN:
                raise ValueError(f"schedules have no {option}={value}")
            values[field] = int(value) if value.isdigit() else value
    if "cluster" in values:
        across, _, down = str(values["cluster"]).partition("x")
        values["cluster"] = int(across), int(down)
    schedule = Schedule(**values)
    # The first pass may leave out BK.
    if parse_passes(schedule.pipeline)[1:] != parse_passes(passes)[1:]:
        raise ValueError(f"no schedule has the passes {passes}")
    return schedule


def run_of(times: Times, schedules: Mapping[str, Schedule]) -> dict[str, Any]:
    """A run as it is kept: medians of schedules, by shape, and cuBLAS beside them."""
    shapes: dict[str, Any] = {}
    for shape, found in times.items():
        medians = {
            name: {
                title: round(median(found[measure][name]), 2)
                for measure, title in _MEASURES.items()
            }
            for name in found["graph"]
        }
        known = [name for name in medians if name in schedules]
        shapes[shape] = {
            "cublas": {n: t for n, t in medians.items() if _is_cublas(n)},
            "schedules": [
                {"schedule": to_record(schedules[n]), **medians[n]} for n in known
            ],
        }
    return {"date": date.today().isoformat(), "device": "NVIDIA H200", "shapes": shapes}


def _is_cublas(name: str) -> bool:
    return name == "torch" or name.startswith("lt")


def relative_times(
    results: Mapping[str, Any],
) -> dict[str, dict[Schedule, list[float]]]:
    """Both times of each schedule by shape, over those of cuBLAS in the same run."""
    found: dict[str, dict[Schedule, list[float]]] = {}
    for run in results["runs"]:
        for shape, record in run["shapes"].items():
            for each in record["schedules"]:
                ratios = [
                    each[title]
                    / geometric_mean(one[title] for one in record["cublas"].values())
                    for title in _MEASURES.values()
                ]
                schedules = found.setdefault(shape, {})
                schedules[from_record(each["schedule"])] = ratios
    return found


def fastest(results: Mapping[str, Any]) -> dict[str, Any]:
    """The saved table: of each shape the schedule with the least product of times."""
    table: dict[str, Any] = {}
    for shape, ratios in relative_times(results).items():
        best = min(ratios, key=lambda each: geometric_mean(ratios[each]))
        m, n, k = map(int, shape.split("x"))
        table[searched_key(Problem(m, n, k), KIND)] = to_record(best)
    return table


def read_schedules(path: Path) -> dict[str, Schedule]:
    """Schedules by name; those that are none are left out with a warning."""
    found: dict[str, Schedule] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, _, passes = (part.strip() for part in line.split("|"))
        try:
            found[name] = schedule_of(passes)
        except ValueError as error:
            print(f"{name}: {error}", file=sys.stderr)
    return found


def main() -> int:
    """Add a run if there is one, and write the table."""
    parser = argparse.ArgumentParser(
        description="Keep measured schedules, save the best."
    )
    parser.add_argument("times", type=Path, nargs="?")
    parser.add_argument("schedules", type=Path, nargs="?")
    options = parser.parse_args()
    results: dict[str, Any] = {"kind": KIND, "runs": []}
    if RESULTS.exists():
        results = json.loads(RESULTS.read_text(encoding="utf-8"))
    if options.times:
        if not options.schedules:
            parser.error("times need the file of their schedules")
        times: Times = json.loads(options.times.read_text(encoding="utf-8"))
        results["runs"].append(run_of(times, read_schedules(options.schedules)))
        RESULTS.write_text(_lines(results), encoding="utf-8")
    table = json.dumps(fastest(results), indent=2)
    SEARCHED.write_text(table + "\n", encoding="utf-8")
    return 0


def _lines(results: Mapping[str, Any]) -> str:
    """JSON with one line for each schedule."""
    runs: list[str] = []
    for run in results["runs"]:
        shapes: list[str] = []
        for shape, record in run["shapes"].items():
            rows = ",\n".join(f"    {json.dumps(e)}" for e in record["schedules"])
            cublas = json.dumps(record["cublas"])
            shapes.append(
                f'   "{shape}": {{"cublas": {cublas}, "schedules": [\n{rows}\n   ]}}'
            )
        head = f'  {{"date": "{run["date"]}", "device": "{run["device"]}", "shapes": {{'
        runs.append(head + "\n" + ",\n".join(shapes) + "\n  }}")
    kind = results["kind"]
    return f'{{"kind": "{kind}", "runs": [\n' + ",\n".join(runs) + "\n]}\n"


if __name__ == "__main__":
    sys.exit(main())
