"""Which input format a text is in: by the name of its file, or how it looks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from croqtile_mlir.frontends.croqtile.options import DEFAULT_OPTIONS, FrontendOptions

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

EXTENSION = ".co"
"""Of files in the Croqtile source language; all others are MLIR text."""

_OTHERS = (
    ("PTX text", re.compile(r"^\s*\.version\s", re.MULTILINE)),
    ("CUDA C++", re.compile(r"^\s*(extern \"C\" )?__global__\s", re.MULTILINE)),
    ("Python", re.compile(r"^(import|from) \w+", re.MULTILINE)),
)
"""What a text may be that is none of ours, and a line that tells."""

_FUNCTION = re.compile(r"^\s*__co__\s", re.MULTILINE)


def is_croqtile(name: str, text: str) -> bool:
    """
    Whether a text is Croqtile source; one without a file is when a line of it begins
    with `__co__`, which no MLIR text has.
    """
    if name.startswith("<"):
        return _FUNCTION.search(text) is not None
    return name.endswith(EXTENSION)


def parse_input(
    ctx: Context,
    text: str,
    name: str,
    options: FrontendOptions = DEFAULT_OPTIONS,
    *,
    implicit: bool = True,
) -> ModuleOp:
    """
    The module of a text. `options` are those of Croqtile source; MLIR text has none
    but `params`, which are ignored: a kernel declares its own. `implicit`: MLIR text
    may leave out the `builtin.module`.

    Raises:
        CompileError: Croqtile source is refused, or MLIR text is given macros.
        ParseError: MLIR text is refused.
    """
    if is_croqtile(name, text):
        from croqtile_mlir.frontends.croqtile import parse_module

        return parse_module(ctx, text, name, options)
    if options.defines or options.strict_names or options.strict_init:
        from croqtile_mlir.diagnostics import fail
        from croqtile_mlir.messages import Location

        fail(
            Location(name),
            "macros and strictness are of Croqtile source, got MLIR text",
            hint=f"the name of a Croqtile file ends with {EXTENSION}",
        )
    from xdsl.utils.exceptions import ParseError

    from croqtile_mlir.frontends.located import parse_text

    try:
        return parse_text(ctx, text, name, implicit=implicit)
    except ParseError:
        _refuse_others(text, name)
        raise


def _refuse_others(text: str, name: str) -> None:
    """Say what a text is that is plainly of another language."""
    from croqtile_mlir.diagnostics import fail
    from croqtile_mlir.messages import Location

    for kind, line in _OTHERS:
        if (found := line.search(text)) is not None:
            number = text.count("\n", 0, found.end()) + 1
            fail(
                Location(name, number, 1),
                f"the input must be MLIR text or Croqtile source, got {kind}",
                hint="docs/tile-language.md shows what a kernel looks like",
            )
