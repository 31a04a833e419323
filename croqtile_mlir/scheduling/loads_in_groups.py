"""
Loads that a loop starts before the iteration that reads them, in groups of its scope.

Iteration o over the life of the block fills slot `o mod S`. Each iteration closes one
group, which may be empty, so that as many groups may be in flight when any iteration
waits for its own. The barrier after that wait shows every thread what the others have
loaded, and says that all have read the slot that is filled next.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region, SSAValue

from croqtile_mlir.dialects.croq import (
    AwaitLoadsOp,
    BarrierOp,
    CommitLoadsOp,
    ForeachOp,
    YieldOp,
)
from croqtile_mlir.lowering.rewriting import LocatedBuilder
from croqtile_mlir.scheduling.counts import count_from_zero, running_count, trip_count
from croqtile_mlir.scheduling.in_flight import keep_one_in_flight
from croqtile_mlir.scheduling.loads_ahead import AheadLoads, places_of
from croqtile_mlir.scheduling.pipelined_loops import PipelinedLoop
from croqtile_mlir.scheduling.rings import add_stages


def load_in_groups(pipelined: PipelinedLoop, stages: int, *, in_flight: int) -> None:
    """
    Let a loop load `stages - 1 - in_flight` iterations ahead, in place.

    That is one iteration less than the slots: what one fills, the one before has read.
    """
    loop = count_from_zero(pipelined.loop)
    order = running_count(loop)
    slots = add_stages(pipelined, loop, order, stages)
    loads = AheadLoads(
        loads=pipelined.loads,
        places=places_of(pipelined.loads, loop),
        number=loop.induction,
        order=order,
        engines=tuple(load.engine.data for load in pipelined.loads),
        full=None,
    )
    ahead = stages - 1 - in_flight
    before = LocatedBuilder.before(loop)
    trips = trip_count(before, loop)
    body = Block(arg_types=[IndexType()])
    body.args[0].name_hint = loop.induction.name_hint
    inner = LocatedBuilder.at_end(body, before.location)
    _start_group(inner, loads, body.args[0], trips)
    inner.insert(YieldOp())
    before.insert(ForeachOp(ahead, Region(body)))

    head = LocatedBuilder.before(slots[0])
    head.insert(AwaitLoadsOp(ahead - 1))
    head.insert(BarrierOp())
    following = head.add(loop.induction, ahead)
    following.name_hint = "ahead"
    _start_group(head, loads, following, trips)
    # What comes after the loop may use the memory of the slots: all is over there.
    after = LocatedBuilder.after(keep_one_in_flight(loop) if in_flight else loop)
    after.insert(AwaitLoadsOp(0))
    after.insert(BarrierOp())
    loads.drop_loads()


def _start_group(
    builder: LocatedBuilder, loads: AheadLoads, number: SSAValue, trips: SSAValue | int
) -> None:
    """Start the loads of an iteration, if there is such a one, as a group."""
    with builder.if_(builder.cmp("ult", number, trips)) as inside:
        loads.start(inside, number)
    builder.insert(CommitLoadsOp())
