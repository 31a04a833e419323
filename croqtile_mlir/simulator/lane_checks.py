"""What single lanes do to memory: what they must know, and conflicts between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation

from croqtile_mlir.simulator.actors import Actor, Agent
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.granules import Granules, Where, each_of

if TYPE_CHECKING:
    from croqtile_mlir.simulator.memory import Memory


def known_to_lanes(
    memory: Memory,
    actor: Actor,
    where: Where,
    late: NDArray[np.bool_],
    write: bool,
    lanes: Granules | None,
) -> bool:
    """
    Whether writes, or reads, that the clock does not cover are known all the same: of
    single lanes to single lanes, which acquire what other ones release.
    """
    granules = each_of(where)
    if lanes is None or not isinstance(actor, Agent):
        return memory.lanes.known(actor.clock, granules[late], write)
    by = np.repeat(lanes, len(granules) // len(lanes))
    for lane in np.unique(by[late]).tolist():
        own = granules[late & (by == lane)]
        clock = actor.known_to(lane)
        unseen = memory.unseen(clock, own, write)
        if not memory.lanes.known(clock, own[unseen], write):
            return False
    return True


def note_lanes(
    memory: Memory,
    actor: Actor,
    op: Operation,
    where: Where,
    lanes: Granules,
    data: NDArray[np.uint8] | None = None,
) -> None:
    """Check accesses of single lanes of an agent; `data` is what they store."""
    if not isinstance(actor, Agent) or not len(lanes):
        return
    actor.touch(lanes.tolist())
    assert not isinstance(where, slice)
    if memory.strong:
        memory.strong.check_lanes(actor, op, where, lanes, data is not None)
    # A store is noted before it begins its epoch.
    epoch = actor.engine.history.last_epoch(actor.slot) + (data is not None)
    clash = memory.lanes.note(actor, where, lanes, memory.granule, data, epoch)
    if clash is None:
        return
    index, lane = clash
    who = f"lane {lane}" if lane >= 0 else "more than one lane"
    verb = "reads" if data is None else "writes"
    actor.engine.fault(
        FaultKind.RACE,
        op,
        f"{who} of {actor.name} {verb} {memory.place_of(where, index)}, not ordered "
        "after an access by another lane of it",
        hint="a barrier of the scope must come between",
    )
