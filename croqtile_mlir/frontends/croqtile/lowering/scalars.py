"""Arithmetic on numbers that the kernel computes, and conversions between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from types import MappingProxyType

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i1
from xdsl.ir import Operation, SSAValue
from xdsl.utils.hints import isa

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integer_ops import INTEGER_OPS
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    Const,
    Integer,
    Runtime,
    interval,
    is_non_negative,
    is_per_thread,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.types import (
    ELEMENTS,
    FLOATS,
    INTEGERS,
    bits,
    is_float,
    is_lossy,
    is_unsigned,
    promoted,
)
from croqtile_mlir.frontends.croqtile.lowering.values import Int, Literal, Scalar
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.frontends.croqtile.source import Span

Number = Int | Scalar | Literal
"""What arithmetic takes."""

_Maker = Callable[[SSAValue, SSAValue], Operation]

_FLOATS: Mapping[str, _Maker] = MappingProxyType(
    {
        "+": arith.AddfOp,
        "-": arith.SubfOp,
        "*": arith.MulfOp,
        "/": arith.DivfOp,
        "min": arith.MinnumfOp,
        "max": arith.MaxnumfOp,
    }
)

_COMPARISONS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "==": ("eq", "eq", "oeq"),
        "!=": ("ne", "ne", "une"),
        "<": ("slt", "ult", "olt"),
        "<=": ("sle", "ule", "ole"),
        ">": ("sgt", "ugt", "ogt"),
        ">=": ("sge", "uge", "oge"),
    }
)
"""Predicates of signed and unsigned integers, and of floating point."""

COMPARISONS = tuple(_COMPARISONS)


def signed_predicate(operator: str) -> str:
    """What `arith.cmpi` calls a comparison of signed integers."""
    return _COMPARISONS[operator][0]


def type_of(value: Number) -> str:
    """The type of a number."""
    return value.type


def literal(value: float, type: str) -> Literal:
    """A number of floating point as its type has it."""
    return Literal(FloatAttr(value, FLOATS[type]).value.data, type)


def known_value(value: Number) -> float | None:
    """The number that is written in the source, or follows from such ones."""
    match value:
        case Int(value=Const(value=number)):
            return number
        case Literal(value=number):
            return number
        case _:
            return None


def scalar(ctx: Lowering, ssa: SSAValue, type: str) -> Scalar:
    """A number that was just computed."""
    return Scalar(ssa, type, ctx.inside_threads)


def materialised(ctx: Lowering, value: Number, type: str | None = None) -> Scalar:
    """A number as an SSA value of a type, its own when none is given."""
    target = type or type_of(value)
    match value:
        case Int() if not is_float(target) and target != "bool":
            low, high = interval(value.value)
            if low is not None and low == high:
                return scalar(ctx, _integer(ctx, low, target), target)
            return _from_index(ctx, value, target)
        case Int():
            low, high = interval(value.value)
            if low is not None and low == high:
                return materialised(ctx, Literal(float(low), "f64"), target)
            return converted(ctx, materialised(ctx, value), target)
        case Literal():
            return scalar(ctx, _literal(ctx, value.value, target), target)
        case Scalar():
            return converted(ctx, value, target)


def _from_index(ctx: Lowering, value: Int, target: str) -> Scalar:
    per_thread = is_per_thread(value.value)
    if isinstance(value.value, Runtime) and value.value.ssa.type == ELEMENTS[target]:
        return Scalar(value.value.ssa, target, per_thread)
    if bits(target) > 32:
        # An index has 32 bits in the end.
        return converted(ctx, materialised(ctx, value), target)
    found = ctx.index_value(value.value)
    made = ctx.add(arith.IndexCastOp(found, INTEGERS[target]), found.name_hint).result
    return Scalar(made, target, per_thread)


def _integer(ctx: Lowering, value: int, type: str) -> SSAValue:
    kind = INTEGERS[type]
    width = kind.bitwidth
    wrapped = value & ((1 << width) - 1)
    if wrapped >= 1 << (width - 1) and width > 1:
        wrapped -= 1 << width
    return ctx.add(arith.ConstantOp(IntegerAttr(wrapped, kind))).result


def _literal(ctx: Lowering, value: float | bool, type: str) -> SSAValue:
    check_finite(ctx, value, type, ctx.span)
    if type in INTEGERS:
        return _integer(ctx, int(bool(value) if type == "bool" else value), type)
    return ctx.add(arith.ConstantOp(FloatAttr(float(value), FLOATS[type]))).result


def converted(ctx: Lowering, value: Scalar, target: str) -> Scalar:
    """A number in another type; the same value when that is the same in MLIR."""
    source = value.type
    if source == target or (
        value.ssa.type == ELEMENTS[target] and is_float(source) == is_float(target)
    ):
        return Scalar(value.ssa, target, value.per_thread)
    if target == "bool":
        return compared(ctx, "!=", value, Literal(0.0, source))
    if is_float(target):
        return _to_float(ctx, value, target)
    if is_float(source):
        return _from_float(ctx, value, target)
    kind = INTEGERS[target]
    if bits(target) < bits(source):
        made: Operation = arith.TruncIOp(value.ssa, kind)
    elif is_unsigned(source):
        made = arith.ExtUIOp(value.ssa, kind)
    else:
        made = arith.ExtSIOp(value.ssa, kind)
    return Scalar(ctx.add(made).results[0], target, value.per_thread)


def _to_float(ctx: Lowering, value: Scalar, target: str) -> Scalar:
    source, kind = value.type, FLOATS[target]
    if is_float(source):
        if bits(source) == bits(target):
            return converted(ctx, converted(ctx, value, "f32"), target)
        made: Operation
        if bits(target) > bits(source):
            made = arith.ExtFOp(value.ssa, kind)
        else:
            made = arith.TruncFOp(value.ssa, kind)
        return Scalar(ctx.add(made).results[0], target, value.per_thread)
    if bits(target) < 32:
        return converted(ctx, converted(ctx, value, "f32"), target)
    wide = value if bits(source) >= 32 else converted(ctx, value, "s32")
    if is_unsigned(wide.type):
        made = arith.UIToFPOp(wide.ssa, kind)
    else:
        made = arith.SIToFPOp(wide.ssa, kind)
    return Scalar(ctx.add(made).results[0], target, value.per_thread)


def _from_float(ctx: Lowering, value: Scalar, target: str) -> Scalar:
    if bits(value.type) < 32:
        return converted(ctx, converted(ctx, value, "f32"), target)
    if bits(target) < 32:
        return converted(ctx, converted(ctx, value, "s32"), target)
    kind = INTEGERS[target]
    if is_unsigned(target):
        made: Operation = arith.FPToUIOp(value.ssa, kind)
    else:
        made = arith.FPToSIOp(value.ssa, kind)
    return Scalar(ctx.add(made).results[0], target, value.per_thread)


def stored(ctx: Lowering, value: Number, type: str, where: ast.Node) -> Scalar:
    """A number converted for a place of a type; lossy conversions are warned of."""
    source = type_of(value)
    if isinstance(value, Literal):
        check_finite(ctx, value.value, type, where)
    if not isinstance(value, Literal) and is_lossy(source, type):
        if not (isinstance(value, Int) and _fits(value, type)):
            ctx.reporter.warning(
                Kind.LossyConversion,
                where.span,
                f"conversion of {source} to {type} may lose values",
                hint=f"__to<{type}>(..) says that it is meant",
            )
    elif isinstance(value, Literal) and is_float(source) and not is_float(type):
        if type != "bool" and value.value != int(value.value):
            ctx.reporter.warning(
                Kind.LossyConversion,
                where.span,
                f"conversion of {value.value} to {type} loses what is after the point",
            )
    return materialised(ctx, value, type)


def check_finite(
    ctx: Lowering, value: float, type: str, where: ast.Node | Span
) -> None:
    """Refuse an infinite value where an integer must be."""
    if not is_float(type) and type != "bool" and not isfinite(value):
        ctx.fail(
            Kind.TypeMismatch,
            where,
            f"value of type {type} must be finite, got {value}",
        )


def check_shift(ctx: Lowering, by: Number, most: int, where: ast.Node) -> None:
    """Refuse the count of a shift that is no integer, or not one of 0 to `most`."""
    if is_float(type_of(by)):
        ctx.fail(
            Kind.TypeMismatch,
            where,
            f"count of a shift must be an integer, got {type_of(by)}",
        )
    value: Integer | None = by.value if isinstance(by, Int) else _constant(by)
    if value is None:
        return
    low, high = interval(value)
    if (high is not None and high < 0) or (low is not None and low > most):
        ctx.fail(
            Kind.OutOfBounds,
            where,
            f"count of a shift must be 0 to {most}, got {text(value)}",
        )


def _constant(value: Scalar | Literal) -> Const | None:
    """The integer that a scalar is, where it was written as one of 64 bits."""
    owner = value.ssa.owner if isinstance(value, Scalar) else None
    if isinstance(owner, arith.ConstantOp) and isa(owner.value, IntegerAttr):
        return Const(owner.value.value.data)
    return None


def _fits(value: Int, type: str) -> bool:
    low, high = interval(value.value)
    if is_float(type) or low is None or high is None:
        return is_float(type)
    width = bits(type)
    if is_unsigned(type):
        return 0 <= low and high < 1 << width
    return -(1 << (width - 1)) <= low and high < 1 << (width - 1)


def combined(ctx: Lowering, kind: str, a: Number, b: Number, where: ast.Node) -> Scalar:
    """`a kind b` in the type that both are promoted to."""
    type = promoted(type_of(a), type_of(b))
    if kind in ("<<", ">>"):
        type = promoted(type_of(a), type_of(a))
        if not is_float(type):
            check_shift(ctx, b, bits(type) - 1, where)
    if is_float(type):
        if kind not in _FLOATS:
            ctx.fail(
                Kind.TypeMismatch,
                where,
                f"operands of {kind} must be integers, got {type_of(a)} and "
                f"{type_of(b)}",
            )
        maker = _FLOATS[kind]
    else:
        maker = INTEGER_OPS[kind][is_unsigned(type)]
    left, right = materialised(ctx, a, type), materialised(ctx, b, type)
    made = ctx.add(maker(left.ssa, right.ssa)).results[0]
    return Scalar(made, type, left.per_thread or right.per_thread)


def compared(ctx: Lowering, kind: str, a: Number, b: Number) -> Scalar:
    """`a kind b` as a bool."""
    if isinstance(a, Int) and isinstance(b, Int):
        if a.type == b.type == "s32" or is_unsigned_index(a, b):
            return _compared_indices(ctx, kind, a, b)
    type = promoted(type_of(a), type_of(b))
    left, right = materialised(ctx, a, type), materialised(ctx, b, type)
    signed, unsigned, floating = _COMPARISONS[kind]
    if is_float(type):
        made: Operation = arith.CmpfOp(left.ssa, right.ssa, floating)
    else:
        predicate = unsigned if is_unsigned(type) else signed
        made = arith.CmpiOp(left.ssa, right.ssa, predicate)
    ssa = ctx.add(made).results[0]
    return Scalar(ssa, "bool", left.per_thread or right.per_thread)


def is_unsigned_index(*values: Int) -> bool:
    """Whether none of some integers is negative: with a sign they are the same."""
    return all(is_non_negative(each.value) for each in values)


def _compared_indices(ctx: Lowering, kind: str, a: Int, b: Int) -> Scalar:
    predicate = _COMPARISONS[kind][is_unsigned_index(a, b)]
    left, right = ctx.index_value(a.value), ctx.index_value(b.value)
    ssa = ctx.add(arith.CmpiOp(left, right, predicate)).result
    per_thread = is_per_thread(a.value) or is_per_thread(b.value)
    return Scalar(ssa, "bool", per_thread)


def negated(ctx: Lowering, value: Scalar) -> Scalar:
    """`!value` of a bool."""
    one = ctx.add(arith.ConstantOp(IntegerAttr(1, i1))).result
    made = ctx.add(arith.XOrIOp(value.ssa, one)).result
    return Scalar(made, "bool", value.per_thread)


def as_index(ctx: Lowering, value: Scalar) -> Int:
    """An integer that the kernel computed, as the front end's own."""
    if not is_unsigned(value.type):
        return Int(Runtime(value.ssa, value.per_thread))
    # Indices are made of signed integers: the wide one has the same value.
    wide = converted(ctx, value, "u64")
    return Int(Runtime(wide.ssa, wide.per_thread, 0))
