"""What the verifier cannot tell, it says, with the reason."""

from __future__ import annotations

from support.sync_programs import ProgramBuilder, add, apply, interval, text_of

from croqtile_mlir.analysis.sync.execution.decision import decide
from croqtile_mlir.analysis.sync.model import Program
from croqtile_mlir.analysis.sync.verdicts import Refuted, Rule, Undecided


def _undecided(program: Program) -> Undecided:
    verdict = decide(program)
    assert isinstance(verdict, Undecided), verdict
    return verdict


def test_a_slot_that_is_not_known() -> None:
    p = ProgramBuilder()
    event, slot = p.barrier("e", 2), p.unknown("loaded from memory")
    with p.agent("a"):
        p.arrive_slot(event, slot)
    verdict = _undecided(p.program())
    assert "loaded from memory" in verdict.reason
    assert text_of(verdict.place) == "loaded from memory"


def test_a_slot_that_is_not_there() -> None:
    p = ProgramBuilder()
    event = p.barrier("e", 2)
    with p.agent("a"), p.loop("k", 3) as k:
        p.arrive_slot(event, k)
    assert "slot 2 of %e, which has 2" in _undecided(p.program()).reason


def test_a_race_only_if_addresses_meet() -> None:
    p = ProgramBuilder()
    x, where = p.buffer("x"), p.unknown()
    with p.agent("a"):
        p.write(x, None, (interval(where, add(where, 4)),))
    with p.agent("b"):
        p.write(x, None, (interval(0, 4),))
    assert "write conflict" in _undecided(p.program()).reason


def test_a_slot_that_is_no_function_of_the_right_kind() -> None:
    """The square of the counter, modulo the slots."""
    p = ProgramBuilder()
    event = p.barrier("e", 3)
    with p.agent("a"), p.loop("k", p.count("K")) as k:
        order = apply("mul", k, k)
        p.arrive_slot(event, apply("mod", order, 3))
    verdict = _undecided(p.program())
    assert "'mul' of numbers that grow" in verdict.reason
    assert text_of(verdict.place) == "arrive %e"


def test_too_many_open_conditions() -> None:
    p = ProgramBuilder()
    event = p.barrier("e")
    with p.agent("a"), p.loop("i", 9) as i:
        with p.branch(apply("lt", p.any_number("x"), i)):
            p.arrive_slot(event, 0)
    assert "too many conditions" in _undecided(p.program()).reason


def test_an_open_condition_that_matters_is_refuted() -> None:
    p = ProgramBuilder()
    event = p.barrier("e")
    with p.agent("a"), p.branch(p.unknown()):
        p.arrive(event, 0)
    with p.agent("b"):
        p.wait(event, 0)
    verdict = decide(p.program())
    assert isinstance(verdict, Refuted)
    assert verdict.rule is Rule.LOST_ARRIVAL


def test_a_loop_that_is_too_long() -> None:
    p = ProgramBuilder()
    event = p.barrier("e")
    with p.agent("a"), p.loop("i", 1 << 20) as i:
        p.arrive(event, i)
        p.wait(event, i)
    assert "more than" in _undecided(p.program()).reason
