"""The `croq-run` tool: compile a kernel file, run it on random data, check, time it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from croqtile_mlir.tools.run_arguments import (
    Trial,
    UsageError,
    make_trial,
    parse_assignments,
    parse_number,
)

if TYPE_CHECKING:
    from croqtile_mlir.kernel import Kernel
    from croqtile_mlir.resources import Resources
    from croqtile_mlir.tools.backends import Outcome


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="croq-run",
        allow_abbrev=False,
        description="Compile a kernel file and run it on a device with random inputs. "
        "Without a device it stops after PTX and ptxas, and says so.",
    )
    parser.add_argument("file", help="a file of IR, - for standard input")
    parser.add_argument(
        "--size",
        metavar="M=4096,N=4096",
        action="append",
        default=[],
        help="the extents of the kernel's dims",
    )
    parser.add_argument(
        "--param",
        metavar="S=3",
        action="append",
        default=[],
        help="values for the kernel's parameters",
    )
    parser.add_argument(
        "--scalar",
        metavar="alpha=2.0",
        action="append",
        default=[],
        help="values for scalar arguments (1 where none is given)",
    )
    parser.add_argument(
        "--kernel", help="which kernel of the file, where it has several"
    )
    parser.add_argument("--target", help="sm_90a, for one; the file's own by default")
    parser.add_argument(
        "--check",
        action="store_true",
        help="compare with the kernel's reference, evaluated in float64",
    )
    parser.add_argument(
        "--tolerance",
        type=float,
        help="the largest relative error that is right; by default it follows from "
        "the element type of the result",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the random inputs")
    parser.add_argument(
        "--repeat", type=int, default=20, help="timed launches, 0 for none"
    )
    parser.add_argument(
        "--ptx", metavar="FILE", help="write the PTX text to a file, - for the terminal"
    )
    return parser


def run(argv: Sequence[str] | None = None) -> int:
    """Run the tool; the process's exit status. Errors of the user raise."""
    options = make_parser().parse_args(argv)
    sizes = parse_assignments("--size", options.size, int)
    params = parse_assignments("--param", options.param, int)
    scalars = parse_assignments("--scalar", options.scalar, parse_number)
    kernel = _compile(options.file, options.target, params, options.kernel)
    for diagnostic in kernel.diagnostics:
        print(diagnostic, file=sys.stderr)
    if options.ptx:
        _write_ptx(options.ptx, kernel.ptx)
    trial = make_trial(
        kernel.plan, sizes, scalars, options.check, options.tolerance, options.repeat
    )
    choices = {**trial.dims, **params, **trial.scalars}
    listed = ", ".join(f"{name} = {value}" for name, value in choices.items())
    print(f"{kernel.name}: {listed or 'no dims'}, target {kernel.plan.target}")
    return _run_trial(kernel, trial, options.seed)


def _compile(
    file: str, target: str | None, params: Mapping[str, int], name: str | None
) -> Kernel:
    from croqtile_mlir.compiler import Source, compile_source

    text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    shown = "<stdin>" if file == "-" else file
    return compile_source(
        Source(text, shown, target, tuple(sorted(params.items())), name)
    )


def _write_ptx(file: str, ptx: str) -> None:
    if file == "-":
        print(ptx, end="")
    else:
        Path(file).write_text(ptx, encoding="utf-8")


def _run_trial(kernel: Kernel, trial: Trial, seed: int) -> int:
    from croqtile_mlir.resources import assembler_resources, device_resources
    from croqtile_mlir.tools.backends import Unavailable, choose_backend

    backend = choose_backend()
    if isinstance(backend, Unavailable):
        _line("device", backend.reason.removeprefix("no device: "), "none: ")
        resources = assembler_resources(kernel.launcher)
        _line("ptx", f"{len(kernel.ptx)} characters")
        _print_resources(resources)
        asked = "the run and the check" if trial.check else "the run"
        _line("skipped", f"{asked}: there is no device here")
        return 0
    _line("device", backend.description)
    inputs = trial.random_inputs(seed)
    outcome = backend.run(kernel, inputs, trial.scalars, trial.repeat)
    right = trial.check is False or _print_check(trial, inputs, outcome)
    _print_time(trial, outcome)
    _print_resources(device_resources(kernel.launcher))
    return 0 if right else 1


def _print_check(trial: Trial, inputs: Mapping[str, object], outcome: Outcome) -> bool:
    found = trial.compare(inputs, outcome.tiles)
    verdict = "ok" if found.right else "WRONG"
    _line(
        "result",
        f"relative error {found.relative:.2e} (limit {found.tolerance:.0e}), largest "
        f"difference {found.largest:.2e}: {verdict}",
    )
    return found.right


def _print_time(trial: Trial, outcome: Outcome) -> None:
    if outcome.milliseconds is None:
        return
    text = f"{outcome.milliseconds * 1e3:.1f} us (median of {trial.repeat})"
    _line("time", ", ".join(filter(None, (text, trial.rate(outcome.milliseconds)))))


def _print_resources(resources: Resources) -> None:
    parts = [f"{resources.shared_bytes} bytes of shared memory"]
    if resources.registers is not None:
        parts.insert(0, f"{resources.registers} registers")
    if resources.spill_bytes is not None:
        parts.insert(1, f"{resources.spill_bytes} bytes spilled")
    if resources.blocks_per_multiprocessor is not None:
        parts.append(
            f"blocks per multiprocessor: {resources.blocks_per_multiprocessor}"
        )
    told = {"plan": " (ptxas not found)", "ptxas": " (ptxas)", "driver": ""}
    _line("resources", ", ".join(parts) + told[resources.source])
    for message in resources.messages:
        _line("", message)


def _line(label: str, text: str, before: str = "") -> None:
    print(f"  {label:<10}{before}{text}")


def main() -> None:
    """The entry point: errors of the user go to stderr, with exit status 1."""
    from croqtile_mlir.diagnostics import CompileError, render
    from croqtile_mlir.errors import ArgumentError, DeviceError
    from croqtile_mlir.ptx_tools import AssemblerError
    from croqtile_mlir.reference import ReferenceTextError

    try:
        sys.exit(run())
    except CompileError as error:
        sys.exit(render(error.diagnostic, _source_of(error.location.file)))
    except OSError as error:
        sys.exit(f"croq-run: error: {error.filename}: {error.strerror}")
    except UnicodeDecodeError as error:
        sys.exit(f"croq-run: error: the file must be UTF-8 text: {error.reason}")
    except (
        ArgumentError,
        AssemblerError,
        DeviceError,
        ReferenceTextError,
        UsageError,
    ) as error:
        sys.exit(f"croq-run: error: {error}")


def _source_of(file: str) -> str | None:
    path = Path(file)
    return path.read_text(encoding="utf-8") if path.is_file() else None


if __name__ == "__main__":
    main()
