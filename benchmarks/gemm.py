"""Matrix products in f16 beside torch.matmul, cuBLASLt and Triton.

    python benchmarks/gemm.py --out results.json
    python benchmarks/gemm.py --out results.json --shapes 4096^3 --measures graph
    python benchmarks/gemm.py --out found.json --shapes 4096^3 --search schedules.txt
    python benchmarks/gemm.py --summary results.json

Each shape: random normal operands, every contender's output poisoned with NaN and
compared with float64, then three measures. Results are added to the file after each;
the same call again does what is left. How each is measured is said in gemm_bench.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from gemm_bench.cases import MEASURES, SEARCHES
from gemm_bench.environment import why_no_device
from gemm_bench.library import LIBRARY, named, saved
from gemm_bench.records import read_results, write_results
from gemm_bench.schedules import NAMED, Schedule, parse_schedule, read_schedules
from gemm_bench.search import best_of, search_report
from gemm_bench.session import Task, alone, isolated, search_cases, worker
from gemm_bench.shapes import parse_shapes
from gemm_bench.tables import CONTENDERS, OURS, TORCH, figures, summary

NAMES: Mapping[str, str] = dict(
    zip(("ours", "torch", "cublaslt", "triton"), CONTENDERS, strict=True)
)


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog="Lists are separated by commas.",
    )
    parser.add_argument("--out", type=Path, default=Path("gemm.json"), metavar="FILE")
    parser.add_argument(
        "--shapes", default="all", help="MxNxK, 4096^3, nine, others, large, all"
    )
    parser.add_argument("--measures", default="graph,do_bench,sustained")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--contenders", default=",".join(NAMES))
    parser.add_argument(
        "--ours",
        action="append",
        default=[],
        metavar="SPEC",
        help="a schedule, instead of croq.matmul's choice: NAME: PASSES, a name, named "
        "(those built in), model:20 (the best of the cost model), croq.matmul",
    )
    parser.add_argument("--ours-file", metavar="FILE", help="schedules, one a line")
    parser.add_argument(
        "--all-ours", action="store_true", help="time every schedule, not only the best"
    )
    parser.add_argument(
        "--search", metavar="FILE", help="time all schedules of a file, or model:20"
    )
    parser.add_argument("--quick", action="store_true", help="fewer rounds, one run")
    parser.add_argument(
        "--isolate", action="store_true", help="in a process that may hang or die"
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=120,
        metavar="SECONDS",
        help="how long an isolated process may be silent",
    )
    parser.add_argument(
        "--summary", type=Path, metavar="FILE", help="print the tables of a file"
    )
    parser.add_argument(
        "--best",
        type=Path,
        metavar="FILE",
        help="print the best of a search, as the library's saved schedules",
    )
    parser.add_argument(
        "--schedules", action="store_true", help="print the schedules built in"
    )
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return parser


def schedules_of(options: argparse.Namespace) -> tuple[Schedule, ...]:
    """The schedules that are asked for."""
    found: list[Schedule] = []
    for text in options.ours:
        found += named(text) or (parse_schedule(text),)
    files: list[str] = [each for each in (options.search, options.ours_file) if each]
    for file in files:
        known = named(file)
        if not known:
            lines = Path(file).read_text(encoding="utf-8").splitlines()
            known = read_schedules(lines)
        found += known
    return tuple(found) or (LIBRARY,)


def contenders_of(text: str) -> tuple[str, ...]:
    """Contenders by their names on the command line."""
    names = text.split(",")
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise ValueError(f"contenders are {', '.join(NAMES)}, got '{unknown[0]}'")
    return tuple(NAMES[name] for name in names)


def measures_of(text: str) -> tuple[str, ...]:
    """Measures by name."""
    names = tuple(text.split(","))
    unknown = [name for name in names if name not in MEASURES]
    if unknown:
        raise ValueError(f"measures are {', '.join(MEASURES)}, got '{unknown[0]}'")
    return names


def task_of(options: argparse.Namespace) -> Task:
    """What the command line asks for; raises ValueError where it makes no sense."""
    measures = measures_of(options.measures)
    contenders = contenders_of(options.contenders)
    if options.search:
        measures = tuple(m for m in SEARCHES if m.removeprefix("search ") in measures)
        contenders = (OURS, TORCH)
    return Task(
        out=options.out,
        shapes=parse_shapes(options.shapes.split(",")),
        measures=measures,
        runs=1 if options.quick else options.runs,
        schedules=schedules_of(options),
        contenders=contenders,
        quick=options.quick or options.search is not None,
        all_ours=options.all_ours,
    )


def report(path: Path) -> str:
    """The tables of a results file."""
    results = read_results(path)
    parts = [summary(results)]
    if any(record.measure in SEARCHES for record in results.records):
        parts = [search_report(results)]
    return "\n".join(parts)


def best(path: Path) -> dict[str, object]:
    """The best schedule of each shape of a search."""
    results = read_results(path)
    found = {shape: best_of(results, shape) for shape in results.shapes()}
    return saved({shape: name for shape, name in found.items() if name is not None})


def main(argv: Sequence[str] | None = None) -> int:
    """Measure what is left, and print all tables."""
    options = arguments().parse_args(argv)
    if options.worker:
        return worker()
    if options.schedules:
        print("\n".join(str(each) for each in NAMED))
        return 0
    try:
        if options.summary:
            print(report(options.summary))
            return 0
        if options.best:
            print(json.dumps(best(options.best), indent=2))
            return 0
        task = task_of(options)
        read_results(task.out)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    # The device is left to the workers where there are any.
    reason = why_no_device(open_device=not options.isolate)
    if reason:
        print(f"skipped: {reason}")
        return 0
    cases = search_cases(task) if options.search else task.cases()
    print(f"{len(cases)} cases to measure, {task.out}", flush=True)
    complete = True
    if options.isolate:
        command = [sys.executable, str(Path(__file__).resolve()), "--worker"]
        isolated(cases, task.out, task.quick, command, options.timeout)
    else:
        complete = alone(cases, task.out, task.quick)
    results = read_results(task.out)
    write_results(task.out, results, figures(results))
    print(report(task.out))
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
