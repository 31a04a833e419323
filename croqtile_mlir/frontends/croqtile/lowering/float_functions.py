"""Functions of floating point: those that are one op, and those made of several."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from xdsl.dialects import arith, math
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import Const, known
from croqtile_mlir.frontends.croqtile.lowering.scalars import (
    Number,
    combined,
    compared,
    materialised,
    scalar,
    type_of,
)
from croqtile_mlir.frontends.croqtile.lowering.types import is_float, promoted
from croqtile_mlir.frontends.croqtile.lowering.values import Int, Literal, Scalar

_Maker = Callable[[SSAValue], Operation]

FUNCTIONS: Mapping[str, _Maker] = MappingProxyType(
    {
        "__exp": math.ExpOp,
        "__exp2f": math.Exp2Op,
        "__log": math.LogOp,
        "__sqrt": math.SqrtOp,
        "__rsqrt": math.RsqrtOp,
        "__tanh": math.TanhOp,
        "__fabs": math.AbsFOp,
    }
)
"""Functions that are one op."""


def is_double(value: Number) -> bool:
    """Whether a number is an f64; numbers of the source are of any type."""
    return isinstance(value, Scalar) and value.type == "f64"


def _float_type(value: Number) -> str:
    """The type in which a function computes; `tf32` is f32."""
    if is_double(value):
        return "f64"
    found = type_of(value)
    return found if found in ("f16", "bf16", "f32") else "f32"


def function(ctx: Lowering, name: str, value: Number, node: ast.Builtin) -> Scalar:
    type = _float_type(value)
    if type == "f64":
        ctx.unsupported(
            node, f"{node.name} of f64", "__to<f32>(..) says that f32 is enough"
        )
    operand = materialised(ctx, value, type)
    made = ctx.add(FUNCTIONS[name](operand.ssa)).results[0]
    return Scalar(made, type, operand.per_thread)


def _reciprocal(ctx: Lowering, values: list[Number], node: ast.Builtin) -> Scalar:
    return combined(ctx, "/", Literal(1.0, _float_type(values[0])), values[0], node)


def _sigmoid(ctx: Lowering, values: list[Number], node: ast.Builtin) -> Scalar:
    type = _float_type(values[0])
    minus = combined(ctx, "-", Literal(0.0, type), values[0], node)
    grown = function(ctx, "__exp", minus, node)
    below = combined(ctx, "+", grown, Literal(1.0, type), node)
    return combined(ctx, "/", Literal(1.0, type), below, node)


def _softplus(ctx: Lowering, values: list[Number], node: ast.Builtin) -> Scalar:
    """max(x, 0) + log(1 + exp(-|x|)): the exponential is 1 at most."""
    type = _float_type(values[0])
    value = materialised(ctx, values[0], type)
    zero, one = Literal(0.0, type), Literal(1.0, type)
    minus = combined(ctx, "-", zero, function(ctx, "__fabs", value, node), node)
    grown = combined(ctx, "+", function(ctx, "__exp", minus, node), one, node)
    most = combined(ctx, "max", value, zero, node)
    return combined(ctx, "+", most, function(ctx, "__log", grown, node), node)


_MOST_FACTORS = 64
"""Exponents up to this are products."""


def _power(ctx: Lowering, values: list[Number], node: ast.Builtin) -> Scalar:
    """A product where the exponent is a whole number, else 2^(y * log2(x)), x >= 0."""
    base, exponent = values
    type = _float_type(base)
    if not isinstance(exponent, Literal | Int):
        type = promoted(type, _float_type(exponent))
    value = materialised(ctx, base, type)
    whole = _whole(exponent)
    if whole is not None and abs(whole) <= _MOST_FACTORS:
        return _product(ctx, value, whole, node)
    if type == "f64":
        ctx.unsupported(
            node,
            "__pow of f64 with an exponent that is no small whole number",
            "__to<f32>(..) says that f32 is enough",
        )
    logarithm = ctx.add(math.Log2Op(value.ssa)).results[0]
    power = materialised(ctx, exponent, type)
    scaled = combined(ctx, "*", scalar(ctx, logarithm, type), power, node)
    return scalar(ctx, ctx.add(math.Exp2Op(scaled.ssa)).results[0], type)


def _whole(value: Number) -> int | None:
    """The whole number that a number is, if it is known."""
    match value:
        case Int():
            return known(value.value)
        case Literal(value=number) if float(number).is_integer():
            return int(number)
        case _:
            return None


def _product(ctx: Lowering, base: Scalar, count: int, node: ast.Builtin) -> Scalar:
    """The base as a factor `count` times, by squares."""
    found: Scalar | None = None
    square, rest = base, abs(count)
    while rest:
        if rest & 1:
            found = square if found is None else combined(ctx, "*", found, square, node)
        rest >>= 1
        if rest:
            square = combined(ctx, "*", square, square, node)
    if found is None:
        return materialised(ctx, Literal(1.0, base.type), base.type)
    if count < 0:
        return combined(ctx, "/", Literal(1.0, base.type), found, node)
    return found


def _sign(ctx: Lowering, values: list[Number], node: ast.Builtin) -> Scalar:
    type = type_of(values[0])
    zero: Number = Literal(0.0, type) if is_float(type) else Int(Const(0))
    value = materialised(ctx, values[0], type)
    above = compared(ctx, ">", value, zero)
    below = compared(ctx, "<", value, zero)
    one, none = (materialised(ctx, Int(Const(n)), type) for n in (1, 0))
    up, down = (
        ctx.add(arith.SelectOp(each.ssa, one.ssa, none.ssa)).result
        for each in (above, below)
    )
    return combined(ctx, "-", scalar(ctx, up, type), scalar(ctx, down, type), node)


COMPOSITES: Mapping[str, Callable[[Lowering, list[Number], ast.Builtin], Scalar]] = (
    MappingProxyType(
        {
            "__frcp_rn": _reciprocal,
            "__sigmoid": _sigmoid,
            "__softplus": _softplus,
            "__pow": _power,
            "__sign": _sign,
        }
    )
)
"""Functions of several ops; all have one argument, but `__pow` two."""
