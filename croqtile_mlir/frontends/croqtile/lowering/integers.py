"""
Integers that the front end knows as expressions: extents, indices, bounds.

An expression is kept as it was written, so that the IR can follow the source; a normal
form (a polynomial whose atoms are names, variables and divisions) decides equality, and
intervals decide bounds. Dims are at least 0, parameters at least 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

from xdsl.ir import SSAValue


@dataclass(frozen=True, slots=True)
class Const:
    """A number."""

    value: int


@dataclass(frozen=True, slots=True)
class Named:
    """A dim or parameter of the kernel."""

    name: str
    is_param: bool = False


@dataclass(eq=False, slots=True)
class Variable:
    """An index of a parallel nest or of a loop, in [lower, upper)."""

    name: str
    upper: Integer
    lower: Integer
    per_thread: bool = False
    """Whether threads of one block have different values."""
    ssa: SSAValue | None = None
    """The value in the region that is being built, if there is one."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """An integer that the kernel computes; an SSA value of type index or i32."""

    ssa: SSAValue
    per_thread: bool = False
    lower: int | None = None
    upper: int | None = None
    """Inclusive bounds, where they are known."""


@dataclass(frozen=True, slots=True)
class Op:
    """`a kind b`; kinds are `+ - * / % cdiv min max & | ^ << >>`."""

    kind: str
    a: Integer
    b: Integer


@dataclass(frozen=True, slots=True)
class Compose:
    """`a # b`: `value` is the sum that it stands for."""

    parts: tuple[Integer, ...]
    value: Integer


Integer: TypeAlias = Const | Named | Variable | Runtime | Op | Compose

ZERO, ONE = Const(0), Const(1)


def _truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


FOLDS: Mapping[str, Callable[[int, int], int]] = MappingProxyType(
    {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "/": _truncated,
        "%": lambda a, b: a - _truncated(a, b) * b,
        "cdiv": lambda a, b: -(-a // b),
        "min": min,
        "max": max,
        "&": lambda a, b: a & b,
        "|": lambda a, b: a | b,
        "^": lambda a, b: a ^ b,
        "<<": lambda a, b: a << b,
        ">>": lambda a, b: a >> b,
    }
)
"""What each operation makes of two numbers; divisions truncate."""

_DIVISIONS = ("/", "%", "cdiv")

MAX_SHIFT = 63
"""The largest count of a shift: integers have 64 bits."""


def operation(kind: str, a: Integer, b: Integer) -> Integer:
    """An operation on two integers, folded where it has a value."""
    if isinstance(a, Const) and isinstance(b, Const):
        # What is rounded up is kept: the tile of a `cdiv` is asked for (`chunkat`).
        if kind == "cdiv" and b.value and a.value % b.value:
            return Op(kind, a, b)
        if kind in ("<<", ">>") and not 0 <= b.value <= MAX_SHIFT:
            return Op(kind, a, b)
        if kind not in _DIVISIONS or b.value:
            return Const(FOLDS[kind](a.value, b.value))
    if kind == "+" and isinstance(b, Const) and b.value < 0:
        kind, b = "-", Const(-b.value)
    match kind, a, b:
        case "+", Const(0), _:
            return b
        case (("+" | "-" | "<<" | ">>" | "|" | "^"), _, Const(0)):
            return a
        case "*", Const(1), _:
            return b
        case (("*" | "/" | "cdiv"), _, Const(1)):
            return a
        case ("*", _, Const(0)) | ("*", Const(0), _) | ("%", _, Const(1)):
            return ZERO
        case _:
            pass
    if kind == "-" and (rest := _constant(_sum(normal(a), normal(b), -1))) is not None:
        return Const(rest)
    if kind in ("/", "cdiv") and (exact := _exact_quotient(a, b)) is not None:
        return exact
    return Op(kind, a, b)


def compose(parts: tuple[Integer, ...], bounds: tuple[Integer, ...]) -> Integer:
    """Several indices as one; `bounds` are those of all parts but the first."""
    value = parts[0]
    for part, bound in zip(parts[1:], bounds, strict=True):
        value = operation("+", operation("*", value, bound), part)
    if all(isinstance(part, Const) for part in parts):
        return value
    return Compose(parts, value)


Monomial: TypeAlias = tuple["Atom", ...]
Atom: TypeAlias = "Named | Variable | Runtime | tuple[str, Polynomial, Polynomial]"
Polynomial: TypeAlias = "frozenset[tuple[Monomial, int]]"
"""A sum of products of atoms with their factors; the empty product is the number."""


@lru_cache(maxsize=4096)
def normal(value: Integer) -> Polynomial:
    """The normal form: equal forms are equal integers."""
    match value:
        case Const():
            return frozenset({((), value.value)} if value.value else ())
        case Named() | Variable() | Runtime():
            return frozenset({((value,), 1)})
        case Compose():
            return normal(value.value)
        case Op("+", a, b):
            return _sum(normal(a), normal(b), 1)
        case Op("-", a, b):
            return _sum(normal(a), normal(b), -1)
        case Op("*", a, b):
            return _product(normal(a), normal(b))
        case Op(kind, a, b):
            if (number := known(value)) is not None:
                return normal(Const(number))
            atom = (kind, normal(a), normal(b))
            return frozenset({((atom,), 1)})


def _sum(a: Polynomial, b: Polynomial, sign: int) -> Polynomial:
    total = dict(a)
    for monomial, factor in b:
        total[monomial] = total.get(monomial, 0) + sign * factor
    return frozenset((m, f) for m, f in total.items() if f)


def _constant(value: Polynomial) -> int | None:
    """The number that a form is, if it is one."""
    if not value:
        return 0
    if len(value) == 1:
        ((monomial, factor),) = value
        return None if monomial else factor
    return None


def _product(a: Polynomial, b: Polynomial) -> Polynomial:
    total: dict[Monomial, int] = {}
    for left, factor in a:
        for right, other in b:
            monomial = tuple(sorted((*left, *right), key=_atom_order))
            total[monomial] = total.get(monomial, 0) + factor * other
    return frozenset((m, f) for m, f in total.items() if f)


def _atom_order(atom: Atom) -> tuple[str, int]:
    return (atom.name, 0) if isinstance(atom, Named) else ("", hash(atom))


def equal(a: Integer, b: Integer) -> bool:
    """Whether two integers are known to be equal."""
    return a is b or a == b or normal(a) == normal(b)


def _exact_quotient(a: Integer, b: Integer) -> Integer | None:
    """a / b where b is a product that divides every term of a."""
    dividend, divisor = normal(a), normal(b)
    if len(divisor) != 1:
        return None
    ((atoms, factor),) = divisor
    terms: list[tuple[Monomial, int]] = []
    for monomial, own in dividend:
        rest = list(monomial)
        for atom in atoms:
            if atom not in rest:
                return None
            rest.remove(atom)
        if own % factor:
            return None
        terms.append((tuple(rest), own // factor))
    total: Integer = ZERO
    for monomial, own in terms:
        product: Integer = Const(own)
        for atom in monomial:
            if isinstance(atom, tuple):
                return None
            product = operation("*", product, atom)
        total = operation("+", total, product)
    return total


def divides(divisor: int, value: Integer) -> bool:
    """Whether a number is known to divide an integer."""
    return all(factor % divisor == 0 for _, factor in normal(value))


Interval: TypeAlias = tuple[int | None, int | None]
"""The least and the largest value, None where there is no bound."""


def interval(value: Integer) -> Interval:
    """What is known of the range of an integer."""
    match value:
        case Const():
            return value.value, value.value
        case Named():
            return 1 if value.is_param else 0, None
        case Variable():
            upper = interval(value.upper)[1]
            return interval(value.lower)[0], None if upper is None else upper - 1
        case Runtime():
            return value.lower, value.upper
        case Compose():
            return interval(value.value)
        case Op():
            return _of_operation(value)


def _of_operation(value: Op) -> Interval:
    (a0, a1), (b0, b1) = interval(value.a), interval(value.b)
    match value.kind:
        case "+":
            return _if_known(a0, b0, "+"), _if_known(a1, b1, "+")
        case "-":
            return _if_known(a0, b1, "-"), _if_known(a1, b0, "-")
        case "*" if a0 is not None and b0 is not None and a0 >= 0 and b0 >= 0:
            return a0 * b0, _if_known(a1, b1, "*")
        case "/" if a0 is not None and b0 is not None and a0 >= 0 and b0 >= 0:
            low = a0 // b1 if b1 else 0
            return low, None if a1 is None else a1 // max(b0, 1)
        case "cdiv" if a0 is not None and b0 is not None and a0 >= 0 and b0 >= 0:
            low = -(-a0 // b1) if b1 else min(a0, 1)
            return low, None if a1 is None else -(-a1 // max(b0, 1))
        case "%" if a0 is not None and b0 is not None and a0 >= 0 and b0 >= 0:
            bounds = [x for x in (a1, None if b1 is None else b1 - 1) if x is not None]
            return 0, min(bounds, default=None)
        case "&" if a0 is not None and b0 is not None and a0 >= 0 and b0 >= 0:
            return 0, min((x for x in (a1, b1) if x is not None), default=None)
        case "min":
            low = None if a0 is None or b0 is None else min(a0, b0)
            return low, min((x for x in (a1, b1) if x is not None), default=None)
        case "max":
            lows = [x for x in (a0, b0) if x is not None]
            high = None if a1 is None or b1 is None else max(a1, b1)
            return max(lows, default=None), high
        case ">>" if a0 is not None and a0 >= 0:
            return 0, a1
        case "<<" | "|" | "^" if (
            a0 is not None and b0 is not None and a0 >= 0 and b0 >= 0
        ):
            return 0, None
        case _:
            return None, None


def _if_known(a: int | None, b: int | None, kind: str) -> int | None:
    return None if a is None or b is None else FOLDS[kind](a, b)


def known(value: Integer) -> int | None:
    """The number that an integer is, if it is one."""
    low, high = interval(value)
    return low if low == high else None


def is_known(value: Integer) -> bool:
    """Whether an integer is a number when parameters are."""
    return isinstance(value, Const) or (isinstance(value, Named) and value.is_param)


def is_outside(index: Integer, length: Integer) -> bool:
    """Whether an index is known to be outside [0, length)."""
    low, high = interval(index)
    return (high is not None and high < 0) or (
        isinstance(length, Const) and low is not None and low >= length.value
    )


def is_non_negative(value: Integer) -> bool:
    """Whether an integer is known not to be negative."""
    low = interval(value)[0]
    return low is not None and low >= 0


def is_at_most(value: Integer, bound: Integer) -> bool:
    """Whether an integer is known not to exceed another."""
    if equal(value, bound):
        return True
    high, low = interval(value)[1], interval(bound)[0]
    return high is not None and low is not None and high <= low


def is_per_thread(value: Integer) -> bool:
    """Whether threads of one block may have different values of it."""
    match value:
        case Variable() | Runtime():
            return value.per_thread
        case Op():
            return is_per_thread(value.a) or is_per_thread(value.b)
        case Compose():
            return any(map(is_per_thread, value.parts))
        case Const() | Named():
            return False


def text(value: Integer) -> str:
    """The integer as messages show it."""
    match value:
        case Const():
            return str(value.value)
        case Named() | Variable():
            return value.name
        case Runtime():
            return value.ssa.name_hint or "a computed value"
        case Compose():
            return "#".join(_operand(part) for part in value.parts)
        case Op(("cdiv" | "min" | "max") as kind, a, b):
            return f"{kind}({text(a)}, {text(b)})"
        case Op():
            return f"{_operand(value.a)} {value.kind} {_operand(value.b)}"


def _operand(value: Integer) -> str:
    return f"({text(value)})" if isinstance(value, Op) else text(value)
