"""
Loads that a loop starts before the iteration that reads them, by its own scope.

Order o is iteration o of the loop over the life of the block; its loads fill slot
`o mod S`, and generation `o div S` of that slot of `full` says that they have landed.
Nothing says that a slot has been read: who fills it has read it before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntAttr
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from croqtile_mlir.analysis.cp_async_rules import is_worth_cp_async, why_not_cp_async
from croqtile_mlir.analysis.products import target_around
from croqtile_mlir.analysis.scopes import block_of, block_threads
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    CopyOp,
    Engine,
    ForeachOp,
    Position,
    SlotOp,
    TriggerOp,
    WaitOp,
    YieldOp,
)
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values
from croqtile_mlir.scheduling.counts import count_from_zero, running_count, trip_count
from croqtile_mlir.scheduling.in_flight import keep_one_in_flight
from croqtile_mlir.scheduling.needed_ops import Needed
from croqtile_mlir.scheduling.pipelined_loops import (
    PipelinedLoop,
    is_by_threads,
)
from croqtile_mlir.scheduling.rings import add_stages, event_of


@dataclass(frozen=True)
class AheadLoads:
    """The loads of a loop, to be started for any iteration of it."""

    loads: tuple[CopyOp, ...]
    places: tuple[Operation, ...]
    """The ops of the body that say what is loaded, in order."""

    number: SSAValue
    """Of the iteration."""

    order: SSAValue
    engines: tuple[Engine, ...]
    full: SSAValue | None
    """The event that they complete on; None where groups complete them."""

    def start(self, builder: LocatedBuilder, number: SSAValue) -> None:
        """Start the loads of iteration `number`."""
        copied = {self.number: number}
        order = number
        if isinstance(self.order.owner, arith.AddiOp):
            order = builder.insert(self.order.owner.clone(copied)).result
            copied[self.order] = order
        slots: list[SSAValue] = []
        for load in self.loads:
            slot = builder.insert(SlotOp(_ring_of(load), Position(order))).result
            slot.name_hint = load.destination.name_hint
            slots.append(slot)
        for op in self.places:
            if op is not self.order.owner:
                builder.insert(op.clone(copied))
        futures: list[SSAValue] = []
        for load, slot, engine in zip(self.loads, slots, self.engines, strict=True):
            source = copied.get(load.source, load.source)
            copy = builder.insert(load.as_started(source, slot, engine))
            copy.attributes |= load.attributes
            copy.location = load.location
            futures.append(copy.future)
        if self.full is not None:
            builder.insert(TriggerOp(self.full, Position(order), futures))

    def drop_loads(self) -> None:
        """Drop the loads of the loop, and what only they needed."""
        for load in self.loads:
            replace_values(load, [])
        for op in reversed(self.places):
            if not any(result.uses for result in op.results):
                op.detach()
                op.erase()


def _ring_of(load: CopyOp) -> SSAValue:
    """The stages of which a load fills one."""
    slot = load.destination.owner
    if not isinstance(slot, SlotOp):
        raise TypeError("a load of a ring fills a slot")
    return slot.source


def load_ahead(pipelined: PipelinedLoop, stages: int, *, in_flight: int) -> None:
    """
    Let a loop load `stages - in_flight` iterations ahead, in place.

    With `in_flight` 1 the products of an iteration run on into the next, whose loads
    then fill the slot of the iteration before it.
    """
    loop = count_from_zero(pipelined.loop)
    order = running_count(loop)
    full = event_of(loop, "full", stages)
    engines = _engines(pipelined.loads)
    full.properties["arrivals"] = IntAttr(_arrivals(loop, engines))
    slots = add_stages(pipelined, loop, order, stages)
    loads = AheadLoads(
        loads=pipelined.loads,
        places=places_of(pipelined.loads, loop),
        number=loop.induction,
        order=order,
        engines=engines,
        full=full.event,
    )
    ahead = stages - in_flight
    before = LocatedBuilder.before(loop)
    trips = trip_count(before, loop)
    _start_first(loads, before, ahead, trips)
    LocatedBuilder.before(slots[0]).insert(WaitOp(full.event, Position(order)))
    if in_flight:
        keep_one_in_flight(loop)
    if not isinstance(trips, int) or trips > ahead:
        after = LocatedBuilder.after(pipelined.last_read)
        following = after.add(loop.induction, ahead)
        following.name_hint = "ahead"
        with after.if_(after.cmp("ult", following, trips)) as inner:
            loads.start(inner, following)
    loads.drop_loads()


def _start_first(
    loads: AheadLoads, before: LocatedBuilder, ahead: int, trips: SSAValue | int
) -> None:
    """Start the loads of the first iterations, before the loop."""
    number: SSAValue | int
    if isinstance(trips, int):
        number = min(ahead, trips)
    else:
        number = before.insert(arith.MinUIOp(before.index(ahead), trips)).result
        number.name_hint = "first"
    body = Block(arg_types=[IndexType()])
    body.args[0].name_hint = loads.number.name_hint
    inner = LocatedBuilder.at_end(body, before.location)
    loads.start(inner, body.args[0])
    inner.insert(YieldOp())
    before.insert(ForeachOp(number, Region(body)))


def _engines(loads: Sequence[CopyOp]) -> tuple[Engine, ...]:
    """
    The engines of loads, as far as is known before layouts are.

    They are no longer open: how many arrivals complete a generation rests on them.
    """
    return tuple(_engine(load) for load in loads)


def _engine(load: CopyOp) -> Engine:
    engine, target = load.engine.data, target_around(load)
    if engine is not Engine.Auto:
        return engine
    if target.has("tma"):
        return Engine.Threads if is_by_threads(load) else Engine.Tma
    by_cp_async = is_worth_cp_async(load) and why_not_cp_async(load, target) is None
    return Engine.CpAsync if by_cp_async else Engine.Threads


def _arrivals(loop: ForeachOp, engines: Sequence[Engine]) -> int:
    """How many arrivals the trigger after loads by some engines makes."""
    by_tma = all(engine is Engine.Tma for engine in engines)
    return 1 if by_tma else block_threads(block_of(loop))


def places_of(loads: Sequence[CopyOp], loop: ForeachOp) -> tuple[Operation, ...]:
    """What of a body computes what its loads load; it can do so for any iteration."""
    body = loop.body.block
    needed = Needed(
        body,
        [owner for load in loads if isinstance(owner := load.source.owner, Operation)],
    )
    notes = [(loads[0], "the load is here")]
    for op in needed.effects():
        fail(
            op,
            "must not be needed to find what is loaded ahead, which only arithmetic "
            "may be",
            notes=notes,
        )
    for op in body.ops:
        carried = [
            value
            for inner in (op.walk() if op in needed.ops else ())
            for value in inner.operands
            if isinstance(value, BlockArgument)
            and value.block is body
            and value.index > 0
        ]
        if carried:
            fail(
                op,
                "must not follow from what the loop carries to say what is loaded "
                "ahead",
                hint="compute it from the index of the loop",
                notes=notes,
            )
    return tuple(op for op in body.ops if op in needed.ops)
