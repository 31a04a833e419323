"""The `croq-opt` driver: parse, run passes in the order given, print."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from difflib import get_close_matches
from errno import EBADF
from functools import partial
from pathlib import Path
from typing import NoReturn, TextIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException, ParseError

from croqtile_mlir.context import new_context
from croqtile_mlir.diagnostics import (
    CompileError,
    Diagnostic,
    Diagnostics,
    Severity,
    all_from_exception,
    fail,
    from_exception,
    render,
    too_deep,
)
from croqtile_mlir.frontends.croqtile.options import (
    FrontendOptions,
    parse_defines,
    parse_params,
)
from croqtile_mlir.frontends.inputs import parse_input
from croqtile_mlir.pass_manager.running import (
    Moment,
    Observer,
    PassCrash,
    available_passes,
    parse_passes,
    run_passes,
)
from croqtile_mlir.storage.whole_files import write_whole
from croqtile_mlir.tools.cache_report import add_cache_flags, report_cache
from croqtile_mlir.tools.expectations import check_expectations, parse_expectations
from croqtile_mlir.tools.garbage import collect_seldom
from croqtile_mlir.tools.observers import IRFiles, print_ir, print_times
from croqtile_mlir.tools.output_formats import Emitter, is_binary, make_emitter
from croqtile_mlir.tools.pass_flags import PIPELINE_FLAGS, fold_pass_flags
from croqtile_mlir.tools.source_flags import add_source_flags
from croqtile_mlir.tools.streams import STANDARD_OUTPUT, drop_output, is_open
from croqtile_mlir.tools.versions import print_version
from croqtile_mlir.tools.waiting import Waiting, waiting

_SEPARATOR = "// -----"


class _ArgumentParser(argparse.ArgumentParser):
    """An argument parser whose errors look like all others."""

    def error(self, message: str) -> NoReturn:
        fail(None, message, hint="croq-opt --help lists the options")


def argument_parser() -> argparse.ArgumentParser:
    """The options of `croq-opt` besides the passes."""
    parser = _ArgumentParser(
        prog="croq-opt",
        allow_abbrev=False,
        description="Runs passes on MLIR text, or on Croqtile source (.co), in the "
        "order of their flags.",
        epilog="A pass is a flag: --lower-events, --bind-params{S=3}, "
        "--check-level=level=ptx; -p a,b{c=1} names several. --show-passes lists them.",
    )
    parser.add_argument("input", nargs="?", default="-", help="input file, - for stdin")
    parser.add_argument("-o", "--output-file", default="-", help="output, - for stdout")
    parser.add_argument(
        "-t",
        "--target",
        default="mlir",
        help="output format: mlir, ptx, cubin or fatbin; the last two lower what is "
        "left to lower, and need ptxas",
    )
    add_source_flags(parser)
    parser.add_argument(
        "--param",
        metavar="NAME[=3]",
        action="append",
        default=[],
        help="a macro of Croqtile source that becomes a parameter of its kernels",
    )
    for flag, text in (
        ("--split-input-file", f"process the parts between {_SEPARATOR} on their own"),
        ("--verify-diagnostics", "check // expected-error {{..}} comments"),
        ("--allow-unregistered-dialect", "accept ops of unknown dialects"),
        ("--no-implicit-module", "the input must be a builtin.module"),
        ("--print-op-generic", "print ops in generic form"),
        ("--print-debuginfo", "print locations"),
        ("--print-ir-before-all", "print the IR before each pass, to stderr"),
        ("--print-ir-after-all", "print the IR after each pass, to stderr"),
        ("--time-passes", "print the time of each pass, to stderr"),
        ("--disable-verify", "do not verify between passes"),
        ("--show-passes", "list the passes and exit"),
        ("--traceback", "where an internal error comes from"),
        ("--version", "print the version and exit"),
    ):
        parser.add_argument(flag, action="store_true", help=text)
    parser.add_argument(
        "--ir-dir",
        metavar="DIR",
        help="write the input and the IR after each pass to numbered files in a "
        "folder, best a new one: those of an earlier run stay",
    )
    add_cache_flags(parser)
    return parser


def parse_arguments(argv: Sequence[str]) -> tuple[argparse.Namespace, str]:
    """
    The options, and the text of the passes in order.

    Raises:
        CompileError: for a flag that is neither a pass nor an option.
    """
    pipeline, rest = fold_pass_flags(argv, available_passes().keys())
    args, unknown = argument_parser().parse_known_args(rest)
    for argument in unknown:
        if argument in PIPELINE_FLAGS:
            fail(None, f"{argument} takes a list of passes, got nothing")
        if not argument.startswith("-"):
            fail(
                None,
                f"one input file is processed at a time, got '{argument}' besides "
                f"'{args.input}'",
            )
        name = re.split(r"[={]", argument.lstrip("-"))[0]
        options = [o.removeprefix("--") for o in vars(args)]
        names = [*available_passes(), *(o.replace("_", "-") for o in options)]
        close = " or ".join(f"--{each}" for each in get_close_matches(name, names))
        fail(
            None,
            f"unknown pass or option '{argument}'",
            hint=f"did you mean {close}?"
            if close
            else "--show-passes lists the passes, --help the options",
        )
    return args, ",".join(pipeline)


def _show_passes(output: TextIO) -> None:
    for name, factory in sorted(available_passes().items()):
        # Some of xDSL's passes need packages that we do not.
        with suppress(ImportError):
            doc = (factory().__doc__ or "").strip().split("\n\n")[0]
            print(f"  --{name:32} {' '.join(doc.split())}", file=output)


def _chunks(text: str, split: bool) -> Iterator[str]:
    """
    The parts to process, each with as many empty lines before it as there are lines
    before it in the file, so that positions are those in the file.
    """
    if not split:
        yield text
        return
    start = 0
    for separator in re.finditer(rf"^{_SEPARATOR}[ \t\r]*$", text, re.MULTILINE):
        yield "\n" * text.count("\n", 0, start) + text[start : separator.start()]
        start = separator.end()
    yield "\n" * text.count("\n", 0, start) + text[start:]


class _Driver:
    def __init__(
        self, args: argparse.Namespace, passes: Sequence[ModulePass], emitter: Emitter
    ):
        self.args = args
        self.passes = passes
        self.emitter = emitter
        self.name: str = "<stdin>" if args.input == "-" else args.input
        self.line: Waiting | None = None
        self.options = FrontendOptions(
            parse_defines(args.define),
            parse_params(args.param),
            args.strict_names,
            args.strict_init,
        )
        self.observers: list[Observer] = []
        generic: bool = args.print_op_generic
        if args.print_ir_before_all:
            self.observers.append(print_ir(Moment.Before, generic=generic))
        if args.print_ir_after_all:
            self.observers.append(
                print_ir(Moment.After, Moment.Failed, generic=generic)
            )
        if args.time_passes:
            self.observers.append(print_times())
        self.files = IRFiles(Path(args.ir_dir), generic) if args.ir_dir else None
        if self.files is not None:
            self.observers.append(self.files)

    def process(self, text: str, sink: Diagnostics) -> bytes:
        """Run one chunk; errors go to the sink. Returns what to print."""
        args = self.args
        ctx = new_context(sink, allow_unregistered=args.allow_unregistered_dialect)
        try:
            module = parse_input(
                ctx,
                text,
                self.name,
                self.options,
                implicit=not args.no_implicit_module,
            )
            if self.files is not None:
                self.files.begin(module)
            run_passes(
                ctx,
                module,
                self.passes,
                verify=not args.disable_verify,
                observers=self.observers,
            )
            return self.emitter(ctx, module)
        except RecursionError:
            sink.report(too_deep(self.name))
        except (ParseError, DiagnosticException, ArgSpecParseError) as error:
            for diagnostic in all_from_exception(error):
                sink.report(diagnostic)
        return b""

    def _report(self, text: str, diagnostic: Diagnostic) -> None:
        if self.line is not None:
            self.line.clear()
        print(render(diagnostic, text), file=sys.stderr)

    def run(self, text: str) -> tuple[bytes, bool]:
        """The output, and whether everything went well."""
        if self.observers:
            # They print, or their files say how far it is.
            return self._run(text)
        with waiting("parsing") as self.line:
            if self.line is not None:
                self.observers.append(partial(_say, self.line))
            return self._run(text)

    def _run(self, text: str) -> tuple[bytes, bool]:
        outputs: list[bytes] = []
        good = True
        for chunk in _chunks(text, self.args.split_input_file):
            if self.args.verify_diagnostics:
                sink = Diagnostics()
                output = self.process(chunk, sink)
                expected = parse_expectations(chunk)
                for line in check_expectations(expected, sink.collected, self.name):
                    print(line, file=sys.stderr)
                    good = False
            else:
                sink = Diagnostics(on_report=partial(self._report, text))
                output = self.process(chunk, sink)
                good = good and not any(
                    diag.severity is Severity.Error for diag in sink.collected
                )
            outputs.append(output)
        return f"{_SEPARATOR}\n".encode().join(outputs), good


def _say(line: Waiting, each: ModulePass, module: ModuleOp, moment: Moment) -> None:
    if moment is Moment.Before:
        line.text = each.name


def _read(path: str) -> str:
    if path == "-":
        return sys.stdin.buffer.read().decode("utf-8-sig")
    return Path(path).read_bytes().decode("utf-8-sig")


def _write(path: str, output: bytes) -> None:
    """Write the output whole or not at all."""
    if path == "-":
        _print(output)
    else:
        write_whole(Path(path), output)


def _print(output: bytes) -> None:
    if not is_open(sys.stdout):
        raise OSError(EBADF, "it is closed", STANDARD_OUTPUT)
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:  # A stream of text that stands for the standard output.
        sys.stdout.write(output.decode())
        return
    sys.stdout.flush()
    buffer.write(output)
    buffer.flush()


def _refuse_output(args: argparse.Namespace) -> None:
    """Refuse what no file, or no terminal, can hold."""
    if not is_binary(args.target):
        return
    if args.split_input_file:
        fail(None, f"target '{args.target}' needs one module, got --split-input-file")
    if args.output_file == "-" and sys.stdout.isatty():
        fail(None, f"target '{args.target}' is no text", hint="name a file with -o")


def run(argv: Sequence[str]) -> int:
    """Run `croq-opt` with command-line arguments; returns the exit code."""
    traceback = "--traceback" in argv
    try:
        args, pipeline = parse_arguments(argv)
        if args.version:
            print_version("croq-opt")
            return 0
        if args.show_passes:
            _show_passes(sys.stdout)
            return 0
        if report_cache(args):
            return 0
        _refuse_output(args)
        passes = parse_passes(pipeline)
        emitter = make_emitter(args.target, args.print_op_generic, args.print_debuginfo)
        output, good = _Driver(args, passes, emitter).run(_read(args.input))
        if good:
            _write(args.output_file, output)
        elif args.split_input_file and args.output_file == "-":
            _print(output)
        return 0 if good else 1
    except (CompileError, ArgSpecParseError) as error:
        print(render(from_exception(error)), file=sys.stderr)
    except UnicodeDecodeError as error:
        print(f"error: the input is not UTF-8 text: {error.reason}", file=sys.stderr)
    except BrokenPipeError:
        drop_output()
    except OSError as error:
        where = error.filename or STANDARD_OUTPUT
        print(f"error: {where}: {error.strerror}", file=sys.stderr)
    except MemoryError as error:
        print(f"error: the memory does not suffice: {error}", file=sys.stderr)
    except PassCrash as error:
        if traceback:
            raise
        print(f"error: {error}", file=sys.stderr)
        print(
            "note: this is a bug in the compiler; --traceback shows where",
            file=sys.stderr,
        )
    return 1


def main() -> None:
    """The console script."""
    collect_seldom()
    try:
        sys.exit(run(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("croq-opt: interrupted")


if __name__ == "__main__":
    main()
