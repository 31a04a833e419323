"""How long the package and its tools take before they do what they are asked for.

    python benchmarks/start_up.py --json start-up.json

Each in processes of its own, but Croqtile source, which is read again and again in one
that has done it before: the second seed's file, from text to a verified module.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter, process_time

SEED = Path(__file__).resolve().parents[1] / "examples" / "seeds" / "matmul_events.co"
SIZES = ("WARP_M=64", "WARP_N=64", "TILE_K=64", "WARP_K=16", "STAGES=3")
TOOL = "croqtile_mlir.tools."
PROCESSES = {
    "python alone": ("-c", ""),
    "import croqtile_mlir": ("-c", "import croqtile_mlir"),
    "croq-opt --help": ("-m", f"{TOOL}croq_opt", "--help"),
    "croq-run --help": ("-m", f"{TOOL}croq_run", "--help"),
    "croq-opt --show-passes": ("-m", f"{TOOL}croq_opt", "--show-passes"),
}

Times = tuple[float, float]
"""Seconds on the clock, and of the processor."""


def of_process(arguments: Sequence[str]) -> Times:
    """What a new process takes from its start to its end."""
    before, began = os.times(), perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    ended, after = perf_counter(), os.times()
    used = after.children_user + after.children_system
    return ended - began, used - before.children_user - before.children_system


def reading() -> Callable[[], Times]:
    """What reads the second seed."""
    from croqtile_mlir.context import new_context
    from croqtile_mlir.frontends.croqtile import parse_module
    from croqtile_mlir.frontends.croqtile.options import FrontendOptions, parse_defines

    text = SEED.read_text(encoding="utf-8")
    options = FrontendOptions(parse_defines(f"MATMUL_{name}" for name in SIZES))

    def read() -> Times:
        began, before = perf_counter(), process_time()
        parse_module(new_context(), text, SEED.name, options)
        return perf_counter() - began, process_time() - before

    read()
    return read


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, and write JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--json", metavar="FILE", help="write the results here")
    options = parser.parse_args(argv)
    report: dict[str, object] = {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "processors": os.cpu_count(),
    }
    measured: dict[str, Callable[[], Times]] = {
        name: lambda arguments=arguments: of_process(arguments)
        for name, arguments in PROCESSES.items()
    }
    measured[f"{SEED.name} read"] = reading()
    for name, measure in measured.items():
        # The first one may have to compile Python files.
        times = [measure() for _ in range(options.repeat + 1)][1:]
        clock, processor = (
            statistics.median(each) for each in zip(*times, strict=True)
        )
        report[name] = {"seconds": clock, "processor": processor}
        print(f"{name:<24}{clock * 1e3:>8.1f} ms, {processor * 1e3:.1f} of processor")
    if options.json:
        Path(options.json).write_text(json.dumps(report, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
