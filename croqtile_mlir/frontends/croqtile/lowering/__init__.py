"""From the AST of a file to a croq module."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.options import FrontendOptions
from croqtile_mlir.frontends.croqtile.reporting import Kind, Reporter


def lower(
    program: ast.Program, reporter: Reporter, options: FrontendOptions
) -> ModuleOp:
    """A module with a kernel for each function; what is wrong goes to the reporter."""
    for function in program.functions:
        reporter.error(
            Kind.Unsupported, function.name.span, "functions are read, not yet lowered"
        )
    return ModuleOp([])
