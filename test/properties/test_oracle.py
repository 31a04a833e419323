"""The oracle on programs whose faults are known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from properties.oracle import Hazard, TooLarge, explore
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

K = Order((Term("k"),))
S = 2


def at(event: str, order: Order = K, by_slot: bool = False) -> At:
    return At(event, order, by_slot)


def steps(*body: Statement, upper: Bound | None = None, lower: int = 0) -> Loop:
    return Loop("k", upper or Bound("n"), body, constant(lower))


def grant(number: int = S, event: str = "empty") -> Loop:
    return Loop("s", constant(number), (Trigger(at(event, Order((Term("s"),)))),))


STAGE = Cell("b", K)
WAIT_EMPTY, WAIT_FULL = Wait(at("empty")), Wait(at("full"))
LOAD = Load(STAGE, at("full"))
RELEASE = Trigger(at("empty", K.shifted(S)))
STAGE0 = Cell("b", Order())
LOAD0 = Load(STAGE0, At("full", Order()))


def turn(which: int) -> Loop:
    """Every other step of a ring."""
    order = Order((Term("k", 2),), which)
    body = (
        Wait(at("full", order)),
        Read(Cell("b", order)),
        Trigger(at("empty", order)),
    )
    return steps(*body)


def ring(
    producer: tuple[Statement, ...],
    *consumers: tuple[Statement, ...],
    ready: bool = False,
    stages: int = S,
) -> Program:
    """A ring of two stages between roles of given bodies."""
    return Program(
        (
            Event("full", S),
            Event("empty", S, arrivals=max(1, len(consumers)), ready=ready),
        ),
        (Buffer("b", stages),),
        tuple(
            Role(f"r{number}", body)
            for number, body in enumerate((producer, *consumers))
        ),
    )


PRODUCER = (steps(WAIT_EMPTY, LOAD),)
CONSUMER = (grant(), steps(WAIT_FULL, Read(STAGE), RELEASE))
MMA: tuple[Action, ...] = (WAIT_FULL, Multiply(STAGE), Commit())

GOOD: dict[str, Program] = {
    "ring": ring(PRODUCER, CONSUMER),
    "ready": ring(
        PRODUCER,
        (steps(WAIT_FULL, Read(STAGE), Trigger(at("empty"))),),
        ready=True,
    ),
    "threads": ring((steps(WAIT_EMPTY, Write(STAGE), Trigger(at("full"))),), CONSUMER),
    "by slot": ring(
        (steps(Wait(at("empty", K, True)), Load(STAGE, at("full", K, True))),),
        (
            grant(),
            steps(
                Wait(at("full", K, True)), Read(STAGE), Trigger(at("empty", K, True))
            ),
        ),
    ),
    "two consumers": ring(PRODUCER, CONSUMER, CONSUMER),
    "one wgmma in flight": ring(
        PRODUCER,
        (
            grant(S - 1),
            steps(*MMA, Retire(1), Trigger(at("empty", K.shifted(S - 1)))),
            Retire(0),
        ),
    ),
    "credits granted after the first wait": ring(
        (steps(LOAD, upper=constant(1)), steps(WAIT_EMPTY, LOAD, lower=1)),
        (
            Wait(at("full", Order())),
            Read(Cell("b", Order())),
            grant(),
            Trigger(at("empty", Order((), S))),
            steps(WAIT_FULL, Read(STAGE), RELEASE, lower=1),
        ),
    ),
    "two releases at a time": ring(
        (steps(WAIT_EMPTY, LOAD, upper=Bound("n", 2)),),
        (
            grant(),
            steps(
                *(Wait(at("full", Order((Term("k", 2),), d))) for d in (0, 1)),
                *(Read(Cell("b", Order((Term("k", 2),), d))) for d in (0, 1)),
                *(Trigger(at("empty", Order((Term("k", 2),), S + d))) for d in (0, 1)),
            ),
        ),
    ),
}

BAD: dict[str, tuple[Program, int, Hazard]] = {
    "no credits": (
        ring(PRODUCER, (steps(WAIT_FULL, Read(STAGE), RELEASE),)),
        1,
        Hazard.DEADLOCK,
    ),
    "one credit of two": (
        ring(PRODUCER, (grant(1), CONSUMER[1])),
        2,
        # The release of step 0 is of generation 1, while 0 was granted to slot 0 only.
        Hazard.DEADLOCK,
    ),
    "a credit too many": (
        ring(PRODUCER, (grant(S + 1), CONSUMER[1])),
        # The third completes generation 1 of slot 0; generation 0 may not be seen yet.
        1,
        Hazard.OVERRUN,
    ),
    "no wait for empty": (ring((steps(LOAD),), CONSUMER), 3, Hazard.WRITE_CONFLICT),
    "no wait for full": (
        ring(PRODUCER, (grant(), steps(Read(STAGE), RELEASE))),
        1,
        Hazard.UNWRITTEN,
    ),
    "released before the read": (
        ring(PRODUCER, (grant(), steps(WAIT_FULL, RELEASE, Read(STAGE)))),
        3,
        Hazard.READ_IN_FLIGHT,
    ),
    "wgmma in flight at the release": (
        ring(PRODUCER, (grant(), steps(*MMA, Retire(1), RELEASE), Retire(0))),
        3,
        Hazard.OVERWRITE,
    ),
    "wgmma not committed": (
        ring(
            PRODUCER, (grant(), steps(WAIT_FULL, Multiply(STAGE), Retire(0), RELEASE))
        ),
        1,
        Hazard.EXIT_IN_FLIGHT,
    ),
    "more in flight than stages": (
        ring(
            PRODUCER,
            (
                steps(*MMA, Retire(2), Trigger(at("empty", K))),
                Retire(0),
            ),
        ),
        1,
        Hazard.DEADLOCK,
    ),
    "one release for two consumers": (
        ring(PRODUCER, CONSUMER, (grant(), steps(WAIT_FULL, Read(STAGE)))),
        3,
        Hazard.DEADLOCK,
    ),
    "a load that nobody waits for": (
        ring(PRODUCER, (grant(), steps(*CONSUMER[1].body, upper=Bound("n", plus=-1)))),
        1,
        Hazard.EXIT_IN_FLIGHT,
    ),
    "a wait without a load": (
        ring(PRODUCER, (grant(), steps(*CONSUMER[1].body, upper=Bound("n", plus=1)))),
        0,
        Hazard.DEADLOCK,
    ),
    "buffer smaller than the events": (
        ring(PRODUCER, CONSUMER, stages=1),
        2,
        Hazard.WRITE_CONFLICT,
    ),
    "another stage": (
        ring(
            PRODUCER,
            (grant(), steps(WAIT_FULL, Read(Cell("b", K.shifted(1))), RELEASE)),
        ),
        1,
        Hazard.UNWRITTEN,
    ),
    "all releases before the third read": (
        ring(
            PRODUCER,
            (
                grant(),
                steps(WAIT_FULL, Read(STAGE), upper=Bound("n", at_most=S)),
                steps(RELEASE),
                steps(WAIT_FULL, Read(STAGE), lower=S),
            ),
        ),
        3,
        Hazard.OVERRUN,
    ),
    "two roles arrive for any generation": (
        Program(
            (Event("e", 1),),
            (),
            tuple(Role(name, (Trigger(at("e", Order(), True)),)) for name in "ab"),
        ),
        0,
        Hazard.AMBIGUOUS,
    ),
    "two writers": (
        Program((), (Buffer("b", 1),), tuple(Role(n, (Write(STAGE0),)) for n in "ab")),
        0,
        Hazard.WRITE_CONFLICT,
    ),
    "a reader and a writer": (
        Program(
            (),
            (Buffer("b", 1),),
            (Role("a", (Write(STAGE0), Write(STAGE0))), Role("b", (Read(STAGE0),))),
        ),
        0,
        Hazard.OVERWRITE,
    ),
    "read in flight": (
        ring((LOAD0, Read(STAGE0), Wait(at("full", Order())))),
        0,
        Hazard.READ_IN_FLIGHT,
    ),
    "two consumers take turns in a ring of one": (
        Program(
            (Event("full", 1), Event("empty", 1, ready=True)),
            (Buffer("b", 1),),
            (
                Role("p", (steps(*PRODUCER[0].body, upper=Bound("n", 2)),)),
                *(Role(f"c{which}", (turn(which),)) for which in (0, 1)),
            ),
        ),
        # Consumer 1 waits for generation 1, whose parity is that of nothing yet.
        1,
        Hazard.TOO_EARLY,
    ),
    "every other generation": (
        ring(
            (steps(LOAD),),
            (steps(Wait(at("full", Order((Term("k", 2 * S),))))),),
        ),
        2,
        Hazard.TOO_EARLY,
    ),
}


@pytest.mark.parametrize("name", GOOD)
def test_right_programs(name: str) -> None:
    for n in range(6):
        fault = explore(GOOD[name], {"n": n, "t": 0})
        assert fault is None, f"n = {n}: {fault}"


@pytest.mark.parametrize("name", BAD)
def test_wrong_programs(name: str) -> None:
    """The fault is found at the first count at which there is one, and not before."""
    program, first, hazard = BAD[name]
    for n in range(first):
        fault = explore(program, {"n": n, "t": 0})
        assert fault is None, f"n = {n}: {fault}"
    fault = explore(program, {"n": first, "t": 0})
    assert fault is not None
    assert fault.hazard is hazard, str(fault)


def test_tiles_carry_the_order_on() -> None:
    order = Order((Term("i", times_n=True), Term("k")))

    def tiled(body: tuple[Action, ...]) -> Loop:
        return Loop("i", Bound("t"), (Loop("k", Bound("n"), body),))

    def program(order: Order) -> Program:
        cell = Cell("b", order)
        return ring(
            (tiled((Wait(at("empty", order)), Load(cell, at("full", order)))),),
            (
                grant(),
                tiled(
                    (
                        Wait(at("full", order)),
                        Read(cell),
                        Trigger(at("empty", order.shifted(S))),
                    )
                ),
            ),
        )

    for n in range(4):
        for t in range(3):
            counts = {"n": n, "t": t}
            assert explore(program(order), counts) is None
            wrong = explore(program(K), counts)
            assert (wrong is not None) == (t > 1 and n > 0), counts
    assert program(order).counts == ("n", "t")


def test_the_trace_is_a_shortest_one() -> None:
    program, count, _ = BAD["released before the read"]
    fault = explore(program, {"n": count, "t": 0})
    assert fault is not None
    # Two credits; load 0, its landing, load 1, load 2, and a wait before each load; the
    # consumer's first wait and its release. Its read is the one that is refused.
    assert len(fault.trace) == 2 + 4 + 3 + 2, str(fault)


def test_a_limit() -> None:
    with pytest.raises(TooLarge):
        explore(GOOD["two consumers"], {"n": 5, "t": 0}, limit=10)


def test_a_ready_event_starts_complete() -> None:
    waiting = Role("a", (Wait(at("e", Order())),))
    for ready in (False, True):
        program = Program((Event("e", 1, ready=ready),), (), (waiting,))
        assert (explore(program, {"n": 0, "t": 0}) is None) is ready
        again = replace(waiting, body=(*waiting.body, Wait(at("e", Order((), 1)))))
        program = replace(program, roles=(again,))
        assert explore(program, {"n": 0, "t": 0}) is not None
