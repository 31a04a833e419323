"""Random changes to programs: most of them, not all, make a program wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st

from properties.programs import (
    Action,
    At,
    Cell,
    Load,
    Loop,
    Move,
    Multiply,
    Order,
    Program,
    Read,
    Retire,
    Role,
    Statement,
    Trigger,
    Wait,
    Write,
    orders_of,
    walk,
)

Edit = Callable[[Statement], tuple[Statement, ...]]


def edited(
    body: tuple[Statement, ...], number: int, edit: Edit
) -> tuple[Statement, ...]:
    """A body with the statement of a number, in the order of `walk`, replaced."""
    new: list[Statement] = []
    for statement in body:
        if number == 0:
            new += edit(statement)
        elif isinstance(statement, Loop):
            inner = edited(statement.body, number - 1, edit)
            new.append(replace(statement, body=inner))
        else:
            new.append(statement)
        number -= len(list(walk((statement,))))
    return tuple(new)


def swapped(body: tuple[Statement, ...], number: int) -> tuple[Statement, ...]:
    """A body with a statement and the one after it in the same body exchanged."""
    new = list(body)
    for index, statement in enumerate(body):
        size = len(list(walk((statement,))))
        if number == 0 and index + 1 < len(body):
            new[index : index + 2] = [body[index + 1], statement]
        elif isinstance(statement, Loop) and 0 < number < size:
            new[index] = replace(statement, body=swapped(statement.body, number - 1))
        number -= size
    return tuple(new)


def shifted(statement: Statement, by: int, at: bool) -> tuple[Statement, ...]:
    """An action with another order, of its event if `at` and it has one."""

    def order(old: Order) -> Order:
        return Order(old.terms, max(0, old.plus + by))

    def position(old: At) -> At:
        return replace(old, order=order(old.order))

    def cell(old: Cell) -> Cell:
        return replace(old, order=order(old.order))

    match statement:
        case Wait() | Trigger():
            return (replace(statement, at=position(statement.at)),)
        case Load() if at:
            return (replace(statement, at=position(statement.at)),)
        case Load() | Write() | Read() | Multiply():
            return (replace(statement, cell=cell(statement.cell)),)
        case Move() if at:
            return (replace(statement, source=cell(statement.source)),)
        case Move():
            return (replace(statement, target=cell(statement.target)),)
        case Loop():
            upper = replace(statement.upper, plus=statement.upper.plus + by)
            return (replace(statement, upper=upper),)
        case Retire():
            return (Retire(max(0, statement.in_flight + by)),)
        case _:
            return ()


def later(statement: Statement) -> tuple[Statement, ...]:
    """A loop that leaves out its first iteration."""
    if isinstance(statement, Loop):
        lower = replace(statement.lower, plus=statement.lower.plus + 1)
        return (replace(statement, lower=lower),)
    return (statement,)


def capped(statement: Statement, most: int) -> tuple[Statement, ...]:
    """A loop that stops early: its fault shows at large counts only."""
    if isinstance(statement, Loop) and statement.upper.count is not None:
        upper = replace(statement.upper, at_most=most)
        return (replace(statement, upper=upper),)
    return (statement,)


def by_slot(statement: Statement, event: str) -> tuple[Statement, ...]:
    """A wait in the other form: a scope waits for an event in one form only."""
    if isinstance(statement, Wait) and statement.at.event == event:
        at = replace(statement.at, by_slot=not statement.at.by_slot)
        return (Wait(at),)
    return (statement,)


def triggered_by_slot(statement: Statement) -> tuple[Statement, ...]:
    """An arrival in the other form."""
    if isinstance(statement, Trigger | Load):
        at = replace(statement.at, by_slot=not statement.at.by_slot)
        return (replace(statement, at=at),)
    return (statement,)


def hoisted(body: tuple[Statement, ...], first: bool) -> tuple[Statement, ...]:
    """A body in which a loop's first or last action has moved out of it."""
    new: list[Statement] = []
    for statement in body:
        if isinstance(statement, Loop) and len(statement.body) > 1:
            index = 0 if first else -1
            moved = statement.body[index]
            if not isinstance(moved, Loop) and not _in_terms(moved, statement.counter):
                rest = statement.body[1:] if first else statement.body[:-1]
                loop = replace(statement, body=rest)
                new += [moved, loop] if first else [loop, moved]
                continue
        new.append(statement)
    return tuple(new)


def _in_terms(action: Action, counter: str) -> bool:
    orders = orders_of(action)
    return any(term.counter == counter for order in orders for term in order.terms)


@st.composite
def mutants(draw: st.DrawFn, program: Program, arrivals: bool = True) -> Program:
    """A program with one change; `arrivals` may be changed if they are stated."""
    kind = draw(st.integers(0, 12))
    if kind == 0 or (kind == 1 and arrivals):
        number = draw(st.integers(0, len(program.events) - 1))
        events = list(program.events)
        event = events[number]
        if kind == 1:
            other = max(1, event.arrivals + draw(st.sampled_from((1, -1))))
            events[number] = replace(event, arrivals=other)
        elif draw(st.booleans()):
            events[number] = replace(event, ready=not event.ready)
        else:
            slots = max(1, event.slots + draw(st.sampled_from((1, -1))))
            events[number] = replace(event, slots=slots)
        return replace(program, events=tuple(events))
    if kind == 2:
        number = draw(st.integers(0, len(program.buffers) - 1))
        buffers = list(program.buffers)
        slots = max(1, buffers[number].slots + draw(st.sampled_from((1, -1))))
        buffers[number] = replace(buffers[number], slots=slots)
        return replace(program, buffers=tuple(buffers))
    chosen = draw(st.integers(0, len(program.roles) - 1))
    role = program.roles[chosen]
    number = draw(st.integers(0, max(0, len(list(walk(role.body))) - 1)))
    body = role.body
    match kind:
        case 3:
            body = edited(body, number, lambda _: ())
        case 4:
            body = edited(body, number, lambda old: (old, old))
        case 5 | 6:
            body = swapped(body, number)
        case 7:
            event = draw(st.sampled_from(program.events)).name
            for index in range(len(list(walk(body)))):
                body = edited(body, index, lambda old: by_slot(old, event))
        case 8:
            body = edited(body, number, triggered_by_slot)
        case 9:
            body = edited(body, number, later)
        case 10:
            most = draw(st.integers(0, 7))
            body = edited(body, number, lambda old: capped(old, most))
        case 11 if draw(st.booleans()):
            body = hoisted(body, draw(st.booleans()))
        case _:
            by = draw(st.sampled_from((1, -1, 2, -2, 3)))
            at = draw(st.booleans())
            body = edited(body, number, lambda old: shifted(old, by, at))
    roles = list(program.roles)
    roles[chosen] = Role(role.name, body)
    return replace(program, roles=tuple(roles))
