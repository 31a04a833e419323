"""From the text of a file to its AST."""

from __future__ import annotations

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.directives import Directives
from croqtile_mlir.frontends.croqtile.islands import Islands
from croqtile_mlir.frontends.croqtile.options import FrontendOptions
from croqtile_mlir.frontends.croqtile.parsing.parser import Parser
from croqtile_mlir.frontends.croqtile.reporting import Kind, Reporter
from croqtile_mlir.frontends.croqtile.source import Span


def read_program(reporter: Reporter, options: FrontendOptions) -> ast.Program:
    """
    The functions of a file; those with an error in their head are left out.

    Raises:
        TooManyErrors: the file was given up.
        RecursionError: blocks and expressions are nested too deeply.
    """
    directives = Directives(reporter.source, reporter, options)
    functions: list[ast.Function] = []
    found = False
    for island in Islands(directives).read():
        found = True
        parser = Parser(island.tokens, reporter, directives.intrinsics)
        function = parser.function()
        if function is not None:
            functions.append(function)
    if not found:
        text = reporter.source.text
        start = len(text) - len(text.lstrip())
        reporter.error(
            Kind.Syntax,
            Span(start, start),
            "the file must hold a function, got none",
            hint="functions of the language begin with __co__",
        )
    whole = Span(0, len(reporter.source.text))
    return ast.Program(whole, tuple(functions), tuple(directives.defaults.items()))
