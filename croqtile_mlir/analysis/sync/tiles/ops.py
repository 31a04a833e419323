"""What the ops of a scope do to synchronise, at tile level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.analysis.counted_loads import is_grouped
from croqtile_mlir.analysis.counted_stores import is_counted
from croqtile_mlir.analysis.flags import is_strong, waits_for_memory
from croqtile_mlir.analysis.scopes import block_of, block_threads
from croqtile_mlir.analysis.sync.model import (
    Access,
    Action,
    Arrive,
    Barrier,
    Commit,
    Constant,
    Expr,
    Generation,
    Join,
    Next,
    Proxy,
    Region,
    Rendezvous,
    SlotOf,
    Start,
    Touch,
    Wait,
    WaitGroup,
    Which,
)
from croqtile_mlir.analysis.sync.not_modelled import NotModelled
from croqtile_mlir.analysis.sync.tiles.drafts import BranchDraft, DraftStatement
from croqtile_mlir.analysis.sync.tiles.events import arrivals_at_once
from croqtile_mlir.analysis.sync.tiles.loops import (
    condition_of,
    is_hidden,
    loop_draft,
)
from croqtile_mlir.analysis.sync.tiles.regions import Regions, tiles_of
from croqtile_mlir.analysis.sync.tiles.values import Values
from croqtile_mlir.dialects.croq import (
    AtomicOp,
    AwaitLoadsOp,
    AwaitOp,
    AwaitStoresOp,
    BarrierOp,
    CommitLoadsOp,
    CopyAsyncOp,
    CopyOp,
    ElementwiseOp,
    Engine,
    EventOp,
    FillOp,
    ForeachOp,
    LoadOp,
    MmaCommitOp,
    MmaExecOp,
    MmaStoreOp,
    MmaWaitOp,
    ParallelOp,
    ReduceOp,
    RoleOp,
    SplitBarrierOp,
    StoreOp,
    TriggerOp,
    WaitOp,
    event_type,
    tile_type,
)
from croqtile_mlir.lowering.cluster_reach import reach_of
from croqtile_mlir.lowering.event_arrivals import copies_of

WGMMA = "wgmma"
STORES = "bulk"
LOADS = "loads"


@dataclass
class Body:
    """Translates the ops of scopes."""

    values: Values
    regions: Regions
    barriers: dict[SSAValue, Barrier]

    def of_ops(self, ops: Iterable[Operation]) -> list[DraftStatement]:
        """The statements that ops are, roles left out."""
        return [
            each for op in ops if not isinstance(op, RoleOp) for each in self.of_op(op)
        ]

    def of_op(self, op: Operation) -> Sequence[DraftStatement]:
        match op:
            case WaitOp() | TriggerOp() if event_type(op.event).is_of_grid:
                # `acquired.py` says what is left out by that.
                return ()
            case WaitOp():
                return (Wait(op, self.at(op), self.which(op)),)
            case TriggerOp():
                return (self.trigger(op),)
            case CopyAsyncOp():
                return self.started(op)
            case (
                AtomicOp()
                | CopyOp()
                | ElementwiseOp()
                | FillOp()
                | LoadOp()
                | MmaStoreOp()
                | ReduceOp()
                | StoreOp()
            ):
                accesses = self.accesses(op)
                return (Touch(op, accesses),) if accesses else ()
            case AwaitOp():
                return (Join(op, _started(op.future, op), op.read is not None),)
            case AwaitStoresOp():
                return (self.await_stores(op),)
            case CommitLoadsOp():
                return (Commit(op, LOADS),)
            case AwaitLoadsOp():
                return (WaitGroup(op, LOADS, op.in_flight.data),)
            case MmaExecOp():
                return (Start(op, self.accesses(op), queue=WGMMA),)
            case BarrierOp() if op.cluster is not None:
                return (self.meeting(op),)
            case MmaCommitOp():
                return (Commit(op, WGMMA),)
            case MmaWaitOp():
                return (WaitGroup(op, WGMMA, op.in_flight.data),)
            case ForeachOp() | scf.ForOp():
                return self.loop(op)
            case scf.IfOp():
                return self._if(op)
            case ParallelOp():
                return self.of_ops(op.body.block.ops)
            case SplitBarrierOp():
                raise NotModelled(
                    op,
                    "a named barrier at which some threads only arrive",
                    "it is followed at hardware level; events are at tile level",
                )
            case scf.WhileOp():
                if any(waits_for_memory(inner) for inner in op.walk()):
                    raise NotModelled(
                        op,
                        "a loop waits for a value in memory",
                        "waits for events and barriers are followed",
                    )
                if all(is_hidden(inner) for inner in op.walk()):
                    return self.inlined(op)
                raise NotModelled(op, "a loop with a condition")
            case _:
                return ()

    def loop(self, op: ForeachOp | scf.ForOp) -> Sequence[DraftStatement]:
        draft = loop_draft(op, self.values)
        if draft is None:
            return self.inlined(op)
        self.values.drafts[op] = draft
        block = op.body.block
        inside = self.of_ops(block.ops)
        if draft.guard is not None:
            make = self.values.make
            inside = [BranchDraft(op, draft.guard, block, None, make, inside)]
        draft.body.extend(inside)
        return (draft,)

    def _if(self, op: scf.IfOp) -> Sequence[DraftStatement]:
        condition = condition_of(op, self.values)
        if condition is None:
            return self.inlined(op)
        regions = [_only_block(region.blocks) for region in op.regions]
        then, other = regions[0], regions[1] if len(regions) > 1 else None
        if then is None:
            return ()
        draft = BranchDraft(op, condition, then, other, self.values.make)
        self.values.drafts[op] = draft
        draft.then.extend(self.of_ops(then.ops))
        if other is not None:
            draft.otherwise.extend(self.of_ops(other.ops))
        return (draft,)

    def inlined(self, op: Operation) -> list[DraftStatement]:
        """What is done any number of times, in any order."""
        return [
            each
            for region in op.regions
            for block in region.blocks
            for each in self.of_ops(block.ops)
        ]

    def at(self, op: WaitOp | TriggerOp) -> SlotOf:
        barrier = self.barrier(op)
        position = op.position
        order = self._order(op)
        if position.by_slot:
            return SlotOf(barrier, order)
        slots = Constant(barrier.slots)
        return SlotOf(barrier, self.values.make.apply("mod", order, slots))

    def _order(self, op: WaitOp | TriggerOp) -> Expr:
        position = op.position
        base = self.values.index(position.base, op)
        return self.values.make.apply(
            "add", base, self.values.index(position.offset, op)
        )

    def which(self, op: WaitOp | TriggerOp) -> Which:
        if op.position.by_slot:
            return Next()
        barrier = self.barrier(op)
        slots = Constant(barrier.slots)
        generation = self.values.make.apply("floordiv", self._order(op), slots)
        if barrier.ready and isinstance(op, TriggerOp):
            # Generation 0 is there from the start: orders of triggers count from 1.
            generation = self.values.make.apply("add", generation, Constant(1))
        return Generation(generation)

    def barrier(self, op: WaitOp | TriggerOp) -> Barrier:
        barrier = self.barriers.get(op.event)
        if barrier is None:
            raise NotModelled(op, "an event that is carried by a loop or a condition")
        if op.position.every or op.position.column is not None:
            raise NotModelled(op, "an array of events", "run --expand-events first")
        return barrier

    def trigger(self, op: TriggerOp) -> Arrive:
        barrier = self.barrier(op)
        event = barrier.place
        stated = isinstance(event, EventOp) and event.arrivals is not None
        total = sum(map(self.bytes_to_own, copies_of(op)))
        return Arrive(
            op,
            self.at(op),
            self.which(op),
            arrivals_at_once(op, stated),
            announced_bytes=Constant(total),
            ranks=self.receivers(op),
        )

    def receivers(self, op: TriggerOp | CopyAsyncOp) -> Expr | None:
        """The blocks of the cluster that an op reaches; None for its own only."""
        cluster = self.values.cluster
        if cluster is None or op.multicast is None:
            return None
        first = cluster.rank(op.multicast_indices)
        return self.values.make.apply("shl", Constant(reach_of(op).mask), first)

    def meeting(self, op: BarrierOp) -> Rendezvous:
        """A barrier of all blocks of the cluster."""
        cluster = self.values.cluster
        blocks = 1 if cluster is None else cluster.blocks
        threads = block_threads(block_of(op)) * blocks
        return Rendezvous(
            op, "of the cluster", threads, frozenset({"block"}), cluster=True
        )

    def started(self, op: CopyAsyncOp) -> Sequence[Action]:
        """What starts a copy; a store that is counted is a group of its own."""
        if is_counted(op):
            return Start(op, self.accesses(op), queue=STORES), Commit(op, STORES)
        if is_grouped(op):
            return (Start(op, self.accesses(op), queue=LOADS),)
        return (self.copy_async(op),)

    def await_stores(self, op: AwaitStoresOp) -> WaitGroup:
        return WaitGroup(op, STORES, op.in_flight.data, op.read is not None)

    def copy_async(self, op: CopyAsyncOp) -> Start:
        for use in op.future.uses:
            if isinstance(trigger := use.operation, TriggerOp):
                copies_of(trigger)
                return Start(
                    op,
                    self.accesses(op),
                    completes=self.at(trigger),
                    bytes=Constant(self.bytes(op)),
                    future=op.future,
                    ranks=self.receivers(op),
                )
        return Start(op, self.accesses(op), future=op.future)

    def bytes_to_own(self, copy: CopyAsyncOp) -> int:
        """What a copy and those of peers that are multicast send to one block."""
        return self.bytes(copy) * reach_of(copy).count

    def bytes(self, copy: CopyAsyncOp) -> int:
        """Bytes of the tile that a copy fills."""
        tile = tile_type(copy.destination)
        params = self.values.kernel.param_values
        dims = [params.get(d, -1) if isinstance(d, str) else d for d in tile.dims]
        if any(d < 1 for d in dims):
            # The source has the shape of the destination.
            source = tile_type(copy.source)
            dims = [d if isinstance(d, int) else 1 for d in source.dims]
        return abs(prod(dims)) * tile.element_bytes

    def accesses(self, op: Operation) -> tuple[Access, ...]:
        found: list[Access] = []
        for tile, write in tiles_of(op):
            region = self.region(op, tile)
            if region is not None:
                found.append(Access(region, write, _proxy(op, tile), is_strong(op)))
        return tuple(found)

    def region(self, op: Operation, tile: SSAValue) -> Region | None:
        if isinstance(op, LoadOp | StoreOp | AtomicOp):
            return self.regions.element(op)
        return self.regions.region(tile)


def _started(future: SSAValue, user: Operation) -> SSAValue:
    if not isinstance(future.owner, CopyAsyncOp):
        raise NotModelled(
            user,
            "a future that is carried by a loop or a condition",
            "await it in the block that starts the copy",
        )
    return future


def _proxy(op: Operation, tile: SSAValue) -> Proxy:
    """The path of an access to a tile."""
    match op:
        case CopyOp() | CopyAsyncOp():
            return Proxy.ASYNC if op.engine.data is Engine.Tma else Proxy.GENERIC
        case MmaExecOp():
            return Proxy.ASYNC
        case _:
            return Proxy.GENERIC


def _only_block(blocks: Iterable[Block]) -> Block | None:
    return next(iter(blocks), None)
