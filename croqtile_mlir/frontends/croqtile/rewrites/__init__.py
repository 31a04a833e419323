"""What is made explicit in the tree of a function before it is lowered."""

from __future__ import annotations

from dataclasses import replace

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.reporting import Reporter
from croqtile_mlir.frontends.croqtile.rewrites.group_arrays import join_group_arrays
from croqtile_mlir.frontends.croqtile.rewrites.implicit_commits import close_products
from croqtile_mlir.frontends.croqtile.rewrites.inline_events import bind_inline_events
from croqtile_mlir.frontends.croqtile.rewrites.role_statements import distribute_roles

__all__ = ["explicit"]


def explicit(program: ast.Program, reporter: Reporter) -> ast.Program:
    """
    The program with buffers of groups joined, roles in no loop, triggers that name
    their copies, and all `mma.commit`.
    """
    functions = tuple(_function(each, reporter) for each in program.functions)
    return replace(program, functions=functions)


def _function(function: ast.Function, reporter: Reporter) -> ast.Function:
    body = join_group_arrays(function.body)
    body = distribute_roles(body, reporter)
    body = bind_inline_events(body, reporter)
    return replace(function, body=close_products(body))
