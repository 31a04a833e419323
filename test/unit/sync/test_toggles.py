"""Bits that flip from period to period: the rules against what functions do."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from support.sync_programs import ProgramBuilder, apply

from croqtile_mlir.analysis.sync.execution.decision import decide
from croqtile_mlir.analysis.sync.execution.toggles import (
    Delta,
    Toggle,
    flips,
    toggle,
    toggled,
    words_of_bits,
)
from croqtile_mlir.analysis.sync.model import Expr, Program
from croqtile_mlir.analysis.sync.verdicts import Proved, Refuted

FUNCTIONS: dict[str, Callable[[int, int], int]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shr": lambda a, b: a >> b,
    "mod": lambda a, b: a % b,
}


def _after(number: int, change: Delta, periods: int) -> int:
    if isinstance(change, int):
        return number + periods * change
    return number ^ change.mask if periods & 1 else number


@pytest.mark.parametrize("function", FUNCTIONS)
def test_rules_hold_for_any_number_of_periods(function: str) -> None:
    random = Random(function)
    used = 0
    for _ in range(4000):
        a, b = random.randrange(1 << 7), random.randrange(1, 9)
        changes: list[Delta] = [
            toggle(random.randrange(1 << 4)),
            random.randrange(-9, 10),
            0,
        ]
        da, db = random.choice(changes), random.choice(changes)
        found = toggled(function, a, b, da, db)
        if found is None:
            continue
        used += isinstance(found, Toggle)
        apply_now = FUNCTIONS[function]
        for periods in range(6):
            x, y = _after(a, da, periods), _after(b, db, periods)
            if x < 0 or y < 0 or (y == 0 and function == "mod"):
                break
            assert apply_now(x, y) == _after(apply_now(a, b), found, periods)
    assert used > 10


@pytest.mark.parametrize("function", ["add", "sub", "mul", "floordiv", "eq", "lt"])
def test_bits_that_flip_are_nothing_to_add_or_compare(function: str) -> None:
    assert toggled(function, 5, 3, Toggle(1), 0) is None


def test_a_parity_flips_with_an_odd_number() -> None:
    assert [flips(change) for change in (3, -1, 2, 0, Toggle(5), Toggle(6))] == [
        1,
        1,
        0,
        0,
        1,
        0,
    ]


Parity = Callable[[Expr], Expr]


def _ring(producer: Parity, consumer: Parity) -> Program:
    """Three slots; the parities are functions of the step and the round."""
    p = ProgramBuilder()
    full, empty = p.barrier("full", 3), p.barrier("empty", 3, ready=False)
    stages = p.buffer("stages", 3)
    count = p.count("K")
    with p.agent("producer"), p.loop("k", count) as k:
        slot = apply("mod", k, 3)
        p.wait_parity(empty, slot, producer(k))
        p.write(stages, k)
        p.arrive_slot(full, slot)
    with p.agent("consumer"), p.loop("k", count) as k:
        slot = apply("mod", k, 3)
        p.wait_parity(full, slot, consumer(k))
        p.read(stages, k)
        p.arrive_slot(empty, slot)
    return p.program()


def _round(k: Expr) -> Expr:
    return apply("and", apply("floordiv", k, 3), 1)


def _other(k: Expr) -> Expr:
    return apply("xor", _round(k), 1)


def _until(step: int, one: Parity, two: Parity) -> Parity:
    def parity(k: Expr) -> Expr:
        return apply("select", apply("lt", k, step), one(k), two(k))

    return parity


def test_parities_repeat_with_the_slots() -> None:
    verdict = decide(_ring(_other, _round))
    assert isinstance(verdict, Proved)
    # Three steps are a period, where the parity is the same again after six.
    assert verdict.largest["K"] <= 9


@pytest.mark.parametrize("step", [7, 16, 23])
def test_a_parity_that_goes_wrong_late(step: int) -> None:
    verdict = decide(_ring(_until(step, _other, _round), _round))
    assert isinstance(verdict, Refuted)
    assert verdict.counts["K"] > step
    verdict = decide(_ring(_other, _until(step, _round, _other)))
    assert isinstance(verdict, Refuted)
    assert verdict.counts["K"] > step


def test_a_parity_that_stays() -> None:
    assert isinstance(decide(_ring(_other, lambda _: apply("and", 0, 1))), Refuted)


def _words(first: int, mask: Callable[[Expr], Expr]) -> Program:
    """The phase bits of the slots in a word that each of two loops carries."""
    p = ProgramBuilder()
    full, empty = p.barrier("full", 3), p.barrier("empty", 3)
    stages = p.buffer("stages", 3)
    count = p.count("K")
    ends = (("producer", empty, full, first), ("consumer", full, empty, 0))
    for name, waited, signalled, word in ends:
        with (
            p.agent(name),
            p.carrying_loop("k", count, [word]) as (k, carried, after, _),
        ):
            slot = apply("mod", k, 3)
            bit = apply("and", apply("shr", carried[0], slot, bits=32), 1)
            p.wait_parity(waited, slot, bit)
            if name == "producer":
                p.write(stages, k)
            else:
                p.read(stages, k)
            p.arrive_slot(signalled, slot)
            after.append(apply("xor", carried[0], mask(k), bits=32))
    return p.program()


def _bit(k: Expr) -> Expr:
    return apply("shl", 1, apply("mod", k, 3), bits=32)


def test_words_of_phase_bits_repeat_with_the_slots() -> None:
    verdict = decide(_words(7, _bit))
    assert isinstance(verdict, Proved)
    assert verdict.largest["K"] <= 9


@pytest.mark.parametrize("step", [8, 19])
def test_a_word_that_goes_wrong_late(step: int) -> None:
    def mask(k: Expr) -> Expr:
        return apply("select", apply("eq", k, step), 0, _bit(k))

    verdict = decide(_words(7, mask))
    assert isinstance(verdict, Refuted)
    assert verdict.counts["K"] > step


def test_a_word_with_a_wrong_bit_at_first() -> None:
    assert isinstance(decide(_words(5, _bit)), Refuted)


def test_copies_of_words_are_words() -> None:
    program = _words(7, _bit)
    names = sorted(variable.name for variable in words_of_bits(program))
    assert names == ["k.carried0", "k.carried0", "k.result0", "k.result0"]
