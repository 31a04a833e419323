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
