"""What `--verify-sync` says of copies by `cp.async`, at each level of the lowering."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from pipeline.lowering import parse, passes, printed, run

from croqtile_mlir.analysis.sync.verdicts import Proved, Refuted, Rule, Verdict
from croqtile_mlir.passes.verify_sync import verdicts

EXAMPLE = Path(__file__).parents[3] / "examples/matmul_1p1c_cp_async.mlir"


@cache
def lowered(until: str) -> str:
    """The example after a pass, not verified before."""
    names = [p for p in passes() if not p.startswith("verify-sync")]
    module = parse(EXAMPLE.read_text())
    run(module, ",".join(names[: names.index(until) + 1]))
    return printed(module)


def verdict(text: str) -> Verdict:
    (found,) = verdicts(parse(text))
    return found


@pytest.mark.parametrize(
    "until", ["select-engines", "insert-barriers", "lower-events", "unswitch-loops"]
)
def test_the_example_is_proved(until: str) -> None:
    assert isinstance(verdict(lowered(until)), Proved)


def without(text: str, op: str) -> str:
    """A text without the lines of an op."""
    assert op in text
    return "\n".join(line for line in text.splitlines() if op not in line)


@pytest.mark.parametrize("until", ["select-engines", "insert-barriers"])
def test_a_product_that_does_not_wait_is_refuted(until: str) -> None:
    found = verdict(without(lowered(until), "croq.wait %full"))
    assert isinstance(found, Refuted)


def test_a_missing_fence_is_refuted() -> None:
    found = verdict(without(lowered("unswitch-loops"), "nvvm.fence.proxy"))
    assert isinstance(found, Refuted)
    assert found.rule is Rule.MISSING_FENCE


def test_what_no_arrival_comes_after_is_refuted() -> None:
    text = without(lowered("unswitch-loops"), "nvvm.cp.async.mbarrier.arrive")
    assert isinstance(verdict(text), Refuted)


def test_an_arrival_too_many_is_refuted() -> None:
    text = lowered("unswitch-loops")
    line = next(
        each for each in text.splitlines() if "cp.async.mbarrier.arrive" in each
    )
    counted = line.replace(" : ", " {noinc = true} : ")
    found = verdict(text.replace(line, counted))
    assert isinstance(found, Refuted)
    assert found.rule is Rule.ARRIVAL_COUNT
