"""Host time of a call: compiled kernels beside torch and Triton, on one device.

    python benchmarks/launch_overhead.py --json launches.json

The time that Python spends in a call which launches a kernel and does not wait for it.
The problems are small, so that the device keeps up: a batch of calls fits into the
driver's queue, and the device is waited for between batches, off the clock. Contenders
take turns. Results are compared with torch's.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from gemm_bench.environment import environment, why_no_device
from gemm_bench.tables import markdown
from many_arguments import sum_of

import croqtile_mlir as croq

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SIZE = 256
"""Extent of every dim."""

STEP = 256
"""Bytes from one tensor to the next where no address comes twice."""

BARE = "cuLaunchKernel: product"
"""The launch that every call of the product makes."""

Call = Callable[[int], object]


@dataclass(frozen=True)
class Contender:
    """A call to measure."""

    name: str
    batch: Callable[[int], Call]
    """Makes ready for some calls; what it gives is called with their numbers."""

    bare: str | None = None
    """The contender that is the bare launch of the same kernel."""


@dataclass(frozen=True)
class Result:
    """Host time of one call in microseconds."""

    contender: str
    bare: str | None
    """The bare launch of the same kernel."""

    median: float
    """Of the rounds."""

    fastest: float
    slowest: float


@dataclass(frozen=True)
class Moving:
    """Matrices inside one buffer, each at an address that was not used before."""

    torch: Any
    buffer: Any
    used: list[int]
    """How many were made, in one element."""

    @staticmethod
    def of(torch: Any, device: str, count: int) -> Moving:
        """Room for `count` matrices of f16."""
        elements = SIZE * SIZE + count * STEP // 2
        buffer = torch.zeros(elements, dtype=torch.float16, device=device)
        return Moving(torch, buffer, [0])

    def next(self) -> Any:
        """One that overlaps with the others."""
        start = self.used[0] * STEP // 2
        self.used[0] += 1
        return self.buffer[start : start + SIZE * SIZE].view(SIZE, SIZE)


def ready(call: Call) -> Callable[[int], Call]:
    """A contender's `batch` where there is nothing to make ready."""
    return lambda count: call


def contenders(torch: Any, device: str, sets: int, calls: int) -> list[Contender]:
    """All contenders; results of kernels are compared with torch's."""

    def random(dtype: Any) -> Any:
        return torch.randn(SIZE, SIZE, device=device).to(dtype)

    f16, f32 = torch.float16, torch.float32
    lhs, rhs, out = ([random(f16) for _ in range(sets)] for _ in range(3))
    x, y, z = (random(f32) for _ in range(3))
    matmul = croq.compile(EXAMPLES / "matmul_1p1c.mlir")
    returned = croq.compile(EXAMPLES / "matmul_returned.mlir")
    add = croq.compile(EXAMPLES / "add.mlir")
    prepared = matmul.prepare(lhs[0], rhs[0], out[0])
    stream = torch.cuda.Stream()
    a, b, c, b_t = lhs[0], rhs[0], out[0], rhs[0].T

    def rotating(number: int) -> None:
        at = number % sets
        matmul(lhs[at], rhs[at], out[at])

    moving = Moving.of(torch, device, 3 * calls)

    def moved(count: int) -> Call:
        tensors = [(moving.next(), moving.next(), moving.next()) for _ in range(count)]
        return lambda number: matmul(*tensors[number])

    every = {
        BARE: ready(bare(prepared)),
        "kernel(a, b, out): product, same addresses": ready(lambda _: matmul(a, b, c)),
        f"kernel(a, b, out): product, {sets} sets of tensors": ready(rotating),
        "kernel(a, b, out): product, addresses never seen": moved,
        "kernel(a, b, out, stream=s): product": ready(
            lambda _: matmul(a, b, c, stream=stream)
        ),
        "kernel.prepare(a, b, out).launch(): product": ready(
            lambda _: prepared.launch()
        ),
    }
    found = [
        Contender(name, batch, None if name == BARE else BARE)
        for name, batch in every.items()
    ]
    found += many_arguments(torch, device)
    others = {
        "out = kernel(a, b): product": ready(lambda _: returned(a, b)),
        "kernel(a, b, out): sum": ready(lambda _: add(x, y, z)),
        "croq.matmul(a, b.T, out)": ready(lambda _: croq.matmul(a, b_t, c)),
        "torch.matmul(a, b.T, out=out)": ready(lambda _: torch.matmul(a, b_t, out=c)),
        "out = torch.matmul(a, b.T)": ready(lambda _: torch.matmul(a, b_t)),
        "torch.add(a, b, out=out)": ready(lambda _: torch.add(x, y, out=z)),
    }
    triton_add = triton_call(x, y, z)
    if triton_add is not None:
        others["Triton: sum"] = ready(triton_add)
    check(torch, rotating, lhs, rhs, out)
    for name in ("kernel(a, b, out): sum", "Triton: sum"):
        if name in others:
            z.fill_(float("nan"))
            others[name](1)(0)
            if not torch.equal(z, x + y):
                raise RuntimeError(f"{name} is wrong")
    return found + [Contender(name, batch) for name, batch in others.items()]


