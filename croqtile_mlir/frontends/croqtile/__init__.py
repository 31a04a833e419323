"""
The Croqtile source language: `.co` files in, croq modules out.

`parse_module` is all that the rest of the compiler sees. Text is preprocessed and read
into an AST (`reading`) that says all it means (`rewrites`), then checked and lowered
(`lowering`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from croqtile_mlir.frontends.croqtile.options import DEFAULT_OPTIONS, FrontendOptions

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp


def parse_module(
    ctx: Context,
    text: str,
    name: str,
    options: FrontendOptions = DEFAULT_OPTIONS,
) -> ModuleOp:
    """
    The module of a Croqtile file; `name` is the file that locations name.

    Warnings and remarks go to the diagnostics of the context.

    Raises:
        CompileError: with all errors of the file.
    """
    from croqtile_mlir.diagnostics import diagnostics_of
    from croqtile_mlir.frontends.croqtile.lowering import lower
    from croqtile_mlir.frontends.croqtile.reading import read_program
    from croqtile_mlir.frontends.croqtile.reporting import Kind, Reporter, TooManyErrors
    from croqtile_mlir.frontends.croqtile.rewrites import explicit
    from croqtile_mlir.frontends.croqtile.source import SourceText, Span

    reporter = Reporter(SourceText(name, text))
    module = None
    try:
        program = read_program(reporter, options)
        if not reporter.has_errors:
            module = lower(explicit(program, reporter), reporter, options)
    except TooManyErrors:
        pass
    except RecursionError:
        reporter.error(
            Kind.Syntax, Span(0, 0), "blocks are nested too deeply to process"
        )
    reporter.finish(diagnostics_of(ctx))
    assert module is not None  # Without one there are errors.
    return module
