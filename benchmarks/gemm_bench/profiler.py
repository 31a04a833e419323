"""Rungs under Nsight Compute: cycles, and how busy the tensor cores are.

`ncu` runs this program again, which launches each rung between the calls that start and
stop the profiler. A kernel is known by its name: its entry is renamed after the rung.
"""

from __future__ import annotations

import re
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .contenders import torch_matmul
from .operands import make_operands
from .rungs import compile_rungs, rungs
from .shapes import Shape
from .tables import TORCH

if TYPE_CHECKING:
    from croqtile_mlir import Kernel

CYCLES = "sm__cycles_elapsed.max"
TENSOR = "sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active"
L2_SECTORS = "lts__t_sectors_op_read.sum"
DRAM_BYTES = "dram__bytes_read.sum"
INSTRUCTIONS = "smsp__inst_executed.sum"
METRICS = (CYCLES, TENSOR, L2_SECTORS, DRAM_BYTES, INSTRUCTIONS)

SECTOR_BYTES = 32
"""What L2 counts in."""

LAUNCHES = 3
"""Of each kernel; the median is kept."""

_HEADER = re.compile(
    r"^ {2}(?P<name>\S.*?),(?: \d{4}-\w{3}-\d\d [\d:]+,)? Context \d+, Stream \d+"
)
_GRID = re.compile(r" \(\d+, \d+, \d+\)x\(\d+, \d+, \d+\)$")
_METRIC = re.compile(
    r"^ {4}(?P<name>\w+(?:\.\w+)+) +(?:(?P<unit>\S+) +)?(?P<value>[\d.,]+)$"
)
_PREFIXES = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_ENTRY = re.compile(r"rung(?P<number>\d+)_(?P<shape>\d+x\d+x\d+)")


@dataclass(frozen=True)
class Launched:
    """A kernel in the output of `ncu`."""

    kernel: str
    """Its name, with template arguments, without its grid."""

    metrics: Mapping[str, float]
    """In base units: bytes, cycles, per cent. What was not measured is not there."""


def parse_report(text: str) -> list[Launched]:
    """The kernels in what `ncu` prints, in order."""
    found: list[tuple[str, dict[str, float]]] = []
    for line in text.splitlines():
        if header := _HEADER.match(line):
            found.append((_GRID.sub("", header["name"]), {}))
        elif found and (metric := _METRIC.match(line.rstrip())):
            value = float(metric["value"].replace(",", ""))
            found[-1][1][metric["name"]] = value * _scale(metric["unit"] or "")
    return [Launched(name, metrics) for name, metrics in found]


def _scale(unit: str) -> float:
    """Of units that ncu scales: Kbyte, Mbyte."""
    return _PREFIXES.get(unit[:1], 1.0) if unit[1:] in ("byte", "cycle") else 1.0


def entry_name(number: int, shape: Shape) -> str:
    """What the entry of a rung is called while it is profiled."""
    return f"rung{number}_{shape}"


def by_rung(launched: Sequence[Launched]) -> dict[Shape, dict[str, dict[str, float]]]:
    """Medians for each shape and rung.

    A kernel that is no rung belongs to torch.matmul of the shape of the rungs before
    it; where it has several, the one that takes longest stands for all.
    """
    runs: dict[Shape, dict[str, dict[str, list[Mapping[str, float]]]]] = {}
    shape: Shape | None = None
    for each in launched:
        if entry := _ENTRY.fullmatch(each.kernel):
            shape = Shape.parse(entry["shape"])
            name = rungs(shape)[int(entry["number"])].name
        elif shape is None:
            continue
        else:
            name = TORCH
        kernels = runs.setdefault(shape, {}).setdefault(name, {})
        kernels.setdefault(each.kernel, []).append(each.metrics)
    return {
        shape: {
            name: max(
                (_medians(each) for each in kernels.values()),
                key=lambda metrics: metrics.get(CYCLES, 0.0),
            )
            for name, kernels in named.items()
        }
        for shape, named in runs.items()
    }


def _medians(metrics: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = dict.fromkeys(name for each in metrics for name in each)
    return {
        name: statistics.median(each[name] for each in metrics if name in each)
        for name in names
    }


def profile(
    ncu: str, command: Sequence[str], seconds: float
) -> dict[Shape, dict[str, dict[str, float]]]:
    """Run a command that calls `launch_all`, under ncu.

    Raises RuntimeError, with the end of what ncu printed, when it fails or sees no
    kernel.
    """
    done = subprocess.run(
        [
            ncu,
            "--clock-control=none",
            "--profile-from-start=off",
            "--target-processes=application-only",
            "--print-units=base",
            f"--metrics={','.join(METRICS)}",
            *command,
        ],
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    found = by_rung(parse_report(done.stdout))
    if done.returncode or not found:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
        raise RuntimeError(f"ncu ended with status {done.returncode}:\n{tail}")
    return found


def renamed(kernel: Kernel, name: str) -> Kernel:
    """The kernel with another name for its entry."""
    ptx = re.sub(
        rf"(\.entry\s+){re.escape(kernel.name)}\b", rf"\g<1>{name}", kernel.ptx
    )
    return replace(kernel, name=name, ptx=ptx)


def launch_all(shapes: Sequence[Shape]) -> None:
    """Launch each rung of shapes, and torch.matmul, for the profiler to see."""
    torch: Any = import_module("torch")
    compiled = {shape: compile_rungs(shape, rungs(shape)) for shape in shapes}
    for shape in shapes:
        operands = make_operands(torch, shape, seed=17, sets=1)
        launches = [torch_matmul(operands).candidates[0].prepare(operands)]
        for number, (_, kernel, _) in enumerate(compiled[shape]):
            if kernel is not None:
                prepared = renamed(kernel, entry_name(number, shape)).prepare(
                    operands.lhs[0],
                    operands.rhs[0],
                    operands.out[0],
                    stream=operands.stream,
                )
                # Last is torch.matmul, whose kernels tell no shape.
                launches.insert(-1, lambda _, each=prepared: each.launch())
        with torch.cuda.stream(operands.stream):
            for launch in launches:
                launch(0)
            torch.cuda.synchronize()
            torch.cuda.profiler.start()
            for launch in launches:
                for _ in range(LAUNCHES):
                    launch(0)
            torch.cuda.synchronize()
            torch.cuda.profiler.stop()