def many_arguments(torch: Any, device: str) -> list[Contender]:
    """Calls of kernels of nineteen arguments, and their bare launches."""
    found: list[Contender] = []
    for tensors, scalars in ((18, 0), (2, 16)):
        kernel = croq.compile(sum_of(tensors, scalars))
        xs = [torch.randn(256, device=device) for _ in range(tensors)]
        numbers = [0.25 * number for number in range(scalars)]
        out = torch.full((256,), float("nan"), device=device)
        kernel(*xs, *numbers, out)
        wanted = torch.stack(xs).double().sum(0) + sum(numbers)
        if not torch.allclose(out.double(), wanted, rtol=1e-4, atol=1e-4):
            raise RuntimeError(f"the sum of {tensors} tensors is wrong")
        what = f"{tensors + 1} tensors, {scalars} scalars"
        name = f"cuLaunchKernel: {what}"
        prepared = kernel.prepare(*xs, *numbers, out)
        arguments = (*xs, *numbers, out)
        found.append(Contender(name, ready(bare(prepared))))
        call = partial(_call, kernel, arguments)
        found.append(Contender(f"kernel(...): {what}", ready(call), name))
    return found


def _call(kernel: croq.Kernel, arguments: Sequence[Any], number: int) -> None:
    kernel(*arguments)


def bare(prepared: Any) -> Call:
    """The driver's launch by cuda-python, with all that it takes made beforehand."""
    driver: Any = import_module("cuda.bindings.driver")
    plan, function = prepared.plan, prepared.kernel.function
    shape = (*prepared.grid, plan.block, 1, 1, plan.shared_bytes)
    # The driver reads from here: the parameters must outlive the call.
    stream, parameters = prepared.stream, prepared.parameters
    launch, address = driver.cuLaunchKernel, parameters.address

    def call(number: int, kept: Any = parameters) -> None:
        launch(function, *shape, stream, address, 0)

    return call


def triton_call(x: Any, y: Any, z: Any) -> Call | None:
    """A trivial kernel of Triton, if it is installed and works here."""
    try:
        launch = import_module("triton_add").launch
        launch(x, y, z)
    except Exception as error:
        # Triton's failures have no common class; it needs a C compiler, for one.
        print(f"without Triton: {type(error).__name__}: {error}")
        return None
    return lambda _: launch(x, y, z)


def check(
    torch: Any,
    rotating: Call,
    lhs: Sequence[Any],
    rhs: Sequence[Any],
    out: Sequence[Any],
) -> None:
    """Every set of tensors twice, the second time by what the first left behind."""
    for _ in range(2):
        for number, (a, b, c) in enumerate(zip(lhs, rhs, out, strict=True)):
            c.fill_(float("nan"))
            rotating(number)
            wanted = a.double() @ b.double().T
            error = torch.linalg.norm(c.double() - wanted) / torch.linalg.norm(wanted)
            if not float(error) < 1e-3:
                raise RuntimeError(f"set {number}: relative error {float(error):.1e}")


def measure(
    every: Sequence[Contender], rounds: int, calls: int, wait: Callable[[], object]
) -> list[Result]:
    """Rounds of `calls` calls, in turn; the first of them is not counted."""
    times: dict[str, list[float]] = {each.name: [] for each in every}
    for round in range(rounds + 1):
        at = round % len(every)
        for each in [*every[at:], *every[:at]]:
            call = each.batch(calls)
            wait()
            began = time.perf_counter_ns()
            for number in range(calls):
                call(number)
            ended = time.perf_counter_ns()
            wait()
            if round:
                times[each.name].append((ended - began) / calls / 1e3)
    return [
        Result(each.name, each.bare, statistics.median(taken), min(taken), max(taken))
        for each, taken in zip(every, times.values(), strict=True)
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print a table, and write JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--calls", type=int, default=200, help="in a round")
    parser.add_argument("--sets", type=int, default=16, help="of rotating tensors")
    parser.add_argument("--json", metavar="FILE", help="write the results here")
    options = parser.parse_args(argv)
    if reason := why_no_device():
        print(f"skipped: {reason}")
        return 0
    torch: Any = import_module("torch")
    total = (options.rounds + 1) * options.calls
    every = contenders(torch, "cuda", options.sets, total)
    results = measure(every, options.rounds, options.calls, torch.cuda.synchronize)
    median = {each.contender: each.median for each in results}
    rows = [
        [
            each.contender,
            *(f"{us:.2f}" for us in (each.median, each.fastest, each.slowest)),
            f"{each.median / median[each.bare]:.2f}" if each.bare else "",
        ]
        for each in results
    ]
    columns = ["host time of a call", "us", "fastest", "slowest", "of bare"]
    print(markdown(columns, rows))
    if options.json:
        report = {
            "environment": environment(torch),
            "size": SIZE,
            "rounds": options.rounds,
            "calls": options.calls,
            "results": [asdict(each) for each in results],
        }
        Path(options.json).write_text(json.dumps(report, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
