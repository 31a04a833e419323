"""How long a kernel takes from IR text to PTX, and where the time goes.

    python benchmarks/compile_time.py --json compile.json
    python benchmarks/compile_time.py --against-triton --schedule pp128x192

Cold: a new process, imports included. Warm: the same process, text to PTX again.
Neither counts ptxas or loading. `--against-triton` needs a device: two new processes,
the first with empty caches (ours, the driver's, Triton's), the second with what the
first left there, each from text to a loaded kernel and beside Triton's matrix product;
and a third that compiles what the first two left on disk.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gemm_bench.compile_cost import (
    cached_costs,
    compile_once,
    costs,
    fresh_caches,
    source_of,
)
from gemm_bench.environment import why_no_device
from gemm_bench.library import named
from gemm_bench.schedules import PLAIN, Schedule, parse_schedule
from gemm_bench.tables import markdown

EXAMPLE = PLAIN.with_name("matmul_1p1c.mlir")
COLD = """
import time, sys
began = time.perf_counter()
import croqtile_mlir
croqtile_mlir.compile(sys.argv[1], schedule=sys.argv[2]).ptx
print(time.perf_counter() - began)
"""
MARK = "costs: "
CHILDREN = {"costs": costs, "cached": cached_costs}


def cold(file: Path, schedule: Schedule | None) -> float:
    """Seconds in a new process, from before the first import."""
    pipeline = "" if schedule is None else schedule.pipeline()
    done = subprocess.run(
        [sys.executable, "-c", COLD, str(file), pipeline],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def to_ptx(file: Path, schedule: Schedule | None, repeat: int) -> dict[str, object]:
    """Text to PTX, cold and warm, and the passes."""
    report: dict[str, object] = {"file": file.name}
    colds = [cold(file, schedule) for _ in range(repeat)]
    source = source_of(file, schedule)
    compile_once(source)
    compilations = [compile_once(source) for _ in range(repeat)]
    warms = [each.seconds for each in compilations]
    for name, times in (("cold", colds), ("warm", warms)):
        report[name] = statistics.median(times)
        print(
            f"{name}: {statistics.median(times):.3f} s "
            f"({min(times):.3f} to {max(times):.3f}, {len(times)} times)"
        )
    fastest = min(compilations, key=lambda each: each.seconds)
    report["passes"] = fastest.parts
    for name, seconds in sorted(fastest.parts.items(), key=lambda item: -item[1]):
        print(f"  {name:<20}{seconds * 1e3:>8.1f} ms")
    return report


def in_new_process(what: str, schedule: Schedule, caches: Path) -> dict[str, Any]:
    """Costs in a process of its own: a name in `CHILDREN`."""
    done = subprocess.run(
        [sys.executable, __file__, "--child", what, "--schedule", str(schedule)],
        capture_output=True,
        text=True,
        env=fresh_caches(caches),
        timeout=300,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith(MARK)]
    if done.returncode or not lines:
        raise RuntimeError(done.stderr[-2000:] or done.stdout[-2000:])
    return json.loads(lines[-1].removeprefix(MARK))


def median_of(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The median of each figure, and of each part."""
    found: dict[str, Any] = {}
    for name, value in runs[0].items():
        values = [run[name] for run in runs if name in run]
        parts = isinstance(value, dict)
        found[name] = median_of(values) if parts else statistics.median(values)
    return found


def against_triton(schedule: Schedule, repeat: int) -> dict[str, object]:
    """Both kinds of processes, in milliseconds as a table."""
    empty: list[dict[str, Any]] = []
    filled: list[dict[str, Any]] = []
    for _ in range(repeat):
        with tempfile.TemporaryDirectory() as folder:
            for found in (empty, filled):
                found.append(in_new_process("costs", schedule, Path(folder)))
            filled[-1].update(in_new_process("cached", schedule, Path(folder)))
    environments = [run.pop("environment") for run in (*empty, *filled)]
    columns = median_of(empty), median_of(filled)
    names = [name for name, value in columns[1].items() if not isinstance(value, dict)]
    rows = [
        [name, *(f"{c[name] * 1e3:.1f}" if name in c else "" for c in columns)]
        for name in names
    ]
    print(markdown(["ms", "empty caches", "filled caches"], rows))
    for name in ("parts", "parts, warm"):
        print(f"\n{name} of text to PTX, filled caches:")
        parts: dict[str, float] = columns[1][name]
        for part, seconds in sorted(parts.items(), key=lambda item: -item[1]):
            print(f"  {part:<24}{seconds * 1e3:>8.1f} ms")
    return {
        "environment": environments[0],
        "schedule": str(schedule),
        "empty": columns[0],
        "filled": columns[1],
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, and write JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--file", type=Path, default=EXAMPLE)
    parser.add_argument(
        "--schedule", metavar="SPEC", help="passes for examples/matmul.mlir, or a name"
    )
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--against-triton", action="store_true")
    parser.add_argument("--json", metavar="FILE", help="write the results here")
    parser.add_argument("--child", choices=CHILDREN, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    schedule: Schedule | None = None
    if options.schedule or options.against_triton:
        text = options.schedule or "coop128x256"
        schedule = next(iter(named(text)), None) or parse_schedule(text)
    if schedule is not None and options.child:
        print(MARK + json.dumps(CHILDREN[options.child](schedule)))
        return 0
    if schedule is not None and options.against_triton:
        if reason := why_no_device(open_device=False):
            print(f"skipped: {reason}")
            return 0
        report = against_triton(schedule, min(options.repeat, 3))
    else:
        file = options.file if schedule is None else PLAIN
        report = to_ptx(file, schedule, options.repeat)
    if options.json:
        Path(options.json).write_text(json.dumps(report, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
