"""What is made explicit in the tree of a function before it is lowered."""

from __future__ import annotations

from dataclasses import replace

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.reporting import Reporter
from croqtile_mlir.frontends.croqtile.rewrites.implicit_commits import close_products
from croqtile_mlir.frontends.croqtile.rewrites.inline_events import bind_inline_events

__all__ = ["explicit"]


def explicit(function: ast.Function, reporter: Reporter) -> ast.Function:
    """The function with triggers that name their copies, and with all `mma.commit`."""
    body = bind_inline_events(function.body, reporter)
    return replace(function, body=close_products(body))
