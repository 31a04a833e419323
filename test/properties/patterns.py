"""Random pipelines that are not networks of rings, correct as they are drawn."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from properties.mutations import mutants
from properties.pipelines import networks
from properties.programs import (
    Action,
    At,
    Bound,
    Buffer,
    Cell,
    Commit,
    Event,
    Load,
    Loop,
    Multiply,
    Order,
    Program,
    Read,
    Retire,
    Role,
    Statement,
    Term,
    Trigger,
    Wait,
    Write,
    constant,
)

_K = Order((Term("k"),))
_S = Order((Term("s"),))


def _steps(*body: Statement, upper: Bound | None = None) -> Loop:
    return Loop("k", upper or Bound("n"), body)


def _grant(event: str, number: int) -> Loop:
    return Loop("s", constant(number), (Trigger(At(event, _S)),))


def _fill(tma: bool, order: Order, by_slot: bool = False) -> list[Action]:
    at = At("full", order, by_slot)
    cell = Cell("b", order)
    return [Load(cell, at)] if tma else [Write(cell), Trigger(at)]


def _events(slots: int, ready: bool = False) -> tuple[Event, ...]:
    return Event("full", slots), Event("empty", slots, ready=ready)


@st.composite
def alternating(draw: st.DrawFn) -> Program:
    """
    Two consumers take the steps in turn; an order event may keep them in turn.

    Without it each must have slots of its own: a wait for every other generation of a
    slot would take the parity of the one before for its own.
    """
    ready, tma, turns = draw(st.booleans()), draw(st.booleans()), draw(st.booleans())
    slots = draw(st.integers(1, 3)) if turns else 2
    producer = _steps(
        Wait(At("empty", _K)), *_fill(tma, _K), upper=Bound("n", factor=2)
    )
    roles = [Role("p", (producer,))]
    for which in (0, 1):
        order = Order((Term("k", 2),), which)
        body: list[Statement] = [
            Wait(At("full", order)),
            Read(Cell("b", order)),
            Trigger(At("empty", order.shifted(0 if ready else slots))),
        ]
        before: list[Statement] = []
        if turns:
            # Slot i is the turn of consumer i; the first turn is given at the start.
            mine = Order((Term("k", 2),), which)
            body.insert(0, Wait(At("turn", mine)))
            body.append(Trigger(At("turn", mine.shifted(1))))
            if which == 0:
                before.append(Trigger(At("turn", Order())))
        if which == 0 and not ready:
            before.append(_grant("empty", slots))
        roles.append(Role(f"c{which}", (*before, _steps(*body))))
    events = _events(slots, ready)
    return Program(
        (*events, Event("turn", 2)) if turns else events,
        (Buffer("b", slots),),
        tuple(roles),
    )


@st.composite
def prefetching(draw: st.DrawFn) -> Program:
    """One role that loads some steps ahead of its reads."""
    slots = draw(st.integers(1, 3))
    lag = draw(st.integers(-1, slots - 1))
    ahead = draw(st.integers(1, slots - max(0, lag)))
    by_slot = draw(st.booleans())
    read: list[Statement] = [Read(Cell("b", _K))]
    if lag >= 0:
        read = [Multiply(Cell("b", _K)), Commit(), Retire(lag)]
    take = (Wait(At("full", _K, by_slot)), *read)
    first = Loop("k", Bound("n", at_most=ahead), tuple(_fill(True, _K, by_slot)))
    rest = Bound("n", plus=-ahead)
    steady = Loop("k", rest, (*take, *_fill(True, _K.shifted(ahead), by_slot)))
    drain = Loop("k", Bound("n"), take, rest)
    last = (Retire(0),) if lag > 0 else ()
    return Program(
        (Event("full", slots),),
        (Buffer("b", slots),),
        (Role("r", (first, steady, drain, *last)),),
    )


@st.composite
def joined(draw: st.DrawFn) -> Program:
    """Two producers fill two buffers and arrive on one event."""
    slots = draw(st.integers(1, 2))
    ready, shared = draw(st.booleans()), draw(st.booleans())
    roles: list[Role] = []
    names = ("empty", "empty") if shared else ("empty", "other")
    for which, name in enumerate(names):
        fill: list[Action] = [
            replace(action, cell=Cell(f"b{which}", _K))
            if isinstance(action, Load | Write)
            else action
            for action in _fill(draw(st.booleans()), _K)
        ]
        roles.append(Role(f"p{which}", (_steps(Wait(At(name, _K)), *fill),)))
    back = _K.shifted(0 if ready else slots)
    release = [Trigger(At(name, back)) for name in dict.fromkeys(names)]
    body = _steps(
        Wait(At("full", _K)), *(Read(Cell(b, _K)) for b in ("b0", "b1")), *release
    )
    granted = () if ready else tuple(_grant(n, slots) for n in dict.fromkeys(names))
    roles.append(Role("c", (*granted, body)))
    return Program(
        (
            Event("full", slots, arrivals=2),
            *(Event(name, slots, ready=ready) for name in dict.fromkeys(names)),
        ),
        tuple(Buffer(name, slots) for name in ("b0", "b1")),
        tuple(roles),
    )


@st.composite
def paired(draw: st.DrawFn) -> Program:
    """A consumer that takes and gives back two stages at a time."""
    slots = draw(st.integers(2, 3))
    ready, tma, mma = draw(st.booleans()), draw(st.booleans()), draw(st.booleans())
    orders = [Order((Term("k", 2),), which) for which in (0, 1)]
    back = 0 if ready else slots
    read: list[Action] = [Read(Cell("b", order)) for order in orders]
    if mma:
        read = [*(Multiply(Cell("b", order)) for order in orders), Commit(), Retire(0)]
    body = _steps(
        *(Wait(At("full", order)) for order in orders),
        *read,
        *(Trigger(At("empty", order.shifted(back))) for order in orders),
    )
    producer = _steps(
        Wait(At("empty", _K)), *_fill(tma, _K), upper=Bound("n", factor=2)
    )
    granted = () if ready else (_grant("empty", slots),)
    return Program(
        _events(slots, ready),
        (Buffer("b", slots),),
        (Role("p", (producer,)), Role("c", (*granted, body))),
    )


@st.composite
def handed_on(draw: st.DrawFn) -> Program:
    """A stage is read by one role, then by another, which gives it back."""
    slots = draw(st.integers(1, 3))
    ready, tma = draw(st.booleans()), draw(st.booleans())
    producer = _steps(Wait(At("empty", _K)), *_fill(tma, _K))
    first = _steps(Wait(At("full", _K)), Read(Cell("b", _K)), Trigger(At("seen", _K)))
    second = _steps(
        Wait(At("seen", _K)),
        Read(Cell("b", _K)),
        Trigger(At("empty", _K.shifted(0 if ready else slots))),
    )
    granted = () if ready else (_grant("empty", slots),)
    giver = draw(st.booleans())
    return Program(
        (*_events(slots, ready), Event("seen", slots)),
        (Buffer("b", slots),),
        (
            Role("p", (producer,)),
            Role("c", (*(granted if giver else ()), first)),
            Role("d", (*(() if giver else granted), second)),
        ),
    )


def patterns() -> st.SearchStrategy[Program]:
    """Any of these."""
    return st.one_of(alternating(), prefetching(), joined(), paired(), handed_on())


@st.composite
def programs(
    draw: st.DrawFn, roles: int = 4, arrivals: bool = True, most: int = 2
) -> Program:
    """A pipeline with up to `most` mutations, about half of them correct."""
    program = draw(st.one_of(networks(roles), networks(roles), patterns()))
    number = draw(st.sampled_from((*range(most + 1), *range(1, most + 1))))
    for _ in range(number):
        program = draw(mutants(program, arrivals))
    return program
