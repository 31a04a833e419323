"""
The steps of every role of a program for given counts.

A role branches on nothing but its counters, so that its steps are a list. Generations
are numbered from 0 over the life of the block; the generation 0 of a `ready` event is
complete from the start, and orders of triggers count those after it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from properties.programs import (
    Action,
    At,
    Cell,
    Commit,
    Load,
    Loop,
    Move,
    Multiply,
    Program,
    Read,
    Retire,
    Role,
    Statement,
    Trigger,
    Wait,
    Write,
)

NEXT = -1
"""The generation of an arrival that names none."""


@dataclass(frozen=True)
class Step:
    """
    An action with numbers for its expressions.

    `wait` and `arrive` are a slot (an index into all slots of all events) and a
    generation. `reads`, `writes`, `loads` and `multiplies` are stages (indices into all
    stages of all buffers); the last two are accesses that go on after the step.
    """

    text: str
    wait: tuple[int, int] | None = None
    arrive: tuple[int, int] | None = None
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    loads: tuple[int, ...] = ()
    multiplies: tuple[int, ...] = ()
    held: frozenset[int] = frozenset()
    """Stages that wgmma of the role may read once the step is done."""


@dataclass(frozen=True)
class Unrolled:
    """The steps of the roles, and the slots and stages that they refer to."""

    roles: tuple[tuple[Step, ...], ...]
    names: tuple[str, ...]
    arrivals: tuple[int, ...]
    """Arrivals that complete a generation of each slot."""

    ready: tuple[bool, ...]
    stages: int


def unroll(program: Program, counts: Mapping[str, int]) -> Unrolled:
    """The steps for given counts."""
    slots = [event for event in program.events for _ in range(event.slots)]
    return Unrolled(
        tuple(tuple(_Unroller(program, counts).steps(r)) for r in program.roles),
        tuple(role.name for role in program.roles),
        tuple(event.arrivals for event in slots),
        tuple(event.ready for event in slots),
        sum(buffer.slots for buffer in program.buffers),
    )


class _Unroller:
    """One role: what it has waited for, and its groups of wgmma."""

    def __init__(self, program: Program, counts: Mapping[str, int]):
        self.program = program
        self.counts = counts
        self.waited: Counter[int] = Counter()
        self.open: list[int] = []
        self.closed: list[list[int]] = []

    def steps(self, role: Role) -> Iterator[Step]:
        for action, counters in self._actions(role.body, {}):
            step = self._step(action, counters)
            held = {s for group in (*self.closed, self.open) for s in group}
            where = ", ".join(f"{name} = {value}" for name, value in counters.items())
            yield replace(
                step, held=frozenset(held), text=f"{step.text} ({where or 'once'})"
            )

    def _actions(
        self, body: tuple[Statement, ...], counters: dict[str, int]
    ) -> Iterator[tuple[Action, dict[str, int]]]:
        for statement in body:
            if isinstance(statement, Loop):
                upper = statement.upper.value(self.counts)
                lower = statement.lower.value(self.counts)
                for number in range(lower, upper):
                    inner = {**counters, statement.counter: number}
                    yield from self._actions(statement.body, inner)
            else:
                yield statement, counters

    def _step(self, action: Action, counters: dict[str, int]) -> Step:
        match action:
            case Wait(at):
                slot, generation = self._at(at, counters)
                if at.by_slot:
                    generation = self.waited[slot]
                    self.waited[slot] += 1
                return Step(f"wait {at.event}", wait=(slot, generation))
            case Trigger(at):
                arrive = self._arrive(at, counters)
                return Step(f"trigger {at.event}", arrive=arrive)
            case Load(cell, at):
                arrive = self._arrive(at, counters)
                return Step(
                    f"load {cell.buffer} after {at.event}",
                    arrive=arrive,
                    loads=(self._stage(cell, counters),),
                )
            case Write(cell):
                stage = self._stage(cell, counters)
                return Step(f"write {cell.buffer}", writes=(stage,))
            case Read(cell):
                stage = self._stage(cell, counters)
                return Step(f"read {cell.buffer}", reads=(stage,))
            case Move(source, target):
                return Step(
                    f"move {source.buffer} to {target.buffer}",
                    reads=(self._stage(source, counters),),
                    writes=(self._stage(target, counters),),
                )
            case Multiply(cell):
                stage = self._stage(cell, counters)
                self.open.append(stage)
                return Step(f"multiply {cell.buffer}", multiplies=(stage,))
            case Commit():
                self.closed.append(self.open)
                self.open = []
                return Step("commit")
            case Retire(in_flight):
                self.closed = self.closed[max(0, len(self.closed) - in_flight) :]
                return Step(f"retire to {in_flight}")

    def _at(self, at: At, counters: dict[str, int]) -> tuple[int, int]:
        order = at.order.value(counters, self.counts)
        first = 0
        for event in self.program.events:
            if event.name == at.event:
                return first + order % event.slots, order // event.slots
            first += event.slots
        raise ValueError(f"no event {at.event}")

    def _arrive(self, at: At, counters: dict[str, int]) -> tuple[int, int]:
        slot, generation = self._at(at, counters)
        if at.by_slot:
            return slot, NEXT
        return slot, generation + int(self.program.event(at.event).ready)

    def _stage(self, cell: Cell, counters: dict[str, int]) -> int:
        order = cell.order.value(counters, self.counts)
        first = 0
        for buffer in self.program.buffers:
            if buffer.name == cell.buffer:
                return first + order % buffer.slots
            first += buffer.slots
        raise ValueError(f"no buffer {cell.buffer}")
