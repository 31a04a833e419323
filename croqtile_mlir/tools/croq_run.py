"""The `croq-run` tool: compile a kernel file, run it on random data, check, time it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from croqtile_mlir.tools.cache_report import add_cache_flags, report_cache
from croqtile_mlir.tools.garbage import collect_seldom
from croqtile_mlir.tools.resource_report import (
    print_resources,
    report_resources,
    tell_spills,
)
from croqtile_mlir.tools.run_arguments import (
    Asked,
    Trial,
    UsageError,
    parse_assignments,
    parse_number,
    sizes_left,
)
from croqtile_mlir.tools.run_output import (
    print_check,
    print_header,
    print_line,
    text_of,
)
from croqtile_mlir.tools.simulated_run import ELEMENTS as SIMULATED_ELEMENTS
from croqtile_mlir.tools.simulated_run import Choices, simulate
from croqtile_mlir.tools.source_flags import add_source_flags
from croqtile_mlir.tools.streams import STANDARD_OUTPUT, drop_output
from croqtile_mlir.tools.waiting import waiting

if TYPE_CHECKING:
    from croqtile_mlir.compiler import Source
    from croqtile_mlir.kernel import Kernel
    from croqtile_mlir.tools.backends import Outcome

ELEMENTS = 1 << 24
"""Elements of the largest tile for which no sizes are given."""


class _ArgumentParser(argparse.ArgumentParser):
    """Refuses options as everything else is refused."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (croq-run --help lists the options)")


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = _ArgumentParser(
        prog="croq-run",
        allow_abbrev=False,
        description="Compile a kernel file and run it with random inputs, on a device "
        "or, where there is none, in the simulator.",
    )
    parser.add_argument(
        "file",
        nargs="?",
        help="a file of IR or of Croqtile source (.co), - for standard input",
    )
    _add_kernel_flags(parser)
    _add_check_flags(parser)
    _add_simulator_flags(parser)
    _add_report_flags(parser)
    add_source_flags(parser)
    add_cache_flags(parser)
    return parser


