"""Numbers that have to be known when compiling."""

from __future__ import annotations

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, f64, i64

from croqtile_mlir.dialects.croq.numbers import NumberAttr
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import expressions
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import known, text
from croqtile_mlir.frontends.croqtile.lowering.scalars import check_finite, known_value
from croqtile_mlir.frontends.croqtile.lowering.types import is_float
from croqtile_mlir.frontends.croqtile.reporting import Kind


def number(ctx: Lowering, node: ast.Expr, refused: str) -> float:
    """A number that is written in the source; `refused` is what another would be."""
    value = known_value(expressions.number(ctx, node))
    if value is None:
        ctx.unsupported(node, refused)
    return value


def attribute(ctx: Lowering, value: float, element: str, where: ast.Node) -> NumberAttr:
    """A number as ops have it, for elements of a type."""
    check_finite(ctx, value, element, where)
    if is_float(element):
        return FloatAttr(float(value), f64)
    return IntegerAttr(int(value), i64)


def integer(ctx: Lowering, node: ast.Expr, what: str, least: int) -> int:
    """An integer that is not below another."""
    found = expressions.integer(ctx, node)
    value = known(found)
    if value is None or value < least:
        kind = "a positive" if least else "a"
        ctx.fail(
            Kind.TypeMismatch,
            node,
            f"{what} must be {kind} number that is known when compiling, got "
            f"{text(found)}",
        )
    return value
