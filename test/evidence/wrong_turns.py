"""Ways in which blocks that take turns by an event of the grid go wrong."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

RIGHT = (Path(__file__).parents[2] / "examples/running_sum.mlir").read_text()

_TRIGGER = "      croq.trigger %done at %c\n"
_WAIT = "      scf.if %follows {\n        croq.wait %done at %previous\n      }\n"
_SECTION = "      croq.parallel (%t) in (1) : thread {\n"


def _changed(*changes: tuple[str, str]) -> str:
    text = RIGHT
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


WRONG: Mapping[str, str] = {
    "triggered_before_the_store": _changed(
        (_TRIGGER, ""), (_SECTION, f"{_TRIGGER}{_SECTION}")
    ),
    "waits_after_the_load": _changed((_WAIT, ""), (_TRIGGER, f"{_WAIT}{_TRIGGER}")),
    "does_not_wait": _changed((_WAIT, "")),
    "waits_for_itself": _changed(("wait %done at %previous", "wait %done at %c")),
    "waits_for_the_one_before_last": _changed(
        (
            _WAIT,
            "      %two = arith.constant 2 : index\n"
            "      %early = arith.subi %c, %two : index\n"
            "      %late = arith.cmpi sgt, %c, %one : index\n"
            "      scf.if %late {\n        croq.wait %done at %early\n      }\n",
        )
    ),
    "second_does_not_wait": _changed(
        (
            _WAIT,
            "      %late = arith.cmpi sgt, %c, %one : index\n"
            f"{_WAIT.replace('%follows', '%late')}",
        )
    ),
    "triggers_the_next": _changed(("trigger %done at %c", "trigger %done at %c + 1")),
    "triggers_one_order": _changed(
        (_WAIT, _WAIT.replace("%previous", "%zero")),
        ("trigger %done at %c", "trigger %done at %zero"),
    ),
    "triggers_where_it_waited": _changed(
        (_TRIGGER, f"      scf.if %follows {{\n  {_TRIGGER}      }}\n")
    ),
    "two_arrivals": _changed(("arrivals 1", "arrivals 2")),
    "too_many_blocks": _changed(
        (
            "  croq.parallel (%b) in (%blocks)",
            "  %twice = arith.addi %blocks, %blocks : index\n"
            "  croq.parallel (%b) in (%twice)",
        )
    ),
    "turns_left_out": _changed(("step B {", "step 7 {")),
    "no_first_turn": _changed(
        (
            "    croq.foreach %c in %b to",
            "    %second = arith.constant 1 : index\n"
            "    %from = arith.addi %b, %second : index\n"
            "    croq.foreach %c in %from to",
        )
    ),
    "last_turn_of_each_block": _changed(
        (
            "    croq.foreach %c in %b to %chunks",
            "    %until = arith.subi %chunks, %b : index\n"
            "    croq.foreach %c in %b to %until",
        )
    ),
    "sum_read_outside": _changed(
        (
            "        scf.if %inside {\n          %mine",
            "        scf.if %inside {\n          %seen = croq.load %sums[0]\n"
            "          croq.store %seen, %y[%at]\n          %mine",
        )
    ),
}
"""The sum of all elements in front of each, as no kernel may compute it."""

STEPS = """
croq.kernel @steps dims(N) (%x: !croq.tile<[N]xi32, global>,
    %scratch: !croq.tile<[N]xi32, global>) {
  %blocks = croq.cdiv N, 64
  croq.parallel (%b) in (%blocks) : block {
    croq.foreach %step in 3 {
      croq.parallel (%t) in (64) : thread {
        %size = arith.constant 64 : index
        %first = arith.muli %b, %size : index
        %at = arith.addi %first, %t : index
        %v = croq.load %x[%at]
        croq.store %v, %scratch[%at]
      }
      croq.barrier grid
      croq.parallel (%u) in (64) : thread {
        %size_1 = arith.constant 64 : index
        %none = arith.constant 0 : index
        %first_1 = arith.muli %b, %size_1 : index
        %at_1 = arith.addi %first_1, %u : index
        %far = arith.addi %at_1, %size_1 : index
        %n = croq.dim N
        %inside = arith.cmpi ult, %far, %n : index
        %there = arith.select %inside, %far, %none : index
        %w = croq.load %scratch[%there]
        croq.store %w, %x[%at_1]
      }
      croq.barrier grid  // again
    }
  }
}
"""
"""Each block reads three times what others wrote before a barrier."""


def _stepped(old: str, new: str) -> str:
    assert STEPS.count(old) == 1, old
    return STEPS.replace(old, new)


WRONG_STEPS: Mapping[str, str] = {
    "no_first_barrier": _stepped("croq.barrier grid\n", "\n"),
    "no_second_barrier": _stepped("croq.barrier grid  // again", ""),
    "barrier_of_the_block": _stepped("croq.barrier grid\n", "croq.barrier\n"),
    "second_of_the_block": _stepped("croq.barrier grid  // again", "croq.barrier"),
    "not_all_come": _stepped(
        "croq.barrier grid  // again",
        "%one = arith.constant 1 : index\n"
        "%some = arith.cmpi ult, %b, %one : index\n"
        "scf.if %some {\ncroq.barrier grid\n}",
    ),
    "read_before_the_barrier": _stepped(
        "%v = croq.load %x[%at]", "%v = croq.load %scratch[%t]"
    ),
}

UNEQUAL = _stepped("croq.foreach %step in 3", "croq.foreach %step in %b to 3")
"""Blocks come to the barriers more or less often."""
