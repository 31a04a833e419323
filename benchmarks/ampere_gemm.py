"""Products by mma.sync and cp.async, compiled for sm_80, beside torch.matmul.

    python benchmarks/ampere_gemm.py --size 4096,4096,4096 --json result.json
    python benchmarks/ampere_gemm.py --schedule 128x256x32,256,3 --target sm_80

PTX for sm_80 runs on later devices, too: on an H200 it is measured what a kernel
without TMA and wgmma reaches there. Inputs, errors and times are those of `matmul.py`:
all schedules and torch.matmul take turns in one process.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from matmul import Result, compare, environment, print_table

import croqtile_mlir as croq

SHAPES = ("4096,4096,4096", "8192,8192,1024", "2048,2048,2048", "1000,1000,1000")

KERNEL = """
croq.kernel @matmul_{name} dims(M, N, K) (
    %lhs: !croq.tile<[M]x[K]xf16, global>,
    %rhs: !croq.tile<[N]x[K]xf16, global>,
    %out: !croq.tile<[M]x[N]xf16, global>) {{
  %m_tiles = croq.cdiv M, {rows}
  %n_tiles = croq.cdiv N, {cols}
  %k_tiles = croq.cdiv K, {depth}
  croq.parallel (%bm, %bn) in (%m_tiles, %n_tiles) : block threads {threads} {{
    %a_s = croq.alloc : !croq.tile<{rows}x{depth}xf16, shared>
    %b_s = croq.alloc : !croq.tile<{cols}x{depth}xf16, shared>
    %o_s = croq.alloc : !croq.tile<{rows}x{cols}xf16, shared>
    %zero = croq.mma.fill 0.0 : !croq.acc<{rows}x{cols}xf32>
    %acc = croq.foreach %k in %k_tiles iter(%c = %zero) {{
      %a = croq.subspan %lhs [{rows}, {depth}] tile (%bm, %k)
      %b = croq.subspan %rhs [{cols}, {depth}] tile (%bn, %k)
      croq.copy %a => %a_s
      croq.copy %b => %b_s
      %c1 = croq.mma.exec row.row %c, %a_s, %b_s
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.yield %c3 : !croq.acc<{rows}x{cols}xf32>
    }}
    croq.mma.store %acc => %o_s
    %o = croq.subspan %out [{rows}, {cols}] tile (%bm, %bn)
    croq.copy %o_s => %o
  }}
}}
"""


@dataclass(frozen=True)
class Schedule:
    """Tiles, threads of a block, stages of the loads."""

    rows: int
    cols: int
    depth: int
    threads: int
    stages: int
    order: str = "first"
    """Which tiles are next to each other: `first` as they are, else by `persist`."""

    @property
    def name(self) -> str:
        """Short, for the table and the kernel."""
        tile = f"{self.rows}x{self.cols}x{self.depth}"
        order = "" if self.order == "first" else f"_{self.order}"
        return f"{tile}_{self.threads}_{self.stages}{order}"

    def source(self) -> str:
        """The kernel that is scheduled."""
        return KERNEL.format(**asdict(self), name=self.name)

    def passes(self, multiprocessors: int) -> str:
        """The scheduling passes; blocks that stay fill the device once."""
        ahead = f"pipeline-loop{{stages={self.stages}}}"
        if self.order == "first":
            return ahead
        persist = f"persist{{blocks={multiprocessors} order={self.order} group=8}}"
        return f"{persist},{ahead}"


SCHEDULES = (
    Schedule(128, 128, 32, 128, 4),
    Schedule(128, 128, 32, 128, 3),
    Schedule(128, 128, 64, 128, 3),
    Schedule(128, 128, 32, 256, 4),
    Schedule(128, 256, 32, 256, 3),
    Schedule(128, 256, 32, 256, 4),
    Schedule(128, 256, 64, 256, 3),
    Schedule(256, 128, 32, 256, 3),
    Schedule(128, 256, 32, 256, 4, "grouped"),
)


def parse_schedule(text: str) -> Schedule:
    """`128x256x32,256,3` or `128x256x32,256,3,grouped`."""
    tile, threads, stages, *order = text.split(",")
    rows, cols, depth = (int(extent) for extent in tile.split("x"))
    return Schedule(rows, cols, depth, int(threads), int(stages), *order)


def compiled(schedule: Schedule, target: str, multiprocessors: int) -> croq.Kernel:
    """The kernel of a schedule."""
    return croq.compile(
        schedule.source(), target=target, schedule=schedule.passes(multiprocessors)
    )


def main() -> None:
    """Run the shapes of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", action="append", metavar="M,N,K")
    parser.add_argument("--schedule", action="append", metavar="128x256x32,256,3")
    parser.add_argument("--target", default="sm_80")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", metavar="FILE", help="write the results here")
    options = parser.parse_args()
    state = croq.runtime.available()
    if not state:
        print(f"skipped: {state.reason}")
        return
    torch: Any = import_module("torch")
    where = environment(torch) | {"target": options.target}
    print(", ".join(f"{key} {value}" for key, value in where.items()))
    chosen = [parse_schedule(text) for text in options.schedule or ()] or SCHEDULES
    kernels: dict[str, croq.Kernel] = {}
    for schedule in chosen:
        kernel = compiled(schedule, options.target, int(where["multiprocessors"]))
        print(f"{schedule.name}: {kernel.resources}")
        kernels[schedule.name] = kernel
    results: list[Result] = []
    for size in options.size or SHAPES:
        m, n, k = (int(extent) for extent in size.split(","))
        results += compare(torch, kernels, m, n, k, options.rounds)
    print_table(results)
    if options.json:
        report = {
            "environment": where,
            "resources": {name: str(k.resources) for name, k in kernels.items()},
            "results": [asdict(r) for r in results],
        }
        Path(options.json).write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
