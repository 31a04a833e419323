"""`__floor`, `__ceil`, `__round`, `__isfinite`: of f32, and of f16 and bf16 in f32."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from types import MappingProxyType

from xdsl.dialects import arith, math

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.scalars import (
    Number,
    combined,
    compared,
    converted,
    materialised,
    scalar,
    type_of,
)
from croqtile_mlir.frontends.croqtile.lowering.types import is_float
from croqtile_mlir.frontends.croqtile.lowering.values import Literal, Scalar

_TYPE = "f32"
_WHOLE = Literal(2.0**23, _TYPE)
"""From here on all numbers of f32 are whole."""

_ZERO, _ONE, _HALF = (Literal(value, _TYPE) for value in (0.0, 1.0, 0.5))

_Rounding = Callable[[Lowering, Scalar, Scalar, ast.Builtin], Scalar]
"""From a number and the whole one next to it towards 0, to the result."""


def _chosen(ctx: Lowering, chosen: Scalar, a: Number, b: Number) -> Scalar:
    left, right = (materialised(ctx, each, _TYPE).ssa for each in (a, b))
    return scalar(ctx, ctx.add(arith.SelectOp(chosen.ssa, left, right)).result, _TYPE)


def _size(ctx: Lowering, value: Scalar) -> Scalar:
    return scalar(ctx, ctx.add(math.AbsFOp(value.ssa)).results[0], _TYPE)


def _floor(ctx: Lowering, value: Scalar, whole: Scalar, node: ast.Builtin) -> Scalar:
    above = compared(ctx, ">", whole, value)
    return _chosen(ctx, above, combined(ctx, "-", whole, _ONE, node), whole)


def _ceil(ctx: Lowering, value: Scalar, whole: Scalar, node: ast.Builtin) -> Scalar:
    below = compared(ctx, "<", whole, value)
    return _chosen(ctx, below, combined(ctx, "+", whole, _ONE, node), whole)


def _round(ctx: Lowering, value: Scalar, whole: Scalar, node: ast.Builtin) -> Scalar:
    """Halves go away from 0, as in C. The rest is exact."""
    rest = combined(ctx, "-", value, whole, node)
    far = compared(ctx, ">=", _size(ctx, rest), _HALF)
    negative = compared(ctx, "<", value, _ZERO)
    step = _chosen(ctx, negative, Literal(-1.0, _TYPE), _ONE)
    return _chosen(ctx, far, combined(ctx, "+", whole, step, node), whole)


def _rounded(
    rounding: _Rounding,
) -> Callable[[Lowering, list[Number], ast.Builtin], Scalar]:
    def make(ctx: Lowering, values: list[Number], node: ast.Builtin) -> Scalar:
        value = _operand(ctx, values[0], node)
        # Of the others, and of what is no number, nothing is to be rounded.
        small = compared(ctx, "<", _size(ctx, value), _WHOLE)
        safe = _chosen(ctx, small, value, _ZERO)
        whole = converted(ctx, converted(ctx, safe, "s32"), _TYPE)
        found = _chosen(ctx, small, rounding(ctx, safe, whole, node), value)
        type = type_of(values[0])
        return converted(ctx, found, type) if is_float(type) else found

    return make


def _is_finite(ctx: Lowering, values: list[Number], node: ast.Builtin) -> Scalar:
    value = _operand(ctx, values[0], node)
    return compared(ctx, "<", _size(ctx, value), Literal(inf, _TYPE))


def _operand(ctx: Lowering, value: Number, node: ast.Builtin) -> Scalar:
    if isinstance(value, Scalar) and value.type == "f64":
        ctx.unsupported(
            node, f"{node.name} of f64", "__to<f32>(..) says that f32 is enough"
        )
    return materialised(ctx, value, _TYPE)


ROUNDINGS: Mapping[str, Callable[[Lowering, list[Number], ast.Builtin], Scalar]] = (
    MappingProxyType(
        {
            "__floor": _rounded(_floor),
            "__ceil": _rounded(_ceil),
            "__round": _rounded(_round),
            "__isfinite": _is_finite,
        }
    )
)
"""Functions of one argument."""
