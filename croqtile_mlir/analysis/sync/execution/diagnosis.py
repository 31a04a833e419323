"""
From the violations of one execution to the one that is reported.

An execution that goes wrong mostly breaks several rules. To name the cause and not a
consequence, the execution is repeated with a barrier changed: when it goes well with
other arrivals, or with generations given from the start, that is what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from croqtile_mlir.analysis.sync.execution.circuits import circuit_lines
from croqtile_mlir.analysis.sync.execution.cluster_diagnosis import (
    hint_of_peers,
    partly_given,
    siblings,
)
from croqtile_mlir.analysis.sync.execution.repeating import Again, goes_well
from croqtile_mlir.analysis.sync.execution.slots import SlotState, arrivals
from croqtile_mlir.analysis.sync.execution.state import Execution, Repair
from croqtile_mlir.analysis.sync.execution.traces import trace_of
from croqtile_mlir.analysis.sync.execution.violations import Violation
from croqtile_mlir.analysis.sync.model import Parity, Wait
from croqtile_mlir.analysis.sync.verdicts import Refuted, Rule, Step

RANK = (
    Rule.BARRIER_PARTICIPATION,
    Rule.BYTE_COUNT,
    Rule.ARRIVAL_COUNT,
    Rule.FUTURE,
    Rule.ACCUMULATOR,
    Rule.READ_BEFORE_WRITE,
    Rule.OVERWRITE,
    Rule.MISSING_FENCE,
    Rule.WRITE_CONFLICT,
    Rule.PHASE_OVERRUN,
    Rule.AMBIGUOUS_ARRIVAL,
)
"""Causes before consequences; what is not in it comes last."""


def _rank(violation: Violation) -> int:
    rule = violation.rule
    return RANK.index(rule) if rule in RANK else len(RANK)


def diagnose(run: Execution, found: list[Violation], again: Again) -> Violation:
    """The violation to report."""
    chosen = _cause(run, found, again)
    hint = hint_of_peers(run, chosen)
    return chosen if hint is None else replace(chosen, hint=hint)


def _cause(run: Execution, found: list[Violation], again: Again) -> Violation:
    chosen = min(found, key=_rank)
    if chosen.rule is Rule.DEADLOCK:
        chosen = _credit(run, chosen, again) or chosen
    if chosen.rule is Rule.DEADLOCK:
        chosen = replace(chosen, stuck=(*chosen.stuck, *circuit_lines(again(Repair()))))
    slots = [
        slot
        for slot in run.slots.values()
        if any(v.barrier is slot.barrier and v.slot == slot.slot for v in found)
    ]
    for slot in slots:
        better = _other_bytes(slot, found) or _other_arrivals(run, slot, found, again)
        if better is not None:
            return better
    return chosen


def _credit(run: Execution, chosen: Violation, again: Again) -> Violation | None:
    """A missing credit: all goes well when the first generations are given."""
    for agent in run.stuck:
        blocked = agent.blocked
        slot = None if blocked is None else blocked.slot
        if blocked is None or slot is None or slot.completed > 0:
            continue
        if blocked.generation != 0:
            continue
        barrier = slot.barrier
        keys = {
            (each, number)
            for each in siblings(run, barrier)
            for number in range(barrier.slots)
            if (each, number) not in run.slots or run.slots[each, number].completed == 0
        }
        if slot.arrived > 0:
            if (found := partly_given(run, chosen, agent, keys, again)) is not None:
                return found
            continue
        if not goes_well(again, Repair(frozenset(keys))):
            continue
        missing = [number for each, number in keys if each is barrier]
        slots = "slot" if barrier.slots == 1 else f"all {barrier.slots} slots"
        given = barrier.slots - len(missing)
        ready = "declare the event ready"
        if isinstance(blocked.action, Wait) and isinstance(
            blocked.action.which, Parity
        ):
            ready = "begin with the other parity"
        got = f"got {given} of {barrier.slots} slots given"
        return replace(
            chosen,
            rule=Rule.MISSING_CREDIT,
            place=blocked.action.place,
            message=f"generation 0 of {slot.name} must be given before "
            f"{agent.name} waits for it, {got}: nobody arrives on it before",
            notes=(
                (barrier.place, f"{barrier.name} is declared here"),
                *(n for n in chosen.notes if n[0] is not blocked.action.place),
            ),
            hint=f"trigger {barrier.name} on {slots} before the loop, or {ready}",
        )
    return None


def _other_bytes(slot: SlotState, found: list[Violation]) -> Violation | None:
    """Bytes that do not balance, where that shows as an ambiguous delivery."""
    if slot.total_announced == slot.total_delivered or slot.total_announced == 0:
        return None
    shown = [v for v in found if v.barrier is slot.barrier and v.slot == slot.slot]
    first = min(shown, key=_rank)
    if first.rule is Rule.BYTE_COUNT:
        return first
    return replace(
        first,
        rule=Rule.BYTE_COUNT,
        message=f"{slot.total_announced} bytes are announced on {slot.name}, got "
        f"{slot.total_delivered} bytes delivered",
        hint="announce the bytes that the copies deliver",
    )


def _other_arrivals(
    run: Execution, slot: SlotState, found: list[Violation], again: Again
) -> Violation | None:
    """Arrivals that are more or fewer than a generation takes."""
    barrier = slot.barrier
    shown = [v for v in found if v.barrier is barrier and v.slot == slot.slot]
    first = min(shown, key=_rank)
    candidates = {slot.arrived, slot.total_arrived}
    for generation in slot.previous.values():
        candidates.add(sum(a.number for a in generation) + slot.arrived)
    for number in sorted(candidates):
        if number < 1 or number == barrier.arrivals:
            continue
        repair = Repair(arrivals=dict.fromkeys(siblings(run, barrier), number))
        if goes_well(again, repair):
            return replace(
                first,
                rule=Rule.ARRIVAL_COUNT,
                message=f"{slot.name} takes {arrivals(barrier.arrivals)} for a "
                f"generation, got {number}",
                notes=(
                    (barrier.place, f"{barrier.name} is declared here"),
                    *first.notes,
                ),
                hint=None,
            )
    return None


def refuted(run: Execution, violation: Violation, counts: Mapping[str, int]) -> Refuted:
    """The verdict on a violation."""
    notes = dict.fromkeys(n for n in violation.notes if n[0] is not violation.place)
    steps = trace_of(run, violation)
    steps += tuple(
        Step(agent.name, agent.blocked.action, f"waits for {agent.blocked.needs()}")
        for agent in run.stuck
        if agent.blocked is not None and violation.stuck
    )
    message = f"{violation.rule}: {violation.message}"
    if violation.stuck:
        message += "".join(f"\n  {line}" for line in violation.stuck)
    return Refuted(
        violation.rule,
        violation.place,
        message,
        tuple(notes),
        violation.hint,
        dict(counts),
        steps,
    )
