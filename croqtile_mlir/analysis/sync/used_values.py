"""The variables that what agents do depends on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

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


def values_of(agents: Iterable[Agent]) -> frozenset[Variable | Unknown]:
    """The variables in the expressions of agents, and what is not known in them."""
    found: set[Variable | Unknown] = set()
    seen: set[int] = set()
    for agent in agents:
        for expr in _of_statements(agent.body):
            if id(expr) in seen:
                continue
            seen.add(id(expr))
            found |= {p for p in parts_of(expr) if isinstance(p, Variable | Unknown)}
    return frozenset(found)


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


def _of_statements(statements: Sequence[Statement]) -> Iterator[Expr]:
    for each in statements:
        match each:
            case Loop():
                yield from (each.lower, each.upper, each.step)
                for _, first, following in each.carried:
                    yield from (first, following)
                yield from _of_statements(each.body)
            case Branch():
                yield each.condition
                for _, one, other in each.results:
                    yield from (one, other)
                yield from _of_statements(each.then)
                yield from _of_statements(each.otherwise)
            case _:
                yield from _of_action(each)


def _of_action(action: Action) -> Iterator[Expr]:
    match action:
        case Wait():
            yield from _of_slot(action.at)
            yield from _of_which(action.which)
        case Arrive():
            yield from _of_slot(action.at)
            yield from _of_which(action.which)
            yield action.announced_bytes
        case Touch():
            yield from _of_accesses(action.accesses)
        case Start():
            yield from _of_accesses(action.accesses)
            yield action.bytes
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
