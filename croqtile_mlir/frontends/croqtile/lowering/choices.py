"""Choices between values, of which one may not be computed."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Region

from croqtile_mlir.dialects import croq
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import expressions
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.scalars import (
    Number,
    materialised,
    type_of,
)
from croqtile_mlir.frontends.croqtile.lowering.types import (
    promoted,
)
from croqtile_mlir.frontends.croqtile.lowering.values import (
    Future,
    Int,
    Literal,
    Scalar,
    Value,
    kind_of,
)
from croqtile_mlir.frontends.croqtile.lowering.walking import walk
from croqtile_mlir.frontends.croqtile.reporting import Kind


def _has_access(node: ast.Node) -> bool:
    return any(isinstance(each, ast.Element | ast.Atomic) for each in walk(node))


def logical(ctx: Lowering, node: ast.Binary) -> Scalar | Literal:
    """`a && b`, `a || b`; the second one is computed only where it counts."""
    left = expressions.condition(ctx, node.left)
    stops = node.operator == "||"
    if isinstance(left, bool):
        if left is stops:
            return Literal(stops, "bool")
        right = expressions.condition(ctx, node.right)
        return Literal(right, "bool") if isinstance(right, bool) else right
    if not _has_access(node.right):
        right = expressions.condition(ctx, node.right)
        if isinstance(right, bool):
            return Literal(stops, "bool") if right is stops else left
        maker = arith.OrIOp if stops else arith.AndIOp
        made = ctx.add(maker(left.ssa, right.ssa)).result
        return Scalar(made, "bool", left.per_thread or right.per_thread)

    def other() -> Scalar:
        right = expressions.condition(ctx, node.right)
        if isinstance(right, bool):
            return materialised(ctx, Literal(right, "bool"))
        return right

    def known() -> Scalar:
        return materialised(ctx, Literal(stops, "bool"))

    return (
        _branches(ctx, left, known, other)
        if stops
        else _branches(ctx, left, other, known)
    )


def _branches(
    ctx: Lowering,
    chosen: Scalar,
    then: Callable[[], Scalar],
    otherwise: Callable[[], Scalar],
) -> Scalar:
    blocks: list[Block] = []
    results: list[Scalar] = []
    for make in (then, otherwise):
        block = Block()
        with ctx.inside(block, is_conditional=True):
            results.append(make())
            ctx.add(scf.YieldOp(results[-1].ssa))
        blocks.append(block)
    first = results[0]
    made = ctx.add(
        scf.IfOp(chosen.ssa, [first.ssa.type], Region(blocks[0]), Region(blocks[1]))
    )
    per_thread = chosen.per_thread or any(each.per_thread for each in results)
    return Scalar(made.results[0], first.type, per_thread)


def conditional(ctx: Lowering, node: ast.Conditional) -> Value:
    """`c ? a : b`."""
    chosen = expressions.condition(ctx, node.condition)
    if isinstance(chosen, bool):
        return expressions.evaluate(ctx, node.then if chosen else node.otherwise)
    if not (_has_access(node.then) or _has_access(node.otherwise)):
        left, right = (
            expressions.number(ctx, node.then),
            expressions.number(ctx, node.otherwise),
        )
        return chosen_number(ctx, chosen, left, right)
    kinds: list[str] = []
    # The type of a branch is known only when it has been made: make it once to see.
    for branch in (node.then, node.otherwise):
        with ctx.inside(Block(), is_conditional=True):
            kinds.append(type_of(expressions.number(ctx, branch)))
    type = promoted(kinds[0], kinds[1])
    return _branches(
        ctx,
        chosen,
        lambda: materialised(ctx, expressions.number(ctx, node.then), type),
        lambda: materialised(ctx, expressions.number(ctx, node.otherwise), type),
    )


def chosen_number(ctx: Lowering, chosen: Scalar, left: Number, right: Number) -> Scalar:
    """One of two numbers."""
    type = promoted(type_of(left), type_of(right))
    if type_of(left) == type_of(right) == "bool":
        type = "bool"
    a, b = materialised(ctx, left, type), materialised(ctx, right, type)
    made = ctx.add(arith.SelectOp(chosen.ssa, a.ssa, b.ssa)).result
    return Scalar(made, type, chosen.per_thread or a.per_thread or b.per_thread)


def select(ctx: Lowering, node: ast.Select) -> Value:
    """`select(c, a, b)`."""
    if len(node.candidates) != 2:
        ctx.unsupported(
            node, f"select between {len(node.candidates)} values", "nest selects of two"
        )
    chosen = expressions.condition(ctx, node.selector)
    first, second = (expressions.evaluate(ctx, each) for each in node.candidates)
    if isinstance(chosen, bool):
        return first if chosen else second
    if isinstance(first, Future) and isinstance(second, Future):
        for future, candidate in zip((first, second), node.candidates, strict=True):
            if future.handle is None:
                ctx.unsupported(candidate, "a future without a handle in select")
        assert first.handle is not None
        assert second.handle is not None
        made = ctx.add(croq.SelectOp(chosen.ssa, first.handle, second.handle))
        return Future(
            "select",
            node.span,
            max(first.state, second.state),
            first.shape,
            first.element,
            first.space,
            handle=made.chosen,
        )
    for value, candidate in zip((first, second), node.candidates, strict=True):
        if not isinstance(value, Int | Scalar | Literal):
            ctx.fail(
                Kind.TypeMismatch,
                candidate,
                f"must choose between numbers or futures, got {kind_of(value)}",
            )
    assert isinstance(first, Int | Scalar | Literal)
    assert isinstance(second, Int | Scalar | Literal)
    return chosen_number(ctx, chosen, first, second)
