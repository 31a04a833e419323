"""
A small language of role and event programs, for property tests of synchronisation.

A program says only what matters to synchronisation: roles, counted loops, waits and
triggers on rings of events, and accesses to rings of buffers. `to_model` and `to_croq`
translate it for the verifier and the simulator; `oracle` explores it.

Counts are `n` (steps) and `t` (tiles); a launch decides them, each is at least 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Bound:
    """`factor * count + plus`, not below 0 and at most `at_most`; `count` may be 1."""

    count: str | None = None
    factor: int = 1
    plus: int = 0
    at_most: int | None = None

    def value(self, counts: Mapping[str, int]) -> int:
        """The number for given counts."""
        number = self.plus
        if self.count is not None:
            number += self.factor * counts[self.count]
        if self.at_most is not None:
            number = min(number, self.at_most)
        return max(0, number)


def constant(number: int) -> Bound:
    """A bound that is a number."""
    return Bound(plus=number)


@dataclass(frozen=True)
class Term:
    """`factor * counter`, or `factor * n * counter` when `times_n`."""

    counter: str
    factor: int = 1
    times_n: bool = False


@dataclass(frozen=True)
class Order:
    """`plus` and terms in the counters of the loops around; never negative."""

    terms: tuple[Term, ...] = ()
    plus: int = 0

    def value(self, counters: Mapping[str, int], counts: Mapping[str, int]) -> int:
        """The number for given counters and counts."""
        number = self.plus
        for term in self.terms:
            scale = counts["n"] if term.times_n else 1
            number += term.factor * scale * counters[term.counter]
        return number

    def shifted(self, by: int) -> Order:
        """This order and `by` more."""
        return Order(self.terms, self.plus + by)


@dataclass(frozen=True)
class At:
    """
    A position in a ring of events.

    `at order`: slot order mod S, generation order div S. `by_slot`: the next generation
    of slot `order mod S`; of an arrival: whichever is current.
    """

    event: str
    order: Order
    by_slot: bool = False


@dataclass(frozen=True)
class Cell:
    """Stage `order mod S` of a ring buffer."""

    buffer: str
    order: Order


@dataclass(frozen=True)
class Wait:
    """Block until a generation is complete."""

    at: At


@dataclass(frozen=True)
class Trigger:
    """Arrive on an event."""

    at: At


@dataclass(frozen=True)
class Load:
    """Start a TMA load of a stage and arrive: the generation needs the bytes too."""

    cell: Cell
    at: At


@dataclass(frozen=True)
class Write:
    """Fill a stage, from global memory; complete on return."""

    cell: Cell


@dataclass(frozen=True)
class Read:
    """Read a stage; complete on return."""

    cell: Cell


@dataclass(frozen=True)
class Move:
    """Copy a stage of one ring to a stage of another; complete on return."""

    source: Cell
    target: Cell


@dataclass(frozen=True)
class Multiply:
    """Start an asynchronous read of a stage (wgmma), in the open group of the role."""

    cell: Cell


@dataclass(frozen=True)
class Commit:
    """Close the open group."""


@dataclass(frozen=True)
class Retire:
    """Block until at most `in_flight` closed groups of the role are in flight."""

    in_flight: int


Action = Wait | Trigger | Load | Write | Read | Move | Multiply | Commit | Retire


@dataclass(frozen=True)
class Loop:
    """`for counter in lower .. upper`."""

    counter: str
    upper: Bound
    body: tuple[Statement, ...]
    lower: Bound = Bound()


Statement = Action | Loop


@dataclass(frozen=True)
class Event:
    """A ring of `slots`; `arrivals` triggers complete a generation."""

    name: str
    slots: int
    arrivals: int = 1
    ready: bool = False


@dataclass(frozen=True)
class Buffer:
    """A ring of stages in shared memory."""

    name: str
    slots: int


@dataclass(frozen=True)
class Role:
    """Something with a program order of its own."""

    name: str
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Program:
    """One block."""

    events: tuple[Event, ...]
    buffers: tuple[Buffer, ...]
    roles: tuple[Role, ...]

    def event(self, name: str) -> Event:
        """The event of a name."""
        return next(event for event in self.events if event.name == name)

    def buffer(self, name: str) -> Buffer:
        """The buffer of a name."""
        return next(buffer for buffer in self.buffers if buffer.name == name)

    def uses(self, count: str) -> bool:
        """Whether a count matters to the program."""
        return any(
            count in (statement.lower.count, statement.upper.count)
            for role in self.roles
            for statement in walk(role.body)
            if isinstance(statement, Loop)
        ) or (count == "n" and any(_times_n(role.body) for role in self.roles))

    @property
    def counts(self) -> tuple[str, ...]:
        """The counts that matter."""
        return tuple(count for count in ("n", "t") if self.uses(count))


def walk(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """The statements of a body and of the loops in it, in order."""
    for statement in body:
        yield statement
        if isinstance(statement, Loop):
            yield from walk(statement.body)


def orders_of(action: Action) -> list[Order]:
    """The orders that an action names."""
    match action:
        case Wait() | Trigger():
            return [action.at.order]
        case Load():
            return [action.cell.order, action.at.order]
        case Write() | Read() | Multiply():
            return [action.cell.order]
        case Move():
            return [action.source.order, action.target.order]
        case Commit() | Retire():
            return []


def _times_n(body: tuple[Statement, ...]) -> bool:
    return any(
        term.times_n
        for statement in walk(body)
        if not isinstance(statement, Loop)
        for order in orders_of(statement)
        for term in order.terms
    )
