"""`cdiv`, `__alignup`, `__aligndown`: quotients rounded up, multiples of a unit."""

from __future__ import annotations

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import expressions
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    ONE,
    ZERO,
    is_non_negative,
    known,
    operation,
)
from croqtile_mlir.frontends.croqtile.lowering.scalars import Number
from croqtile_mlir.frontends.croqtile.lowering.types import bits, is_float, is_unsigned
from croqtile_mlir.frontends.croqtile.lowering.values import Int, Scalar
from croqtile_mlir.frontends.croqtile.reporting import Kind


def divided_up(ctx: Lowering, node: ast.Cdiv) -> Number:
    """`cdiv(a, b)`."""
    a, b = (_integer(ctx, each) for each in (node.dividend, node.divisor))
    if isinstance(a, Int) and isinstance(b, Int):
        value = expressions.integer_operation(ctx, "cdiv", a.value, b.value, node)
        return Int(value)
    quotient = expressions.arithmetic(ctx, "/", a, b, node)
    rest = expressions.arithmetic(ctx, "%", a, b, node)
    more = expressions.arithmetic(ctx, ">", rest, Int(ZERO), node)
    return expressions.arithmetic(ctx, "+", quotient, more, node)


def aligned(ctx: Lowering, name: str, node: ast.Builtin) -> Number:
    """The multiple of a unit that is next above, or below; for negatives, too."""
    value, unit = (_integer(ctx, each) for each in node.args)
    size = known(unit.value) if isinstance(unit, Int) else None
    if size is not None and size < 1:
        ctx.fail(Kind.OutOfBounds, node.args[1], f"unit must be positive, got {size}")
    is_up = name == "__alignup"
    if (
        isinstance(value, Int)
        and isinstance(unit, Int)
        and is_non_negative(value.value)
    ):
        kind = "cdiv" if is_up else "/"
        count = operation(kind, value.value, unit.value)
        return Int(operation("*", count, unit.value))

    def of(kind: str, a: Number, b: Number) -> Number:
        return expressions.arithmetic(ctx, kind, a, b, node)

    if is_up:
        value = of("+", value, of("-", unit, Int(ONE)))
    rest = of("%", of("+", of("%", value, unit), unit), unit)
    return of("-", value, rest)


def _integer(ctx: Lowering, node: ast.Expr) -> Int | Scalar:
    """An integer; as an index, where it fits in the 32 bits that one has."""
    found = expressions.number(ctx, node)
    if isinstance(found, Scalar) and (
        bits(found.type) > 32 or (bits(found.type) == 32 and is_unsigned(found.type))
    ):
        if not is_float(found.type):
            return found
    return expressions.as_integer(ctx, found, node)
