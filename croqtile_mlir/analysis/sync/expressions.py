"""
Evaluation of the model's expressions: each becomes a Python closure over an
environment, a list with one place for each variable of the program.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from croqtile_mlir.analysis.sync.model import (
    Apply,
    Constant,
    Expr,
    Unknown,
    Variable,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Value: TypeAlias = int | NDArray[np.int64]
    """A number, or one for each lane."""
else:
    Value = object

Environment: TypeAlias = "list[Value]"
Evaluate: TypeAlias = "Callable[[Environment], Value]"


class NotEvaluated(Exception):
    """An expression has no value, and why."""

    def __init__(self, reason: str, unknown: Unknown | None = None):
        super().__init__(reason)
        self.reason = reason
        self.unknown = unknown


@dataclass(frozen=True, eq=False, slots=True)
class Reading:
    """An expression that can be evaluated."""

    expr: Expr
    value: Evaluate
    depends: frozenset[int]
    """Places in the environment of the variables it is built from."""

    lanes: bool
    unknown: Unknown | None
    """Something in it that is not known."""

    def number(self, env: Environment) -> int:
        """The value where it must be one for the whole agent."""
        value = self.value(env)
        if isinstance(value, int):
            return value
        first = int(value[0])
        if not bool((value == first).all()):
            raise NotEvaluated("the lanes of a warp disagree on it")
        return first


def numbers(values: tuple[Value, ...]) -> tuple[int, ...]:
    """Loop counters for a message: where lanes differ, that of the first lane."""
    return tuple(v if isinstance(v, int) else int(v[0]) for v in values)


def _floordiv(a: Value, b: Value) -> Value:
    if isinstance(b, int) and b == 0:
        raise NotEvaluated("a division by zero")
    return a // b


def _ceildiv(a: Value, b: Value) -> Value:
    if isinstance(b, int) and b == 0:
        raise NotEvaluated("a division by zero")
    return -(-a // b)


def _mod(a: Value, b: Value) -> Value:
    if isinstance(b, int) and b == 0:
        raise NotEvaluated("a division by zero")
    return a % b


def _scalar_select(c: Value, a: Value, b: Value) -> Value:
    return a if c else b


def _unsigned_less(a: Value, b: Value) -> Value:
    if isinstance(a, int) and isinstance(b, int):
        wide = (1 << 64) - 1
        return (a & wide) < (b & wide)
    return _lane_unsigned(a, b, False)


def _unsigned_at_most(a: Value, b: Value) -> Value:
    if isinstance(a, int) and isinstance(b, int):
        wide = (1 << 64) - 1
        return (a & wide) <= (b & wide)
    return _lane_unsigned(a, b, True)


def _lane_unsigned(a: Value, b: Value, equal: bool) -> Value:
    from croqtile_mlir.analysis.sync import lanes

    return lanes.unsigned_less(a, b, equal)


def _lane_minimum(a: Value, b: Value) -> Value:
    from croqtile_mlir.analysis.sync import lanes

    return lanes.minimum(a, b)


def _lane_maximum(a: Value, b: Value) -> Value:
    from croqtile_mlir.analysis.sync import lanes

    return lanes.maximum(a, b)


def _lane_select(c: Value, a: Value, b: Value) -> Value:
    from croqtile_mlir.analysis.sync import lanes

    return lanes.select(c, a, b)


def _and(a: Value, b: Value) -> Value:
    return a & b


def _or(a: Value, b: Value) -> Value:
    return a | b


def _xor(a: Value, b: Value) -> Value:
    return a ^ b


def _shl(a: Value, b: Value) -> Value:
    return a << b


def _shr(bits: int | None) -> Callable[[Value, Value], Value]:
    """A shift of the unsigned number."""
    unsigned = -1 if bits is None or bits >= 63 else (1 << bits) - 1

    def shift(a: Value, b: Value) -> Value:
        return (a & unsigned) >> b

    return shift


def _lane_comparison(
    compare: Callable[[Value, Value], object],
) -> Callable[[Value, Value], Value]:
    """A comparison that gives 0 or 1 for each lane."""

    def lanewise(a: Value, b: Value) -> Value:
        from croqtile_mlir.analysis.sync import lanes

        return lanes.numbers(compare(a, b))

    return lanewise


def _function(name: str, lanes: bool, bits: int | None) -> Callable[..., Value] | None:
    match name:
        case "add":
            return operator.add
        case "sub":
            return operator.sub
        case "mul":
            return operator.mul
        case "floordiv":
            return _floordiv
        case "ceildiv":
            return _ceildiv
        case "mod":
            return _mod
        case "min":
            return _lane_minimum if lanes else min
        case "max":
            return _lane_maximum if lanes else max
        case "and":
            return _and
        case "or":
            return _or
        case "xor":
            return _xor
        case "shl":
            return _shl
        case "shr":
            return _shr(bits)
        case "eq":
            return operator.eq
        case "ne":
            return operator.ne
        case "lt":
            return operator.lt
        case "le":
            return operator.le
        case "gt":
            return operator.gt
        case "ge":
            return operator.ge
        case "ult":
            return _unsigned_less
        case "ule":
            return _unsigned_at_most
        case "select":
            return _lane_select if lanes else _scalar_select
        case _:
            return None


COMPARISONS = frozenset(("eq", "ne", "lt", "le", "gt", "ge", "ult", "ule"))


def wrap(value: Value, bits: int) -> Value:
    """
    The signed number of `bits` that is congruent to `value`; an i1 is 0 or 1.
    """
    if bits == 1:
        return value & 1
    half = 1 << (bits - 1)
    if isinstance(value, int):
        return ((value + half) & ((1 << bits) - 1)) - half
    if bits >= 63:
        return value
    return ((value + half) & ((1 << bits) - 1)) - half


def _apply(
    call: Callable[..., Value],
    operands: tuple[Reading, ...],
    bits: int | None,
) -> Evaluate:
    """The closure of a function of readings; constants are bound into it."""
    inner: Evaluate
    match operands:
        case (x, Reading(expr=Constant(c))):
            first = x.value

            def with_constant(env: Environment) -> Value:
                return call(first(env), c)

            inner = with_constant
        case (x, y):
            first, second = x.value, y.value

            def binary(env: Environment) -> Value:
                return call(first(env), second(env))

            inner = binary
        case _:
            values = tuple(o.value for o in operands)

            def any_number(env: Environment) -> Value:
                return call(*(v(env) for v in values))

            inner = any_number
    if bits is None:
        return inner
    width = bits

    def wrapped(env: Environment) -> Value:
        return wrap(inner(env), width)

    return wrapped


class Expressions:
    """The expressions of one program, compiled once each."""

    def __init__(self) -> None:
        self.places: dict[Variable, int] = {}
        self._readings: dict[int, Reading] = {}

    def place(self, variable: Variable) -> int:
        """Where the environment holds a variable."""
        return self.places.setdefault(variable, len(self.places))

    def reading(self, expr: Expr) -> Reading:
        """The expression, compiled; equal objects share the result."""
        found = self._readings.get(id(expr))
        if found is None:
            found = self._compile(expr)
            self._readings[id(expr)] = found
        return found

    def _compile(self, expr: Expr) -> Reading:
        match expr:
            case Constant():
                number = expr.value
                return Reading(expr, lambda env: number, frozenset(), False, None)
            case Variable():
                at = self.place(expr)
                return Reading(
                    expr, lambda env: env[at], frozenset((at,)), expr.lanes, None
                )
            case Apply():
                return self._compile_apply(expr)
            case Unknown():
                unknown = expr
            case _:
                raise NotEvaluated(f"an expression of class {type(expr).__name__}")

        def refuse(env: Environment) -> Value:
            raise NotEvaluated(unknown.reason, unknown)

        return Reading(expr, refuse, frozenset(), False, unknown)

    def _compile_apply(self, expr: Apply) -> Reading:
        operands = tuple(self.reading(operand) for operand in expr.operands)
        lanes = any(operand.lanes for operand in operands)
        call = _function(expr.function, lanes, expr.bits)
        unknown = next((o.unknown for o in operands if o.unknown is not None), None)
        depends = frozenset[int]().union(*(o.depends for o in operands))
        if call is None:
            name = expr.function

            def refuse(env: Environment) -> Value:
                raise NotEvaluated(f"the function '{name}' is not modelled")

            return Reading(expr, refuse, depends, lanes, unknown)
        if lanes and expr.function in COMPARISONS:
            call = _lane_comparison(call)
        bits = None if expr.function in COMPARISONS else expr.bits
        if all(isinstance(o.expr, Constant) for o in operands):
            folded = _apply(call, operands, bits)([])
            if isinstance(folded, int):
                number = int(folded)
                return Reading(
                    Constant(number), lambda env: number, frozenset(), False, None
                )
        return Reading(expr, _apply(call, operands, bits), depends, lanes, unknown)
