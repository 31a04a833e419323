"""What reductions combine elements by, emitted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from types import MappingProxyType

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    FloatAttr,
    IntegerType,
    bf16,
    f16,
    f32,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import Combination
from croqtile_mlir.lowering.rewriting import LocatedBuilder

_Make = Callable[[SSAValue, SSAValue], Operation]

_OPS: Mapping[Combination, tuple[_Make, _Make]] = MappingProxyType(
    {
        Combination.Add: (arith.AddfOp, arith.AddiOp),
        Combination.Mul: (arith.MulfOp, arith.MuliOp),
        Combination.Max: (arith.MaxnumfOp, arith.MaxSIOp),
        Combination.Min: (arith.MinnumfOp, arith.MinSIOp),
    }
)
"""For floats, and for integers."""

_NEUTRAL: Mapping[Combination, float] = MappingProxyType(
    {
        Combination.Add: 0.0,
        Combination.Mul: 1.0,
        Combination.Max: -inf,
        Combination.Min: inf,
    }
)


def neutral(combination: Combination, kind: Attribute) -> float | int:
    """The number that changes nothing."""
    value = _NEUTRAL[combination]
    if not isinstance(kind, IntegerType):
        return value
    half = 1 << (kind.bitwidth - 1)
    if combination is Combination.Max:
        return -half
    return half - 1 if combination is Combination.Min else int(value)


def emit_neutral(
    b: LocatedBuilder, combination: Combination, kind: Attribute
) -> SSAValue:
    """A constant that changes nothing."""
    value = neutral(combination, kind)
    if isa(kind, IntegerType):
        return b.constant(int(value), kind)
    return float_constant(b, float(value), kind)


def float_constant(b: LocatedBuilder, value: float, kind: Attribute) -> SSAValue:
    """A constant of type f16, bf16 or f32."""
    match kind:
        case Float16Type():
            return b.float(FloatAttr(value, f16))
        case BFloat16Type():
            return b.float(FloatAttr(value, bf16))
        case _:
            return b.float(FloatAttr(value, f32))


def combine(
    b: LocatedBuilder, combination: Combination, left: SSAValue, right: SSAValue
) -> SSAValue:
    """Two values combined."""
    of_floats, of_integers = _OPS[combination]
    make = of_integers if isinstance(left.type, IntegerType) else of_floats
    return b.insert(make(left, right)).results[0]


def extended(b: LocatedBuilder, value: SSAValue) -> SSAValue:
    """An element in the type that it is combined in."""
    if isinstance(value.type, Float16Type | BFloat16Type):
        return b.insert(arith.ExtFOp(value, f32)).result
    return value


def narrowed(b: LocatedBuilder, value: SSAValue, to: Attribute) -> SSAValue:
    """A result in the type of its tile."""
    if value.type == to:
        return value
    assert isinstance(to, Float16Type | BFloat16Type)
    return b.insert(arith.TruncFOp(value, to)).result


def butterfly(
    b: LocatedBuilder, combination: Combination, value: SSAValue, distance: int
) -> SSAValue:
    """A value combined with that of the lane at a distance; by all lanes of a warp."""
    return combine(b, combination, value, _of_lane(b, value, distance))


def _of_lane(b: LocatedBuilder, value: SSAValue, distance: int) -> SSAValue:
    if value.type != i64:
        shuffle = nvvm.ShflSyncOp(
            nvvm.ShflKind.Bfly, b.i32(-1), value, b.i32(distance), b.i32(31)
        )
        return b.insert(shuffle).result
    low = _of_lane(b, b.cast(value, i32), distance)
    high = _of_lane(b, b.cast(b.shr(value, 32), i32), distance)
    return b.or_(b.cast(low, i64), b.shl(b.cast(high, i64), 32))
