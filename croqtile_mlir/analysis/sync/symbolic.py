"""
Makes the expressions of a model from integer ops of `arith` and `llvm`.

Equal expressions are one object, constants are folded, and what a range makes certain
is used: `(32 * warp + lane) >> 5` is `warp`. Integers of N bits are held as signed
numbers, an i1 as 0 or 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation

from croqtile_mlir.analysis.sync.folding import (
    ANY,
    COMMUTATIVE,
    COMPARISONS,
    Range,
    all_of,
    evaluate,
    fits,
    range_of,
    wrap,
)
from croqtile_mlir.analysis.sync.integer_ops import Integers
from croqtile_mlir.analysis.sync.model import Apply, Constant, Expr, Unknown, Variable

__all__ = ["ANY", "Expressions", "Range"]


class Expressions:
    """Makes the expressions of one program."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Expr] = {}
        self._ranges: dict[Expr, Range] = {}
        self._variables: dict[Expr, frozenset[Expr]] = {}

    # Making

    def variable(
        self, name: str, range_: Range = ANY, *, lanes: bool = False
    ) -> Variable:
        """A new variable with values in a range."""
        made = Variable(name, lanes)
        self._ranges[made] = range_
        return made

    def apply(self, function: str, *operands: Expr, bits: int | None = None) -> Expr:
        """A function of expressions, simplified."""
        if function in COMMUTATIVE and isinstance(operands[0], Constant):
            operands = (*operands[1:], operands[0])
        for operand in operands:
            if isinstance(operand, Unknown):
                absorbed = _absorbed(function, operands)
                return operand if absorbed is None else absorbed
        if all(isinstance(operand, Constant) for operand in operands):
            numbers = [o.value for o in operands if isinstance(o, Constant)]
            value = evaluate(function, numbers, bits)
            if value is not None:
                return Constant(value)
        simpler = self._simplify(function, operands, bits)
        return self._intern(function, operands, bits) if simpler is None else simpler

    def of(self, op: Operation, operands: Sequence[Expr]) -> Expr | None:
        """The result of an integer op; None of an op that is not one."""
        return Integers(self).result(op, operands)

    def truncated(self, value: Expr, bits: int) -> Expr:
        """The low bits of a number."""
        if fits(self.range(value), bits):
            return value
        if bits == 1:
            return self.apply("and", value, Constant(1))
        if isinstance(value, Constant):
            return Constant(wrap(value.value, bits))
        return self._intern("add", (value, Constant(0)), bits)

    def _intern(
        self, function: str, operands: tuple[Expr, ...], bits: int | None
    ) -> Expr:
        if bits is not None and not self._wraps(function, operands, bits):
            bits = None
        key = (function, bits, *operands)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Apply(function, operands, bits)
        return known

    def _wraps(self, function: str, operands: tuple[Expr, ...], bits: int) -> bool:
        """Whether the width may matter to the value."""
        if function in COMPARISONS or function in ("shr", "select"):
            unsigned = function in ("shr", "ult", "ule")
            return unsigned and any(self.range(o)[0] < 0 for o in operands)
        return not fits(self._raw_range(Apply(function, operands, bits)), bits)

    def _simplify(
        self, function: str, operands: tuple[Expr, ...], bits: int | None
    ) -> Expr | None:
        if function == "select":
            condition, yes, no = operands
            if isinstance(condition, Constant):
                return yes if condition.value else no
            return yes if yes == no else None
        a, b = operands
        if a == b and function in COMPARISONS:
            return Constant(int(function in ("eq", "le", "ge", "ule")))
        if function in COMPARISONS:
            return self._decided(function, a, b) or self._coarser(function, a, b)
        if not isinstance(b, Constant):
            # A divisor of 0 has no result.
            divides = function in ("floordiv", "ceildiv", "mod")
            return a if divides and a == Constant(0) else None
        return self._with_constant(function, a, b.value, bits)

    def _decided(self, function: str, a: Expr, b: Expr) -> Expr | None:
        """The result of a comparison where the ranges tell."""
        (a_low, a_high), (b_low, b_high) = self.range(a), self.range(b)
        if function.startswith("u") and (a_low < 0 or b_low < 0):
            return None
        match function.removeprefix("u"):
            case "lt" | "ge":
                yes, no = a_high < b_low, a_low >= b_high
            case "le" | "gt":
                yes, no = a_high <= b_low, a_low > b_high
            case _:
                yes, no = False, a_high < b_low or a_low > b_high
        if not yes and not no:
            return None
        return Constant(int(yes != (function in ("ge", "gt", "ne"))))

    def _coarser(self, function: str, a: Expr, b: Expr) -> Expr | None:
        """`32 * q + r < 64` as `q < 2`."""
        if not isinstance(b, Constant) or self.range(a)[0] < 0 or b.value < 0:
            return None
        less = function in ("lt", "ult", "le", "ule")
        if not less and function not in ("ge", "gt"):
            return None
        bound = b.value + (function in ("le", "ule", "gt"))
        unit = bound & -bound
        split = self._split(a, unit) if unit > 1 else None
        if split is None:
            return None
        whole = Constant(bound // unit)
        return self.apply("lt" if less else "ge", split[0], whole)

    def _with_constant(
        self, function: str, a: Expr, number: int, bits: int | None
    ) -> Expr | None:
        match function:
            case "add" | "sub" | "or" | "xor" | "shl" | "shr" if number == 0:
                return a
            case "mul" | "floordiv" | "ceildiv" if number == 1:
                return a
            case "mul" | "and" if number == 0:
                return Constant(0)
            case "mod" if number == 1:
                return Constant(0)
            case "shl" if 0 < number < (bits or 64):
                return self.apply("mul", a, Constant(1 << number), bits=bits)
            case "mul":
                return self._product(a, number, bits)
            case "sub":
                return self.apply("add", a, Constant(-number), bits=bits)
            case "add":
                return self._sum(a, number, bits)
            case "shr" if self.range(a)[0] >= 0 and 0 <= number < 64:
                return self._quotient(a, 1 << number)
            case "floordiv" if number > 0:
                return self._quotient(a, number)
            case "and" if number > 0 and number & (number + 1) == 0:
                return self._remainder(a, number + 1) or self._low_bits(a, number)
            case "mod" if number > 0:
                return self._remainder(a, number)
            case _:
                return None

    def _sum(self, a: Expr, number: int, bits: int | None) -> Expr | None:
        if not isinstance(a, Apply) or a.function != "add":
            return None
        inner = a.operands[1]
        if a.bits not in (None, bits) or not isinstance(inner, Constant):
            return None
        total = Constant(wrap(inner.value + number, bits))
        return self.apply("add", a.operands[0], total, bits=bits)

    def _product(self, a: Expr, number: int, bits: int | None) -> Expr | None:
        if not isinstance(a, Apply) or not isinstance(a.operands[-1], Constant):
            return None
        if a.function not in ("add", "mul") or a.bits not in (None, bits):
            return None
        inner = Constant(wrap(a.operands[-1].value * number, bits))
        if a.function == "mul":
            return self.apply("mul", a.operands[0], inner, bits=bits)
        scaled = self.apply("mul", a.operands[0], Constant(number), bits=bits)
        return self.apply("add", scaled, inner, bits=bits)

    def _low_bits(self, a: Expr, mask: int) -> Expr | None:
        """The low bits of a sum or union with a constant, those of its parts first."""
        if not isinstance(a, Apply) or a.function not in ("add", "or", "xor"):
            return None
        inner, rest = a.operands
        if not isinstance(rest, Constant):
            return None
        low = self.apply("and", inner, Constant(mask))
        made = self.apply(a.function, low, Constant(rest.value & mask))
        lowest, highest = self.range(made)
        return made if lowest >= 0 and highest <= mask else None

    def _split(self, a: Expr, unit: int) -> tuple[Expr, Expr] | None:
        """(q, r) where `a = q * unit + r` and 0 <= r < unit, if that is seen."""
        low, high = self.range(a)
        if low >= 0 and high < unit:
            return Constant(0), a
        if not isinstance(a, Apply) or not fits(self._raw_range(a), a.bits):
            return None
        if (whole := self._multiple(a, unit)) is not None:
            return whole, Constant(0)
        if a.function != "add":
            return None
        for one, other in (a.operands, a.operands[::-1]):
            whole = self._multiple(one, unit)
            rest_low, rest_high = self.range(other)
            if whole is not None and rest_low >= 0 and rest_high < unit:
                return whole, other
            if whole is not None and isinstance(other, Constant):
                more, rest = divmod(other.value, unit)
                return self.apply("add", whole, Constant(more)), Constant(rest)
        return None

    def _multiple(self, a: Expr, unit: int) -> Expr | None:
        """`a / unit` where that is seen to be whole."""
        if isinstance(a, Constant):
            return Constant(a.value // unit) if a.value % unit == 0 else None
        if not isinstance(a, Apply) or not isinstance(a.operands[-1], Constant):
            return None
        if not fits(self._raw_range(a), a.bits):
            return None
        number = a.operands[-1].value
        if a.function == "add" and number % unit == 0:
            whole = self._multiple(a.operands[0], unit)
            if whole is None:
                return None
            return self.apply("add", whole, Constant(number // unit))
        if a.function == "shl":
            number = 1 << number
        elif a.function != "mul":
            return None
        if number % unit:
            return None
        return self.apply("mul", a.operands[0], Constant(number // unit))

    def _quotient(self, a: Expr, unit: int) -> Expr | None:
        split = self._split(a, unit)
        return None if split is None else split[0]

    def _remainder(self, a: Expr, unit: int) -> Expr | None:
        split = self._split(a, unit)
        return None if split is None else split[1]

    # Asking

    def range(self, expr: Expr) -> Range:
        """Between which values an expression surely is."""
        if isinstance(expr, Constant):
            return expr.value, expr.value
        known = self._ranges.get(expr)
        if known is None:
            known = ANY
            if isinstance(expr, Apply):
                known = self._raw_range(expr)
                if not fits(known, expr.bits) and expr.function != "select":
                    known = all_of(expr.bits)
            self._ranges[expr] = known
        return known

    def _raw_range(self, expr: Apply) -> Range:
        if expr.function in COMPARISONS:
            return 0, 1
        ranges = [self.range(operand) for operand in expr.operands]
        if expr.function == "select":
            (low, high), (other_low, other_high) = ranges[1:]
            if self._is_length_if_any(expr):
                low = max(low, 1)
            return min(low, other_low), max(high, other_high)
        first, second = ranges
        return range_of(expr.function, first, second, expr.bits)

    def _is_length_if_any(self, expr: Apply) -> bool:
        """Whether an expression is `a < b ? b - a : c`."""
        condition, length, _ = expr.operands
        if not isinstance(condition, Apply) or not isinstance(length, Apply):
            return False
        if length.function != "sub" or condition.operands != length.operands[::-1]:
            return False
        function, (start, end) = condition.function, condition.operands
        if length.bits is not None and self.range(start)[0] < 0:
            # The difference may not fit.
            return False
        return function == "lt" or (function == "ult" and self.range(end)[0] >= 0)

    def variables(self, expr: Expr) -> frozenset[Expr]:
        """The variables and unknown values in an expression."""
        if isinstance(expr, Constant):
            return frozenset()
        if not isinstance(expr, Apply):
            return frozenset((expr,))
        known = self._variables.get(expr)
        if known is None:
            known = frozenset[Expr]().union(*map(self.variables, expr.operands))
            self._variables[expr] = known
        return known

    def substitute(
        self, expr: Expr, values: Mapping[Expr, Expr], memo: dict[Expr, Expr]
    ) -> Expr:
        """The expression with other expressions in place of some."""
        if isinstance(expr, Constant):
            return expr
        if (found := values.get(expr)) is not None:
            return found
        if not isinstance(expr, Apply):
            return expr
        found = memo.get(expr)
        if found is None:
            operands = [self.substitute(o, values, memo) for o in expr.operands]
            pairs = zip(operands, expr.operands, strict=True)
            if all(new is old for new, old in pairs):
                found = expr
            elif expr.function == "add" and operands[1] == Constant(0):
                found = self.truncated(operands[0], expr.bits or 64)
            else:
                found = self.apply(expr.function, *operands, bits=expr.bits)
            memo[expr] = found
        return found


def _absorbed(function: str, operands: tuple[Expr, ...]) -> Expr | None:
    """The result where it does not depend on an operand that is not known."""
    if function == "and" and Constant(0) in operands:
        return Constant(0)
    if function == "select" and isinstance(operands[0], Constant):
        return operands[1] if operands[0].value else operands[2]
    return None
