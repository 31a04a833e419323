"""
`assert`: rules of every launch, what is known when compiling, and what threads check.

A condition on dims that stands under no other condition is a rule of every launch; the
parts of a conjunction are looked at one by one. Of the rest, what is known is judged
here, and each thread that comes by checks what is not.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Block, SSAValue

from croqtile_mlir.dialects import croq
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import expressions, state
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    Const,
    Integer,
    Named,
    Op,
    is_known,
    is_non_negative,
    known,
)
from croqtile_mlir.frontends.croqtile.lowering.parts import WaitingAssertion
from croqtile_mlir.frontends.croqtile.lowering.scalars import (
    COMPARISONS,
    materialised,
    signed_predicate,
)
from croqtile_mlir.frontends.croqtile.lowering.values import Cell, Int, Literal
from croqtile_mlir.frontends.croqtile.lowering.walking import has_effect, names_in
from croqtile_mlir.frontends.croqtile.reporting import Kind


def assertion(ctx: Lowering, node: ast.Assert) -> None:
    """`assert(condition, "message")`."""
    if has_effect(node.condition):
        ctx.unsupported(node.condition, "an assertion that changes what it names")
    for part in _conjuncts(node.condition):
        _part(ctx, node, part)


def deferred(ctx: Lowering) -> None:
    """At the start of a block: what the function asserts of its scalar arguments."""
    waiting, ctx.parts.assertions = ctx.parts.assertions, []
    for each in waiting:
        now = state.values(each.scalars)
        state.restore(each.scalars, each.values)
        with ctx.at(each.node):
            _checked_by_threads(ctx, each.node, each.part)
        state.restore(each.scalars, now)


def _conjuncts(node: ast.Expr) -> list[ast.Expr]:
    if isinstance(node, ast.Binary) and node.operator == "&&":
        return [*_conjuncts(node.left), *_conjuncts(node.right)]
    return [node]


def _part(ctx: Lowering, node: ast.Assert, part: ast.Expr) -> None:
    if not ctx.is_conditional and _is_multiple(ctx, part):
        return
    with ctx.inside(Block()):
        found = expressions.condition(ctx, part)
    if found is True:
        return
    if found is False and not (ctx.is_conditional and _is_literal(part)):
        ctx.fail(Kind.OutOfBounds, part, f"assertion does not hold: {node.message}")
    if not ctx.is_conditional and _is_of_launch(ctx, part):
        with _on_host(ctx):
            ctx.add(croq.AssertOp(_condition(ctx, part), _message(node)))
        return
    if ctx.block_level is not None:
        _checked_by_threads(ctx, node, part)
    elif ctx.kernel_is_launched:
        ctx.unsupported(
            node, "an assertion of computed numbers behind the outermost parallel"
        )
    else:
        named = (ctx.scope.find(name) for name in sorted(names_in(part)))
        scalars = [each for each in named if isinstance(each, Cell)]
        waiting = WaitingAssertion(node, part, scalars, state.values(scalars))
        ctx.parts.assertions.append(waiting)


def _message(node: ast.Assert) -> str:
    return node.message or "assertion"


def _is_literal(node: ast.Expr) -> bool:
    """`false`, `0`: that no thread comes here."""
    return isinstance(node, ast.BoolLiteral | ast.IntLiteral)


def _checked_by_threads(ctx: Lowering, node: ast.Assert, part: ast.Expr) -> None:
    found = expressions.condition(ctx, part)
    if isinstance(found, bool):
        found = materialised(ctx, Literal(found, "bool"))
    ctx.add(croq.AssertOp(found.ssa, _message(node)))


def _is_multiple(ctx: Lowering, node: ast.Expr) -> bool:
    """`M % 8 == 0` of a dim, which copies can rely on."""
    match node:
        case ast.Binary(
            operator="==",
            left=ast.Binary(operator="%", left=value, right=unit),
            right=ast.IntLiteral(value=0),
        ):
            pass
        case _:
            return False
    with ctx.inside(Block()):
        dim, number = expressions.number(ctx, value), expressions.number(ctx, unit)
    if not isinstance(dim, Int) or not isinstance(number, Int):
        return False
    by = known(number.value)
    if not isinstance(dim.value, Named) or dim.value.is_param or not by or by < 1:
        return False
    ctx.demand_multiple(dim.value.name, by)
    return True


# Conditions that a launch decides.


@contextmanager
def _on_host(ctx: Lowering) -> Generator[None]:
    """Ops that are made inside stand before the outermost parallel."""
    assert ctx.kernel_level is not None
    around, ctx.stack = ctx.stack, [ctx.kernel_level]
    try:
        yield
    finally:
        ctx.stack = around


def _is_of_launch(ctx: Lowering, node: ast.Expr) -> bool:
    """Whether the launch knows what a condition depends on."""
    match node:
        case ast.Binary(operator="&&" | "||", left=left, right=right):
            return _is_of_launch(ctx, left) and _is_of_launch(ctx, right)
        case ast.Unary(operator="!", operand=operand):
            return _is_of_launch(ctx, operand)
        case ast.Binary(operator=operator) if operator in COMPARISONS:
            sides = (node.left, node.right)
        case _:
            sides = (node,)
    return all(_launch_integer(ctx, side) is not None for side in sides)


def _launch_integer(ctx: Lowering, node: ast.Expr) -> Integer | None:
    """The integer that an expression of dims is."""
    with ctx.inside(Block()):
        found = expressions.evaluate(ctx, node)
    if isinstance(found, Literal) and found.type == "bool":
        return Const(int(found.value))
    if isinstance(found, Int) and _is_affine(found.value):
        return found.value
    return None


def _is_affine(value: Integer) -> bool:
    """Whether a launch plan can hold an integer (`analysis/dim_expressions.py`)."""
    match value:
        case Const() | Named():
            return True
        case Op("+" | "-", a, b):
            return _is_affine(a) and _is_affine(b)
        case Op("*", a, b):
            sides = _is_affine(a) and _is_affine(b)
            return sides and (is_known(a) or is_known(b))
        case Op("/" | "%" | "cdiv", a, b):
            return is_non_negative(a) and _is_affine(a) and is_known(b)
        case _:
            return False


def _condition(ctx: Lowering, node: ast.Expr) -> SSAValue:
    """A condition of dims, outside of the block; integers are signed."""
    match node:
        case ast.Binary(operator="&&" | "||" as operator, left=left, right=right):
            maker = arith.AndIOp if operator == "&&" else arith.OrIOp
            a, b = _condition(ctx, left), _condition(ctx, right)
            return ctx.add(maker(a, b)).result
        case ast.Unary(operator="!", operand=operand):
            true = ctx.add(arith.ConstantOp(IntegerAttr(1, i1))).result
            return ctx.add(arith.XOrIOp(_condition(ctx, operand), true)).result
        case ast.Binary(operator=operator) if operator in COMPARISONS:
            sides = _launch_integer(ctx, node.left), _launch_integer(ctx, node.right)
        case _:
            operator = "!="
            sides = _launch_integer(ctx, node), Const(0)
    a, b = sides
    assert a is not None
    assert b is not None
    left, right = ctx.index_value(a), ctx.index_value(b)
    return ctx.add(arith.CmpiOp(left, right, signed_predicate(operator))).result
