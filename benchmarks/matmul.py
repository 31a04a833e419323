"""A matrix product kernel beside torch.matmul, in one process on one device.

    python benchmarks/matmul.py --size 4096,4096,4096 --param S=4 --json result.json

Each shape: random normal f16 inputs, the output poisoned with NaN and compared with
float64, then launches between CUDA events. Contenders take turns, so that they see the
same clocks and temperature; inputs rotate over more memory than the L2 cache holds.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import croqtile_mlir as croq
from croqtile_mlir.tools.run_arguments import parse_assignments

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SHAPES = ("4096,4096,4096", "8192,8192,1024", "2048,2048,2048", "1024,1024,1024")
ROTATED_BYTES = 320 << 20
"""Inputs of one shape rotate over this much memory."""


@dataclass(frozen=True)
class Result:
    """One contender on one shape."""

    contender: str
    m: int
    n: int
    k: int
    microseconds: float
    """Median of the rounds."""

    fastest: float
    slowest: float
    tflops: float
    relative_error: float


def measure(
    torch: Any, contenders: dict[str, Callable[[int], None]], rounds: int, batch: int
) -> dict[str, list[float]]:
    """Microseconds of a call for each round; a round is `batch` calls in a row."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for call in contenders.values():
        for number in range(3):
            call(number)
    for round in range(rounds):
        names = list(contenders)
        # Every contender is first, second, ... equally often.
        for name in names[round % len(names) :] + names[: round % len(names)]:
            call = contenders[name]
            torch.cuda.synchronize()
            start.record()
            for number in range(batch):
                call(number)
            end.record()
            end.synchronize()
            times[name].append(start.elapsed_time(end) * 1e3 / batch)
    return times


def compare(
    torch: Any, kernels: Mapping[str, croq.Kernel], m: int, n: int, k: int, rounds: int
) -> list[Result]:
    """Kernels of ours and torch.matmul on one shape."""
    bytes_of_a_set = 2 * (m * k + n * k + m * n)
    sets = max(2, min(48, -(-ROTATED_BYTES // bytes_of_a_set)))
    scale = max(k, 1) ** -0.25

    def random(rows: int, columns: int) -> Any:
        made = torch.randn(rows, columns, device="cuda") * scale
        return made.to(torch.float16)

    lhs = [random(m, k) for _ in range(sets)]
    rhs = [random(n, k) for _ in range(sets)]
    out = [torch.empty(m, n, dtype=torch.float16, device="cuda") for _ in range(sets)]

    def ours(kernel: croq.Kernel) -> Callable[[int], None]:
        prepared = [
            kernel.prepare(a, b, c) for a, b, c in zip(lhs, rhs, out, strict=True)
        ]

        def launch(number: int) -> None:
            prepared[number % sets].launch()

        return launch

    def theirs(number: int) -> None:
        torch.matmul(lhs[number % sets], rhs[number % sets].T, out=out[number % sets])

    contenders: dict[str, Callable[[int], None]] = {
        **{name: ours(kernel) for name, kernel in kernels.items()},
        "torch.matmul": theirs,
    }
    wanted = lhs[0].double() @ rhs[0].double().T
    errors: dict[str, float] = {}
    for name, call in contenders.items():
        out[0].fill_(float("nan"))
        call(0)
        difference = torch.linalg.norm(out[0].double() - wanted)
        errors[name] = float(difference / torch.linalg.norm(wanted))
    # Rounds of about 6 ms, so that events and gaps between launches do not count.
    once = measure(torch, contenders, 1, 5)
    batch = max(5, int(6000 / max(statistics.median(t) for t in once.values())))
    times = measure(torch, contenders, rounds, batch)
    return [
        Result(
            contender=name,
            m=m,
            n=n,
            k=k,
            microseconds=statistics.median(taken),
            fastest=min(taken),
            slowest=max(taken),
            tflops=2 * m * n * k / statistics.median(taken) / 1e6,
            relative_error=errors[name],
        )
        for name, taken in times.items()
    ]


def environment(torch: Any) -> dict[str, str]:
    """The hardware and the versions that the numbers hold for."""
    properties = torch.cuda.get_device_properties(0)
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "device": properties.name,
        "multiprocessors": str(properties.multi_processor_count),
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "cuda of torch": str(torch.version.cuda),
        "cuda-bindings": version("cuda-bindings"),
        "xdsl": version("xdsl"),
    }


def print_table(results: Sequence[Result]) -> None:
    """The results as a table, the ratio to the last contender of a shape at the end."""
    print(
        f"{'M x N x K':>20}  {'contender':<24}{'us':>9}{'fastest':>9}{'slowest':>9}"
        f"{'TFLOP/s':>9}{'error':>10}{'ratio':>8}"
    )
    last = {(r.m, r.n, r.k): r.microseconds for r in results}
    for r in results:
        shape = f"{r.m} x {r.n} x {r.k}"
        print(
            f"{shape:>20}  {r.contender:<24}{r.microseconds:>9.1f}{r.fastest:>9.1f}"
            f"{r.slowest:>9.1f}{r.tflops:>9.1f}{r.relative_error:>10.1e}"
            f"{last[r.m, r.n, r.k] / r.microseconds:>8.3f}"
        )


def main() -> None:
    """Run the shapes of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--file", default=str(EXAMPLES / "matmul_1p1c.mlir"))
    parser.add_argument("--size", action="append", metavar="M,N,K")
    parser.add_argument("--param", action="append", default=[], metavar="S=4")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", metavar="FILE", help="write the results here")
    options = parser.parse_args()
    state = croq.runtime.available()
    if not state:
        print(f"skipped: {state.reason}")
        return
    torch: Any = import_module("torch")
    kernel = croq.compile(
        Path(options.file), params=parse_assignments("--param", options.param, int)
    )
    where = environment(torch)
    print(", ".join(f"{key} {value}" for key, value in where.items()))
    print(kernel.resources)
    results: list[Result] = []
    for size in options.size or SHAPES:
        m, n, k = (int(extent) for extent in size.split(","))
        results += compare(torch, {kernel.name: kernel}, m, n, k, options.rounds)
    print_table(results)
    if options.json:
        report = {"environment": where, "results": [asdict(r) for r in results]}
        Path(options.json).write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
