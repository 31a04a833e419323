"""Events at tile level: a counter of phases for each slot, waited for by number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from xdsl.ir import Operation

from croqtile_mlir.analysis.elected_roles import is_elected_only
from croqtile_mlir.analysis.scopes import Scope
from croqtile_mlir.diagnostics import CompileError, fail
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Engine, event_type
from croqtile_mlir.lowering.cluster_reach import reach_of
from croqtile_mlir.lowering.event_arrivals import MAX_SLOTS, arrival_count
from croqtile_mlir.simulator import grid_events
from croqtile_mlir.simulator.actors import Progress, Transfer
from croqtile_mlir.simulator.barriers import Mbarrier, PhaseWait
from croqtile_mlir.simulator.clocks import HOST
from croqtile_mlir.simulator.copies import arrival_after
from croqtile_mlir.simulator.engine import Engine as BlockEngine
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.in_flight import note_peer
from croqtile_mlir.simulator.program import Frame, Made, Maker, Suspending
from croqtile_mlir.simulator.tile_kernel import leads
from croqtile_mlir.simulator.tile_positions import event_of, places_of, slots_of
from croqtile_mlir.simulator.tile_steps import Steps, meet
from croqtile_mlir.simulator.tile_values import Flight


@dataclass(frozen=True, eq=False)
class Ring:
    """An event: the mbarriers that its slots will be."""

    op: croq.EventOp
    name: str
    slots: int
    arrivals: int

    def create(self, engine: BlockEngine) -> None:
        """Set up the slots of a block."""
        for slot in range(self.slots):
            barrier = Mbarrier(
                f"{self.name}[{slot}]{engine.suffix}",
                self.arrivals,
                self.op,
                created=(HOST, 0),
                home=engine,
            )
            if self.op.ready is not None:
                barrier.completed = 1
            engine.mbarriers[self.op, slot] = barrier


def rings_of(steps: Steps) -> list[Ring]:
    """The events of a kernel."""
    rings: list[Ring] = []
    for op in steps.kernel.op.walk():
        if isinstance(op, croq.EventOp) and not event_type(op.event).is_of_grid:
            name, slots = op.event.name_hint, slots_of(steps, op)
            if slots > MAX_SLOTS:
                fail(op, f"must have at most {MAX_SLOTS} slots, got {slots}")
            rings.append(
                Ring(
                    op,
                    f"%{name}" if name else f"event {len(rings)}",
                    slots,
                    _arrivals(steps, op),
                )
            )
    return rings


def _arrivals(steps: Steps, event: croq.EventOp) -> int:
    """
    The arrivals of a generation: what `--lower-events` counts.

    Where it refuses, because generations differ or engines are open, a generation is
    what one trigger completes: the run shows the rest.
    """
    try:
        return arrival_count(event)
    except CompileError:
        if event.arrivals is not None:
            return event.arrivals.data
    counts = [
        _whole(op, steps.kernel.scope(op))
        for op in (use.operation for use in event.event.uses)
        if isinstance(op, croq.TriggerOp)
    ]
    return max(counts, default=1)


def _engines(op: croq.TriggerOp) -> set[Engine]:
    engines: set[Engine] = set()
    for future in op.after:
        copy = future.owner
        if not isinstance(copy, croq.CopyAsyncOp):
            fail(op, "must come after results of croq.copy_async")
        engines.add(copy.engine.data)
    return engines


def _whole(op: croq.TriggerOp, scope: Scope) -> int:
    """The arrivals of all threads of a scope for a trigger, in all blocks."""
    blocks = reach_of(op).count
    if _is_elected(op, scope):
        return blocks
    return blocks * (scope.num_threads if _engines(op) else scope.num_warps)


def _is_elected(op: croq.TriggerOp, scope: Scope) -> bool:
    """Whether one thread arrives for the scope, as `event_arrivals` counts."""
    engines = _engines(op)
    if engines:
        return engines == {Engine.Tma}
    return isinstance(scope.root, croq.RoleOp) and is_elected_only(scope.root)


def make_wait(steps: Steps, op: croq.WaitOp, maker: Maker) -> Made:
    """
    Waits for a generation; `[slot]` is the next one for the agent.

    At warp grain, in a role in which one thread does everything, only its warp waits.
    """
    event, places = event_of(op), places_of(steps, op, maker)
    if event_type(op.event).is_of_grid:
        return grid_events.make_wait(steps, op, maker)
    scope = steps.kernel.scope(op)
    elected = (
        steps.kernel.warp_grain
        and isinstance(scope.root, croq.RoleOp)
        and is_elected_only(scope.root)
    )

    def resume(frame: Frame) -> Progress:
        agent = frame.agent
        if elected and not leads(agent, scope):
            return
        for place in places:
            slot, generation = place(frame)
            barrier = frame.block.engine.mbarriers[event, slot]
            if generation is None:
                key = ("waits", event, slot, agent)
                generation = frame.block.objects.get(key, 0)
                frame.block.objects[key] = generation + 1
            barrier.begin_exact(agent, op, generation)
            yield PhaseWait(barrier, agent, generation, op, exact=True)
            barrier.acquire(agent, op, generation)

    return Suspending(resume)


def make_trigger(steps: Steps, op: croq.TriggerOp, maker: Maker) -> Made:
    """
    Arrives, each agent for its threads, after the copies have landed.

    In all blocks that a multicast reaches. Of copies that are multicast, all blocks
    that send to each other announce what all of them send.
    """
    event, places = event_of(op), places_of(steps, op, maker)
    if event_type(op.event).is_of_grid:
        return grid_events.make_trigger(steps, op, maker)
    # Generation 0 of a ready event is there from the start: orders of triggers count
    # those after it.
    later = int(event.ready is not None)
    futures = maker.registers(op.after)
    scope = steps.kernel.scope(op)
    elected = _is_elected(op, scope)
    unit = 1 if _engines(op) else 32
    gathers = not steps.kernel.warp_grain and steps.kernel.is_shared(scope) and elected
    multicast = op.multicast_indices

    def arrive(frame: Frame) -> None:
        for place in places:
            arrive_at(frame, *place(frame))

    def arrive_at(frame: Frame, slot: int, generation: int | None) -> None:
        agent, block = frame.agent, frame.block
        barrier = block.engine.mbarriers[event, slot]
        leader = leads(agent, scope)
        announced = 0
        own: list[Transfer] = []
        for register in futures:
            flight: Flight = frame.values[register]
            if flight.writing is not None and _is_cp_async(flight.op):
                own.append(flight.writing)
                continue
            if not leader or flight.writing is None:
                continue
            if flight.parts:
                announced += flight.size * len(flight.parts)
                for part in flight.parts:
                    part.complete_on(part.block.engine.mbarriers[event, slot])
            elif flight.writing.landed:
                barrier.clock.join(flight.writing.clock)
            else:
                flight.completes = barrier
                announced += flight.size
        count = int(leader) if elected else agent.threads // unit
        if not count and not announced:
            return
        targets = block.cluster.along(block, multicast) if multicast else (block,)
        for target in targets:
            barrier = target.engine.mbarriers[event, slot]
            if generation is not None and generation + later != barrier.completed:
                _report_generation(frame, op, barrier, generation + later)
            if own:
                barrier.arrive(agent, op, 0, announced)
                run = arrival_after(op, barrier, own, count)
                agent.engine.launch([agent], op, run, track="cp.async")
            else:
                barrier.arrive(agent, op, count, announced)
            if target is not block:
                note_peer(target, agent, op, "an arrival")

    def resume(frame: Frame) -> Progress:
        # The arrival of one thread publishes what all of the scope did before.
        yield from meet(frame, op, scope)
        arrive(frame)

    return Suspending(resume) if gathers else arrive


def _is_cp_async(op: Operation) -> bool:
    """Whether each agent has a part of a copy in flight, and arrives after it."""
    return isinstance(op, croq.CopyAsyncOp) and op.engine.data is Engine.CpAsync


def _report_generation(
    frame: Frame, op: Operation, barrier: Mbarrier, generation: int
) -> None:
    late = generation < barrier.completed
    frame.block.engine.fault(
        FaultKind.PHASE_OVERRUN if late else FaultKind.AMBIGUOUS_ARRIVAL,
        op,
        f"{frame.agent.name} arrives for generation {generation} of {barrier.name} "
        f"while {barrier.completed} "
        f"{'is' if barrier.completed == 1 else 'are'} complete: the arrival counts in "
        f"generation {barrier.completed}",
        notes=[(barrier.op, "the event is here")],
    )


HANDLERS: dict[type[Any], Callable[[Steps, Any, Maker], Made]] = {
    croq.TriggerOp: make_trigger,
    croq.WaitOp: make_wait,
}
