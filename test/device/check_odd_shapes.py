"""Products of odd shapes on a device: error, repeats, and what must stay untouched.

    python test/device/check_odd_shapes.py --json odd.json
    python test/device/check_odd_shapes.py --schedule named --schedule model:2

Each case: normal random operands in rows that are longer than they need be, the rest of
the rows NaN, an output between guard zones and with gaps between its rows. The product
is compared with float64, beside the error of torch.matmul; it is made four times, which
must agree bit by bit; guard zones and gaps must be as they were. Cases run in a process
of their own, and one that hangs costs that case only.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from gemm_bench.environment import environment, why_no_device
from gemm_bench.library import LIBRARY, for_shape, named
from gemm_bench.operands import reference
from gemm_bench.schedules import Schedule, compile_schedule, parse_schedule
from gemm_bench.shapes import Shape
from gemm_bench.workers import announce, supervise

SHAPES = tuple(
    Shape(*extents)
    for extents in (
        # Short K, and with it many tiles for each block.
        *((128, 128, 8), (4096, 4096, 8), (8192, 8192, 64), (5000, 3000, 16)),
        *((2048, 8192, 40), (16384, 264, 72), (3333, 6664, 128)),
        # Few rows, few columns.
        *((1, 8, 8), (1, 4096, 4096), (1, 1000, 72), (2, 16384, 128), (7, 24, 1000)),
        *((16, 8192, 8192), (4099, 8, 512), (65, 16, 264)),
        # Ragged everywhere.
        *((127, 136, 64), (129, 264, 72), (257, 504, 328), (1000, 1000, 1000)),
        *((1009, 1016, 520), (2047, 2056, 1016), (4000, 4000, 4096), (191, 168, 8184)),
        # Primes; the rows are longer, so that TMA can address them.
        *((251, 257, 263), (1021, 1031, 1033), (3, 5, 7), (1, 1, 1), (509, 8, 1021)),
        *((2053, 127, 61), (67, 4093, 131)),
    )
)
SCHEDULES = (LIBRARY.name, "coop128x256", "coop192x160", "pp128x128", "coop64x64")
REPEATS = 4
GUARD_ELEMENTS = 1 << 16
PATTERN = 0x7E5A
"""A NaN of f16: an element that is not written shows as an error, too."""


@dataclass(frozen=True)
class Verdict:
    """What came of one case."""

    schedule: str
    shape: str
    verdict: str
    """`ok`, or what is wrong."""

    error: float = -1.0
    """Relative error in the Frobenius norm; -1 where there is none."""

    error_of_torch: float = -1.0


def pitch_of(extent: int) -> int:
    """Elements of a row with a gap of at least eight: a multiple of 16 bytes."""
    return -(-extent // 8) * 8 + 8


def operand(torch: Any, rows: int, columns: int, generator: Any) -> Any:
    """A random matrix, NaN in the gaps of its rows."""
    whole = torch.full(
        (rows, pitch_of(columns)), float("nan"), dtype=torch.float16, device="cuda"
    )
    whole[:, :columns] = torch.randn(
        rows, columns, dtype=torch.float16, device="cuda", generator=generator
    )
    return whole[:, :columns]


@dataclass(frozen=True)
class Guarded:
    """An output between guard zones."""

    memory: Any
    """All of it, as 16-bit integers."""

    out: Any
    """[M, N], f16, a view of it."""

    @staticmethod
    def make(torch: Any, shape: Shape) -> Guarded:
        """An output for a shape, poisoned."""
        pitch = pitch_of(shape.n)
        size = shape.m * pitch
        memory = torch.full(
            (size + 2 * GUARD_ELEMENTS,), PATTERN, dtype=torch.int16, device="cuda"
        )
        inner = memory[GUARD_ELEMENTS : GUARD_ELEMENTS + size].view(torch.float16)
        return Guarded(memory, inner.view(shape.m, pitch)[:, : shape.n])

    def poison(self) -> None:
        """Write the pattern everywhere."""
        self.memory.fill_(PATTERN)

    def changed_outside(self) -> int:
        """How many elements outside the output have changed."""
        rows, columns = self.out.shape
        pitch = pitch_of(columns)
        size = rows * pitch
        inner = self.memory[GUARD_ELEMENTS : GUARD_ELEMENTS + size].view(rows, pitch)
        zones = (
            self.memory[:GUARD_ELEMENTS],
            self.memory[GUARD_ELEMENTS + size :],
            inner[:, columns:],
        )
        return sum(int((zone != PATTERN).sum()) for zone in zones)


def relative_error(torch: Any, out: Any, wanted: Any) -> float:
    """Of an f16 product against its reference, in the Frobenius norm."""
    difference = out.double() - wanted.double()
    return float(torch.linalg.norm(difference) / torch.linalg.norm(wanted.double()))


def check(
    torch: Any, schedule: Schedule, shape: Shape, launch: Callable[..., object]
) -> Verdict:
    """Make one product, look at it and around it, and make it again."""
    generator = torch.Generator(device="cuda")
    generator.manual_seed(shape.m * 7919 + shape.n * 31 + shape.k)
    lhs = operand(torch, shape.m, shape.k, generator)
    rhs = operand(torch, shape.n, shape.k, generator)
    wanted = reference(torch, lhs, rhs)
    theirs = relative_error(torch, lhs.contiguous() @ rhs.contiguous().T, wanted)
    guarded = Guarded.make(torch, shape)
    first: Any = None
    ours, wrong = -1.0, dict[str, None]()
    for _ in range(REPEATS):
        guarded.poison()
        torch.cuda.synchronize()
        launch(lhs, rhs, guarded.out)
        torch.cuda.synchronize()
        outside = guarded.changed_outside()
        if outside:
            wrong[f"{outside} elements outside the output changed"] = None
        if first is None:
            first = guarded.memory.clone()
            ours = relative_error(torch, guarded.out, wanted)
            # Both round sums in f32 to f16; few elements make the two errors differ.
            if not ours <= 1.5 * theirs + 1e-4:
                wrong["the error is not that of torch.matmul"] = None
        elif not torch.equal(first, guarded.memory):
            wrong["a repeat differs"] = None
    verdict = "; ".join(wrong) or "ok"
    # NaN is no JSON.
    error = ours if ours == ours else 1e30
    return Verdict(schedule.name, str(shape), verdict, error, theirs)


def launcher(schedule: Schedule, shape: Shape) -> Callable[..., object]:
    """What makes a product of `lhs`, `rhs` and `out`."""
    if schedule == LIBRARY:
        from croqtile_mlir.kernels.matmul_call import matmul

        def launch(lhs: Any, rhs: Any, out: Any) -> None:
            matmul(lhs, rhs.T, out)

        return launch
    return compile_schedule(schedule, shape if schedule.depends_on_shape else None)


def suits(schedule: Schedule, shape: Shape) -> bool:
    """Whether the schedule's kernel takes the shape: the plain one wants eights."""
    return schedule == LIBRARY or (shape.n % 8 == 0 and shape.k % 8 == 0)


