"""
`--lower-grid-events`: events of the grid become counts in global memory.

        croq.trigger %e at %k       croq.wait %e at %k
    ->  croq.barrier            ->  scf.if %leader {
        scf.if %leader {              repeat %now = croq.load %counts[%s] acquire, gpu
          croq.atomic add 1,            while %now < (%k div S + 1) * arrivals
            %counts[%s] release     }
        }                           croq.barrier

Each slot has a count of all arrivals of the launch, in memory that the launch provides.
A generation is complete when the count has come to its last arrival, so nothing has to
be reset between generations, and a wait for an old one is over. The leader's release
covers what its scope did before, by the barrier; its acquire holds for the scope by the
barrier after it.

The next launch finds zeros: each scope that uses such events counts itself when it
ends, and the last of all blocks puts all counts back. The kernel is cooperative where a
block waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr, i32
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator

from croqtile_mlir.analysis.grain import COOPERATIVE
from croqtile_mlir.analysis.scopes import kernel_of, scope_of
from croqtile_mlir.analysis.uniformity import require_whole_scope
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AtomicKind,
    AtomicOp,
    BarrierOp,
    EventOp,
    MemoryOrder,
    MemoryScope,
    ParallelOp,
    RoleOp,
    StoreOp,
    TriggerOp,
    WaitOp,
    event_type,
)
from croqtile_mlir.lowering.elected import elect_of
from croqtile_mlir.lowering.grid_counts import (
    BARRIER_COUNT,
    block_without_cluster,
    number_of_blocks,
    spin,
    workspace_of,
)
from croqtile_mlir.lowering.grid_event_uses import slots_of, users_of
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values

_ENDED = BARRIER_COUNT + 1
"""The element that scopes count in which have ended."""

_FIRST = _ENDED + 1
"""That of the first slot."""


@dataclass(frozen=True)
class LowerGridEventsPass(ModulePass):
    """Lower events of the grid to counts of arrivals in global memory."""

    name = "lower-grid-events"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        events: dict[ParallelOp, list[EventOp]] = {}
        for inner in op.walk():
            if isinstance(inner, EventOp) and event_type(inner.event).is_of_grid:
                events.setdefault(block_without_cluster(inner), []).append(inner)
        for block, of_block in events.items():
            _Lowering(block, of_block).run()


@dataclass
class _Lowering:
    """The events of the grid of one kernel."""

    block: ParallelOp
    events: list[EventOp]
    first: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """The element of the first slot of each event."""

    elements: int = _FIRST

    def run(self) -> None:
        ops: list[WaitOp | TriggerOp] = []
        for event in self.events:
            ops += users_of(self.block, event)
            self.first[event.event] = self.elements
            self.elements += slots_of(event)
        if ops:
            self.lower(ops)
        for event in self.events:
            event.detach()
            event.erase()

    def lower(self, ops: Sequence[WaitOp | TriggerOp]) -> None:
        """Replace what uses the events by accesses to the counts."""
        workspace = workspace_of(self.block, self.elements)
        scopes = list(dict.fromkeys(scope_of(op).root for op in ops))
        for op in ops:
            require_whole_scope(
                op, "do so outside of parallel levels and of conditions on the thread"
            )
            if isinstance(op, WaitOp):
                kernel_of(op).attributes[COOPERATIVE] = UnitAttr()
                self.lower_wait(op, workspace)
            else:
                self.lower_trigger(op, workspace)
            replace_values(op, ())
        for scope in scopes:
            self.end(scope, len(scopes), workspace)

    def arrivals(self, build: LocatedBuilder, event: EventOp) -> SSAValue:
        """How many complete a generation, as i32."""
        if event.arrivals is not None:
            return build.i32(event.arrivals.data)
        if event.from_blocks is not None:
            return build.cast(event.from_blocks, i32)
        return build.cast(number_of_blocks(build, self.block), i32)

    def place(
        self, build: LocatedBuilder, op: WaitOp | TriggerOp
    ) -> tuple[SSAValue, SSAValue]:
        """The element that counts for an op, and the order that it names."""
        position, slots = op.position, slots_of(_event_of(op))
        if isinstance(position.offset, str):
            fail(
                op,
                f"offset must be an integer, got {position.offset}",
                hint="run --bind-params first",
            )
        order = build.add(build.index_value(position.base), position.offset)
        slot = order if position.by_slot else build.urem(order, slots)
        return build.add(slot, self.first[op.event]), order

    def lower_wait(self, op: WaitOp, counts: SSAValue) -> None:
        """The leader of the scope reads the count until it is high enough."""
        event, leader = _event_of(op), elect_of(op)
        build = LocatedBuilder.before(op)
        at, order = self.place(build, op)
        complete = build.udiv(order, slots_of(event))
        if event.ready is None:
            complete = build.add(complete, 1)
        enough = build.mul(build.cast(complete, i32), self.arrivals(build, event))
        with build.if_(leader) as inside:
            inside.insert(spin(inside, counts, at, enough, flips=False))
        build.insert(BarrierOp())

    def lower_trigger(self, op: TriggerOp, counts: SSAValue) -> None:
        """The leader adds 1 after all of the scope have come to it."""
        leader = elect_of(op)
        build = LocatedBuilder.before(op)
        at, _ = self.place(build, op)
        build.insert(BarrierOp())
        with build.if_(leader) as inside:
            inside.insert(
                AtomicOp(
                    AtomicKind.Add,
                    inside.i32(1),
                    counts,
                    [at],
                    order=MemoryOrder.Release,
                    scope=MemoryScope.Gpu,
                )
            )

    def end(self, scope: Operation, scopes: int, counts: SSAValue) -> None:
        """A scope has ended: the last one of all blocks puts the counts back."""
        assert isinstance(scope, RoleOp | ParallelOp)
        body = scope.body.block
        last = body.last_op
        build = LocatedBuilder.at_end(body, scope.location)
        if last is not None and last.has_trait(IsTerminator):
            build = LocatedBuilder.before(last)
        leader = elect_of(body.first_op or scope)
        # The leader alone has touched the counts.
        with build.if_(leader) as inside:
            ended = AtomicOp(
                AtomicKind.Add,
                inside.i32(1),
                counts,
                [_ENDED],
                order=MemoryOrder.AcqRel,
                scope=MemoryScope.Gpu,
                result=True,
            )
            before = inside.insert(ended).results[0]
            all_scopes = inside.mul(number_of_blocks(inside, self.block), scopes)
            others = inside.sub(inside.cast(all_scopes, i32), 1)
            with inside.if_(inside.cmp("eq", before, others)) as at_last:
                with at_last.for_(_ENDED, self.elements) as (loop, element):
                    zero = loop.i32(0)
                    loop.insert(
                        StoreOp(
                            zero,
                            counts,
                            [element],
                            MemoryOrder.Relaxed,
                            MemoryScope.Gpu,
                        )
                    )


def _event_of(op: WaitOp | TriggerOp) -> EventOp:
    """The event of an op; `users_of` has seen that it is the result of one."""
    event = op.event.owner
    assert isinstance(event, EventOp)
    return event
