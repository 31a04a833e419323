"""Arithmetic on numbers that the kernel computes, and conversions between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, IntegerType, i1
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    Runtime,
    interval,
    is_per_thread,
)
from croqtile_mlir.frontends.croqtile.lowering.types import (
    ELEMENTS,
    bits,
    is_float,
    is_lossy,
    is_unsigned,
    promoted,
)
from croqtile_mlir.frontends.croqtile.lowering.values import Int, Literal, Scalar
from croqtile_mlir.frontends.croqtile.reporting import Kind

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

_INTEGERS: Mapping[str, tuple[_Maker, _Maker]] = MappingProxyType(
    {
        "+": (arith.AddiOp, arith.AddiOp),
        "-": (arith.SubiOp, arith.SubiOp),
        "*": (arith.MuliOp, arith.MuliOp),
        "/": (arith.DivSIOp, arith.DivUIOp),
        "%": (arith.RemSIOp, arith.RemUIOp),
        "&": (arith.AndIOp, arith.AndIOp),
        "|": (arith.OrIOp, arith.OrIOp),
        "^": (arith.XOrIOp, arith.XOrIOp),
        "<<": (arith.ShLIOp, arith.ShLIOp),
        ">>": (arith.ShRSIOp, arith.ShRUIOp),
        "min": (arith.MinSIOp, arith.MinUIOp),
        "max": (arith.MaxSIOp, arith.MaxUIOp),
    }
)
"""The op of signed integers and that of unsigned ones."""

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


def type_of(value: Number) -> str:
    """The type of a number: an integer of the front end is an s32."""
    return "s32" if isinstance(value, Int) else value.type


def scalar(l: Lowering, ssa: SSAValue, type: str) -> Scalar:
    """A number that was just computed."""
    return Scalar(ssa, type, l.threads is not None and l.threads.inside)


def materialised(l: Lowering, value: Number, type: str | None = None) -> Scalar:
    """A number as an SSA value of a type, its own when none is given."""
    target = type or type_of(value)
    match value:
        case Int() if not is_float(target) and target != "bool":
            low, high = interval(value.value)
            if low is not None and low == high:
                return scalar(l, _integer(l, low, target), target)
            found = _from_index(l, value, target)
            return Scalar(found, target, is_per_thread(value.value))
        case Int():
            low, high = interval(value.value)
            if low is not None and low == high:
                return materialised(l, Literal(float(low), "f64"), target)
            return converted(l, materialised(l, value, "s32"), target)
        case Literal():
            return scalar(l, _literal(l, value.value, target), target)
        case Scalar():
            return converted(l, value, target)


def _from_index(l: Lowering, value: Int, target: str) -> SSAValue:
    if isinstance(value.value, Runtime) and value.value.ssa.type == ELEMENTS[target]:
        return value.value.ssa
    found = l.index_value(value.value)
    return l.add(arith.IndexCastOp(found, ELEMENTS[target]), found.name_hint).result


def _integer(l: Lowering, value: int, type: str) -> SSAValue:
    kind = ELEMENTS[type]
    assert isinstance(kind, IntegerType)
    width = kind.bitwidth
    wrapped = value & ((1 << width) - 1)
    if wrapped >= 1 << (width - 1) and width > 1:
        wrapped -= 1 << width
    return l.add(arith.ConstantOp(IntegerAttr(wrapped, kind))).result


def _literal(l: Lowering, value: float | bool, type: str) -> SSAValue:
    kind = ELEMENTS[type]
    if isinstance(kind, IntegerType):
        return _integer(l, int(value) if type != "bool" else int(bool(value)), type)
    return l.add(arith.ConstantOp(FloatAttr(float(value), kind))).result


def converted(l: Lowering, value: Scalar, target: str) -> Scalar:
    """A number in another type; the same value when that is the same in MLIR."""
    source, kind = value.type, ELEMENTS[target]
    if source == target or (
        value.ssa.type == kind and is_float(source) == is_float(target)
    ):
        return Scalar(value.ssa, target, value.per_thread)
    if target == "bool":
        return compared(l, "!=", value, _zero_of(source))
    if is_float(source) and is_float(target):
        if bits(source) == bits(target):
            return converted(l, converted(l, value, "f32"), target)
        wider = bits(target) > bits(source)
        made: Operation = (arith.ExtFOp if wider else arith.TruncFOp)(value.ssa, kind)
    elif is_float(target):
        wide = value if bits(source) >= 32 else converted(l, value, "s32")
        to_float = arith.UIToFPOp if is_unsigned(wide.type) else arith.SIToFPOp
        if bits(target) < 32:
            whole = l.add(to_float(wide.ssa, ELEMENTS["f32"])).result
            return converted(l, Scalar(whole, "f32", value.per_thread), target)
        made = to_float(wide.ssa, kind)
    elif is_float(source):
        wide = value if bits(source) >= 32 else converted(l, value, "f32")
        to_integer = arith.FPToUIOp if is_unsigned(target) else arith.FPToSIOp
        if bits(target) < 32:
            whole = l.add(arith.FPToSIOp(wide.ssa, ELEMENTS["s32"])).result
            return converted(l, Scalar(whole, "s32", value.per_thread), target)
        made = to_integer(wide.ssa, kind)
    elif bits(target) < bits(source):
        made = arith.TruncIOp(value.ssa, kind)
    else:
        made = (arith.ExtUIOp if is_unsigned(source) else arith.ExtSIOp)(
            value.ssa, kind
        )
    return Scalar(l.add(made).results[0], target, value.per_thread)


def _zero_of(type: str) -> Number:
    return Literal(0.0, type)


def stored(l: Lowering, value: Number, type: str, where: ast.Node) -> Scalar:
    """A number converted for a place of a type; lossy conversions are warned of."""
    source = type_of(value)
    if not isinstance(value, Literal) and is_lossy(source, type):
        if not (isinstance(value, Int) and _fits(value, type)):
            l.reporter.warning(
                Kind.LossyConversion,
                where.span,
                f"conversion of {source} to {type} may lose values",
                hint=f"__to<{type}>(..) says that it is meant",
            )
    elif isinstance(value, Literal) and is_float(source) and not is_float(type):
        if type != "bool" and value.value != int(value.value):
            l.reporter.warning(
                Kind.LossyConversion,
                where.span,
                f"conversion of {value.value} to {type} loses what is after the point",
            )
    return materialised(l, value, type)


def _fits(value: Int, type: str) -> bool:
    low, high = interval(value.value)
    if is_float(type) or low is None or high is None:
        return is_float(type)
    width = bits(type)
    if is_unsigned(type):
        return 0 <= low and high < 1 << width
    return -(1 << (width - 1)) <= low and high < 1 << (width - 1)


def combined(l: Lowering, kind: str, a: Number, b: Number, where: ast.Node) -> Scalar:
    """`a kind b` in the type that both are promoted to."""
    type = promoted(type_of(a), type_of(b))
    if kind in ("<<", ">>"):
        type = promoted(type_of(a), type_of(a))
    if is_float(type):
        if kind not in _FLOATS:
            l.fail(
                Kind.TypeMismatch,
                where,
                f"operands of {kind} must be integers, got {type_of(a)} and "
                f"{type_of(b)}",
            )
        maker = _FLOATS[kind]
    else:
        maker = _INTEGERS[kind][is_unsigned(type)]
    left, right = materialised(l, a, type), materialised(l, b, type)
    made = l.add(maker(left.ssa, right.ssa)).results[0]
    return Scalar(made, type, left.per_thread or right.per_thread)


def compared(l: Lowering, kind: str, a: Number, b: Number) -> Scalar:
    """`a kind b` as a bool."""
    if isinstance(a, Int) and isinstance(b, Int):
        return _compared_indices(l, kind, a, b)
    type = promoted(type_of(a), type_of(b))
    left, right = materialised(l, a, type), materialised(l, b, type)
    signed, unsigned, floating = _COMPARISONS[kind]
    if is_float(type):
        made: Operation = arith.CmpfOp(left.ssa, right.ssa, floating)
    else:
        predicate = unsigned if is_unsigned(type) else signed
        made = arith.CmpiOp(left.ssa, right.ssa, predicate)
    ssa = l.add(made).results[0]
    return Scalar(ssa, "bool", left.per_thread or right.per_thread)


def _compared_indices(l: Lowering, kind: str, a: Int, b: Int) -> Scalar:
    lows = interval(a.value)[0], interval(b.value)[0]
    known = all(low is not None and low >= 0 for low in lows)
    predicate = _COMPARISONS[kind][1 if known else 0]
    left, right = l.index_value(a.value), l.index_value(b.value)
    ssa = l.add(arith.CmpiOp(left, right, predicate)).result
    per_thread = is_per_thread(a.value) or is_per_thread(b.value)
    return Scalar(ssa, "bool", per_thread)


def negated(l: Lowering, value: Scalar) -> Scalar:
    """`!value` of a bool."""
    one = l.add(arith.ConstantOp(IntegerAttr(1, i1))).result
    made = l.add(arith.XOrIOp(value.ssa, one)).result
    return Scalar(made, "bool", value.per_thread)


def as_index(value: Scalar) -> Int:
    """An integer that the kernel computed, as the front end's own."""
    low = 0 if is_unsigned(value.type) else None
    return Int(Runtime(value.ssa, value.per_thread, low))


INDEX = IndexType()