def all_cases(names: Sequence[str]) -> list[tuple[Schedule, Shape]]:
    """Every shape with every schedule that takes it."""
    schedules = [
        each for name in names for each in named(name) or (parse_schedule(name),)
    ]
    return [
        (schedule, shape)
        for shape in SHAPES
        for schedule in for_shape(schedules, shape)
        if suits(schedule, shape)
    ]


def worker(names: Sequence[str]) -> int:
    """Run the cases whose numbers are on the standard input."""
    torch: Any = import_module("torch")
    cases = all_cases(names)
    kernels: dict[str, Callable[..., object]] = {}
    numbers: list[int] = json.load(sys.stdin)
    for number in numbers:
        schedule, shape = cases[number]
        announce("stage", f"{schedule.name} {shape}")
        try:
            launch = kernels.get(schedule.name) or launcher(schedule, shape)
            if not schedule.depends_on_shape:
                kernels[schedule.name] = launch
            verdict = check(torch, schedule, shape, launch)
        except Exception as error:
            text = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            verdict = Verdict(schedule.name, str(shape), text)
        announce("verdict", json.dumps(asdict(verdict)))
        # Ends the process where a kernel has taken the device; the next one goes on.
        torch.cuda.synchronize()
    announce("environment", json.dumps(environment(torch)))
    announce("finished", "")
    return 0


def show(verdict: Verdict) -> None:
    """One line."""
    errors = f"{verdict.error:9.2e}{verdict.error_of_torch:10.2e}"
    print(
        f"{verdict.schedule:<28}{verdict.shape:>18}{errors:>20}  {verdict.verdict}",
        flush=True,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run all cases; 0 when none is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--schedule",
        action="append",
        metavar="SPEC",
        help="as --ours of benchmarks/gemm.py",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results")
    parser.add_argument("--timeout", type=float, default=60, metavar="SECONDS")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    names: list[str] = options.schedule or list(SCHEDULES)
    if options.worker:
        return worker(names)
    if reason := why_no_device(open_device=False):
        print(f"skipped: {reason}")
        return 0
    cases = all_cases(names)
    verdicts: list[Verdict] = []
    where: dict[str, str] = {}

    def progress(event: str, text: str) -> None:
        if event == "verdict":
            verdicts.append(Verdict(**json.loads(text)))
            show(verdicts[-1])
        elif event == "environment":
            where.update(json.loads(text))

    command = [sys.executable, str(Path(__file__).resolve()), "--worker"]
    command += [f"--schedule={name}" for name in names]
    while len(verdicts) < len(cases):
        before = len(verdicts)
        left = json.dumps(list(range(before, len(cases))))
        ending = supervise(command, left, options.timeout, progress)
        if ending.reason and ending.stage == "start":
            print(f"no case could be run: {ending.reason}")
            break
        # A worker that dies after a verdict has lost the device in the case of it.
        if ending.reason and len(verdicts) == before:
            schedule, shape = cases[before]
            verdicts.append(Verdict(schedule.name, str(shape), ending.reason))
            show(verdicts[-1])
    wrong = [each for each in verdicts if each.verdict != "ok"]
    print(f"{len(verdicts) - len(wrong)} of {len(cases)} cases are right")
    if options.json:
        report = {"environment": where, "cases": [asdict(each) for each in verdicts]}
        options.json.write_text(json.dumps(report, indent=1) + "\n")
    return int(bool(wrong) or len(verdicts) < len(cases))


if __name__ == "__main__":
    sys.exit(main())
