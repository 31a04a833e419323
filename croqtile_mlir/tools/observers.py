"""What `croq-opt` shows of a running pipeline, on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable
from io import StringIO
from time import perf_counter

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.printer import Printer

from croqtile_mlir.passes.running import Moment, Observer

_BANNERS = {
    Moment.Before: "IR Dump Before {}",
    Moment.After: "IR Dump After {}",
    Moment.Failed: "IR Dump After {} Failed",
}


def _text(module: ModuleOp, generic: bool) -> str:
    text = StringIO()
    Printer(stream=text, print_generic_format=generic).print_op(module)
    return text.getvalue()


def print_ir(*moments: Moment, generic: bool = False) -> Observer:
    """Print the module at certain moments, with mlir-opt's banner."""

    def observe(each: ModulePass, module: ModuleOp, moment: Moment) -> None:
        if moment not in moments:
            return
        try:
            text = _text(module, generic)
        except Exception as error:
            # What a failed pass leaves behind need not even be printable.
            text = f"// cannot be printed: {error}"
        banner = _BANNERS[moment].format(each.name)
        print(f"// -----// {banner} //----- //\n{text}\n", file=sys.stderr)

    return observe


def print_times(clock: Callable[[], float] = perf_counter) -> Observer:
    """Print how long each pass took, without the verification around it."""
    started = [0.0]

    def observe(each: ModulePass, module: ModuleOp, moment: Moment) -> None:
        if moment is Moment.Before:
            started[0] = clock()
        else:
            took = (clock() - started[0]) * 1000
            print(f"{took:9.2f} ms  {each.name}", file=sys.stderr)

    return observe
