"""
Positions as sums of digits, each a multiple of a counter or of an index of the block.

    128 * %bm + %r   // %r below 128: equal positions have equal %bm

A sum determines its digits where each factor is at least the span of all smaller ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import gcd

from croqtile_mlir.analysis.sync.model import Apply, Constant, Expr, Unknown, Variable
from croqtile_mlir.analysis.sync.symbolic import Expressions
from croqtile_mlir.analysis.sync.used_values import parts_of


@dataclass(frozen=True)
class Digits:
    """`sum of factor * digit + fixed`, and an interval of what is bounded beside it."""

    digits: tuple[tuple[int, Expr], ...]
    """The smallest factor first."""

    fixed: frozenset[tuple[Expr, int]]
    """What is the same in all of the launch."""

    lower: int
    upper: int
    """The last one."""


@dataclass(frozen=True)
class Turns:
    """The values of a counter: `lower + step * turn`."""

    lower: int
    step: int
    count: float
    """How many turns; infinite where that is not a number."""


def digits_of(
    origin: Expr,
    extent: int,
    make: Expressions,
    blocks: Collection[Expr],
    changing: Collection[Expr],
    loops: Mapping[Expr, Turns],
    followed: Collection[Expr] = (),
) -> Digits | None:
    """
    `extent` positions from one on, taken apart; None where that does not go.

    `blocks` are the indices of the block, `changing` what differs in it, the counters
    of `loops` among that: their digits are the turns. Those of `followed` are digits
    also where they are bounded, and nothing else may depend on them.
    """
    terms: dict[Expr, int] = {}
    lower = collect(origin, 1, terms)
    upper = lower + extent - 1
    digits: list[tuple[int, Expr]] = []
    fixed: set[tuple[Expr, int]] = set()
    for term, factor in terms.items():
        low, high = make.range(term)
        if (turns := loops.get(term)) is not None:
            lower += turns.lower * factor
            upper += turns.lower * factor
            factor *= turns.step
            low, high = 0, turns.count - 1
        inside = {p for p in parts_of(term) if isinstance(p, Variable | Unknown)}
        if any(isinstance(part, Unknown) for part in inside):
            return None
        if inside.isdisjoint({*blocks, *changing}):
            fixed.add((term, factor))
        elif term in blocks or (
            term in changing and (high == math.inf or term in followed)
        ):
            digits.append((factor, term))
        elif not inside.isdisjoint(followed):
            return None
        elif inside.isdisjoint(blocks) and abs(low) + abs(high) < math.inf:
            ends = int(low) * factor, int(high) * factor
            lower += min(ends)
            upper += max(ends)
        else:
            digits.append((factor, term))
    digits.sort(key=lambda digit: digit[0])
    return Digits(tuple(digits), frozenset(fixed), lower, upper)


def collect(expr: Expr, factor: int, terms: dict[Expr, int]) -> int:
    """The constant of a sum; what it multiplies goes to `terms`."""
    match expr:
        case Constant(value):
            return value * factor
        case Apply("add", (a, b), None):
            return collect(a, factor, terms) + collect(b, factor, terms)
        case Apply("mul", (a, Constant(by)), None):
            return collect(a, factor * by, terms)
        case _:
            terms[expr] = terms.get(expr, 0) + factor
            return 0


def are_apart(one: Digits, other: Digits) -> bool:
    """Whether positions of the two are never equal, in one block."""
    if one.fixed != other.fixed or one.digits or other.digits:
        return False
    return one.upper < other.lower or other.upper < one.lower


@dataclass(frozen=True)
class Matched:
    """What is equal wherever two positions are."""

    pairs: tuple[tuple[Expr, Expr], ...]
    """The digits of both, from the smallest factor on."""

    rest: bool
    """Whether those are all of them, or the positions are equal nowhere."""


def matched(one: Digits, other: Digits, count: Callable[[Expr], float]) -> Matched:
    """
    The digits that are equal wherever two positions are.

    `count` says how many values a digit has.
    """
    factors = [factor for factor, _ in one.digits]
    same = [factor for factor, _ in other.digits] == factors
    if one.fixed != other.fixed or not same:
        return Matched((), False)
    pairs = [(a, b) for (_, a), (_, b) in zip(one.digits, other.digits, strict=True)]
    # They may begin a multiple of some of the factors apart.
    apart = other.lower - one.lower
    unit = factors[0] if factors and factors[0] > 0 else 1
    best: Matched | None = None
    below = apart // unit * unit
    for whole in (0, apart, below, below + unit):
        lowest = min(one.lower, other.lower - whole)
        start = max(one.upper, other.upper - whole) - lowest + 1
        found = _determined(start, factors, pairs, count, abs(whole))
        never = 0 < found < len(pairs) and whole % gcd(*factors[found:]) != 0
        if found == len(pairs) or never:
            # Nothing is left that could make up for how far they are apart.
            return Matched(tuple(pairs), True)
        if best is None or found > len(best.pairs):
            best = Matched(tuple(pairs[:found]), False)
    assert best is not None
    return best


def _determined(
    span: float,
    factors: Sequence[int],
    pairs: Sequence[tuple[Expr, Expr]],
    count: Callable[[Expr], float],
    apart: int,
) -> int:
    """How many of the digits follow from a position, the smallest first."""
    found = 0
    for number, factor in enumerate(factors):
        if factor < span:
            break
        span += factor * (max(map(count, pairs[number])) - 1)
        # What is above is a multiple of this, and so is how far the two are apart.
        above = gcd(apart, *factors[number + 1 :])
        if above == 0 or span <= above:
            found = number + 1
    return found
