"""From the plain matrix product to the fastest one, step by step.

    python benchmarks/ladder.py --out ladder.json            times beside torch.matmul
    python benchmarks/ladder.py --out ladder.json --ncu      adds cycles, by ncu
    python benchmarks/ladder.py --static                     what needs no device
    python benchmarks/ladder.py --table ladder.json --doc docs/performance.md

Each step is a pipeline of scheduling passes over examples/matmul.mlir. All steps of a
shape are checked against float64 and timed beside each other, in a graph and as
`do_bench` does. The file is one of benchmarks/gemm.py, which says more of the measures.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gemm_bench.environment import why_no_device
from gemm_bench.ladder_results import Ladder, read_ladder, write_ladder
from gemm_bench.ladder_tables import placed, tables
from gemm_bench.profiler import launch_all, profile
from gemm_bench.records import read_results
from gemm_bench.rungs import SHAPES, Facts, compile_rungs, facts_of, rungs
from gemm_bench.session import Task, alone
from gemm_bench.shapes import Shape, parse_shapes
from gemm_bench.tables import OURS, TORCH

from croqtile_mlir.ptx_tools import find_program

MEASURES = ("graph", "do_bench")


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("ladder.json"), metavar="FILE")
    parser.add_argument(
        "--shapes",
        default=",".join(str(each) for each in SHAPES),
        help="MxNxK or 4096^3, separated by commas",
    )
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument(
        "--ncu", action="store_true", help="add cycles to a file that has times"
    )
    parser.add_argument(
        "--static", action="store_true", help="compile only, and print what is known"
    )
    parser.add_argument(
        "--table", type=Path, metavar="FILE", help="print the tables of a file"
    )
    parser.add_argument(
        "--doc", type=Path, metavar="FILE", help="put the tables in a document instead"
    )
    parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS")
    parser.add_argument("--profiled", action="store_true", help=argparse.SUPPRESS)
    return parser


def compiled(shapes: Sequence[Shape]) -> dict[Shape, tuple[Facts, ...]]:
    """All rungs of shapes, compiled."""
    return {
        shape: tuple(
            facts_of(rung, shape, kernel, refusal)
            for rung, kernel, refusal in compile_rungs(shape, rungs(shape))
        )
        for shape in shapes
    }


def time_rungs(options: argparse.Namespace, shapes: Sequence[Shape]) -> bool:
    """Add the times of shapes to the file; whether the device lasted."""
    before = read_ladder(options.out)
    facts = {**before.facts, **compiled(shapes)}
    cases = [
        case
        for shape in shapes
        for case in Task(
            out=options.out,
            shapes=(shape,),
            measures=MEASURES,
            runs=options.runs,
            schedules=tuple(rung.schedule for rung in rungs(shape)),
            contenders=(OURS, TORCH),
            quick=options.quick,
            all_ours=True,
        ).cases()
    ]
    complete = alone(cases, options.out, options.quick)
    results = read_results(options.out)
    write_ladder(options.out, Ladder(results, facts, before.profiles))
    return complete


def profile_rungs(options: argparse.Namespace, shapes: Sequence[Shape]) -> None:
    """Add the cycles of shapes to the file; RuntimeError where ncu has none."""
    ncu = find_program("ncu")
    if ncu is None:
        raise RuntimeError("ncu must be on PATH or in $CUDA_HOME/bin, found none")
    command = [sys.executable, str(Path(__file__).resolve()), "--profiled"]
    command += ["--shapes", ",".join(str(each) for each in shapes)]
    found = profile(str(ncu), command, options.timeout)
    ladder = read_ladder(options.out)
    missing = [shape for shape in shapes if shape not in ladder.facts]
    write_ladder(
        options.out,
        replace(
            ladder,
            facts={**ladder.facts, **compiled(missing)},
            profiles={**ladder.profiles, **found},
        ),
    )


def show(file: Path, document: Path | None) -> None:
    """Print the tables of a file, or put them in a document."""
    if not file.exists():
        raise ValueError(f"{file} does not exist")
    text = tables(read_ladder(file))
    if document is None:
        print(text)
        return
    document.write_text(placed(document.read_text("utf-8"), text), "utf-8")


def pipelines(facts: Mapping[Shape, Sequence[Facts]]) -> list[str]:
    """The passes of all rungs, as `croq-opt -p` takes them."""
    lines: list[str] = []
    for shape, listed in facts.items():
        lines.append(f"{shape}:")
        for each in listed:
            without = f", lowered without {each.without[0]}" if each.without else ""
            lines.append(f"  {each.name}: {each.passes}{without}")
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Measure what is left, and print all tables."""
    options = arguments().parse_args(argv)
    try:
        shapes = parse_shapes(options.shapes.split(","))
        if options.table:
            show(options.table, options.doc)
            return 0
        if options.static:
            facts = compiled(shapes)
            print(tables(Ladder(facts=facts)))
            print("\n".join(pipelines(facts)))
            return 0
        read_ladder(options.out)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    # Under ncu the device is left to the process that is profiled.
    reason = why_no_device(open_device=not options.ncu)
    if reason:
        print(f"skipped: {reason}")
        return 0
    if options.profiled:
        launch_all(shapes)
        return 0
    complete = True
    if options.ncu:
        try:
            profile_rungs(options, shapes)
        except (OSError, RuntimeError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
    else:
        complete = time_rungs(options, shapes)
    show(options.out, None)
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
