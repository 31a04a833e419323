"""How long the simulator takes for the seed kernel, level by level.

    python benchmarks/simulator.py --json simulator.json

256 x 256 x 512 in 4 blocks, random data, all checks on. `run` is the run alone, `load`
what comes before the first run of a kernel: lowering, and making its ops steps.
Imports, inputs and the reference do not count.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from croqtile_mlir.simulator import Options, Report, load, run
from croqtile_mlir.simulator.loading import load_source

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "matmul_1p1c.mlir"
LEVELS = ("croq", "lower-events", "nvvm")
POLICIES = ("rr", "late", "early", "random:0")


@dataclass(frozen=True)
class Result:
    """Seconds for one level and policy."""

    level: str
    policy: str
    checks: bool
    load: float
    run: float
    fastest: float
    slowest: float
    cpu: float
    """Processor time of a run: what is left of other load on the machine."""

    blocks: int
    steps: int
    relative_error: float


def measure(
    file: Path, level: str, policy: str, checks: bool, sizes: Sequence[int], repeat: int
) -> Result:
    """Medians of several runs; a run with faults or a wrong result is an error."""
    m, n, k = sizes
    random = np.random.default_rng(0)
    scale = k**-0.25
    a, b = (
        (random.standard_normal((rows, k)) * scale).astype(np.float16)
        for rows in (m, n)
    )
    out = np.zeros((m, n), np.float16)
    load_source.cache_clear()
    began = time.perf_counter()
    loaded = load(file, level=level)
    loading = time.perf_counter() - began
    options = Options(policy, checks=checks)
    reports: list[Report] = []
    processor: list[float] = []
    for _ in range(repeat + 1):
        out[...] = np.nan
        began = time.process_time()
        reports.append(run(loaded, a, b, out, options=options))
        processor.append(time.process_time() - began)
        reports[-1].check()
    times = [report.seconds for report in reports[1:]]
    wanted = a.astype(np.float64) @ b.astype(np.float64).T
    error = np.linalg.norm(out.astype(np.float64) - wanted) / np.linalg.norm(wanted)
    if not error < 1e-3:
        raise SystemExit(f"{level}, {policy}: relative error {error:.2e}")
    return Result(
        level,
        policy,
        checks,
        loading,
        statistics.median(times),
        min(times),
        max(times),
        statistics.median(processor[1:]),
        reports[0].blocks,
        reports[0].steps,
        float(error),
    )


def environment() -> dict[str, Any]:
    """What the numbers depend on."""
    return {
        "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def main() -> None:
    """Measure, print, and write JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--file", type=Path, default=EXAMPLE)
    parser.add_argument("--levels", nargs="+", default=LEVELS)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--size", type=int, nargs=3, default=(256, 256, 512))
    parser.add_argument("--json", metavar="FILE", help="write the results here")
    options = parser.parse_args()
    # The first numpy product of a process is slow.
    measure(options.file, options.levels[0], "rr", True, (128, 128, 64), 1)
    variants = [(level, "rr", True) for level in options.levels]
    variants += [(options.levels[-1], policy, True) for policy in POLICIES[1:]]
    variants += [(options.levels[-1], "rr", False)]
    results: list[Result] = []
    columns = f"{'load':>8}{'run':>9}{'cpu':>9}  steps"
    print(f"{'level':<14}{'policy':<10}{'checks':<8}{columns}")
    for level, policy, checks in variants:
        result = measure(
            options.file, level, policy, checks, options.size, options.repeat
        )
        results.append(result)
        print(
            f"{level:<14}{policy:<10}{'on' if checks else 'off':<8}"
            f"{result.load:>7.2f}s{result.run:>8.3f}s"
            f"{result.cpu:>8.3f}s  {result.steps}"
        )
    if options.json:
        report = {
            "environment": environment(),
            "file": options.file.name,
            "size": list(options.size),
            "results": [asdict(result) for result in results],
        }
        Path(options.json).write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
