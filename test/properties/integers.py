"""
Random bodies of which the indices are computed in integers of all widths.

Sums wrap at the bits of their type, shared numbers may be negative, shifts lose bits:
where threads meet follows from what hardware does with them, not from plain arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from properties.bodies import Writer

_BITS: Mapping[str, int] = MappingProxyType(
    {"index": 64, "i64": 64, "i32": 32, "i16": 16, "i8": 8}
)
_CONSTANTS = (0, 1, 2, 3, 5, 7, 16, 31, 32, 33, 100, 1 << 12, (1 << 31) - 1)
_DIVISORS = (1, 2, 3, 5, 8, 16, 31, 48, 64)
_OPERATIONS = (
    *("addi",) * 5,
    *("subi",) * 3,
    *("muli",) * 3,
    *("divui", "divsi", "remui", "remsi", "floordivsi"),
    *("andi", "ori", "xori", "shli", "shrui", "shrsi"),
    *("minsi", "minui", "maxsi", "maxui"),
)
_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


class Integers(Writer):
    """Indices are expressions of any integer type."""

    def index(self, below: int, names: list[str], depth: int) -> str:
        """An index below an extent."""
        pick = self.random
        type_ = pick.choice(("index", *_BITS))
        value = self._expression(names, type_, pick.choice((0, 0, 1, 1, 2, 3)), depth)
        index = self._cast(value, type_, "index", depth)
        by = self.constant(below, depth)
        return self.set(f"arith.remui {index}, {by} : index", depth)

    def condition(self, names: list[str], depth: int) -> str:
        """A comparison of two numbers."""
        type_ = self.random.choice(tuple(_BITS))
        left = self._expression(names, type_, 1, depth)
        right = self._constant(type_, _CONSTANTS, depth)
        predicate = self.random.choice(_PREDICATES)
        return self.set(f"arith.cmpi {predicate}, {left}, {right} : {type_}", depth)

    def _constant(self, type_: str, numbers: Sequence[int], depth: int) -> str:
        most = 1 << (_BITS[type_] - 1)
        number = self.random.choice([n for n in numbers if n < most])
        return self.set(f"arith.constant {number} : {type_}", depth)

    def _cast(self, value: str, before: str, after: str, depth: int) -> str:
        if before == after:
            return value
        extend = self.random.choice(("extui", "extsi"))
        if "index" in (before, after):
            if after == "index" and before != "i64" and self.random.random() < 0.3:
                wide = self.set(f"arith.{extend} {value} : {before} to i64", depth)
                return self._cast(wide, "i64", "index", depth)
            op = "index_cast"
        else:
            op = extend if _BITS[before] < _BITS[after] else "trunci"
        return self.set(f"arith.{op} {value} : {before} to {after}", depth)

    def _leaf(self, names: list[str], type_: str, depth: int) -> str:
        pick = self.random
        match pick.randrange(8):
            case 0:
                return self._constant(type_, _CONSTANTS, depth)
            case 1:
                return self._cast("%shared", "index", type_, depth)
            case 2:
                return self._cast("%word", "i32", type_, depth)
            case 3:
                return self._cast(
                    pick.choice((*names, "%steps")), "index", type_, depth
                )
            case _:
                return self._cast(names[0], "index", type_, depth)

    def _expression(self, names: list[str], type_: str, size: int, depth: int) -> str:
        pick = self.random
        if size <= 0:
            return self._leaf(names, type_, depth)
        if pick.randrange(6) == 0:
            other = pick.choice(tuple(_BITS))
            value = self._expression(names, other, size - 1, depth)
            return self._cast(value, other, type_, depth)
        left = self._expression(names, type_, size - 1, depth)
        if pick.randrange(8) == 0:
            condition = self.condition(names, depth)
            right = self._leaf(names, type_, depth)
            select = f"arith.select {condition}, {left}, {right} : {type_}"
            return self.set(select, depth)
        operation = pick.choice(_OPERATIONS)
        if operation == "floordivsi" and _BITS[type_] < 32:
            # There is none of these in a lowered kernel.
            operation = "divsi"
        if operation.startswith(("div", "rem", "floordiv")):
            right = self._constant(type_, _DIVISORS, depth)
        elif operation.startswith("sh"):
            right = self._constant(type_, range(min(32, _BITS[type_])), depth)
        elif operation == "muli":
            right = self._constant(type_, _DIVISORS, depth)
        else:
            right = self._leaf(names, type_, depth)
        return self.set(f"arith.{operation} {left}, {right} : {type_}", depth)