def _add_kernel_flags(parser: argparse.ArgumentParser) -> None:
    """Which kernel, and with what values."""
    parser.add_argument(
        "--size",
        metavar="M=4096,N=4096",
        action="append",
        default=[],
        help="the extents of the kernel's dims; others get one that suits where it "
        "runs",
    )
    parser.add_argument(
        "--param",
        metavar="S=3",
        action="append",
        default=[],
        help="values for the kernel's parameters",
    )
    parser.add_argument(
        "--dim",
        metavar="M=4096",
        action="append",
        default=[],
        help="extents that are compiled into the kernel; sizes of the run, too",
    )
    parser.add_argument(
        "--schedule",
        metavar="PASSES",
        default="",
        help="passes that run before the lowering: persist{order=grouped},..",
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


def _add_check_flags(parser: argparse.ArgumentParser) -> None:
    """What is done with the results, and how often the kernel runs."""
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


def _add_simulator_flags(parser: argparse.ArgumentParser) -> None:
    """The simulator, and how it runs a kernel."""
    parser.add_argument(
        "--simulate",
        action="store_true",
        help="run in the simulator, even if there is a device; so do the next three",
    )
    parser.add_argument(
        "--policy",
        metavar="NAME",
        help="the schedule of the simulator: rr (default), late, early, random:SEED",
    )
    parser.add_argument(
        "--level",
        help="what the simulator runs: nvvm (default, after the whole lowering), croq "
        "(the input), ptx (the printed text), or the name of the last pass",
    )
    parser.add_argument(
        "--trace",
        metavar="FILE",
        help="write the simulated execution as a Chrome trace (for ui.perfetto.dev)",
    )


def _add_report_flags(parser: argparse.ArgumentParser) -> None:
    """What is told of a kernel, or of the device."""
    parser.add_argument(
        "--ptx", metavar="FILE", help="write the PTX text to a file, - for the terminal"
    )
    parser.add_argument(
        "--resources",
        action="store_true",
        help="do not run, but report registers, shared memory and occupancy, from the "
        "device or ptxas",
    )
    parser.add_argument(
        "--no-spills",
        action="store_true",
        help="refuse a kernel whose threads spill registers; a warning without it",
    )
    parser.add_argument(
        "--device-info",
        action="store_true",
        help="do not run, but say what the device is; takes no file",
    )


def run(argv: Sequence[str] | None = None) -> int:
    """Run the tool; the process's exit status. Errors of the user raise."""
    parser = make_parser()
    options = parser.parse_args(argv)
    if report_cache(options):
        return 0
    if options.device_info:
        if options.file is not None:
            parser.error("--device-info takes no file")
        from croqtile_mlir.tools.device_report import report_device

        return report_device()
    if options.file is None:
        parser.error("must be given the file of a kernel")
    sizes = parse_assignments("--size", options.size, int)
    params = parse_assignments("--param", options.param, int)
    dims = parse_assignments("--dim", options.dim, int)
    scalars = parse_assignments("--scalar", options.scalar, parse_number)
    asked = Asked(
        sizes_left(sizes, dims),
        params,
        scalars,
        options.check,
        options.tolerance,
        options.repeat,
        options.seed,
        dims,
    )
    source = _source(options, params, dims)
    choices = _choices(options)
    if choices is not None and not options.resources:
        if options.ptx or options.no_spills:
            _lowered(source, options)
        return simulate(source, choices, asked)
    kernel = _lowered(source, options)
    if options.resources:
        report_resources(kernel)
        tell_spills(kernel, kernel.resources)
        return 0
    return _run_kernel(kernel, asked)


def _source(
    options: argparse.Namespace, params: Mapping[str, int], dims: Mapping[str, int]
) -> Source:
    from croqtile_mlir.compiler import Source
    from croqtile_mlir.frontends.croqtile.options import FrontendOptions, parse_defines

    file: str = options.file
    text = (
        sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8-sig")
    )
    return Source(
        text,
        "<stdin>" if file == "-" else file,
        options.target,
        tuple(sorted(params.items())),
        options.kernel,
        tuple(sorted(dims.items())),
        options.schedule,
        frontend=FrontendOptions(
            parse_defines(options.define),
            strict_names=options.strict_names,
            strict_init=options.strict_init,
        ),
    )


def _compile(source: Source) -> Kernel:
    from croqtile_mlir.compiler import compile_source

    with waiting("compiling"):
        kernel = compile_source(source)
    for diagnostic in kernel.diagnostics:
        print(diagnostic, file=sys.stderr)
    return kernel


def _lowered(source: Source, options: argparse.Namespace) -> Kernel:
    """The kernel, its PTX written and its spills refused where that is asked for."""
    kernel = _compile(source)
    if options.ptx:
        _write_ptx(options.ptx, kernel.ptx)
    if options.no_spills:
        kernel.refuse_spills()
    return kernel


def _choices(options: argparse.Namespace) -> Choices | None:
    """The options of the simulator; None where it is not asked for."""
    given = {
        name: value
        for name in ("policy", "level", "trace")
        if (value := getattr(options, name)) is not None
    }
    return Choices(**given) if given or options.simulate else None


def _write_ptx(file: str, ptx: str) -> None:
    if file == "-":
        print(ptx, end="")
    else:
        Path(file).write_text(ptx, encoding="utf-8")


def _run_kernel(kernel: Kernel, asked: Asked) -> int:
    from croqtile_mlir.resources import device_resources
    from croqtile_mlir.tools.backends import Unavailable, choose_backend

    backend = choose_backend()
    if isinstance(backend, Unavailable):
        return _run_without_device(kernel, asked, backend.reason)
    trial = asked.trial(kernel.plan, ELEMENTS)
    print_header(kernel.name, trial, asked)
    print_line("device", backend.description)
    inputs = trial.random_inputs(asked.seed)
    with waiting("running"):
        outcome = backend.run(kernel, inputs, trial.scalars, trial.repeat)
    right = trial.check is False or print_check(trial, inputs, outcome)
    _print_time(trial, outcome)
    resources = device_resources(kernel.launcher)
    print_resources(resources)
    tell_spills(kernel, resources)
    return 0 if right else 1


def _run_without_device(kernel: Kernel, asked: Asked, reason: str) -> int:
    from croqtile_mlir.resources import assembler_resources

    trial = asked.trial(kernel.plan, SIMULATED_ELEMENTS)
    print_header(kernel.name, trial, asked)
    print_line("device", "none: " + reason.removeprefix("no device: "))
    print_line("ptx", f"{len(kernel.ptx)} characters")
    resources = assembler_resources(kernel.launcher)
    print_resources(resources)
    tell_spills(kernel, resources)
    return simulate(kernel.source, Choices(), asked, header=False)


def _print_time(trial: Trial, outcome: Outcome) -> None:
    if outcome.milliseconds is None:
        return
    text = f"{outcome.milliseconds * 1e3:.1f} us (median of {trial.repeat})"
    print_line(
        "time", ", ".join(filter(None, (text, trial.rate(outcome.milliseconds))))
    )


def main() -> None:
    """The entry point: errors of the user go to stderr, with exit status 1."""
    collect_seldom()
    try:
        sys.exit(_status())
    except KeyboardInterrupt:
        sys.exit("croq-run: interrupted")


def _status() -> int | str:
    """What the process exits with: its status, or a message and status 1."""
    from croqtile_mlir.diagnostics import CompileError, all_from_exception, render
    from croqtile_mlir.errors import ArgumentError, DeviceError
    from croqtile_mlir.ptx_tools import AssemblerError
    from croqtile_mlir.reference.text import ReferenceTextError

    try:
        status = run()
        print(end="", flush=True)
        return status
    except CompileError as error:
        texts = (render(d, text_of(d.location.file)) for d in all_from_exception(error))
        return "\n".join(texts)
    except BrokenPipeError:
        drop_output()
        return 1
    except OSError as error:
        return f"croq-run: error: {error.filename or STANDARD_OUTPUT}: {error.strerror}"
    except UnicodeDecodeError as error:
        return f"croq-run: error: the file must be UTF-8 text: {error.reason}"
    except MemoryError as error:
        return f"croq-run: error: the memory must suffice, --size asks for it: {error}"
    except (
        ArgumentError,
        AssemblerError,
        DeviceError,
        ReferenceTextError,
        UsageError,
    ) as error:
        return f"croq-run: error: {error}"


if __name__ == "__main__":
    main()
