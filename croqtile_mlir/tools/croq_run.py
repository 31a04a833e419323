"""The `croq-run` tool: compile a kernel file, run it on random data, check, time it."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from croqtile_mlir.tools.cache_report import report_cache
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
from croqtile_mlir.tools.run_options import make_parser
from croqtile_mlir.tools.run_output import (
    print_check,
    print_header,
    print_line,
    text_of,
)
from croqtile_mlir.tools.simulated_run import ELEMENTS as SIMULATED_ELEMENTS
from croqtile_mlir.tools.simulated_run import Choices, simulate
from croqtile_mlir.tools.streams import STANDARD_OUTPUT, drop_output
from croqtile_mlir.tools.versions import print_version
from croqtile_mlir.tools.waiting import waiting

if TYPE_CHECKING:
    from croqtile_mlir.compiler import Source
    from croqtile_mlir.kernel import Kernel
    from croqtile_mlir.tools.backends import Outcome

ELEMENTS = 1 << 24
"""Elements of the largest tile for which no sizes are given."""


def run(argv: Sequence[str] | None = None) -> int:
    """Run the tool; the process's exit status. Errors of the user raise."""
    parser = make_parser()
    options = parser.parse_args(argv)
    if options.version:
        print_version("croq-run")
        return 0
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
    text = (sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()).decode(
        "utf-8-sig"
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
    with waiting("making random inputs"):
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
    with waiting("assembling"):
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


def _show_warning(message: Warning | str, *_: object) -> None:
    """In place of `warnings.showwarning`, which shows a line of Python."""
    print(f"croq-run: warning: {message}", file=sys.stderr)


def main() -> None:
    """The entry point: errors of the user go to stderr, with exit status 1."""
    collect_seldom()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            sys.exit(_status())
    except KeyboardInterrupt:
        sys.exit("croq-run: interrupted")


def _status() -> int | str:
    """What the process exits with: its status, or a message and status 1."""
    from croqtile_mlir.diagnostics import CompileError, all_from_exception, render
    from croqtile_mlir.errors import ArgumentError, DeviceError
    from croqtile_mlir.pass_manager.running import PassCrash
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
    except PassCrash as error:
        return (
            f"croq-run: error: {error}\nnote: this is a bug in the compiler; "
            "croq-opt --croq-to-ptx --traceback shows where"
        )
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
