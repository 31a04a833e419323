"""The front end as xDSL's own tools know it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.frontend import Frontend

from croqtile_mlir.diagnostics import Location, fail
from croqtile_mlir.frontends.croqtile import parse_module
from croqtile_mlir.frontends.croqtile.options import FrontendOptions, parse_defines


@dataclass(frozen=True)
class CroqtileFrontend(Frontend):
    """Croqtile text in, a croq module out: `xdsl-opt kernel.co`."""

    name = "co"

    define: tuple[str, ...] = ()
    """`NAME=value` or `NAME`."""
    strict_names: bool = False
    strict_init: bool = False

    def parse(self, ctx: Context, input: IO[bytes], input_name: str) -> ModuleOp:
        """
        Parse a file.

        Raises:
            CompileError: with the places in the file.
        """
        options = FrontendOptions(
            parse_defines(self.define),
            strict_names=self.strict_names,
            strict_init=self.strict_init,
        )
        try:
            text = input.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            fail(
                Location(input_name),
                f"the input is not UTF-8 text: {error.reason}",
            )
        return parse_module(ctx, text, input_name, options)
