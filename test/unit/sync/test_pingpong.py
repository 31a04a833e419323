"""
Kernels whose consumers take tiles in turn: proved for all extents, by any trip count
that stands for a long one, and refuted where an edit makes them wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from croqtile_mlir.analysis.sync.verdicts import Proved, Refuted, Verdict
from croqtile_mlir.context import new_context
from croqtile_mlir.diagnostics import Diagnostics
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.kernels.schedule import Schedule
from croqtile_mlir.pass_manager.running import parse_passes, run_passes
from croqtile_mlir.passes.verify_sync import verdicts

EXAMPLES = Path(__file__).parents[3] / "examples"
EVENTS = 100_000
"""As the pipeline allows."""

LONG = {"M": 4096, "N": 4096, "K": 4096}
SCHEDULES = {
    "ping-pong": Schedule(bm=128, bn=128, stages=3, mode="pingpong", epilogue_cols=32),
    "five stages": Schedule(
        bm=128, bn=192, stages=5, mode="pingpong", epilogue_cols=64
    ),
    "split": Schedule(split=True),
    "clusters": Schedule(cluster=(2, 1)),
}


@cache
def scheduled(name: str, dims: tuple[tuple[str, int], ...]) -> str:
    """The text of a product before it is verified."""
    ctx = new_context(Diagnostics())
    text = (EXAMPLES / "matmul.mlir").read_text()
    module = parse_text(ctx, text, "matmul.mlir")
    bound = " ".join(f"{dim}={extent}" for dim, extent in dims)
    first = f"bind-dims{{{bound}}}," if dims else ""
    pipeline = f"{first}{SCHEDULES[name].pipeline},set-target,infer-layouts"
    run_passes(ctx, module, parse_passes(f"{pipeline},select-engines"))
    return str(module)


def verdict(text: str, events: int = EVENTS) -> Verdict:
    """What the verifier says of a kernel."""
    ctx = new_context(Diagnostics())
    (found,) = verdicts(parse_text(ctx, text, "scheduled.mlir"), events)
    return found


def _of(name: str, dims: Mapping[str, int]) -> str:
    return scheduled(name, tuple(dims.items()))


@pytest.mark.parametrize("name", SCHEDULES)
def test_proved_with_long_trip_counts(name: str) -> None:
    found = verdict(_of(name, LONG), 12_000)
    assert isinstance(found, Proved), found
    assert any(count.startswith("trips beyond") for count in found.largest)


@pytest.mark.parametrize("name", SCHEDULES)
def test_proved_for_all_extents(name: str) -> None:
    found = verdict(_of(name, {}))
    assert isinstance(found, Proved), found
    assert "ceil(K / 64)" in found.largest


def test_proved_with_few_steps() -> None:
    found = verdict(_of("ping-pong", {**LONG, "K": 320}))
    assert isinstance(found, Proved), found
    assert len(found.largest) == 1


EDITS = {
    "no first turn": (r"\n *croq\.trigger %turn at 0", ""),
    "no turn of the other": (r"\n *croq\.trigger %turn at %\w+ \+ 1", ""),
    "a turn too late": (r"(croq\.wait %turn at %\w+)", r"\1 + 1"),
    "a slot released twice": (
        r"(\n *croq\.trigger %empty at %order_1 \+ \d+)",
        r"\1\1",
    ),
    "a slot not released": (r"\n *croq\.trigger %empty at %order_2 \+ \d+", ""),
    "not waited for": (r"\n *croq\.wait %full at %order_2", ""),
    "filled when in use": (r"\n *croq\.wait %empty at %order\b", ""),
    "released before it is read": (
        r"in_flight 1\n( *%\w+ = arith)",
        r"in_flight 2\n\1",
    ),
    "one tile for both": (r"in 1 to (%\w+) step 2", r"in 0 to \1 step 2"),
    "a tile left out": (r"in 1 to (%\w+) step 2", r"in 3 to \1 step 2"),
}
"""Patterns and what is put in place of the first match."""


@pytest.mark.parametrize("dims", [LONG, {}], ids=["long", "all"])
@pytest.mark.parametrize("edit", EDITS)
def test_refuted(edit: str, dims: Mapping[str, int]) -> None:
    pattern, text = EDITS[edit]
    edited, number = re.subn(pattern, text, _of("ping-pong", dims), count=1)
    assert number == 1
    assert isinstance(verdict(edited), Refuted)


def test_steps_that_are_not_those_of_the_tile() -> None:
    """What is found for other trip counts is not said of this one."""
    text = _of("ping-pong", LONG)
    edited, number = re.subn(
        r"(%\w+) = arith\.constant 64 : index\n( *%base_1 =)",
        r"\1 = arith.constant 63 : index\n\2",
        text,
        count=1,
    )
    assert number == 1
    found = verdict(edited)
    assert isinstance(found, Refuted)
    assert not any(count.startswith("trips beyond") for count in found.counts)
