"""The command line of `croq-run`, by what one wants of it."""

from __future__ import annotations

import argparse
from typing import NoReturn

from croqtile_mlir.tools.cache_report import END, FLAGS
from croqtile_mlir.tools.run_arguments import UsageError
from croqtile_mlir.tools.source_flags import add_source_flags

_DESCRIPTION = """\
Compile the kernel in a file, run it on random inputs, and say what came of it: whether
the result is right (--check), and how long it took. The run is on an NVIDIA GPU or,
where there is none, in a simulator, which also finds races and deadlocks.
"""

_EXAMPLES = """\
examples:
  croq-run examples/matmul.mlir --check
        run it at a size that suits the machine, and compare with what it should compute
  croq-run examples/matmul.mlir --size M=4096,N=4096,K=4096 --check
        at this size, for a GPU: M, N and K are the kernel's names for its extents
  croq-run examples/matmul_1p1c.mlir --param S=3 --simulate --trace out.json
        with 3 stages, in the simulator; https://ui.perfetto.dev shows out.json
  croq-run examples/matmul_1p1c.mlir --resources
        registers, shared memory and occupancy, without a run

The exit status is 0 if all went well, and 1 for a wrong result, a fault or an error.
"""


class _ArgumentParser(argparse.ArgumentParser):
    """Refuses options as everything else is refused."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (croq-run --help lists the options)")


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = _ArgumentParser(
        prog="croq-run",
        usage="croq-run FILE [options]",
        allow_abbrev=False,
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="a file of IR or of Croqtile source (.co), - for standard input",
    )
    parser.add_argument(
        "--version", action="store_true", help="print the version and exit"
    )
    _add_kernel_flags(parser)
    _add_input_flags(parser)
    _add_check_flags(parser)
    _add_simulator_flags(parser)
    _add_report_flags(parser)
    add_source_flags(parser)
    return parser


def _add_kernel_flags(parser: argparse.ArgumentParser) -> None:
    """Which kernel, and how it is compiled."""
    group = parser.add_argument_group("the kernel")
    group.add_argument(
        "--kernel", metavar="NAME", help="which one, where the file has several"
    )
    group.add_argument(
        "--param",
        metavar="S=3",
        action="append",
        default=[],
        help="values of its parameters (params in its first line); the others keep "
        "their defaults",
    )
    group.add_argument(
        "--dim",
        metavar="M=4096",
        action="append",
        default=[],
        help="extents that are compiled into it, and sizes of the run",
    )
    group.add_argument(
        "--schedule",
        metavar="PASSES",
        default="",
        help="passes that run before the lowering: persist{order=grouped},.. "
        "(croq-opt --show-passes lists all)",
    )
    group.add_argument(
        "--target",
        metavar="SM",
        help="what it is compiled for: sm_80, sm_86, sm_89 or sm_90a; by default what "
        "the file says, else sm_90a",
    )


def _add_input_flags(parser: argparse.ArgumentParser) -> None:
    """What the kernel is called with."""
    group = parser.add_argument_group("its arguments")
    group.add_argument(
        "--size",
        metavar="M=4096,N=64",
        action="append",
        default=[],
        help="the extents of its dims (dims in its first line); others get one that "
        "suits where it runs",
    )
    group.add_argument(
        "--scalar",
        metavar="alpha=2.0",
        action="append",
        default=[],
        help="values of its scalar arguments (1 where none is given)",
    )
    group.add_argument(
        "--seed",
        metavar="N",
        type=int,
        default=0,
        help="of the random inputs: the same seed, the same inputs (0)",
    )


def _add_check_flags(parser: argparse.ArgumentParser) -> None:
    """What is done with the results, and how often the kernel runs."""
    group = parser.add_argument_group("what is told of a run")
    group.add_argument(
        "--check",
        action="store_true",
        help="compare the result with the kernel's attribute reference, evaluated in "
        "float64",
    )
    group.add_argument(
        "--tolerance",
        metavar="ERROR",
        type=float,
        help="the largest relative error that is right; by default it follows from "
        "the element type of the result (1e-3 for f16)",
    )
    group.add_argument(
        "--repeat",
        metavar="N",
        type=int,
        default=20,
        help="launches on a device that are timed (20), 0 for none",
    )
    group.add_argument(
        "--ptx", metavar="FILE", help="write the PTX text to a file, - for the terminal"
    )
    group.add_argument(
        "--no-spills",
        action="store_true",
        help="refuse a kernel whose threads spill registers; a warning without it",
    )


def _add_simulator_flags(parser: argparse.ArgumentParser) -> None:
    """The simulator, and how it runs a kernel."""
    group = parser.add_argument_group("in the simulator")
    group.add_argument(
        "--simulate",
        action="store_true",
        help="run there, even if there is a device; so do the next three",
    )
    group.add_argument(
        "--policy",
        metavar="NAME",
        help="who goes first where several can: rr (in turn, the default), late, "
        "early, random:SEED",
    )
    group.add_argument(
        "--level",
        metavar="NAME",
        help="what is run: nvvm (default, after the whole lowering), croq (the input), "
        "ptx (the printed text), or the name of the last pass",
    )
    group.add_argument(
        "--trace",
        metavar="FILE",
        help="write who did what when as a Chrome trace (for ui.perfetto.dev)",
    )


def _add_report_flags(parser: argparse.ArgumentParser) -> None:
    """What is told of a kernel, of the device or of the cache."""
    group = parser.add_argument_group("without a run")
    group.add_argument(
        "--resources",
        action="store_true",
        help="report registers, shared memory and occupancy, from the device or ptxas",
    )
    group.add_argument(
        "--device-info",
        action="store_true",
        help="say what the device is; takes no file",
    )
    for flag, text in FLAGS:
        group.add_argument(flag, action="store_true", help=text.removesuffix(END))
