"""
Index values as tables over the threads of a body.

A value is a column, one number for each instance of an access (a thread, and a turn of
each loop around it that is short), and a sum of integer multiples of symbols: of what
all threads share, such as a block index, and of the counters of long loops.

    (%t + %k) mod 16   // %k = 16 q + r: a row for each r, and q has gone
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import gcd
from types import MappingProxyType

from xdsl.dialects import arith
from xdsl.ir import Attribute, Operation, SSAValue

from croqtile_mlir.analysis.scopes import WARP_THREADS
from croqtile_mlir.analysis.sync.folding import all_of, wrap
from croqtile_mlir.analysis.sync.integer_ops import COMPARE, width
from croqtile_mlir.analysis.sync.places.bounds import largest
from croqtile_mlir.dialects.croq import CDivOp, DimOp
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.lowering.rewriting import constant_value

Column = list[int]
Symbol = SSAValue | str
"""A value that is not looked into, or the name of a dim."""


class NeedsResidues(Exception):
    """A symbol is divided: its values have to be gone through modulo a number."""

    def __init__(self, symbol: Symbol, modulus: int):
        super().__init__(modulus)
        self.symbol = symbol
        self.modulus = modulus


class NeedsValues(Exception):
    """A counter is shifted by, or compared: each of its values has to be looked at."""

    def __init__(self, symbol: SSAValue):
        super().__init__()
        self.symbol = symbol


@dataclass(frozen=True)
class Form:
    """`column + sum of factor * symbol`; a column of one number is the same for all."""

    column: Column
    terms: Mapping[Symbol, int] = field(default_factory=dict[Symbol, int])

    @property
    def may_be_negative(self) -> bool:
        """Whether nothing says that all of its values are 0 or more."""
        return min(self.column, default=0) < 0 or any(
            factor < 0 or largest(symbol) is None
            for symbol, factor in self.terms.items()
        )

    @property
    def may_wrap(self) -> bool:
        """Whether sums with its symbols may not fit into 64 bits."""
        bounds = [(largest(symbol), factor) for symbol, factor in self.terms.items()]
        known = [bound * abs(f) for bound, f in bounds if bound is not None]
        return len(known) < len(bounds) or sum(known) >= _MIDDLE

    def scaled(self, factor: int) -> Form:
        """A multiple."""
        terms = {s: f * factor for s, f in self.terms.items() if factor}
        return Form([v * factor for v in self.column], terms)

    def plus(self, other: Form) -> Form:
        """The sum of two."""
        terms = dict(self.terms)
        for symbol, factor in other.terms.items():
            terms[symbol] = terms.get(symbol, 0) + factor
        column = _each(operator.add, self.column, other.column)
        return Form(column, {s: f for s, f in terms.items() if f})


def constant(number: int) -> Form:
    """A number."""
    return Form([number])


def _each(function: Callable[[int, int], int], left: Column, right: Column) -> Column:
    if len(right) == 1:
        (b,) = right
        return [function(a, b) for a in left]
    if len(left) == 1:
        (a,) = left
        return [function(a, b) for b in right]
    return [function(a, b) for a, b in zip(left, right, strict=True)]


_Function = Callable[[int, int], int]

_PLAIN: Mapping[str, _Function] = MappingProxyType[str, _Function](
    {
        "arith.andi": int.__and__,
        "arith.ori": int.__or__,
        "arith.xori": int.__xor__,
        "arith.minsi": min,
        "arith.minui": min,
        "arith.maxsi": max,
        "arith.maxui": max,
        "arith.shli": int.__lshift__,
        "arith.shrui": int.__rshift__,
        "arith.muli": int.__mul__,
    }
)
"""Of numbers that are not negative."""

_LISTING = frozenset({*_PLAIN, "arith.cmpi", "arith.divui", "arith.remui"})
"""What is no sum of multiples, but a number where all its operands are."""

_COMPARED: Mapping[str, _Function] = MappingProxyType[str, _Function](
    {
        "eq": operator.eq,
        "ne": operator.ne,
        "lt": operator.lt,
        "le": operator.le,
        "gt": operator.gt,
        "ge": operator.ge,
    }
)
"""Of numbers that are not negative, so that they are the unsigned ones, too."""

_Cast = arith.IndexCastOp | arith.ExtUIOp | arith.ExtSIOp
_LARGEST = 1 << 31
_INDEX_BITS = 64
_MIDDLE = 1 << 62


@dataclass
class Maps:
    """The values of one access, over its instances."""

    threads: Column
    """The number of the thread in its scope, of each instance."""

    known: dict[SSAValue, Form | None]
    """Indices of threads and loops, and what has been computed from them."""

    opaque: Callable[[SSAValue], Form | None]
    """What a value is that is not computed here: a symbol, or None: anything."""

    names: Callable[[str], Form]
    """What a dim or a parameter is."""

    is_listed: Callable[[Symbol], bool]
    """Whether all the values of a symbol can be gone through."""

    def index(self, index: Index) -> Form | None:
        """The values of an index operand; None where they may be anything."""
        if isinstance(index, int):
            return constant(index)
        if isinstance(index, str):
            return self.names(index)
        return self.value(index)

    def value(self, value: SSAValue) -> Form | None:
        """The values of an integer; None where they may be anything."""
        if value not in self.known:
            number = constant_value(value)
            found = (
                self._computed(value)
                if number is None
                else constant(wrap(number, width(value.type)))
            )
            self.known[value] = self.opaque(value) if found is None else found
        return self.known[value]

    def remainder(self, form: Form, by: int) -> Form | None:
        """A form modulo a number."""
        return _remainder(form, by)

    def _computed(self, value: SSAValue) -> Form | None:
        op = value.owner
        if not isinstance(op, Operation):
            return None
        match op.name:
            case "croq.thread_id":
                return Form(self.threads)
            case "croq.lane_id":
                return Form([n % WARP_THREADS for n in self.threads])
            case "croq.warp_id":
                return Form([n // WARP_THREADS for n in self.threads])
            case "croq.elect":
                return Form([int(n == 0) for n in self.threads])
            case _:
                pass
        if isinstance(op, DimOp):
            return self.names(op.dim.data)
        if isinstance(op, CDivOp):
            left, right = self.index(op.numerator), self.index(op.denominator)
            if left is None or right is None or not (by := _number(right)):
                return None
            return _divided(left.plus(constant(by - 1)), by)
        if isinstance(op, _Cast):
            form = self.value(op.input)
            found = None if form is None else _cast(op, form)
            return _in_bits(found, op.result.type)
        if op.dialect_name() != "arith" or not op.operands:
            return None
        operands = [self.value(operand) for operand in op.operands]
        forms = [form for form in operands if form is not None]
        if len(forms) < len(operands):
            return None
        found = _arithmetic(op, forms)
        if found is None and op.name in _LISTING:
            for symbol in {s: None for form in forms for s in form.terms}:
                if isinstance(symbol, SSAValue) and self.is_listed(symbol):
                    raise NeedsValues(symbol)
        return _in_bits(found, value.type)


def _cast(op: _Cast, form: Form) -> Form | None:
    """An integer as one of another type, before it is cut to the bits of that."""
    bits = width(op.input.type)
    if isinstance(op, arith.ExtUIOp) and bits is not None:
        if not form.terms:
            return Form([value & ((1 << bits) - 1) for value in form.column])
        return None if form.may_be_negative else form
    # The one bit of an i1 is its sign.
    return form.scaled(-1) if bits == 1 else form


def _in_bits(form: Form | None, type_: Attribute) -> Form | None:
    """
    What an integer type holds of a form; None where it may wrap, and how is not known.

    A sum with a symbol of which nothing is known may wrap at 64 bits, for all threads
    alike: it is not divided or compared (`may_be_negative`, `may_wrap`).
    """
    if form is None:
        return None
    bits = width(type_) or _INDEX_BITS
    if not form.terms:
        return Form([wrap(value, bits) for value in form.column])
    low, high = all_of(bits)
    fits = low <= min(form.column) and max(form.column) <= high
    bounds = [(largest(symbol), abs(f)) for symbol, f in form.terms.items()]
    small = sum((bound or 0) * factor for bound, factor in bounds) < _MIDDLE
    return form if bits >= _INDEX_BITS and fits and small else None


def _arithmetic(op: Operation, forms: list[Form]) -> Form | None:
    match op, forms:
        case arith.AddiOp(), (a, b):
            return a.plus(b)
        case arith.SubiOp(), (a, b):
            return a.plus(b.scaled(-1))
        case arith.MuliOp(), (a, b) if (factor := _number(b)) is not None:
            return a.scaled(factor)
        case arith.MuliOp(), (a, b) if (factor := _number(a)) is not None:
            return b.scaled(factor)
        case arith.ShLIOp(), (a, b) if (by := _power(b)) is not None:
            return a.scaled(by)
        case arith.DivUIOp() | arith.FloorDivSIOp() | arith.DivSIOp(), (a, b):
            return _divided(a, _number(b))
        case arith.ShRUIOp() | arith.ShRSIOp(), (a, b) if _number(b) is not None:
            return _divided(a, _power(b))
        case arith.RemUIOp() | arith.RemSIOp(), (a, b):
            return _remainder(a, _number(b))
        case arith.AndIOp(), (a, b) if _is_mask(_number(b)):
            return _remainder(a, (_number(b) or 0) + 1)
        case arith.CmpiOp(), (a, b) if a.terms == b.terms:
            predicate = COMPARE[op.predicate.value.data].removeprefix("u")
            if min(*a.column, *b.column) < 0:
                return None
            if predicate not in ("eq", "ne") and a.may_wrap:
                return None
            compared = _COMPARED[predicate]
            return Form(_each(lambda x, y: int(compared(x, y)), a.column, b.column))
        case arith.SelectOp(), (c, a, b) if not c.terms and a.terms == b.terms:
            size = max(len(c.column), len(a.column), len(b.column))
            columns = [x.column * (size // len(x.column)) for x in (c, a, b)]
            chosen = [x if w else y for w, x, y in zip(*columns, strict=True)]
            return Form(chosen, a.terms)
        case _, (a, b) if op.name in _PLAIN and not a.terms and not b.terms:
            if min(*a.column, *b.column) < 0 or max(*a.column, *b.column) >= _LARGEST:
                return None
            if op.name in ("arith.shli", "arith.shrui") and max(b.column) >= 32:
                return None
            return Form(_each(_PLAIN[op.name], a.column, b.column))
        case _:
            return None


def _number(form: Form) -> int | None:
    """The one number that a form is, if it is."""
    if form.terms or any(value != form.column[0] for value in form.column):
        return None
    return form.column[0]


def _power(form: Form) -> int | None:
    """What a shift by a form multiplies by, if that is one number."""
    by = _number(form)
    return 1 << by if by is not None and 0 <= by < 32 else None


def _is_mask(number: int | None) -> bool:
    return number is not None and number > 0 and not number & (number + 1)


def _parts(form: Form, by: int | None) -> dict[Symbol, int] | None:
    """The factors divided by a number, if that leaves nothing of any symbol."""
    if by is None or by < 1 or form.may_be_negative:
        return None
    for symbol, factor in form.terms.items():
        if factor % by:
            raise NeedsResidues(symbol, by // gcd(by, factor))
    return {symbol: factor // by for symbol, factor in form.terms.items()}


def _divided(form: Form, by: int | None) -> Form | None:
    terms = _parts(form, by)
    if terms is None or by is None:
        return None
    return Form([value // by for value in form.column], terms)


def _remainder(form: Form, by: int | None) -> Form | None:
    if _parts(form, by) is None or by is None:
        return None
    return Form([value % by for value in form.column])
