"""A program in a short notation, for messages of failed tests."""

from __future__ import annotations

from collections.abc import Iterator

from properties.programs import (
    Action,
    At,
    Bound,
    Cell,
    Commit,
    Load,
    Loop,
    Move,
    Multiply,
    Order,
    Program,
    Read,
    Retire,
    Statement,
    Trigger,
    Wait,
    Write,
)


def listing(program: Program) -> str:
    """The program, a line for each statement."""
    lines = [
        f"event {e.name}<{e.slots}> arrivals {e.arrivals}{' ready' if e.ready else ''}"
        for e in program.events
    ]
    lines += [f"buffer {b.name}<{b.slots}>" for b in program.buffers]
    for role in program.roles:
        lines += [f"role {role.name}:", *_body(role.body, "  ")]
    return "\n".join(lines)


def _body(body: tuple[Statement, ...], indent: str) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, Loop):
            ends = f"{_bound(statement.lower)} .. {_bound(statement.upper)}"
            yield f"{indent}for {statement.counter} in {ends}:"
            yield from _body(statement.body, indent + "  ")
        else:
            yield indent + _action(statement)


def _action(action: Action) -> str:
    match action:
        case Wait(at):
            return f"wait {_at(at)}"
        case Trigger(at):
            return f"trigger {_at(at)}"
        case Load(cell, at):
            return f"load {_cell(cell)}, {_at(at)}"
        case Write(cell):
            return f"write {_cell(cell)}"
        case Read(cell):
            return f"read {_cell(cell)}"
        case Move(source, target):
            return f"move {_cell(source)} to {_cell(target)}"
        case Multiply(cell):
            return f"multiply {_cell(cell)}"
        case Commit():
            return "commit"
        case Retire(in_flight):
            return f"retire {in_flight}"


def _at(at: At) -> str:
    order = _order(at.order)
    return f"{at.event}[{order}]" if at.by_slot else f"{at.event} at {order}"


def _cell(cell: Cell) -> str:
    return f"{cell.buffer} at {_order(cell.order)}"


def _order(order: Order) -> str:
    terms = [
        f"{'' if term.factor == 1 else f'{term.factor} '}"
        f"{'n ' if term.times_n else ''}{term.counter}"
        for term in order.terms
    ]
    if order.plus or not terms:
        terms.append(str(order.plus))
    return " + ".join(terms)


def _bound(bound: Bound) -> str:
    if bound.count is None:
        return str(bound.value({}))
    factor = "" if bound.factor == 1 else f"{bound.factor} "
    text = f"{factor}{bound.count}" + (f" {bound.plus:+}" if bound.plus else "")
    return text if bound.at_most is None else f"min({text}, {bound.at_most})"
