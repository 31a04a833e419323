"""
Rings look the same after each step. What does not turn with them is not taken for it.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.sync_programs import Number, ProgramBuilder, add, apply
from support.sync_rings import Ring

from croqtile_mlir.analysis.sync.execution.decision import decide
from croqtile_mlir.analysis.sync.execution.rings import turning
from croqtile_mlir.analysis.sync.model import Expr, Program
from croqtile_mlir.analysis.sync.verdicts import Proved, Refuted

Order = Callable[[Expr], Expr]
LATE = 17
"""An iteration that no period of the ring comes to."""


def _same(order: Expr) -> Expr:
    return order


def ring(
    slots: int = 5,
    *,
    waits: Order = _same,
    reads: Order = _same,
    releases: Order = _same,
    holds: Order | None = None,
) -> Program:
    """
    A ring whose consumer waits for, reads and releases what it is told of each order,
    and releases only where `holds` is not 0.
    """
    p = ProgramBuilder()
    count = p.count("K")
    full, empty = p.barrier("full", slots), p.barrier("empty", slots, ready=True)
    stages = p.buffer("stages", slots)
    with p.agent("producer"), p.loop("k", count) as k:
        p.wait(empty, k)
        p.write(stages, k)
        p.arrive(full, k)
    with p.agent("consumer"), p.loop("k", count) as k:
        p.wait(full, waits(k))
        p.read(stages, reads(k))
        with p.branch(1 if holds is None else holds(k)):
            p.arrive(empty, add(releases(k), slots))
    return p.program()


def _late(order: Expr) -> Expr:
    """The next order from some iteration on."""
    return apply("add", order, apply("ge", order, LATE))


def _not_late(order: Expr) -> Expr:
    return apply("ne", order, LATE)


def _every_seventh(order: Expr) -> Expr:
    return apply("ne", apply("mod", order, 7), 6)


def _twice(order: Expr) -> Expr:
    return apply("mul", order, 2)


@pytest.mark.parametrize("slots", [2, 3, 5, 8])
def test_a_turn_is_enough(slots: int) -> None:
    found = decide(Ring(slots, consumers=2, lag=1).program())
    assert isinstance(found, Proved), found
    assert slots < found.largest["K"] <= slots + 4


@pytest.mark.parametrize(
    "program",
    [
        ring(waits=_late),
        ring(reads=_late),
        ring(releases=_late),
        ring(holds=_not_late),
        ring(holds=_every_seventh),
        ring(reads=_twice),
        ring(waits=_twice),
    ],
    ids=["wait", "read", "release", "once", "seventh", "read twice", "wait twice"],
)
def test_out_of_step(program: Program) -> None:
    found = decide(program)
    assert isinstance(found, Refuted), found


def test_right_without_an_edit() -> None:
    assert isinstance(decide(ring()), Proved)


def _with_fixed(slot: Number) -> Program:
    """A ring, and a slot of the same buffer that the producer writes once more."""
    p = ProgramBuilder()
    count = p.count("K")
    full, empty = p.barrier("full", 3), p.barrier("empty", 3, ready=True)
    stages, own = p.buffer("stages", 3), p.buffer("own", 3)
    with p.agent("producer"), p.loop("k", count) as k:
        p.wait(empty, k)
        p.write(stages, k)
        with p.branch(apply("eq", k, LATE)):
            p.write(stages if slot == 1 else own, 1)
        p.arrive(full, k)
    with p.agent("consumer"), p.loop("k", count) as k:
        p.wait(full, k)
        p.read(stages, k)
        p.arrive(empty, add(k, 3))
    return p.program()


def test_slots_that_are_numbers_do_not_turn() -> None:
    wrong, right = _with_fixed(1), _with_fixed(0)
    assert {ring.name for ring in turning(wrong)} == {"%full", "%empty"}
    assert {ring.name for ring in turning(right)} == {"%full", "%empty", "%stages"}
    assert isinstance(decide(wrong), Refuted)
    assert isinstance(decide(right), Proved)


@pytest.mark.parametrize("first", [0, 1])
def test_agents_that_take_turns(first: int) -> None:
    """Two consumers take every other step; `first` of the second is right at 1."""
    p = ProgramBuilder()
    count = p.count("K")
    full, empty = p.barrier("full", 3), p.barrier("empty", 3, ready=True)
    stages = p.buffer("stages", 3)
    with p.agent("producer"), p.loop("k", count) as k:
        p.wait(empty, k)
        p.write(stages, k)
        p.arrive(full, k)
    for name, start in (("even", 0), ("odd", first)):
        with p.agent(name), p.loop("k", count, start, 2) as k:
            p.wait(full, k)
            p.read(stages, k)
            p.arrive(empty, add(k, 3))
    found = decide(p.program())
    assert isinstance(found, Proved if first else Refuted), found
