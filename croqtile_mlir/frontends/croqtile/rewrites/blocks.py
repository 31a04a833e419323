"""Statements and the blocks inside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from croqtile_mlir.frontends.croqtile import ast


def blocks_of(statement: ast.Statement) -> tuple[ast.Block, ...]:
    """The blocks right inside a statement."""
    match statement:
        case ast.If(then=then, otherwise=otherwise):
            return (then,) if otherwise is None else (then, otherwise)
        case (
            ast.Parallel()
            | ast.With()
            | ast.Foreach()
            | ast.InThreads()
            | ast.While()
            | ast.Apply()
        ):
            return (statement.body,)
        case _:
            return ()


def with_blocks(
    statement: ast.Statement, change: Callable[[ast.Block], ast.Block]
) -> ast.Statement:
    """A statement with other blocks inside; itself where none changes."""
    match statement:
        case ast.If(then=then, otherwise=otherwise):
            new = change(then)
            other = None if otherwise is None else change(otherwise)
            if new is then and other is otherwise:
                return statement
            return replace(statement, then=new, otherwise=other)
        case (
            ast.Parallel()
            | ast.With()
            | ast.Foreach()
            | ast.InThreads()
            | ast.While()
            | ast.Apply()
        ):
            body = change(statement.body)
            return (
                statement if body is statement.body else replace(statement, body=body)
            )
        case _:
            return statement


def statements_in(block: ast.Block) -> Iterator[ast.Statement]:
    """All statements of a block and of the blocks inside, in the order of the text."""
    for statement in block.statements:
        yield statement
        for inner in blocks_of(statement):
            yield from statements_in(inner)
