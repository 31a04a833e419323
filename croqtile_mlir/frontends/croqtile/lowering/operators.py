"""Operators: one operand, two, shapes element by element, composed indices."""

from __future__ import annotations

from xdsl.dialects import arith

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import choices, expressions
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    Const,
    Integer,
    compose,
    operation,
)
from croqtile_mlir.frontends.croqtile.lowering.scalars import (
    combined,
    negated,
    scalar,
)
from croqtile_mlir.frontends.croqtile.lowering.types import (
    is_float,
)
from croqtile_mlir.frontends.croqtile.lowering.values import (
    Int,
    Literal,
    Scalar,
    Shape,
    Tuple,
    Value,
    kind_of,
)
from croqtile_mlir.frontends.croqtile.reporting import Kind


def unary(ctx: Lowering, node: ast.Unary) -> Value:
    """`-x`, `~x`, `!x`."""
    if node.operator == "!":
        found = expressions.condition(ctx, node.operand)
        if isinstance(found, bool):
            return Literal(not found, "bool")
        return negated(ctx, found)
    value = expressions.number(ctx, node.operand)
    match node.operator, value:
        case "-", Int(type="s32"):
            return Int(operation("-", Const(0), value.value))
        case "-", Literal():
            return Literal(-value.value, value.type)
        case "-", Scalar() if is_float(value.type):
            return scalar(ctx, ctx.add(arith.NegfOp(value.ssa)).results[0], value.type)
        case "-", _:
            return combined(ctx, "-", Int(Const(0)), value, node)
        case _:
            return combined(ctx, "^", value, Int(Const(-1)), node)


def binary(ctx: Lowering, node: ast.Binary) -> Value:
    """`left operator right`."""
    operator = node.operator
    if operator in ("&&", "||"):
        return choices.logical(ctx, node)
    if operator == "#":
        return _composed(ctx, node)
    if operator.startswith("#"):
        ctx.unsupported(node, f"operator {operator} on bounds", "use it on #v")
    left, right = (
        expressions.evaluate(ctx, node.left),
        expressions.evaluate(ctx, node.right),
    )
    if isinstance(left, Shape | Tuple) or isinstance(right, Shape | Tuple):
        return _elementwise(ctx, node, left, right)
    for operand, value in ((node.left, left), (node.right, right)):
        if not isinstance(value, Int | Scalar | Literal):
            ctx.fail(
                Kind.TypeMismatch,
                operand,
                f"operand must be a number, got {kind_of(value)}",
            )
    assert isinstance(left, Int | Scalar | Literal)
    assert isinstance(right, Int | Scalar | Literal)
    return expressions.arithmetic(ctx, operator, left, right, node)


def _elementwise(
    ctx: Lowering, node: ast.Binary, left: Value, right: Value
) -> Shape | Tuple:
    sides: list[tuple[Integer, ...] | None] = []
    for value, operand in ((left, node.left), (right, node.right)):
        match value:
            case Shape(dims=dims):
                sides.append(dims)
            case Tuple(items=items):
                sides.append(tuple(item.value for item in items))
            case Int():
                sides.append(None)
            case _:
                ctx.fail(
                    Kind.TypeMismatch,
                    operand,
                    f"operand must be a shape or integers, got {kind_of(value)}",
                )
    a, b = sides
    if a is not None and b is not None and len(a) != len(b):
        ctx.fail(
            Kind.RankMismatch,
            node.right,
            f"operands must have equal rank, got {len(a)} and {len(b)}",
        )
    rank = len(a if a is not None else b or ())
    scalars = [value.value for value in (left, right) if isinstance(value, Int)]
    a = a if a is not None else (scalars[0],) * rank
    b = b if b is not None else (scalars[-1],) * rank
    dims = tuple(
        expressions.integer_operation(ctx, node.operator, x, y, node)
        for x, y in zip(a, b, strict=True)
    )
    if isinstance(left, Shape) or isinstance(right, Shape):
        return Shape(dims)
    return Tuple(tuple(Int(dim) for dim in dims))


def _composed(ctx: Lowering, node: ast.Binary) -> Int:
    operands: list[ast.Expr] = []
    left: ast.Expr = node
    while isinstance(left, ast.Binary) and left.operator == "#":
        operands.insert(0, left.right)
        left = left.left
    operands.insert(0, left)
    parts = [expressions.bounded_integer(ctx, operand) for operand in operands]
    bounds: list[Integer] = []
    for part, operand in zip(parts[1:], operands[1:], strict=True):
        if part.bound is None:
            ctx.fail(
                Kind.TypeMismatch,
                operand,
                "operand after # must be bounded, got an integer without a bound",
                hint="variables of parallel, with and foreach are bounded",
            )
        bounds.append(part.bound)
    value = compose(tuple(part.value for part in parts), tuple(bounds))
    first = parts[0].bound
    return Int(value, None if first is None else expressions.product((first, *bounds)))
