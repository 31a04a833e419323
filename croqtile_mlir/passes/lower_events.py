"""
`--lower-events`: events become mbarriers in shared memory.

    croq.wait %full at %k         %p = croq.address %full[%slot] : !llvm.ptr<3>
                            ->    scf.while : () -> () {
                                    %done = nvvm.mbarrier.try_wait %p, %parity ..

`event_arrivals` says how many arrivals complete a generation, `event_positions` and
`event_phases` say which slot and parity an op means, `event_triggers` who arrives.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.elected_roles import is_elected_only
from croqtile_mlir.analysis.scopes import blocks_in, kernel_of
from croqtile_mlir.analysis.target import target_of
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import (
    AddressOp,
    AllocOp,
    BarrierOp,
    EventOp,
    Layout,
    ParallelOp,
    RoleOp,
    Space,
    TileType,
    TriggerOp,
    WaitOp,
    event_type,
)
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.lowering.cluster_reach import blocks_in_cluster
from croqtile_mlir.lowering.elected import elect_of, when_elected
from croqtile_mlir.lowering.event_arrivals import MAX_SLOTS, arrival_count, arrivers_of
from croqtile_mlir.lowering.event_phases import SlotWaits
from croqtile_mlir.lowering.event_positions import Positions
from croqtile_mlir.lowering.event_triggers import lower_trigger
from croqtile_mlir.lowering.one_lane import spin
from croqtile_mlir.lowering.rewriting import LocatedBuilder
from croqtile_mlir.targets.architecture import Architecture


@dataclass(frozen=True)
class _Ring:
    """The mbarriers of an event."""

    event: EventOp
    slots: int
    arrivals: int
    storage: SSAValue


def _slots(event: EventOp, block: ParallelOp) -> int:
    """The number of slots; a located error for an event in the wrong place."""
    if event.parent_op() is not block:
        fail(
            event,
            "must be in the body of level block, outside of roles and loops",
            notes=[(block, "the block is here")],
        )
    slots = event.slots
    params = kernel_of(event).param_values
    if params or isinstance(slots, str):
        listed = ", ".join(f"{name} = {value}" for name, value in params.items())
        fail(
            event,
            f"parameters of the kernel must be bound, got params({listed})",
            hint="run --bind-params first",
        )
    if slots > MAX_SLOTS:
        fail(event, f"must have at most {MAX_SLOTS} slots, got {slots}")
    return slots


@dataclass
class _Lowering:
    """The events of one block."""

    block: ParallelOp
    target: Architecture
    rings: dict[SSAValue, _Ring] = field(default_factory=dict[SSAValue, "_Ring"])
    positions: Positions = field(default_factory=Positions)
    leaders: dict[Operation, SSAValue] = field(
        default_factory=dict[Operation, SSAValue]
    )
    """The waits that only the elected thread makes: whether a thread is it."""

    def run(self) -> None:
        events = [op for op in self.block.walk() if isinstance(op, EventOp)]
        if not events:
            return
        for event in events:
            if event_type(event.event).is_of_grid:
                fail(
                    event,
                    "must be of a block, got an event of the grid",
                    hint="run --lower-grid-events first",
                )
        arrivers = {
            op: arrivers_of(op) for op in self.block.walk() if isinstance(op, TriggerOp)
        }
        self.allocate(events)
        roles = [op for op in self.block.body.block.ops if isinstance(op, RoleOp)]
        for role in roles:
            if is_elected_only(role):
                self.find_leaders(role)
        by_slot = SlotWaits(self.lower_wait)
        for scope in (self.block, *roles):
            by_slot.run(scope.body.block)
        for op in list(self.block.walk()):
            if isinstance(op, WaitOp):
                ring = self.ring_of(op)
                ready = ring.event.ready is not None
                slot = self.positions.slot(op, op.position, ring.slots)
                parity = self.positions.parity(op, op.position, ring.slots, ready)
                self.spin_in(op, slot, parity)
            elif isinstance(op, TriggerOp):
                storage = self.ring_of(op).storage
                arrivals = arrivers[op]
                lower_trigger(op, storage, self.positions, arrivals, self.target)
        for event in events:
            event.detach()
            event.erase()

    def allocate(self, events: list[EventOp]) -> None:
        """Storage of all events where the first of them is, and its initialisation."""
        first = events[0]
        for event in events:
            slots = _slots(event, self.block)
            if event.event.first_use is None:
                continue
            arrivals = arrival_count(event)
            kind = TileType([slots], i64, Space.Shared, Layout.RowMajor)
            builder = LocatedBuilder.before(first)
            builder.location = event.location
            storage = builder.insert(AllocOp(kind)).tile
            storage.name_hint = event.event.name_hint
            self.rings[event.event] = _Ring(event, slots, arrivals, storage)
        if not self.rings:
            return
        builder = LocatedBuilder.before(first)
        with builder.if_(elect_of(first)) as leader:
            for ring in self.rings.values():
                leader.location = ring.event.location
                count = leader.i32(ring.arrivals)
                for slot in range(ring.slots):
                    pointer = leader.insert(AddressOp(ring.storage, [slot])).pointer
                    leader.insert(nvvm.MbarrierInitOp(pointer, count))
        # No peer may arrive on an mbarrier that is not there yet.
        builder.insert(BarrierOp(cluster=blocks_in_cluster(self.block) > 1))

    def find_leaders(self, role: RoleOp) -> None:
        """Leave the waits of a role to its elected thread."""
        waits = [op for op in role.body.walk() if isinstance(op, WaitOp)]
        for wait in waits:
            self.leaders[wait] = elect_of(wait)

    def ring_of(self, op: WaitOp | TriggerOp) -> _Ring:
        """The mbarriers of the event of an op."""
        ring = self.rings.get(op.event)
        if op.position.every or op.position.column is not None:
            fail(
                op, "must name one slot by its number", hint="run --expand-events first"
            )
        if ring is None:
            fail(
                op,
                "event must be the result of croq.event, got a value that is carried "
                "by a loop or a condition",
            )
        return ring

    def lower_wait(self, wait: WaitOp, parity: SSAValue) -> None:
        """Replace a wait of the form `[slot]`, given its parity."""
        slots = self.ring_of(wait).slots
        self.spin_in(wait, self.positions.slot(wait, wait.position, slots), parity)

    def spin_in(self, wait: WaitOp, slot: Index, parity: SSAValue) -> None:
        """Replace a wait by a loop around the test of a phase, in who has to wait."""
        builder = LocatedBuilder.before(wait)
        storage = self.ring_of(wait).storage
        pointer = builder.insert(AddressOp(storage, [slot])).pointer
        loop = spin(builder, pointer, parity, self.target)
        if wait in self.leaders:
            with when_elected(wait, self.leaders.pop(wait)) as elected:
                elected.insert(loop)
        else:
            builder.insert(loop)
        wait.detach()
        wait.erase()


@dataclass(frozen=True)
class LowerEventsPass(ModulePass):
    """
    Turn events into mbarriers.

    Storage in shared memory, initialised by one thread with the arrivals that the
    triggers make; waits become loops around `try_wait`, or `test_wait` for a target
    without it, on the parity of the generation, in every thread, or in the elected one
    of a role in which it does everything; triggers become arrivals, and TMA loads get
    the mbarrier that they complete.
    """

    name = "lower-events"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for block in blocks_in(op):
            _Lowering(block, target).run()
