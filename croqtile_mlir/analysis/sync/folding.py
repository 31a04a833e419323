"""Functions of the model on numbers and on ranges of numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

Range = tuple[float, float]
"""Lowest and highest value, which may be infinite."""

ANY: Range = (-math.inf, math.inf)
COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "ult", "ule"})
COMMUTATIVE = frozenset({"add", "mul", "and", "or", "xor", "min", "max"})


def wrap(value: int, bits: int | None) -> int:
    """A number as one of `bits` bits: signed, or 0 and 1 of one bit."""
    if bits is None:
        return value
    value &= (1 << bits) - 1
    return value - (1 << bits) if bits > 1 and value >> (bits - 1) else value


def evaluate(function: str, operands: Sequence[int], bits: int | None) -> int | None:
    """The value of a function of numbers; None where it has none."""
    if function == "select":
        return operands[1] if operands[0] else operands[2]
    a, b = operands
    if function in COMPARISONS:
        return int(_compare(function, a, b, bits))
    value = _arithmetic(function, a, b, bits)
    return None if value is None else wrap(value, bits)


def _compare(function: str, a: int, b: int, bits: int | None) -> bool:
    if function.startswith("u"):
        a, b = (_unsigned(x, bits) for x in (a, b))
    match function.removeprefix("u"):
        case "eq":
            return a == b
        case "ne":
            return a != b
        case "lt":
            return a < b
        case "le":
            return a <= b
        case "gt":
            return a > b
        case _:
            return a >= b


def _unsigned(value: int, bits: int | None) -> int:
    return value & ((1 << (bits or 64)) - 1) if value < 0 else value


def _arithmetic(function: str, a: int, b: int, bits: int | None) -> int | None:
    match function:
        case "add":
            return a + b
        case "sub":
            return a - b
        case "mul":
            return a * b
        case "floordiv":
            return a // b if b else None
        case "ceildiv":
            return -(-a // b) if b else None
        case "mod":
            return a % b if b else None
        case "min":
            return min(a, b)
        case "max":
            return max(a, b)
        case "and":
            return a & b
        case "or":
            return a | b
        case "xor":
            return a ^ b
        case "shl":
            return a << b if 0 <= b < 64 else None
        case "shr":
            return _unsigned(a, bits) >> b if 0 <= b < 64 else None
        case _:
            return None


def all_of(bits: int | None) -> Range:
    """The range of the numbers of `bits` bits."""
    if bits is None:
        return ANY
    return (0, 1) if bits == 1 else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def fits(range_: Range, bits: int | None) -> bool:
    """Whether every value of a range is a number of `bits` bits."""
    low, high = all_of(bits)
    return low <= range_[0] and range_[1] <= high


def _product(a: float, b: float) -> float:
    return 0 if a == 0 or b == 0 else a * b


def _quotient(a: float, unit: float) -> float:
    return a if abs(a) == math.inf else a // unit


def range_of(function: str, a: Range, b: Range, bits: int | None) -> Range:
    """Between which values a function of two numbers is, before it wraps."""
    low, high = b
    positive = low == high and 0 < low < math.inf
    match function:
        case "add":
            return a[0] + b[0], a[1] + b[1]
        case "sub":
            return a[0] - b[1], a[1] - b[0]
        case "mul":
            ends = [_product(x, y) for x in a for y in b]
            return min(ends), max(ends)
        case "min":
            return min(a[0], b[0]), min(a[1], b[1])
        case "max":
            return max(a[0], b[0]), max(a[1], b[1])
        case "floordiv" if positive:
            return _quotient(a[0], low), _quotient(a[1], low)
        case "ceildiv" if positive:
            return -_quotient(-a[0], low), -_quotient(-a[1], low)
        case "mod" if positive:
            return 0, min(a[1], low - 1) if a[0] >= 0 else low - 1
        case "and" if a[0] >= 0 or b[0] >= 0:
            return 0, min(r[1] for r in (a, b) if r[0] >= 0)
        case "or" | "xor" if a[0] >= 0 and b[0] >= 0:
            top = max(a[1], b[1])
            return 0, top if top == math.inf else (1 << int(top).bit_length()) - 1
        case "shl" if low == high and 0 <= low < 64:
            return a[0] * (1 << int(low)), a[1] * (1 << int(low))
        case "shr" if low == high and 0 <= low < 64:
            unit = 1 << int(low)
            if a[0] < 0:
                return 0, ((1 << (bits or 64)) - 1) // unit
            return _quotient(a[0], unit), _quotient(a[1], unit)
        case _:
            return ANY
