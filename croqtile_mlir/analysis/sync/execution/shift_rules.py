"""
Rules for numbers that differ by a constant in each period.

Comparisons that stay as they are, extremes that stay with the same side, functions that
shift by a constant: what holds for one period holds for any number of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.ir import Operation

if TYPE_CHECKING:
    from croqtile_mlir.analysis.sync.expressions import Value


class Unsteady(Exception):
    """Something does not repeat from period to period, and why."""

    def __init__(self, place: Operation | None, reason: str):
        super().__init__(reason)
        self.place = place
        self.reason = reason


def _holds_for(difference: Value, drift: int, less: bool) -> bool:
    """
    Whether a comparison of two numbers stays as it is when their difference drifts.
    """
    if drift == 0:
        return True
    if isinstance(difference, int):
        low = high = difference
    else:
        low, high = int(difference.min()), int(difference.max())
    if less:
        return high < 0 if drift < 0 else low >= 0
    return high < 0 if drift < 0 else low > 0


def stays(function: str, a: Value, b: Value, da: int, db: int) -> bool:
    """Whether a comparison stays as it is when its sides grow by `da` and `db`."""
    difference, drift = a - b, da - db
    match function:
        case "ult" | "ule":
            # Without a sign a negative number is a large one.
            if not (_keeps_sign(a, da) and _keeps_sign(b, db)):
                return False
            return stays(function[1:], a, b, da, db)
        case "lt" | "ge":
            return _holds_for(difference, drift, True)
        case "gt" | "le":
            return _holds_for(-difference, -drift, True)
        case _:
            return _holds_for(difference, drift, False)


def _keeps_sign(value: Value, drift: int) -> bool:
    """Whether a number stays negative, or not, when it grows by `drift` for ever."""
    return _holds_for(value, drift, True)


def truth(condition: Value) -> bool:
    """A condition that is the same for all lanes."""
    if isinstance(condition, int):
        return bool(condition)
    raise Unsteady(None, "a condition differs between lanes")


def extreme(function: str, a: Value, b: Value, da: int, db: int) -> int:
    """By how much a minimum or maximum shifts."""
    if da == db:
        return da
    first = "le" if function == "min" else "ge"
    if not stays(first, a, b, da, db) or not (
        isinstance(a, int) and isinstance(b, int)
    ):
        raise Unsteady(None, f"'{function}' does not stay with the same side")
    takes_a = a <= b if function == "min" else a >= b
    return da if takes_a else db


def _negative(value: Value) -> bool:
    return value < 0 if isinstance(value, int) else bool((value < 0).any())


def shift_of(function: str, a: Value, b: Value, da: int, db: int) -> int | None:
    """By how much a function of two numbers shifts, None where that is not constant."""
    match function:
        case "add":
            return da + db
        case "sub":
            return da - db
        case "mul":
            if db == 0 and isinstance(b, int):
                return da * b
            if da == 0 and isinstance(a, int):
                return a * db
            return None
        case _:
            pass
    if function in ("and", "or", "xor") and da == 0 and db != 0:
        a, b, da, db = b, a, db, da
    if db != 0 or not isinstance(b, int):
        return None
    match function:
        case "floordiv" | "ceildiv":
            return da // b if da % b == 0 else None
        case "mod":
            return 0 if da % b == 0 else None
        case "shl":
            return da << b
        case "shr" if not _negative(a) and da >= 0:
            return da >> b if da % (1 << b) == 0 else None
        case "and" if b & (b + 1) == 0 and b >= (1 << 31) - 1 and not _negative(a):
            # Numbers stay below 2^31 (launch plan), so that this changes nothing.
            return da
        case "and" if b >= 0:
            return 0 if da % (1 << b.bit_length()) == 0 else None
        case "and" | "or" | "xor":
            return da if da % (1 << (b if b >= 0 else ~b).bit_length()) == 0 else None
        case _:
            return None
