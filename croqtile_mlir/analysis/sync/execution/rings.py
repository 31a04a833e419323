"""
Rings that turn: states that are the same but for the slot that comes next.

A ring whose slots are `order mod S`, and whose generations are `order div S`, looks the
same after each step if its slots are counted from the next one. So they are counted in
states (`snapshots`), for barriers from the number of generations that are complete, for
buffers from the slot written last. Which number is right does not matter to proofs:
`shifts` follow by how much a ring has turned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from croqtile_mlir.analysis.sync.model import (
    Action,
    Apply,
    Arrive,
    Barrier,
    Branch,
    Buffer,
    Constant,
    Expr,
    Loop,
    Parity,
    Program,
    Start,
    Statement,
    Touch,
    Wait,
)

if TYPE_CHECKING:
    from croqtile_mlir.analysis.sync.execution.state import Execution

Ring = Barrier | Buffer


def order_of_slot(slot: Expr, slots: int) -> Expr | None:
    """`order` where a slot is `order mod slots`."""
    match slot:
        case Apply("mod", (order, Constant(number)), None) if number == slots:
            return order
        case _:
            return None


def order_of_generation(generation: Expr, slots: int) -> Expr | None:
    """`order` where a generation is `order div slots`, or that and a constant."""
    match generation:
        case Apply("add", (Apply() as inner, Constant()), None):
            return order_of_generation(inner, slots)
        case Apply("floordiv", (order, Constant(number)), None) if number == slots:
            return order
        case _:
            return None


def turning(program: Program) -> frozenset[Ring]:
    """
    The rings that may turn: those with slots that follow from orders, and none that is
    a number or is told by a parity.
    """
    ordered: set[Ring] = set()
    fixed: set[Ring] = set()
    for agent in program.agents:
        for ring, slot, by_parity in _uses(agent.body):
            order = order_of_slot(slot, ring.slots)
            if by_parity or isinstance(order or slot, Constant):
                fixed.add(ring)
            elif ring.slots > 1 and order is not None:
                ordered.add(ring)
    return frozenset(ordered - fixed)


def _uses(statements: tuple[Statement, ...]) -> Iterator[tuple[Ring, Expr, bool]]:
    for statement in statements:
        match statement:
            case Loop():
                yield from _uses(statement.body)
            case Branch():
                yield from _uses(statement.then)
                yield from _uses(statement.otherwise)
            case Action():
                yield from _of_action(statement)


def _of_action(action: Action) -> Iterator[tuple[Ring, Expr, bool]]:
    match action:
        case Wait():
            yield action.at.barrier, action.at.slot, isinstance(action.which, Parity)
        case Arrive():
            yield action.at.barrier, action.at.slot, False
        case Start(completes=at) if at is not None:
            yield at.barrier, at.slot, False
        case _:
            pass
    if isinstance(action, Start | Touch):
        for access in action.accesses:
            if access.region.slot is not None:
                yield access.region.buffer, access.region.slot, False


class Turns:
    """By how many slots each ring has turned in a state of an execution."""

    def __init__(self, run: Execution):
        rings = run.compiled.turning
        self.of: dict[Ring, int] = {}
        if rings:
            for (barrier, _), slot in run.slots.items():
                if barrier in rings:
                    self.of[barrier] = self.of.get(barrier, 0) + slot.completed
            for buffer, last in run.memory.last_written.items():
                if buffer in rings:
                    self.of[buffer] = last + 1

    def seen(self, ring: Ring, slot: int) -> int:
        """The slot, counted from the next one if the ring turns."""
        turned = self.of.get(ring)
        return slot if turned is None else (slot - turned) % ring.slots


def turned(first: Mapping[Ring, int], second: Mapping[Ring, int]) -> dict[Ring, int]:
    """By how many slots rings turn between two states, if they do."""
    found: dict[Ring, int] = {}
    for ring, after in second.items():
        if (by := (after - first.get(ring, 0)) % ring.slots) != 0:
            found[ring] = by
    return found
