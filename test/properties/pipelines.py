"""
Random pipelines: networks of roles and rings that are correct as they are drawn.

`mutations` spoils some of them. Rings of `S` stages have an event for full stages and
one for empty ones; credits come from the consumers, or the empty event is ready.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

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
    Move,
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

Network = tuple[tuple[int, tuple[int, ...]], ...]
"""For each ring, the role that fills it and those that read it."""

NETWORKS: tuple[Network, ...] = (
    ((0, (1,)),),
    ((0, (1,)),),
    ((0, (1,)), (1, (2,))),
    ((0, (1, 2)),),
    ((0, (2,)), (1, (2,))),
    ((0, (1,)), (0, (1,))),
    ((0, (1,)), (1, (0,))),
    ((0, (1, 2, 3)),),
    ((0, (1,)), (1, (2,)), (2, (3,))),
    ((0, (1, 2)), (1, (3,)), (2, (3,))),
)


@dataclass(frozen=True)
class Ring:
    """The options of a ring."""

    name: str
    slots: int
    producer: int
    consumers: tuple[int, ...]
    tma: bool
    ready: bool
    lag: int
    """Groups of wgmma that a consumer keeps in flight; -1: it copies instead."""

    shared_credit: bool
    """The consumers arrive on one event, else each has its own."""

    full_by_slot: bool
    empty_by_slot: bool

    @property
    def full(self) -> str:
        """The event of full stages."""
        return f"{self.name}_full"

    def empty(self, consumer: int) -> str:
        """The event on which a consumer releases stages."""
        return f"{self.name}_empty" + ("" if self.shared_credit else str(consumer))

    def wait_full(self, order: Order) -> Action:
        """A consumer waits for a stage."""
        return Wait(At(self.full, order, self.full_by_slot))

    def wait_empty(self, order: Order) -> list[Action]:
        """The producer waits for a stage."""
        names = dict.fromkeys(self.empty(consumer) for consumer in self.consumers)
        return [Wait(At(name, order, self.empty_by_slot)) for name in names]

    def release(self, consumer: int, order: Order) -> Action:
        """A consumer gives back what it read `lag` steps before `order`."""
        by = 0 if self.ready else self.slots - max(0, self.lag)
        return Trigger(At(self.empty(consumer), order.shifted(by), self.empty_by_slot))

    def credits(self, consumer: int) -> list[Statement]:
        """What a consumer grants at first."""
        if self.ready or self.slots <= max(0, self.lag):
            return []
        at = At(self.empty(consumer), Order((Term("s"),)), self.empty_by_slot)
        granted = self.slots - max(0, self.lag)
        return [Loop("s", constant(granted), (Trigger(at),))]

    def events(self) -> list[Event]:
        """Its events."""
        names = dict.fromkeys(self.empty(consumer) for consumer in self.consumers)
        arrivals = len(self.consumers) if self.shared_credit else 1
        return [
            Event(self.full, self.slots),
            *(Event(name, self.slots, arrivals, self.ready) for name in names),
        ]

    @property
    def buffer(self) -> Buffer:
        """Its stages."""
        return Buffer(f"{self.name}_b", self.slots)

    def cell(self, order: Order) -> Cell:
        """The stage of a step."""
        return Cell(f"{self.name}_b", order)


Nest = Callable[[Callable[[Order], list[Action]]], Statement]


def flat(body: Callable[[Order], list[Action]]) -> Statement:
    """One loop of n steps."""
    return Loop("k", Bound("n"), tuple(body(Order((Term("k"),)))))


def tiles(number: Bound) -> Nest:
    """Tiles of n steps each; the order goes on from tile to tile."""

    def nest(body: Callable[[Order], list[Action]]) -> Statement:
        order = Order((Term("i", times_n=True), Term("k")))
        return Loop("i", number, (Loop("k", Bound("n"), tuple(body(order))),))

    return nest


def short_tiles(steps: int) -> Nest:
    """n tiles of a fixed number of steps."""

    def nest(body: Callable[[Order], list[Action]]) -> Statement:
        order = Order((Term("i", steps), Term("k")))
        return Loop("i", Bound("n"), (Loop("k", constant(steps), tuple(body(order))),))

    return nest


NESTS: tuple[Nest, ...] = (
    flat,
    flat,
    flat,
    tiles(constant(2)),
    tiles(Bound("t")),
    short_tiles(2),
    short_tiles(3),
)


@st.composite
def rings(
    draw: st.DrawFn, name: str, producer: int, consumers: tuple[int, ...]
) -> Ring:
    """A ring with random options."""
    slots = draw(st.integers(1, 3 if len(consumers) == 1 else 2))
    lag = draw(st.integers(-1, min(1, slots - 1)))
    return Ring(
        name,
        slots,
        producer,
        consumers,
        tma=draw(st.booleans()),
        ready=lag <= 0 and draw(st.booleans()),
        lag=lag,
        shared_credit=draw(st.booleans()),
        full_by_slot=draw(st.integers(0, 3)) == 0,
        empty_by_slot=draw(st.integers(0, 3)) == 0,
    )


def _step(role: int, rings_: list[Ring], order: Order) -> list[Action]:
    """What a role does for one step of every ring that it is at."""
    inward = [ring for ring in rings_ if role in ring.consumers]
    outward = [ring for ring in rings_ if role == ring.producer]
    actions: list[Action] = []
    for ring in outward if not inward or role == 0 else []:
        actions += ring.wait_empty(order)
        actions += _fill(ring, order)
    if inward and role != 0:
        for ring in outward:
            actions += ring.wait_empty(order)
    for ring in inward:
        actions.append(ring.wait_full(order))
    source = inward[0].cell(order) if inward else None
    if inward and role != 0:
        for ring in outward:
            # A value that goes on is copied by threads: the lag of its source is 0.
            actions += [Move(source, ring.cell(order))] if source else []
            actions.append(Trigger(At(ring.full, order, ring.full_by_slot)))
    multiplied = False
    for ring in inward:
        if ring.lag < 0:
            actions.append(Read(ring.cell(order)))
        else:
            actions.append(Multiply(ring.cell(order)))
            multiplied = True
    if multiplied:
        lag = min(max(0, ring.lag) for ring in inward if ring.lag >= 0)
        actions += [Commit(), Retire(lag)]
    actions += [ring.release(role, order) for ring in inward]
    return actions


def _fill(ring: Ring, order: Order) -> list[Action]:
    at = At(ring.full, order, ring.full_by_slot)
    if ring.tma:
        return [Load(ring.cell(order), at)]
    return [Write(ring.cell(order)), Trigger(at)]


@st.composite
def networks(draw: st.DrawFn, roles: int = 4) -> Program:
    """A network of at most `roles` roles, each of which does the same steps."""
    fitting = [n for n in NETWORKS if _roles(n) <= roles]
    network = draw(st.sampled_from(fitting))
    nest = draw(st.sampled_from(NESTS))
    drawn = [
        draw(rings("abc"[number], producer, consumers))
        for number, (producer, consumers) in enumerate(network)
    ]
    bodies: list[Role] = []
    for role in range(_roles(network)):
        body: list[Statement] = []
        for ring in drawn:
            if role in ring.consumers:
                body += ring.credits(role)
        body.append(nest(lambda order, role=role: _step(role, drawn, order)))
        if any(role in ring.consumers and ring.lag > 0 for ring in drawn):
            body.append(Retire(0))
        bodies.append(Role(f"r{role}", tuple(body)))
    return Program(
        tuple(event for ring in drawn for event in ring.events()),
        tuple(ring.buffer for ring in drawn),
        tuple(bodies),
    )


def _roles(network: Network) -> int:
    return 1 + max(max(producer, *consumers) for producer, consumers in network)
