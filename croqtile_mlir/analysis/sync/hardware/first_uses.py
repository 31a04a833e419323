"""
Whether mbarriers are there when they are used: a look at them before the first use.

What follows is ordered after the first use, so that one look a warp is enough.
"""

from __future__ import annotations

from xdsl.ir import Operation

from croqtile_mlir.analysis.sync.hardware.barriers import MBARRIER_BYTES, Rings
from croqtile_mlir.analysis.sync.model import (
    Access,
    Arrive,
    Branch,
    Buffer,
    Constant,
    Expr,
    Interval,
    Loop,
    Region,
    Start,
    Statement,
    Touch,
    Wait,
)


def first_uses(
    statements: tuple[Statement, ...],
    rings: Rings,
    mbarriers: Buffer,
    ranks: Expr | None,
) -> tuple[Statement, ...]:
    """
    The same, with a look at the mbarriers before the first use of one.

    `ranks`: of these blocks of the cluster, where they are used from other blocks too.
    """
    for number, statement in enumerate(statements):
        if not _uses(statement):
            continue
        if isinstance(statement, Branch):
            looked: list[Statement] = [
                Branch(
                    statement.condition,
                    first_uses(statement.then, rings, mbarriers, ranks),
                    first_uses(statement.otherwise, rings, mbarriers, ranks),
                    statement.place,
                    statement.results,
                )
            ]
        else:
            look = _look(_first(statement), rings, mbarriers, ranks)
            looked = [look, statement]
        return (*statements[:number], *looked, *statements[number + 1 :])
    return statements


def _uses(statement: Statement) -> bool:
    match statement:
        case Loop():
            return any(map(_uses, statement.body))
        case Branch():
            return any(map(_uses, (*statement.then, *statement.otherwise)))
        case Start():
            return statement.completes is not None
        case _:
            return isinstance(statement, Wait | Arrive)


def _first(statement: Statement) -> Operation:
    """The op of the first use in a statement."""
    match statement:
        case Loop():
            return _first(next(filter(_uses, statement.body)))
        case Branch():
            inner = (*statement.then, *statement.otherwise)
            return _first(next(filter(_uses, inner)))
        case _:
            return statement.place


def _look(
    place: Operation, rings: Rings, mbarriers: Buffer, ranks: Expr | None
) -> Statement:
    accesses = [
        Access(
            Region(
                mbarriers,
                None,
                (
                    Interval(
                        Constant(first),
                        Constant(first + MBARRIER_BYTES * ring.slots),
                    ),
                ),
            ),
            write=False,
        )
        for first, ring in rings.rings
    ]
    return Touch(place, tuple(accesses), ranks)
