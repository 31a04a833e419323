"""Which input format a text is in: by the name of its file, or how it looks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from croqtile_mlir.frontends.croqtile.options import FrontendOptions

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

EXTENSION = ".co"
"""Of files in the Croqtile source language; all others are MLIR text."""

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
    options: FrontendOptions | None = None,
    *,
    implicit: bool = True,
) -> ModuleOp:
    """
    The module of a text; `options` for Croqtile source, None for MLIR text.

    Raises:
        CompileError: Croqtile source is refused.
        ParseError: MLIR text is refused.
    """
    if options is not None:
        from croqtile_mlir.frontends.croqtile import parse_module

        return parse_module(ctx, text, name, options)
    from croqtile_mlir.frontends.located import parse_text

    return parse_text(ctx, text, name, implicit=implicit)
