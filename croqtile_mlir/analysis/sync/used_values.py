"""The variables that what agents do depends on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xdsl.ir import Operation

from croqtile_mlir.analysis.sync.model import (
    Access,
    Action,
    Agent,
    Apply,
    Arrive,
    Branch,
    Expr,
    Generation,
    Loop,
    Parity,
    SlotOf,
    Start,
    Statement,
    Touch,
    Unknown,
    Variable,
    Wait,
    Which,
)


def values_of(agents: Iterable[Agent]) -> frozenset[Variable]:
    """The variables in the expressions of agents."""
    found: set[Variable] = set()
    for expr in _distinct(agents, True):
        found |= {part for part in parts_of(expr) if isinstance(part, Variable)}
    return frozenset(found)


def branches_in(agents: Iterable[Agent]) -> set[Operation]:
    """The ops of the conditions that matter to agents."""
    found: set[Operation] = set()
    todo = [statement for agent in agents for statement in agent.body]
    while todo:
        match statement := todo.pop():
            case Loop():
                todo += statement.body
            case Branch():
                found.add(statement.place)
                todo += (*statement.then, *statement.otherwise)
            case _:
                pass
    return found


def first_unknown(agents: Iterable[Agent]) -> Unknown | None:
    """
    Something not known that decides what agents do.

    What memory they touch is no part of that: it is all that it may be.
    """
    for expr in _distinct(agents, False):
        for part in parts_of(expr):
            if isinstance(part, Unknown):
                return part
    return None


def _distinct(agents: Iterable[Agent], accesses: bool) -> Iterator[Expr]:
    seen: set[int] = set()
    for agent in agents:
        for expr in _of_statements(agent.body, accesses):
            if id(expr) not in seen:
                seen.add(id(expr))
                yield expr


def parts_of(expr: Expr) -> Iterator[Expr]:
    """An expression and all that it is made of, each once."""
    seen: set[int] = set()
    todo = [expr]
    while todo:
        current = todo.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        if isinstance(current, Apply):
            todo += current.operands


def _of_statements(statements: Sequence[Statement], accesses: bool) -> Iterator[Expr]:
    for each in statements:
        match each:
            case Loop():
                yield from (each.lower, each.upper, each.step)
                for _, first, following in each.carried:
                    yield from (first, following)
                yield from _of_statements(each.body, accesses)
            case Branch():
                yield each.condition
                for _, one, other in each.results:
                    yield from (one, other)
                yield from _of_statements(each.then, accesses)
                yield from _of_statements(each.otherwise, accesses)
            case _:
                yield from _of_action(each)
                if accesses and isinstance(each, Touch | Start):
                    yield from _of_accesses(each.accesses)


def _of_action(action: Action) -> Iterator[Expr]:
    match action:
        case Wait():
            yield from _of_slot(action.at)
            yield from _of_which(action.which)
        case Arrive():
            yield from _of_slot(action.at)
            yield from _of_which(action.which)
            yield action.announced_bytes
            if action.ranks is not None:
                yield action.ranks
        case Start():
            yield action.bytes
            if action.ranks is not None:
                yield action.ranks
            if action.completes is not None:
                yield from _of_slot(action.completes)
        case _:
            pass


def _of_slot(at: SlotOf) -> Iterator[Expr]:
    yield at.slot


def _of_which(which: Which) -> Iterator[Expr]:
    match which:
        case Generation():
            yield which.number
        case Parity():
            yield which.bit
        case _:
            pass


def _of_accesses(accesses: Sequence[Access]) -> Iterator[Expr]:
    for access in accesses:
        if access.region.slot is not None:
            yield access.region.slot
        for interval in access.region.box:
            if interval is not None:
                yield from (interval.lower, interval.upper)
