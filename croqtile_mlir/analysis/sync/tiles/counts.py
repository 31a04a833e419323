"""Conditions on what a launch decides, by the counts that stand for bounds of loops."""

from __future__ import annotations

from collections.abc import Collection

from croqtile_mlir.analysis.sync.model import Apply, Constant, Expr, Variable
from croqtile_mlir.analysis.sync.tiles.values import Values
from croqtile_mlir.analysis.sync.used_values import parts_of

_ZERO = Constant(0)
_LESS = ("lt", "ult", "ge")
_MORE = ("gt", "le", "ule")
_COMPARISONS = ("eq", "ne", *_LESS, *_MORE)


def stands(expr: Expr, values: Values) -> bool:
    """Whether an expression is one of the model: of counts and counters, and simple."""
    blocks: Collection[Variable] = values.blocks.values()
    for part in parts_of(expr):
        if isinstance(part, Variable) and part in blocks:
            return False
        if isinstance(part, Apply) and part.function in (
            "mul",
            "floordiv",
            "ceildiv",
            "mod",
        ):
            if not any(isinstance(operand, Constant) for operand in part.operands):
                return False
    return True


def of_counts(condition: Expr, values: Values) -> Expr | None:
    """
    A comparison of bounds of loops, in terms of the counts of those loops.

    So a block does not find that a loop runs where the loop finds that it does not.
    None where it is another condition.
    """
    if not isinstance(condition, Apply) or condition.function not in _COMPARISONS:
        return None
    function, (a, b) = condition.function, condition.operands
    make = values.make
    if function in (*_LESS, *_MORE):
        runs = values.runs.get((a, b) if function in _LESS else (b, a))
        unsigned = function.startswith("u")
        if unsigned and any(make.range(side)[0] < 0 for side in (a, b)):
            return None
        if runs is not None:
            return make.apply("eq", runs, _ZERO) if "e" in function else runs
    sides = [_count(side, values) for side in (a, b)]
    if sides[0] is None or sides[1] is None:
        return None
    return make.apply(function, sides[0], sides[1])


def _count(side: Expr, values: Values) -> Expr | None:
    """A number of the model that is the same as an expression."""
    if stands(side, values):
        return side
    # A count is never negative.
    return values.free.get(id(side)) if values.make.range(side)[0] >= 0 else None


def in_counts(expr: Expr, values: Values) -> Expr | None:
    """
    An expression in terms of the counts that stand for parts of it.

    So the iterations that are made ahead of a loop, `min(2, n)`, are no more than the
    loop has. None where that is not all of it.
    """
    known = {
        part: count
        for part in parts_of(expr)
        if part is not expr
        and (count := _count(part, values)) is not None
        # A part that stands for itself stays as it is.
        and count is not part
    }
    if not known:
        return None
    found = values.make.substitute(expr, known, {})
    return found if stands(found, values) else None
