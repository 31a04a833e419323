"""What is wrong between the blocks of a cluster, in words."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from croqtile_mlir.analysis.sync.execution.repeating import Again, goes_well
from croqtile_mlir.analysis.sync.execution.slots import arrivals
from croqtile_mlir.analysis.sync.execution.state import AgentState, Execution, Repair
from croqtile_mlir.analysis.sync.execution.violations import Violation
from croqtile_mlir.analysis.sync.model import Barrier, Start
from croqtile_mlir.analysis.sync.verdicts import Rule

_EACH = "let it arrive in each block that waits for it: croq.trigger .. multicast"


def siblings(run: Execution, barrier: Barrier) -> list[Barrier]:
    """The barriers that are this one in other blocks of the cluster, and itself."""
    if run.program.blocks == 1:
        return [barrier]
    return [b for b in run.program.barriers if b.place is barrier.place]


def partly_given(
    run: Execution,
    chosen: Violation,
    agent: AgentState,
    keys: Collection[tuple[Barrier, int]],
    again: Again,
) -> Violation | None:
    """
    A credit that some blocks of the cluster give, and others do not.

    `keys`: the slots of which generation 0 is not complete.
    """
    slot = None if agent.blocked is None else agent.blocked.slot
    if run.program.blocks == 1 or agent.blocked is None or slot is None:
        return None
    given = {
        key: key[0].arrivals - (run.slots[key].arrived if key in run.slots else 0)
        for key in keys
    }
    if not goes_well(again, Repair(given=given)):
        return None
    barrier, place = slot.barrier, agent.blocked.action.place
    return replace(
        chosen,
        rule=Rule.MISSING_CREDIT,
        place=place,
        message=f"generation 0 of {slot.name} takes {arrivals(slot.arrivals)} before "
        f"{agent.name} waits for it, one of each block that reads the slot, got "
        f"{slot.arrived}",
        notes=(
            *((a.action.place, "this has arrived") for a in slot.current),
            (barrier.place, f"{barrier.name} is declared here"),
            *(n for n in chosen.notes if n[0] is not place),
        ),
        hint=_EACH,
    )


def hint_of_peers(run: Execution, chosen: Violation) -> str | None:
    """What helps where a block waits for another, or writes what another reads."""
    if run.program.blocks == 1:
        return None
    match chosen.rule:
        case Rule.DEADLOCK | Rule.LOST_ARRIVAL | Rule.ARRIVAL_COUNT:
            return _EACH if _lacks_arrivals(run) else None
        case Rule.BYTE_COUNT:
            return (
                "let all blocks of the cluster execute the trigger after a multicast "
                "copy, and the copy, equally often"
            )
        case Rule.OVERWRITE if _between_blocks(run, chosen):
            return (
                "release the slot to every block that writes it: "
                "croq.trigger .. multicast"
            )
        case _:
            return None


def _lacks_arrivals(run: Execution) -> bool:
    """Whether a generation that is waited for got some arrivals, not those of all."""
    slots = [agent.blocked.slot for agent in run.stuck if agent.blocked is not None]
    return any(s is not None and 0 < s.arrived < s.arrivals for s in slots)


def _between_blocks(run: Execution, chosen: Violation) -> bool:
    """Whether one of two accesses is a copy to the shared memory of a peer."""
    ranks = {agent.name: agent.agent.rank for agent in run.agents}
    for number in (chosen.first, chosen.last):
        event = None if number is None else run.graph.events[number]
        if event is not None and isinstance(event.action, Start):
            touched = [a.region.buffer for a in event.action.accesses]
            if any(b.shared and b.rank != ranks.get(event.agent) for b in touched):
                return True
    return False
