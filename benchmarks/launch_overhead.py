"""Host time of a call: compiled kernels beside torch and Triton, on one device.

    python benchmarks/launch_overhead.py --variants --json launches.json

The time that Python spends in a call which launches a kernel and does not wait for it.
The problems are small, so that the device keeps up: a batch of calls fits into the
driver's queue, and the device is waited for between batches, off the clock. Contenders
take turns. Results are compared with torch's. What fails is told and left out.

`--variants` measures other ways to make the same call, too. `--pieces` alone needs no
device: it measures the parts of a call on tensors of torch, wherever they are.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gemm_bench.environment import environment, why_no_device
from gemm_bench.tables import markdown
from launch_bench.contenders import SIZE, Contenders
from launch_bench.measures import Failures, Result, measure
from launch_bench.pieces import pieces


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print tables, and write JSON; 1 if anything failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--calls", type=int, default=200, help="in a round")
    parser.add_argument("--sets", type=int, default=16, help="of rotating tensors")
    parser.add_argument(
        "--seconds", type=float, default=30, help="no round begins after them"
    )
    parser.add_argument("--variants", action="store_true", help="other ways, too")
    parser.add_argument("--pieces", action="store_true", help="only parts of calls")
    parser.add_argument("--json", metavar="FILE", help="write the results here")
    options = parser.parse_args(argv)
    reason = why_no_device()
    if options.pieces and find_spec("torch") is None:
        reason = "no torch"
    elif options.pieces:
        reason = ""
    if reason:
        print(f"skipped: {reason}")
        return 0
    began = time.monotonic()
    torch: Any = import_module("torch")
    device = "cpu" if why_no_device() else "cuda"
    failures = Failures()
    report: dict[str, Any] = {"size": SIZE, "calls": options.calls}
    timed = partial(
        measure,
        rounds=options.rounds,
        calls=options.calls,
        failures=failures,
        seconds=options.seconds,
    )
    if not options.pieces:
        total = (options.rounds + 1) * options.calls
        contenders = Contenders(torch, options.sets, total, failures)
        every = contenders.all(with_variants=options.variants)
        results = timed(every, wait=torch.cuda.synchronize)
        report["results"] = [asdict(each) for each in results]
        print(table("host time of a call", results), flush=True)
    made = failures.made("pieces", partial(pieces, torch, device))
    parts = timed(made, wait=lambda: None)
    print(table(f"parts of a call, tensors on {device}", parts))
    report["pieces"] = [asdict(each) for each in parts]
    report |= {"device of pieces": device, "rounds": options.rounds}
    report["failed"] = failures.reasons
    if device == "cuda":
        report["environment"] = environment(torch)
    if options.json:
        Path(options.json).write_text(json.dumps(report, indent=2) + "\n")
    print(f"{time.monotonic() - began:.0f} s, {len(failures.reasons)} failed")
    return 1 if failures.reasons else 0


def table(title: str, results: Sequence[Result]) -> str:
    """The results, each beside the bare launch of its kernel."""
    median = {each.contender: each.median for each in results}
    rows = [
        [
            each.contender,
            *(f"{us:.2f}" for us in (each.median, each.fastest, each.slowest)),
            f"{each.median / median[each.bare]:.2f}" if each.bare in median else "",
        ]
        for each in results
    ]
    return markdown([title, "us", "fastest", "slowest", "of bare"], rows)


if __name__ == "__main__":
    sys.exit(main())
