"""Tiles that are not all alike: a condition on the number of the tile."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.sync_programs import ProgramBuilder, add, apply

from croqtile_mlir.analysis.sync.execution.compiled import CompiledProgram
from croqtile_mlir.analysis.sync.execution.decision import decide
from croqtile_mlir.analysis.sync.execution.tile_periods import tile_period
from croqtile_mlir.analysis.sync.model import Expr, Program
from croqtile_mlir.analysis.sync.verdicts import Proved, Refuted

Condition = Callable[[Expr, Expr, Expr], Expr]
"""Of the tile, the number of steps of a tile, and the order of the last step."""


def persistent(condition: Condition, *, wrong: bool = True) -> Program:
    """
    A ring of three slots over the steps of all tiles. After tiles for which the
    condition holds the consumer gives a slot too many, or touches what only it uses.
    """
    p = ProgramBuilder()
    full, empty = p.barrier("full", 3), p.barrier("empty", 3, ready=True)
    stages, own = p.buffer("stages", 3), p.buffer("own")
    tiles, steps = p.count("T"), p.count("K")
    for name in ("producer", "consumer"):
        with (
            p.agent(name),
            p.carrying_loop("t", tiles, [0]) as (t, outer, next_tile, _),
        ):
            with p.carrying_loop("k", steps, [outer[0]]) as (_k, inner, after, last):
                order = inner[0]
                if name == "producer":
                    p.wait(empty, order)
                    p.write(stages, order)
                    p.arrive(full, order)
                else:
                    p.wait(full, order)
                    p.read(stages, order)
                    p.arrive(empty, add(order, 3))
                after.append(add(order, 1))
            if name == "consumer":
                with p.branch(condition(t, steps, last[0])):
                    if wrong:
                        p.arrive(empty, last[0])
                    else:
                        p.write(own)
            next_tile.append(last[0])
    return p.program()


def _both(a: Expr, b: Expr) -> Expr:
    return apply("and", a, b)


def _at(tile: Expr, number: int) -> Expr:
    return apply("eq", tile, number)


LATE: dict[str, tuple[Condition, int, int]] = {
    "every fourth": (
        lambda t, k, _: _both(_at(apply("mod", t, 4), 3), apply("ge", k, 12)),
        4,
        12,
    ),
    "bits": (
        lambda t, k, _: _both(_at(apply("and", t, 3), 3), apply("ge", k, 12)),
        4,
        12,
    ),
    "one tile": (lambda t, k, _: _both(_at(t, 3), apply("ge", k, 8)), 4, 8),
    "a later tile": (lambda t, k, _: _both(_at(t, 5), apply("ge", k, 7)), 6, 7),
}


@pytest.mark.parametrize("name", LATE)
def test_a_tile_that_goes_wrong_late(name: str) -> None:
    condition, tiles, steps = LATE[name]
    verdict = decide(persistent(condition))
    assert isinstance(verdict, Refuted)
    assert verdict.counts == {"T": tiles, "K": steps}


def test_every_other_tile_is_right() -> None:
    verdict = decide(
        persistent(lambda t, _k, _n: _at(apply("mod", t, 2), 1), wrong=False)
    )
    assert isinstance(verdict, Proved)


PERIODS: dict[str, tuple[Condition, int | None]] = {
    "none": (lambda t, k, _: apply("ge", k, 3), 1),
    "two": (lambda t, _k, _n: _at(apply("mod", apply("add", t, 1), 2), 1), 2),
    "bits": (lambda t, _k, _n: _at(apply("and", t, 3), 1), 4),
    "one tile": (lambda t, _k, _n: _at(t, 3), None),
    "a multiple": (lambda t, k, _: _at(apply("mod", apply("mul", t, k), 2), 1), None),
    "an order": (lambda t, k, last: _at(apply("mod", last, 2), 1), None),
    "too many": (lambda t, _k, _n: _at(apply("mod", t, 5), 1), None),
}


@pytest.mark.parametrize("name", PERIODS)
def test_tiles_that_are_alike(name: str) -> None:
    condition, period = PERIODS[name]
    compiled = CompiledProgram(persistent(condition))
    assert tile_period(compiled, compiled.counts[0]) == period
