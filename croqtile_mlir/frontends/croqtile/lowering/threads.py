"""
The threads of a block.

The source nests everything in the parallel of threads; in croq what threads do together
stands beside `croq.parallel .. : thread`, which holds what each does alone. The body of
such a parallel is therefore cut in runs: a statement for all threads together is
lowered where it stands, a run of others becomes a parallel of threads. A scalar that a
later run needs gets a place for each thread.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Level
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import statements
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering, ThreadNest
from croqtile_mlir.frontends.croqtile.lowering.values import Future
from croqtile_mlir.frontends.croqtile.lowering.walking import (
    is_collective,
    names_in,
)


def sequence(ctx: Lowering, nodes: tuple[ast.Statement, ...]) -> None:
    """The statements of a parallel of threads, or of a block in it."""
    runs = _runs(ctx, nodes)
    for number, (together, run) in enumerate(runs):
        if together:
            for node in run:
                statements.statement(ctx, node)
            continue
        others: set[str] = set()
        for other, (_, found) in enumerate(runs):
            if other != number:
                for node in found:
                    others |= names_in(node)
        around, ctx.spilled = ctx.spilled, frozenset(others)
        try:
            with region(ctx, run[0]):
                for node in run:
                    statements.statement(ctx, node)
        finally:
            ctx.spilled = around


def _runs(
    ctx: Lowering, nodes: tuple[ast.Statement, ...]
) -> list[tuple[bool, list[ast.Statement]]]:
    """Statements for all threads together (True), and runs of those of each thread."""
    found: list[tuple[bool, list[ast.Statement]]] = []
    for node in nodes:
        together = is_collective(node) or _is_known(ctx, node)
        if found and found[-1][0] == together:
            found[-1][1].append(node)
        else:
            found.append((together, [node]))
    return found


def _is_known(ctx: Lowering, node: ast.Statement) -> bool:
    """Whether a statement only names something, the same for all threads."""
    assert ctx.threads is not None
    match node:
        case ast.ShapeDecl() | ast.TupleDecl() | ast.BufferDecl():
            return True
        case ast.Assign(
            target=ast.Name(), operator=None, value=ast.View() | ast.Select() as value
        ):
            names = {each.name for each in ctx.threads.variables}
            return not names & names_in(value) and not _is_number(ctx, value)
        case _:
            return False


def _is_number(ctx: Lowering, value: ast.View | ast.Select) -> bool:
    """Whether a choice is between numbers, which each thread makes for itself."""
    if isinstance(value, ast.View):
        return False
    return not all(
        isinstance(each, ast.Ref) and isinstance(ctx.scope.find(each.name.text), Future)
        for each in value.candidates
    )


@contextmanager
def region(ctx: Lowering, where: ast.Node) -> Generator[ThreadNest]:
    """A `croq.parallel` of the threads; ops that are made inside go to its body."""
    assert ctx.threads is not None
    nest = ctx.threads
    body = Block(arg_types=[IndexType()] * len(nest.variables))
    for variable, argument in zip(nest.variables, body.args, strict=True):
        argument.name_hint = variable.name
        variable.ssa = argument
    nest.inside = True
    try:
        with ctx.inside(body):
            yield nest
    finally:
        nest.inside = False
        for variable in nest.variables:
            variable.ssa = None
    if body.first_op is None:
        return
    with ctx.at(where):
        ctx.add(croq.ParallelOp(list(nest.extents), Level.Thread, Region(body)))
