"""What `--verify-sync` says of loads in groups, at each level of the lowering."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from pipeline.lowering import parse, passes, printed, run

from croqtile_mlir.analysis.sync.verdicts import Proved, Refuted, Rule, Verdict
from croqtile_mlir.passes.verify_sync import verdicts

EXAMPLE = Path(__file__).parents[3] / "examples/matmul_ampere.mlir"
LEVELS = ["select-engines", "insert-barriers", "unswitch-loops"]


@cache
def lowered(until: str, target: str = "sm_80") -> str:
    """The example after a pass, not verified before."""
    names = [p for p in passes() if not p.startswith("verify-sync")]
    module = parse(EXAMPLE.read_text(), target)
    run(module, ",".join(names[: names.index(until) + 1]))
    return printed(module)


def verdict(text: str, target: str = "sm_80") -> Verdict:
    (found,) = verdicts(parse(text, target))
    return found


def changed(text: str, old: str, new: str, number: int = 0) -> str:
    """A text with one occurrence of something replaced."""
    parts = text.split(old)
    assert len(parts) > number + 1
    return old.join(parts[: number + 1]) + new + old.join(parts[number + 1 :])


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("until", LEVELS)
def test_the_example_is_proved(until: str, target: str) -> None:
    """For all trip counts, also those that fill no stage."""
    assert isinstance(verdict(lowered(until, target), target), Proved)


@pytest.mark.parametrize("until", LEVELS[:2])
def test_a_wait_for_too_few_groups_is_refuted(until: str) -> None:
    found = verdict(changed(lowered(until), "in_flight 2", "in_flight 3"))
    assert isinstance(found, Refuted)
    assert found.rule is Rule.READ_BEFORE_WRITE


def test_a_wait_for_too_few_groups_is_refuted_of_hardware() -> None:
    text = lowered("unswitch-loops")
    found = verdict(changed(text, "cp.async.wait.group 2", "cp.async.wait.group 3"))
    assert isinstance(found, Refuted)


@pytest.mark.parametrize("until", LEVELS[:2])
@pytest.mark.parametrize("number", [0, 1])
def test_a_group_that_stays_open_is_refuted(until: str, number: int) -> None:
    """Before the loop, or in it: the group that one waits for is another one."""
    found = verdict(changed(lowered(until), "croq.commit_loads", "", number))
    assert isinstance(found, Refuted)


@pytest.mark.parametrize("until", LEVELS[1:])
def test_a_barrier_that_is_missing_is_refuted(until: str) -> None:
    barrier = "croq.barrier" if until == "insert-barriers" else "nvvm.barrier"
    text = lowered(until)
    assert text.count(barrier) == 3
    assert isinstance(verdict(changed(text, barrier + "\n", "\n")), Refuted)


def test_loading_one_iteration_further_ahead_is_refuted() -> None:
    """The slot may still be read."""
    text = lowered("select-engines")
    found = verdict(changed(text, "constant 3 : index", "constant 4 : index"))
    assert isinstance(found, Refuted)


def test_loads_in_no_group_are_refuted() -> None:
    text = lowered("select-engines").replace("croq.commit_loads", "")
    found = verdict(text)
    assert isinstance(found, Refuted)
    assert found.rule is Rule.FUTURE
