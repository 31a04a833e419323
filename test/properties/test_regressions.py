"""Programs on which the verifier, the simulator and exploration once disagreed."""

from __future__ import annotations

import pytest

from croqtile_mlir.analysis.sync.execution.decision import decide
from croqtile_mlir.analysis.sync.verdicts import Proved, Refuted, Rule
from properties.agreement import check
from properties.kernels import faults_of, load, model_of
from properties.oracle import explore
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
)
from properties.to_model import to_model

K = Order((Term("k"),))
STAGE = Cell("b", K)
POLICIES = ("rr", "late", "early", "random:1")


def steps(*body: Statement, upper: Bound = Bound("n"), lower: Bound = Bound()) -> Loop:
    return Loop("k", upper, body, lower)


def take(in_flight: int) -> tuple[Action, ...]:
    return (Wait(At("full", K)), Multiply(STAGE), Commit(), Retire(in_flight))


def load_at(order: Order) -> Load:
    # By slot: the lowering does not see that orders up to `min(n, 2)` and those from 2
    # on are disjoint, and would take both loads for one generation.
    return Load(Cell("b", order), At("full", order, by_slot=True))


def prefetching(slots: int, ahead: int, in_flight: int) -> Program:
    """A prologue of at most `ahead` loads, a steady state, and a drain."""
    rest = Bound("n", plus=-ahead)
    return Program(
        (Event("full", slots),),
        (Buffer("b", slots),),
        (
            Role(
                "r",
                (
                    steps(load_at(K), upper=Bound("n", at_most=ahead)),
                    steps(*take(in_flight), load_at(K.shifted(ahead)), upper=rest),
                    steps(*take(in_flight), lower=rest),
                    Retire(0),
                ),
            ),
        ),
    )


def taking_turns(slots: int) -> Program:
    """
    Two consumers that take every other step, in an order that an event keeps.

    Each waits for every other generation of a slot if the ring is of odd size.
    """
    roles = [
        Role(
            "p",
            (
                steps(
                    Wait(At("empty", K)),
                    Write(STAGE),
                    Trigger(At("full", K)),
                    upper=Bound("n", 2),
                ),
            ),
        )
    ]
    for which in (0, 1):
        order = Order((Term("k", 2),), which)
        body = steps(
            Wait(At("turn", order)),
            Wait(At("full", order)),
            Read(Cell("b", order)),
            Trigger(At("empty", order)),
            Trigger(At("turn", order.shifted(1))),
        )
        first = (Trigger(At("turn", Order())),) if which == 0 else ()
        roles.append(Role(f"c{which}", (*first, body)))
    events = (Event("full", slots), Event("empty", slots, ready=True), Event("turn", 2))
    return Program(events, (Buffer("b", slots),), tuple(roles))


def exchange() -> Program:
    """A role that loads, then multiplies what another one made of its load."""
    sender = steps(
        Wait(At("a_empty", K)),
        Load(Cell("a", K), At("a_full", K)),
        Wait(At("b_full", K)),
        Multiply(STAGE),
        Commit(),
        Retire(0),
        Trigger(At("b_empty", K)),
    )
    maker = steps(
        Wait(At("b_empty", K)),
        Wait(At("a_full", K)),
        Move(Cell("a", K), STAGE),
        Trigger(At("b_full", K)),
        Trigger(At("a_empty", K)),
    )
    return Program(
        (
            Event("a_full", 1),
            Event("a_empty", 1, ready=True),
            Event("b_full", 1),
            Event("b_empty", 1, ready=True),
        ),
        (Buffer("a", 1), Buffer("b", 1)),
        (Role("r", (sender,)), Role("s", (maker,))),
    )


PROVED = {
    # The lower bound of a loop grows with n, and the prologue stops growing.
    "prefetching": prefetching(3, 2, 1),
    "prefetching one ahead": prefetching(1, 1, 0),
    "saturating": Program(
        (Event("full", 2),),
        (Buffer("b", 2),),
        (Role("r", (steps(load_at(K), *take(0), upper=Bound("n", at_most=1)),)),),
    ),
    # A ready event: the release of step k is of generation k / S + 1.
    "taking turns in a ring of one": taking_turns(1),
    "taking turns in a ring of three": taking_turns(3),
    "exchange": exchange(),
}


@pytest.mark.parametrize("name", PROVED)
def test_proved(name: str) -> None:
    program = PROVED[name]
    read = model_of(program)
    assert read is not None
    for model in (to_model(program), read):
        verdict = decide(model)
        assert isinstance(verdict, Proved)
        check(program, verdict)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", PROVED)
def test_runs_clean(name: str, policy: str) -> None:
    kernel = load(PROVED[name], "croq")
    for n in (0, 1, 2, 5):
        assert not faults_of(kernel, {"n": n, "t": 0}, policy)


@pytest.mark.parametrize("slots", [1, 2, 3])
def test_runs_clean_when_lowered(slots: int) -> None:
    kernel = load(taking_turns(slots), "nvvm")
    for policy in POLICIES:
        assert not faults_of(kernel, {"n": 4, "t": 0}, policy)


def test_warps_that_lag_behind_the_load() -> None:
    kernel = load(exchange(), "nvvm")
    assert not faults_of(kernel, {"n": 3, "t": 0}, "rr")


def test_a_stage_that_nobody_writes() -> None:
    program = Program((), (Buffer("b", 2),), (Role("r", (steps(Read(STAGE)),)),))
    assert explore(program, {"n": 1, "t": 0}) is not None
    verdict = decide(to_model(program))
    assert isinstance(verdict, Refuted)
    assert verdict.rule is Rule.READ_BEFORE_WRITE
    check(program, verdict)
