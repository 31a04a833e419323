"""
Assertions outside of blocks, as checks of the launch plan.

A condition becomes a conjunction of checks, each of which holds where one of some
comparisons does.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap

from croqtile_mlir.analysis.dim_expressions import (
    RULE,
    NotOfDimsError,
    dim_expression,
    is_non_negative,
)
from croqtile_mlir.diagnostics import fail, location_of
from croqtile_mlir.dialects.croq import AssertOp, KernelOp
from croqtile_mlir.launch.dim_maps import named_expression
from croqtile_mlir.launch.plan import RELATIONS, ConditionCheck

_PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge", "lt", "le", "gt", "ge")
"""What `arith.cmpi` compares, by its number: signed, then the same unsigned."""

_FIRST_UNSIGNED = 6

_OPPOSITES = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}
_WORDS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_MOST = 64
"""Most comparisons of a condition, written as a conjunction of alternatives."""


@dataclass(frozen=True)
class _Comparison:
    """How a value relates to 0, and the comparison in words."""

    value: AffineExpr
    relation: str
    text: str


_Clause = tuple[_Comparison, ...]
"""One of them has to hold."""


def launch_conditions(kernel: KernelOp) -> list[ConditionCheck]:
    """
    The checks that the assertions of a kernel outside of its block are.

    What is no condition of dims, or is known not to hold, is a located error.
    """
    checks: list[ConditionCheck] = []
    for op in kernel.body.block.ops:
        if isinstance(op, AssertOp):
            checks += _checks(kernel, op)
    return checks


def _checks(kernel: KernelOp, op: AssertOp) -> list[ConditionCheck]:
    try:
        clauses = _clauses(kernel, op.condition, True)
    except NotOfDimsError as error:
        notes = [] if isinstance(error.value, str) else [(error.value, "this is not")]
        fail(
            op,
            f"outside of a block the numbers that a condition compares {RULE}",
            hint="what the kernel computes is asserted in the block",
            notes=notes,
        )
    if sum(map(len, clauses)) > _MOST:
        fail(
            op,
            f"must have a condition of at most {_MOST} comparisons, written as a "
            f"conjunction of alternatives, got {sum(map(len, clauses))}",
            hint="assert the parts of a conjunction one by one",
        )
    message = op.message.data
    place = location_of(op)
    location = str(place) if place.is_known else ""
    checks: list[ConditionCheck] = []
    for clause in clauses:
        open_ones = [each for each in clause if _known(each) is None]
        if any(_known(each) for each in clause):
            continue
        what = " or ".join(each.text for each in open_ones or clause)
        if not open_ones:
            found = f", got {what}" if what else ""
            fail(op, f"does not hold: {message}{found}")
        checks.append(
            ConditionCheck(
                what,
                message,
                AffineMap(
                    len(kernel.dim_names), 0, tuple(each.value for each in open_ones)
                ),
                tuple(each.relation for each in open_ones),
                location,
            )
        )
    return checks


def _known(comparison: _Comparison) -> bool | None:
    """Whether a comparison holds, where that is known."""
    value = comparison.value
    if not isinstance(value, AffineConstantExpr):
        return None
    return RELATIONS[comparison.relation](value.value, 0)


def _clauses(kernel: KernelOp, value: SSAValue, wanted: bool) -> list[_Clause]:
    """What has to hold for a truth value to be the one that is wanted."""
    match value.owner:
        case arith.ConstantOp(value=IntegerAttr() as number):
            return [] if bool(number.value.data) is wanted else [()]
        case arith.CmpiOp() as op:
            relation = _PREDICATES[op.predicate.value.data]
            if not wanted:
                relation = _OPPOSITES[relation]
            left = dim_expression(kernel, op.lhs)
            right = dim_expression(kernel, op.rhs)
            if op.predicate.value.data >= _FIRST_UNSIGNED:
                _check_unsigned(op)
            words = (named_expression(each, kernel.dim_names) for each in (left, right))
            text = f" {_WORDS[relation]} ".join(words)
            return [(_Comparison(left - right, relation, text),)]
        case arith.AndIOp() | arith.OrIOp() as op:
            sides = [_clauses(kernel, each, wanted) for each in (op.lhs, op.rhs)]
            if isinstance(op, arith.AndIOp) is wanted:
                return [*sides[0], *sides[1]]
            if len(sides[0]) * len(sides[1]) > _MOST:
                fail(op, f"must be a condition of at most {_MOST} comparisons")
            return [(*a, *b) for a in sides[0] for b in sides[1]]
        case arith.XOrIOp() as op:
            for constant, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                match constant.owner:
                    case arith.ConstantOp(value=IntegerAttr() as number):
                        return _clauses(
                            kernel, other, wanted is not bool(number.value.data)
                        )
                    case _:
                        pass
            raise NotOfDimsError(value)
        case _:
            raise NotOfDimsError(value)


def _check_unsigned(op: arith.CmpiOp) -> None:
    """Unsigned numbers compare as signed ones do where none is negative."""
    for value in (op.lhs, op.rhs):
        if not is_non_negative(value):
            fail(
                op,
                "outside of a block an unsigned comparison must be of numbers that are "
                "not negative, got one that may be",
                hint="compare them as signed numbers",
                notes=[(value, "this may be negative")],
            )
