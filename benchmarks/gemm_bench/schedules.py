"""Schedules: the passes that make a fast kernel of the plain one.

A schedule in text is a pipeline, with a name before it if it has one:

    pp128x192: bind-params{BN=192},persist{order=grouped},warp-specialize{stages=5}

or the flags of `croq-opt`: `--bind-params{BN=192} --persist`. `$M`, `$N` and `$K` in it
stand for the extents of the product, so `bind-dims{M=$M N=$N K=$K}` makes a kernel for
one shape.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from .shapes import Shape

if TYPE_CHECKING:
    from collections.abc import Callable

    from croqtile_mlir import Kernel
    from croqtile_mlir.pass_manager.running import Observer

PLAIN = Path(__file__).resolve().parents[2] / "examples" / "matmul.mlir"
"""The kernel that schedules start from."""

_NAMED = re.compile(r"(?P<name>[\w.+-]+):\s+(?P<passes>\S.*)", re.DOTALL)


@dataclass(frozen=True)
class Schedule:
    """A name, and what is done to the plain kernel."""

    name: str
    passes: tuple[str, ...]
    """The text of each pass, in order: `persist{order=grouped}`."""

    params: tuple[tuple[str, int], ...] = ()
    """Parameters of the kernel that are bound before the passes."""

    without: tuple[str, ...] = ()
    """Passes of the lowering that are left out, to see what they bring."""

    def pipeline(self, shape: Shape | None = None) -> str:
        """All passes as one text, for a shape where `$M`, `$N` or `$K` is in it."""
        bound = " ".join(f"{name}={value}" for name, value in self.params)
        first = (f"bind-params{{{bound}}}",) if bound else ()
        text = ",".join((*first, *self.passes))
        if shape is None:
            return text
        extents = {"M": shape.m, "N": shape.n, "K": shape.k}
        return Template(text).safe_substitute(extents)

    @property
    def depends_on_shape(self) -> bool:
        """Whether each shape has a kernel of its own."""
        return "$" in self.pipeline()

    def __str__(self) -> str:
        return f"{self.name}: {self.pipeline()}"


def parse_schedule(text: str) -> Schedule:
    """A schedule from its text; without a name it is named after its passes."""
    text = text.strip()
    named = _NAMED.fullmatch(text)
    name, passes = (named["name"], named["passes"]) if named else (None, text)
    if passes.startswith("-"):
        passes = _of_flags(passes)
    return Schedule(name or passes.replace(" ", ","), (passes,))


def _of_flags(text: str) -> str:
    """`--a --b{c=1 d=2}` as a pipeline."""
    from croqtile_mlir.pass_manager.running import available_passes
    from croqtile_mlir.tools.pass_flags import fold_pass_flags

    # Options in braces may hold spaces.
    closed = re.sub(r"\{[^}]*\}", lambda found: shlex.quote(found[0]), text)
    passes, rest = fold_pass_flags(shlex.split(closed), available_passes().keys())
    if rest:
        raise ValueError(f"unknown pass '{rest[0]}' in '{text}'")
    return ",".join(passes)


def read_schedules(lines: Iterable[str]) -> tuple[Schedule, ...]:
    """The schedules of a file: one a line, empty lines and `#` comments left out."""
    stripped = [line.strip() for line in lines]
    found = [parse_schedule(each) for each in stripped if each and each[0] != "#"]
    names = [each.name for each in found]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two schedules have the name '{name}'")
    return tuple(found)


def scheduled_ir(
    schedule: Schedule,
    shape: Shape | None = None,
    *,
    plain: Path = PLAIN,
    observers: Sequence[Observer] = (),
    parsed: Callable[[], None] | None = None,
) -> str:
    """The text of the scheduled kernel; `parsed` is called before the first pass.

    Raises `croqtile_mlir.CompileError` for what parser and passes refuse.
    """
    from xdsl.utils.exceptions import (
        ArgSpecParseError,
        DiagnosticException,
        ParseError,
    )

    from croqtile_mlir import CompileError
    from croqtile_mlir.context import new_context
    from croqtile_mlir.diagnostics import Diagnostics, from_exception
    from croqtile_mlir.frontends.located import parse_text
    from croqtile_mlir.pass_manager.running import parse_passes, run_passes

    try:
        passes = parse_passes(schedule.pipeline(shape))
        ctx = new_context(Diagnostics())
        module = parse_text(ctx, plain.read_text(encoding="utf-8"), plain.name)
        if parsed is not None:
            parsed()
        run_passes(ctx, module, passes, observers=observers)
    except CompileError:
        raise
    except (ArgSpecParseError, DiagnosticException, ParseError) as error:
        raise CompileError(from_exception(error)) from error
    return str(module) + "\n"


def compile_schedule(schedule: Schedule, shape: Shape | None = None) -> Kernel:
    """The kernel of a schedule, down to PTX text."""
    import croqtile_mlir as croq

    if schedule.without:
        from .partial_lowering import compile_without

        return compile_without(PLAIN, schedule.pipeline(shape), schedule.without)
    return croq.compile(PLAIN, schedule=schedule.pipeline(shape))


def _tiled(
    name: str,
    tile: tuple[int, int],
    stages: int,
    *,
    mode: str = "cooperative",
    consumers: int = 2,
    persist: bool = True,
    epilogue: str = "overlap-epilogue",
) -> Schedule:
    """A schedule of the usual passes."""
    specialize = (
        f"warp-specialize{{consumers={consumers} stages={stages} mode={mode} "
        "in_flight=1}"
    )
    walk = ("persist{order=grouped}",) if persist else ()
    return Schedule(
        name, (*walk, specialize, epilogue), (("BM", tile[0]), ("BN", tile[1]))
    )


NAMED = (
    _tiled("coop128x256", (128, 256), 4),
    _tiled("coop128x224", (128, 224), 4),
    _tiled("coop192x160", (192, 160), 4, consumers=3),
    _tiled("coop128x64", (128, 64), 8, persist=False),
    _tiled(
        "pp128x192",
        (128, 192),
        4,
        mode="pingpong",
        epilogue="overlap-epilogue{cols=64 buffers=1}",
    ),
    _tiled(
        "pp128x176",
        (128, 176),
        5,
        mode="pingpong",
        epilogue="overlap-epilogue{cols=16 buffers=2}",
    ),
    _tiled("pp128x128", (128, 128), 5, mode="pingpong"),
    _tiled(
        "pp128x112",
        (128, 112),
        6,
        mode="pingpong",
        epilogue="overlap-epilogue{cols=16 buffers=2}",
    ),
    _tiled("coop64x64", (64, 64), 8, consumers=1, persist=False),
)
"""Tiles and modes that are good for some shape of `shapes.NINE`."""
