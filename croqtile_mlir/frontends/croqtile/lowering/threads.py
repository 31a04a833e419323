"""
The threads of a block.

The source nests everything in the parallel of threads; in croq what threads do together
stands beside `croq.parallel .. : thread`, which holds what each does alone. The body of
such a parallel is therefore cut in runs: a statement for all threads together is
lowered where it stands, a run of others becomes a parallel of threads. A scalar that a
later run needs gets a place for each thread.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Level
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import control, statements
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import is_per_thread
from croqtile_mlir.frontends.croqtile.lowering.parts import ThreadNest
from croqtile_mlir.frontends.croqtile.lowering.uniform_scalars import uniform_names
from croqtile_mlir.frontends.croqtile.lowering.values import (
    Bounded,
    BoundedTuple,
    Cell,
    Future,
    Int,
    Scalar,
    Tuple,
    Value,
)
from croqtile_mlir.frontends.croqtile.lowering.walking import (
    assigned_in,
    declared_in,
    is_collective,
    names_in,
)


def sequence(ctx: Lowering, nodes: tuple[ast.Statement, ...]) -> None:
    """The statements of a parallel of threads, or of a block in it."""
    mentioned = {name for node in nodes for name in names_in(node)}
    uniform = uniform_names(nodes, differing(ctx, mentioned))
    around, ctx.uniform = ctx.uniform, ctx.uniform | uniform
    try:
        control.guarded(ctx, nodes, lambda part: _runs(ctx, part, nodes))
    finally:
        ctx.uniform = around


def _runs(
    ctx: Lowering, part: tuple[ast.Statement, ...], nodes: tuple[ast.Statement, ...]
) -> None:
    """Some of the statements of a block, in runs."""
    run: list[ast.Statement] = []
    for node in part:
        if (
            is_collective(node)
            or control.leaves(ctx, node)
            or _is_of_scope(ctx, node, run)
        ):
            _each_thread(ctx, run, nodes)
            run = []
            statements.statement(ctx, node)
        else:
            run.append(node)
    _each_thread(ctx, run, nodes)


def _is_of_scope(
    ctx: Lowering, node: ast.Statement, run: Sequence[ast.Statement]
) -> bool:
    """Whether a statement is the same for all threads, and is of their scope."""
    if ctx.uniform & (assigned_in(node) | declared_in([node])):
        return True
    return _is_known(ctx, node, run)


def _each_thread(
    ctx: Lowering, run: list[ast.Statement], nodes: tuple[ast.Statement, ...]
) -> None:
    """A run of statements of each thread, of those of a block."""
    if not run:
        return
    others: set[str] = set()
    for node in nodes:
        if not any(node is own for own in run):
            others |= names_in(node)
    around, ctx.spilled = ctx.spilled, frozenset(others)
    try:
        with region(ctx, run[0]):
            for node in run:
                statements.statement(ctx, node)
    finally:
        ctx.spilled = around


def _is_known(ctx: Lowering, node: ast.Statement, run: Sequence[ast.Statement]) -> bool:
    """
    Whether a statement only names something, the same for all threads; those of `run`
    come before it and are of each thread.
    """
    match node:
        case ast.BufferDecl(storage=ast.Storage.Local):
            return False
        case ast.ShapeDecl() | ast.TupleDecl() | ast.BufferDecl():
            return True
        case ast.Assign(target=ast.Name(), operator=None, value=ast.View() as value):
            names = names_in(value)
        case ast.Assign(target=ast.Name(), operator=None, value=ast.Select() as value):
            names = names_in(value)
            if not all(_is_future(ctx, each) for each in value.candidates):
                return False
        case _:
            return False
    return not (names & declared_in(run) or differing(ctx, names))


def _is_future(ctx: Lowering, node: ast.Expr) -> bool:
    return isinstance(node, ast.Ref) and isinstance(
        ctx.scope.find(node.name.text), Future
    )


def differing(ctx: Lowering, names: set[str]) -> set[str]:
    """Those of some names that stand for what differs between threads."""
    return {name for name in names if _differs(ctx.scope.find(name))}


def _differs(value: Value | None) -> bool:
    match value:
        case Int(value=number) | Bounded(value=number):
            return is_per_thread(number)
        case BoundedTuple(parts=parts):
            return any(is_per_thread(part.value) for part in parts)
        case Tuple(items=items):
            return any(is_per_thread(item.value) for item in items)
        case Scalar() | Cell():
            return value.per_thread
        case _:
            return False


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
