"""
What a warp computes and does not need: loops of warps that have nothing to do in them.

All warps of a role run through its loops, and count along, where one of them does the
work. Only what an action or a trip count around one depends on is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from croqtile_mlir.analysis.sync.model import (
    Action,
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
    Wait,
)
from croqtile_mlir.analysis.sync.symbolic import Expressions


def without_idle(
    body: tuple[Statement, ...], make: Expressions
) -> tuple[Statement, ...]:
    """The same actions, without what none of them depends on."""
    sources: dict[Expr, tuple[Expr, ...]] = {}
    todo = [*_roots(body, sources)]
    used: set[Expr] = set()
    while todo:
        for variable in make.variables(todo.pop()):
            if variable not in used:
                used.add(variable)
                todo += sources.get(variable, ())
    return tuple(_kept(body, used))


def _roots(
    statements: Iterable[Statement], sources: dict[Expr, tuple[Expr, ...]]
) -> Iterator[Expr]:
    """What actions depend on; `sources`: what variables are computed from."""
    for statement in statements:
        match statement:
            case Loop():
                bounds = (statement.lower, statement.upper, statement.step)
                inside = [*_roots(statement.body, sources)]
                sources[statement.counter] = bounds
                for (variable, first, following), result in zip(
                    statement.carried, statement.results, strict=True
                ):
                    sources[variable] = (first, following, *bounds)
                    sources[result] = (variable,)
                yield from inside
                if _acts(statement.body):
                    yield from bounds
            case Branch():
                yield from _roots(statement.then, sources)
                yield from _roots(statement.otherwise, sources)
                for variable, one, other in statement.results:
                    sources[variable] = (one, other, statement.condition)
                if _acts(statement.then) or _acts(statement.otherwise):
                    yield statement.condition
            case _:
                yield from _of_action(statement)


def _acts(statements: Iterable[Statement]) -> bool:
    """Whether there is an action in statements."""
    for statement in statements:
        match statement:
            case Loop():
                found = _acts(statement.body)
            case Branch():
                found = _acts(statement.then) or _acts(statement.otherwise)
            case _:
                found = True
        if found:
            return True
    return False


def _of_action(action: Action) -> Iterator[Expr]:
    match action:
        case Wait():
            yield action.at.slot
            match action.which:
                case Generation():
                    yield action.which.number
                case Parity():
                    yield action.which.bit
                case _:
                    pass
        case Arrive():
            yield action.at.slot
            yield action.announced_bytes
            if action.ranks is not None:
                yield action.ranks
            if isinstance(action.which, Generation):
                yield action.which.number
        case Start():
            if isinstance(action.completes, SlotOf):
                yield action.completes.slot
            yield action.bytes
            if action.ranks is not None:
                yield action.ranks
        case _:
            pass
    if isinstance(action, Touch | Start):
        for access in action.accesses:
            if access.region.slot is not None:
                yield access.region.slot
            for side in access.region.box:
                if side is not None:
                    yield side.lower
                    yield side.upper


def _kept(statements: Iterable[Statement], used: set[Expr]) -> Iterator[Statement]:
    for statement in statements:
        match statement:
            case Loop():
                body = tuple(_kept(statement.body, used))
                kept = [
                    (carried, result)
                    for carried, result in zip(
                        statement.carried, statement.results, strict=True
                    )
                    if carried[0] in used
                ]
                if body or kept:
                    yield replace(
                        statement,
                        body=body,
                        carried=tuple(carried for carried, _ in kept),
                        results=tuple(result for _, result in kept),
                    )
            case Branch():
                then = tuple(_kept(statement.then, used))
                otherwise = tuple(_kept(statement.otherwise, used))
                results = tuple(r for r in statement.results if r[0] in used)
                if then or otherwise or results:
                    yield replace(
                        statement, then=then, otherwise=otherwise, results=results
                    )
            case _:
                yield statement
