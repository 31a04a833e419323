"""How long the seed kernel takes from IR text to PTX, and where the time goes.

    python benchmarks/compile_time.py --json compile.json

Cold: a new process, imports included. Warm: the same process, text to PTX again.
Neither counts ptxas or loading.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass

    from croqtile_mlir.passes.running import Moment

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "matmul_1p1c.mlir"
COLD = """
import time, sys
began = time.perf_counter()
import croqtile_mlir
croqtile_mlir.compile(sys.argv[1]).ptx
print(time.perf_counter() - began)
"""


@dataclass
class Stopwatch:
    """Seconds by pass; the time between two passes is verification."""

    seconds: dict[str, float] = field(
        default_factory=lambda: defaultdict[str, float](float)
    )
    last: float = 0.0

    def __call__(self, each: ModulePass, module: ModuleOp, moment: Moment) -> None:
        now = time.perf_counter()
        before = moment == "before"
        self.seconds["verification" if before else each.name] += now - self.last
        self.last = time.perf_counter()


def compile_once(file: Path, watch: Stopwatch | None = None) -> float:
    """Seconds from text to PTX in this process."""
    from croqtile_mlir.compiler import Source
    from croqtile_mlir.pipeline import Lowering

    began = time.perf_counter()
    lowering = Lowering(Source(file.read_text(), str(file)))
    if watch is not None:
        watch.last = time.perf_counter()
        watch.seconds["parsing"] += watch.last - began
    lowering.run(observers=() if watch is None else (watch,))
    printing = time.perf_counter()
    lowering.launch()
    lowering.ptx()
    ended = time.perf_counter()
    if watch is not None:
        watch.seconds["printing"] += ended - printing
    return ended - began


def cold(file: Path) -> float:
    """Seconds in a new process, from before the first import."""
    done = subprocess.run(
        [sys.executable, "-c", COLD, str(file)],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def main() -> None:
    """Measure, print, and write JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--file", type=Path, default=EXAMPLE)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", metavar="FILE", help="write the results here")
    options = parser.parse_args()
    report: dict[str, object] = {"file": options.file.name}
    colds = [cold(options.file) for _ in range(options.repeat)]
    compile_once(options.file)
    warms = [compile_once(options.file) for _ in range(options.repeat)]
    for name, times in (("cold", colds), ("warm", warms)):
        report[name] = statistics.median(times)
        print(
            f"{name}: {statistics.median(times):.3f} s "
            f"({min(times):.3f} to {max(times):.3f}, {len(times)} times)"
        )
    watch = Stopwatch()
    compile_once(options.file, watch)
    report["passes"] = watch.seconds
    for name, seconds in sorted(watch.seconds.items(), key=lambda item: -item[1]):
        print(f"  {name:<20}{seconds * 1e3:>8.1f} ms")
    if options.json:
        Path(options.json).write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
