"""Choices between values, of which one may not be computed."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Region, SSAValue

from croqtile_mlir.dialects import croq
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import expressions, state
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.scalars import (
    Number,
    materialised,
    type_of,
)
from croqtile_mlir.frontends.croqtile.lowering.types import ELEMENTS, promoted
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


def is_bound(node: ast.Node) -> bool:
    """Whether a value must not be computed where it does not count."""
    kinds = ast.Element | ast.Atomic | ast.Increment
    return any(isinstance(each, kinds) for each in walk(node))


def logical(ctx: Lowering, node: ast.Binary) -> Scalar | Literal:
    """`a && b`, `a || b`; the second one is computed only where it counts."""
    left = expressions.condition(ctx, node.left)
    stops = node.operator == "||"
    if isinstance(left, bool):
        if left is stops:
            return Literal(stops, "bool")
        right = expressions.condition(ctx, node.right)
        return Literal(right, "bool") if isinstance(right, bool) else right
    if not is_bound(node.right):
        right = expressions.condition(ctx, node.right)
        if isinstance(right, bool):
            return Literal(stops, "bool") if right is stops else left
        maker = arith.OrIOp if stops else arith.AndIOp
        made = ctx.add(maker(left.ssa, right.ssa)).result
        return Scalar(made, "bool", left.per_thread or right.per_thread)

    def other() -> Number:
        return truth(ctx, node.right)

    def known() -> Number:
        return Literal(stops, "bool")

    then, otherwise = (known, other) if stops else (other, known)
    return branches(ctx, node, left, then, otherwise)


def truth(ctx: Lowering, node: ast.Expr) -> Scalar | Literal:
    """A condition as a value."""
    found = expressions.condition(ctx, node)
    return Literal(found, "bool") if isinstance(found, bool) else found


def branches(
    ctx: Lowering,
    node: ast.Node,
    chosen: Scalar,
    then: Callable[[], Number],
    otherwise: Callable[[], Number],
) -> Scalar:
    """One of two numbers; what is assigned while it is computed counts after it."""
    kept = state.carried(ctx, node)
    before = state.values(kept)
    ways: list[tuple[Block, Number, list[SSAValue]]] = []
    for make in (then, otherwise):
        state.restore(kept, before)
        block = Block()
        with ctx.inside(block, is_conditional=True):
            number = make()
        ways.append((block, number, state.values(kept)))
    type = _common_type(*(number for _, number, _ in ways))
    per_thread = chosen.per_thread
    for block, number, after in ways:
        with ctx.inside(block, is_conditional=True):
            result = materialised(ctx, number, type)
            ctx.add(scf.YieldOp(result.ssa, *after))
        per_thread = per_thread or result.per_thread
    types = [ELEMENTS[type], *(value.type for value in before)]
    first, second = (Region(block) for block, _, _ in ways)
    made = ctx.add(scf.IfOp(chosen.ssa, types, first, second)).results
    state.restore(kept, made[1:])
    return Scalar(made[0], type, per_thread)


def _common_type(left: Number, right: Number) -> str:
    """The type of a number that is one of two."""
    types = type_of(left), type_of(right)
    return "bool" if types == ("bool", "bool") else promoted(*types)


def conditional(ctx: Lowering, node: ast.Conditional) -> Value:
    """`c ? a : b`."""
    chosen = expressions.condition(ctx, node.condition)
    if isinstance(chosen, bool):
        return expressions.evaluate(ctx, node.then if chosen else node.otherwise)
    if not (is_bound(node.then) or is_bound(node.otherwise)):
        left, right = (
            expressions.number(ctx, node.then),
            expressions.number(ctx, node.otherwise),
        )
        return chosen_number(ctx, chosen, left, right)
    return branches(
        ctx,
        node,
        chosen,
        lambda: expressions.number(ctx, node.then),
        lambda: expressions.number(ctx, node.otherwise),
    )


def chosen_number(ctx: Lowering, chosen: Scalar, left: Number, right: Number) -> Scalar:
    """One of two numbers."""
    type = _common_type(left, right)
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
