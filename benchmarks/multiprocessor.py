"""What the threads of a multiprocessor do to each other's time, on one device.

    python benchmarks/multiprocessor.py --json multiprocessor.json

Divergence: branches at which lanes of a warp part beside those that warps take alike,
and beside predicated ones. Occupancy: the time of one piece of work with fewer and
fewer blocks on a multiprocessor, for want of shared memory or of registers. Parallelism
of instructions: the same products in 1 to 8 chains, with few and with many warps.
Results are checked; probes of a group take turns; times are medians
(docs/occupancy.md).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gemm_bench.environment import driver_version, sources_digest
from gemm_bench.numbers import Spread
from gemm_bench.partial_lowering import compile_without
from gemm_bench.tables import markdown
from multiprocessor_kernels import chains_kernel

import croqtile_mlir as croq
from croqtile_mlir.tools.backends import (
    Backend,
    DeviceBackend,
    Unavailable,
    choose_backend,
)

if TYPE_CHECKING:
    from croqtile_mlir.kernel import Kernel

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
PREDICATION = "predicate-branches"
FEW_THREADS = 128
"""Of a block where one block is on each multiprocessor: a warp for each scheduler."""


@dataclass(frozen=True)
class Probe:
    """One kernel with the size that it runs on."""

    group: str
    name: str
    kernel: Kernel
    shape: tuple[int, ...]
    work: float
    """Floating-point operations, or bytes moved where `moves`."""

    moves: bool = False


@dataclass(frozen=True)
class Result:
    """Times in microseconds of one launch."""

    group: str
    name: str
    shape: tuple[int, ...]
    median: float
    least: float
    most: float
    rate: float
    """Of the median: 1e9 operations or bytes a second."""

    registers: int | None
    spill_bytes: int | None
    shared_bytes: int
    blocks: int | None
    """On a multiprocessor, as the driver counts them."""

    occupancy: float | None
    limiting: tuple[str, ...]


def divergence(multiprocessors: int, steps: int) -> Iterator[Probe]:
    """Sides of equal and of unequal length, and how time grows with the steps."""
    # Four waves of full multiprocessors.
    size = multiprocessors * 2048 * 4
    source = EXAMPLES / "warp_divergence.mlir"

    def probe(name: str, turns: int, sides: tuple[int, int], group: int, without: bool):
        params = {
            "ITERS": turns,
            "WORK": sides[0],
            "OTHER": sides[1],
            "GROUP": group,
        }
        if without:
            kernel = compile_without(source, "", (PREDICATION,), params)
        else:
            kernel = croq.compile(source, params=params)
        # Half of the threads take each side.
        work = size * turns * sum(sides)
        return Probe("divergence", name, kernel, (size,), work)

    short, equal, unequal = (4, 4), (32, 32), (60, 4)
    turns = steps // 4
    yield probe("4 and 4, warps alike, branches", turns, short, 32, True)
    yield probe("4 and 4, lanes part, branches", turns, short, 1, True)
    yield probe("4 and 4, lanes part, predicated", turns, short, 1, False)
    some = (steps // 32, steps // 16, steps // 8)
    for sides, counts in ((equal, some), (unequal, some[:1])):
        for each in counts:
            name = f"{sides[0]} and {sides[1]}, {each} turns"
            yield probe(f"{name}, warps alike", each, sides, 32, False)
            yield probe(f"{name}, lanes part", each, sides, 1, False)


def occupancy(multiprocessors: int, steps: int) -> Iterator[Probe]:
    """Fewer blocks for want of shared memory, then for want of registers."""
    rows, cols = 64 * multiprocessors, 4096
    for buffer in (2, 8, 16, 32, 64, 128):
        kernel = croq.compile(
            EXAMPLES / "occupancy_probe.mlir", params={"ROWS": buffer}
        )
        moved = 2.0 * 4 * rows * cols
        name = f"copy through {buffer} KiB"
        yield Probe("shared memory", name, kernel, (rows, cols), moved, moves=True)
    size = multiprocessors * 2048 * 4
    for chains in (1, 8, 16, 32, 64):
        yield _of_registers(size, steps, chains, None)
    # More blocks for the price of spills.
    for most in (None, 128, 80, 64):
        yield _of_registers(size, steps, 64, most, "spills")


def _of_registers(
    size: int, steps: int, chains: int, most: int | None, group: str = "registers"
) -> Probe:
    kernel = croq.compile(chains_kernel(chains, steps, max_registers=most))
    name = f"{chains} values a thread"
    if most is not None:
        name += f", at most {most} registers"
    return Probe(group, name, kernel, (size,), 2.0 * size * steps)


def parallelism(multiprocessors: int, steps: int) -> Iterator[Probe]:
    """The same products in more chains."""
    for group, threads in (
        ("4 warps a multiprocessor", FEW_THREADS),
        ("64 warps a multiprocessor", 2048),
    ):
        size = multiprocessors * threads
        for chains in (1, 2, 4, 8):
            text = chains_kernel(chains, steps, min(threads, 256))
            plural = "" if chains == 1 else "s"
            name = f"{chains} chain{plural}"
            work = 2.0 * size * steps
            yield Probe(group, name, croq.compile(text), (size,), work)


def measure(
    probes: Sequence[Probe], backend: Backend, rounds: int, repeat: int
) -> list[Result]:
    """
    Time probes in turn, `rounds` times; each is a median of `repeat` launches.

    Raises:
        RuntimeError: a result is wrong, or the backend has no times.
    """
    import numpy as np

    random = np.random.default_rng(4)
    times: list[list[float]] = [[] for _ in probes]
    for number in range(rounds):
        at = number % len(probes)
        order = list(range(len(probes)))
        for index in order[at:] + order[:at]:
            probe = probes[index]
            given = random.standard_normal(probe.shape, np.float32)
            tiles = {"src": given, "dst": np.full(probe.shape, np.nan, np.float32)}
            outcome = backend.run(probe.kernel, tiles, {}, repeat)
            if not np.allclose(outcome.tiles["dst"], given, rtol=1e-5, atol=1e-6):
                raise RuntimeError(f"{probe.group}, {probe.name}: the result is wrong")
            if outcome.milliseconds is None:
                raise RuntimeError("the backend has no times")
            times[index].append(outcome.milliseconds * 1e3)
    return [
        _result(probe, Spread.of(taken))
        for probe, taken in zip(probes, times, strict=True)
    ]


def _result(probe: Probe, spread: Spread) -> Result:
    resources = probe.kernel.resources
    found = resources.occupancy
    return Result(
        probe.group,
        probe.name,
        probe.shape,
        spread.median,
        spread.least,
        spread.most,
        probe.work / spread.median / 1e3,
        resources.registers,
        resources.spill_bytes,
        resources.shared_bytes,
        resources.blocks_per_multiprocessor,
        None if found is None else found.fraction,
        () if found is None else found.limiting,
    )


def tables(results: Sequence[Result]) -> str:
    """A table for each group; ratios are to its first line."""
    parts: list[str] = []
    for group in dict.fromkeys(each.group for each in results):
        lines = [each for each in results if each.group == group]
        rows = [
            [
                each.name,
                f"{each.median:.1f} [{each.least:.1f}-{each.most:.1f}]",
                f"{each.median / lines[0].median:.2f}",
                f"{each.rate:.0f}",
                str(each.registers),
                str(each.spill_bytes),
                str(each.shared_bytes),
                str(each.blocks),
                "-" if each.occupancy is None else f"{each.occupancy:.1%}",
                ", ".join(each.limiting),
            ]
            for each in lines
        ]
        header = [group, "us", "to the first", "1e9/s", "registers", "spilled"]
        header += ["shared bytes", "blocks", "occupancy", "limited by"]
        parts.append(markdown(header, rows))
    return "\n\n".join(parts)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print tables, and write JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--repeat", type=int, default=20, help="launches in a round")
    parser.add_argument(
        "--steps", type=int, default=8192, help="products of a thread, about"
    )
    parser.add_argument("--json", metavar="FILE", help="write the results here")
    options = parser.parse_args(argv)
    backend = choose_backend()
    if not isinstance(backend, DeviceBackend):
        reason = backend.reason if isinstance(backend, Unavailable) else "no device"
        print(f"skipped: {reason}")
        return 0
    device = backend.device
    results: list[Result] = []
    for group in (divergence, occupancy, parallelism):
        probes = list(group(device.multiprocessors, options.steps))
        results += measure(probes, backend, options.rounds, options.repeat)
    print(tables(results))
    if options.json:
        report: dict[str, Any] = {
            "environment": {
                "device": device.name,
                "multiprocessors": device.multiprocessors,
                "driver": driver_version(),
                "kernels": sources_digest(),
            },
            "rounds": options.rounds,
            "repeat": options.repeat,
            "steps": options.steps,
            "results": [asdict(each) for each in results],
        }
        Path(options.json).write_text(json.dumps(report, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
