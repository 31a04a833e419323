"""
Numbers whose bits flip from period to period: parities, and words of phase bits.

A `Toggle` is a change as a mask of bits: `x` becomes `x xor mask`, and after another
period it is `x` again. That is how the parity of a counter changes that grows by an odd
number, and `phases xor (1 << slot)` when every slot is passed an odd number of times.
"""

from __future__ import annotations

from dataclasses import dataclass

from croqtile_mlir.analysis.sync.model import (
    Apply,
    Branch,
    Loop,
    Program,
    Statement,
    Variable,
)


@dataclass(frozen=True, slots=True)
class Toggle:
    """Bits that flip in each period; there is one at least, of two's complement."""

    mask: int


Delta = int | Toggle
"""By how much a number differs in each period, or which of its bits flip."""


def toggle(mask: int) -> Delta:
    """The change by a mask that may be of no bits."""
    return Toggle(mask) if mask else 0


def flips(change: Delta) -> int:
    """Whether the lowest bit flips from period to period: 1 or 0."""
    return (change.mask if isinstance(change, Toggle) else change) & 1


def toggled(function: str, a: object, b: object, da: Delta, db: Delta) -> Delta | None:
    """
    How a function of two numbers changes where bits flip, None where no rule applies.

    `da` and `db` are the changes of `a` and `b`. The rules hold for any number of
    periods: flipped an even number of times, a bit is what it was.
    """
    if function == "xor":
        first, second = _mask(da), _mask(db)
        return None if first is None or second is None else toggle(first ^ second)
    if function == "and" and db != 0 and da == 0:
        a, b, da, db = b, a, db, da
    if db != 0 or not isinstance(b, int):
        return None
    if isinstance(da, Toggle):
        match function:
            case "and":
                return toggle(da.mask & b)
            case "or":
                return toggle(da.mask & ~b)
            case "shr" if da.mask >= 0:
                return toggle(da.mask >> b)
            case _:
                return None
    # Half of the power of two that the bits of b count up to: the highest flips.
    half = 1 << b.bit_length() >> 1 if function == "and" and b > 0 else 0
    if function == "mod" and b == 2:
        half = 1
    return toggle(half) if half and da % (2 * half) == half else None


def _mask(change: Delta) -> int | None:
    """The bits that flip; None for a sum."""
    if isinstance(change, Toggle):
        return change.mask
    return None if change else 0


def words_of_bits(program: Program) -> frozenset[Variable]:
    """Carried variables that get their next value by `xor`, and copies of them."""
    copies: dict[Variable, set[Variable]] = {}
    found: set[Variable] = set()
    for agent in program.agents:
        _words(agent.body, found, copies)
    todo = list(found)
    while todo:
        for other in copies.get(todo.pop(), ()):
            if other not in found:
                found.add(other)
                todo.append(other)
    return frozenset(found)


def _words(
    statements: tuple[Statement, ...],
    found: set[Variable],
    copies: dict[Variable, set[Variable]],
) -> None:
    for statement in statements:
        match statement:
            case Loop():
                for variable, first, following in statement.carried:
                    if isinstance(following, Apply) and following.function == "xor":
                        found.add(variable)
                    for source in (first, following):
                        if isinstance(source, Variable):
                            copies.setdefault(source, set()).add(variable)
                pairs = zip(statement.results, statement.carried, strict=True)
                for result, (variable, _, _) in pairs:
                    copies.setdefault(variable, set()).add(result)
                _words(statement.body, found, copies)
            case Branch():
                for variable, one, other in statement.results:
                    for source in (one, other):
                        if isinstance(source, Variable):
                            copies.setdefault(source, set()).add(variable)
                        elif isinstance(source, Apply) and source.function == "xor":
                            found.add(variable)
                _words(statement.then, found, copies)
                _words(statement.otherwise, found, copies)
            case _:
                pass
