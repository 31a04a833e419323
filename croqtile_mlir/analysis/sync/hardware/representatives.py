"""
Fewer bytes to look at: one of those that are always accessed together.

Bytes that every access of a kernel covers together, in every stage, have one history:
if one of them is accessed in a wrong order, all are. The first byte of each such class
stands for it. Of actions with many small pieces, those of threads that load and store,
only those bytes are kept; of others, the accesses that hold one. Both by the same
choice: a read whose representative is elsewhere must go where the write of it goes.
What is left of an access are bytes that it does touch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import gcd

from croqtile_mlir.analysis.sync.model import (
    Access,
    Action,
    Agent,
    Apply,
    Branch,
    Buffer,
    Constant,
    Expr,
    Interval,
    Loop,
    Start,
    Statement,
    Touch,
)
from croqtile_mlir.analysis.sync.symbolic import Expressions

MANY = 4
"""Intervals of an action that are kept whole."""

SMALLEST_UNIT = 64
"""Bytes of a stage below which there is nothing to gain."""

_Piece = tuple[Expr, int, int]
"""An interval as a part that moves, and bounds relative to it."""


def with_representatives(
    agents: Sequence[Agent], buffer: Buffer, make: Expressions
) -> tuple[Agent, ...]:
    """The same agents, with fewer intervals where they have many."""
    actions = [action for agent in agents for action in _actions(agent.body)]
    if not any(isinstance(a, Touch) and len(a.accesses) > MANY for a in actions):
        return tuple(agents)
    covered: list[tuple[int, Access, _Piece]] = []
    for number, action in enumerate(actions):
        for access in _accesses(action):
            if access.region.buffer is not buffer:
                continue
            piece = _piece(access)
            if piece is None:
                return tuple(agents)
            covered.append((number, access, piece))
    unit = gcd(*(_factor(moving) for _, _, (moving, _, _) in covered))
    if unit and unit < SMALLEST_UNIT:
        return tuple(agents)
    kept = _Representatives(unit or 1 << 20, covered)
    changed: dict[Action, Action] = {}
    for action in actions:
        if isinstance(action, Touch) and len(action.accesses) > MANY:
            accesses = kept.of(action.accesses, buffer, make)
            changed[action] = replace(action, accesses=accesses)
        elif isinstance(action, Touch | Start):
            accesses = kept.whole(action.accesses, buffer)
            changed[action] = replace(action, accesses=accesses)
    return tuple(replace(a, body=_replaced(a.body, changed)) for a in agents)


def _actions(statements: Sequence[Statement]) -> Iterator[Action]:
    for statement in statements:
        match statement:
            case Loop():
                yield from _actions(statement.body)
            case Branch():
                yield from _actions(statement.then)
                yield from _actions(statement.otherwise)
            case Action():
                yield statement


def _accesses(action: Action) -> tuple[Access, ...]:
    return action.accesses if isinstance(action, Touch | Start) else ()


def _piece(access: Access) -> _Piece | None:
    """The interval of an access, if its bounds move together."""
    interval = access.region.box[0]
    if interval is None:
        return None
    moving, low = _split(interval.lower)
    other, high = _split(interval.upper)
    return (moving, low, high) if moving == other else None


def _split(expr: Expr) -> tuple[Expr, int]:
    match expr:
        case Constant():
            return Constant(0), expr.value
        case Apply("add", (moving, Constant(value))):
            return moving, value
        case _:
            return expr, 0


def _factor(moving: Expr) -> int:
    """A number that the moving part is a multiple of; 0 where it does not move."""
    match moving:
        case Constant():
            return moving.value
        case Apply("mul", (_, Constant(value))):
            return value
        case Apply("add", (a, b)):
            return gcd(_factor(a), _factor(b))
        case Apply("select", (_, a, b)):
            return gcd(_factor(a), _factor(b))
        case _:
            return 1


class _Representatives:
    """The first bytes of the classes, as offsets in a unit."""

    def __init__(self, unit: int, covered: Sequence[tuple[int, Access, _Piece]]):
        import numpy as np

        self.unit = unit
        ends = {0}
        for _, _, (_, low, high) in covered:
            ends |= {low % unit, high % unit}
        self.starts = np.array(sorted(ends))
        weights = np.random.default_rng(0)
        known: dict[object, int] = {}
        signature = np.zeros(len(self.starts), np.uint64)
        for number, access, (moving, low, high) in covered:
            for quotient, first, last in self._within(low, high):
                way = access.write, access.proxy, access.strong
                key = (number, way, moving, quotient)
                weight = known.get(key)
                if weight is None:
                    weight = int(weights.integers(1 << 63))
                    known[key] = weight
                a, b = np.searchsorted(self.starts, (first, last))
                signature[a:b] += np.uint64(weight)
        _, first_of = np.unique(signature, return_index=True)
        self.kept = np.sort(first_of)

    def _within(self, low: int, high: int) -> Iterator[tuple[int, int, int]]:
        """The parts of an interval, each in one unit: which, from, up to."""
        while low < high:
            quotient, first = divmod(low, self.unit)
            last = min(high - quotient * self.unit, self.unit)
            yield quotient, first, last
            low = quotient * self.unit + last

    def of(
        self, accesses: Sequence[Access], buffer: Buffer, make: Expressions
    ) -> tuple[Access, ...]:
        """The parts of accesses that hold representatives."""
        import numpy as np

        found: list[Access] = []
        for access in accesses:
            piece = _piece(access)
            if access.region.buffer is not buffer or piece is None:
                found.append(access)
                continue
            moving, low, high = piece
            for quotient, first, last in self._within(low, high):
                a, b = np.searchsorted(self.starts, (first, last))
                inside = [int(s) for s in self.kept if a <= s < b]
                for begin, end in self._runs(inside, last):
                    bounds = [
                        make.apply("add", moving, Constant(quotient * self.unit + at))
                        for at in (begin, end)
                    ]
                    box = (Interval(bounds[0], bounds[1]),)
                    region = replace(access.region, box=box)
                    found.append(replace(access, region=region))
        return tuple(found)

    def whole(self, accesses: Sequence[Access], buffer: Buffer) -> tuple[Access, ...]:
        """Those accesses that hold a representative."""
        return tuple(
            access
            for access in accesses
            if access.region.buffer is not buffer
            or (piece := _piece(access)) is None
            or self._holds_one(piece)
        )

    def _holds_one(self, piece: _Piece) -> bool:
        import numpy as np

        for _, first, last in self._within(*piece[1:]):
            a, b = np.searchsorted(self.starts, (first, last))
            if np.searchsorted(self.kept, a) < np.searchsorted(self.kept, b):
                return True
        return False

    def _runs(self, segments: Sequence[int], last: int) -> list[tuple[int, int]]:
        """Neighbouring segments as one: from, up to."""
        runs: list[tuple[int, int]] = []
        for segment in segments:
            begin = int(self.starts[segment])
            following = segment + 1 < len(self.starts)
            end = int(self.starts[segment + 1]) if following else self.unit
            end = min(end, last)
            if runs and runs[-1][1] == begin:
                runs[-1] = (runs[-1][0], end)
            else:
                runs.append((begin, end))
        return runs


def _replaced(
    statements: tuple[Statement, ...], changed: dict[Action, Action]
) -> tuple[Statement, ...]:
    made: list[Statement] = []
    for statement in statements:
        match statement:
            case Loop():
                body = _replaced(statement.body, changed)
                made.append(replace(statement, body=body))
            case Branch():
                then = _replaced(statement.then, changed)
                otherwise = _replaced(statement.otherwise, changed)
                made.append(replace(statement, then=then, otherwise=otherwise))
            case Action():
                made.append(changed.get(statement, statement))
    return tuple(made)
