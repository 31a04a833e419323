"""`inthreads (t < 32) { }`: a condition on what single threads do, and a barrier."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from croqtile_mlir.dialects import croq
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import choices, control, statements
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.walking import (
    is_collective,
    names_in,
    walk,
)
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.frontends.croqtile.rewrites.blocks import with_blocks


def inthreads(ctx: Lowering, node: ast.InThreads) -> None:
    """
    What some threads do, and a barrier of their scope after it.

    Copies and the like are made by the whole scope: nobody can see which of its threads
    made them.
    """
    if ctx.inside_threads:
        control.conditional(ctx, ast.If(node.span, node.predicate, node.body, None))
        return
    if is_collective(node.body):
        _check_masked(ctx, node)
        ctx.reporter.remark(
            Kind.Ignored,
            node.predicate.span,
            "copies, waits and products inside are made by all threads of the scope",
        )
    # In it a tile of one group is no tile of all.
    around, ctx.parts.group = ctx.parts.group, None
    try:
        with ctx.new_scope():
            known = ctx.scope.visible()
            inner = _predicated(node.body.statements, node.predicate, frozenset(known))
            statements.sequence(ctx, inner)
    finally:
        ctx.parts.group = around
    ctx.add(croq.BarrierOp())


def _check_masked(ctx: Lowering, node: ast.InThreads) -> None:
    """Refuse what differs when all threads do it: exchanges, and products of groups."""
    for each in walk(node.body):
        if isinstance(each, ast.InThreads) and each.asynchronous:
            refuse_role(ctx, each)
        if isinstance(each, ast.NamedBarrier):
            ctx.unsupported(
                each,
                "a named barrier of a part of the threads",
                "make the part a role: inthreads.async",
            )
        if isinstance(each, ast.Rotate | ast.Placeholder):
            ctx.unsupported(each, "exchanging futures in a part of the threads")
        if ctx.parts.group is not None and isinstance(each, ast.MmaExec | ast.MmaFill):
            ctx.unsupported(each, f"products of one {ctx.parts.group.name} of several")


def _predicated(
    nodes: tuple[ast.Statement, ...], predicate: ast.Expr, known: frozenset[str]
) -> tuple[ast.Statement, ...]:
    """
    Statements of which those of single threads are under a condition; `known` are the
    names from around.
    """
    found: list[ast.Statement] = []
    run: list[ast.Statement] = []

    def close() -> None:
        if run:
            block = ast.Block(run[0].span, tuple(run))
            found.append(ast.If(predicate.span, predicate, block, None))
            run.clear()

    # Names that later statements use must not end with the condition.
    for place, node in enumerate(nodes):
        used = {name for later in nodes[place + 1 :] for name in names_in(later)}
        if is_collective(node):
            close()
            found.append(_inside(node, predicate, known))
        elif isinstance(node, ast.ShapeDecl | ast.TupleDecl | ast.ScalarDecl) or (
            isinstance(node, ast.Assign)
            and isinstance(node.target, ast.Name)
            and node.operator is None
            and node.target.text in used - known
        ):
            if not any(map(is_collective, nodes)):
                run.append(node)
                continue
            close()
            found.append(_with_value_of_part(node, predicate))
        else:
            run.append(node)
    close()
    return tuple(found)


def _with_value_of_part(node: ast.Statement, predicate: ast.Expr) -> ast.Statement:
    """A declaration whose value is computed where the condition holds, 0 elsewhere."""

    def chosen(value: ast.Expr) -> ast.Expr:
        if isinstance(value, ast.View) or not choices.is_bound(value):
            return value
        zero = ast.IntLiteral(value.span, 0)
        return ast.Conditional(value.span, predicate, value, zero)

    match node:
        case ast.Assign():
            return replace(node, value=chosen(node.value))
        case ast.ScalarDecl(items=items):
            return replace(
                node,
                items=tuple(
                    each
                    if each.value is None
                    else replace(each, value=chosen(each.value))
                    for each in items
                ),
            )
        case _:
            return node


def _inside(
    node: ast.Statement, predicate: ast.Expr, known: frozenset[str]
) -> ast.Statement:
    """A statement for all threads, in which those of single threads are conditional."""

    def changed(block: ast.Block) -> ast.Block:
        inner = _predicated(block.statements, predicate, known)
        return replace(block, statements=inner)

    match node:
        case ast.Foreach() | ast.With() | ast.While() | ast.If():
            return with_blocks(node, changed)
        case _:
            return node


def refuse_role(ctx: Lowering, node: ast.InThreads) -> NoReturn:
    ctx.fail(
        Kind.LevelNesting,
        node,
        "a role must stand directly in the parallel of the block, got it in a part of "
        "its threads",
        hint="inthreads without .async is a part of a role",
    )
