"""
What the ops of a scope do where only barriers order its warps.

Each warp makes its part of an op. Two ops that give each element of a buffer to the
same thread don't conflict between warps: for each such division a region has a further
dim, in which the parts of different warps are apart.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.elected_roles import is_elected_only
from croqtile_mlir.analysis.global_meetings import division_in_global, is_tiled
from croqtile_mlir.analysis.products import instruction_of, target_around
from croqtile_mlir.analysis.scopes import (
    WARP_THREADS,
    WARPGROUP_THREADS,
    Scope,
    inner_threads,
    scope_of,
    scope_parallel,
)
from croqtile_mlir.analysis.shared_accesses import accesses_of
from croqtile_mlir.analysis.sync.model import (
    Action,
    Arrive,
    Branch,
    Constant,
    Interval,
    Join,
    Next,
    Region,
    Rendezvous,
    Start,
    Touch,
    Wait,
)
from croqtile_mlir.analysis.sync.not_modelled import NotModelled
from croqtile_mlir.analysis.sync.tiles.drafts import BranchDraft, DraftStatement
from croqtile_mlir.analysis.sync.tiles.mixed import Mbarriers, other_op
from croqtile_mlir.analysis.sync.tiles.ops import WGMMA, Body
from croqtile_mlir.analysis.sync.tiles.regions import tiles_of
from croqtile_mlir.analysis.sync.tiles.warp_values import WarpValues
from croqtile_mlir.dialects.croq import (
    AwaitOp,
    AwaitStoresOp,
    BarrierOp,
    CopyAsyncOp,
    CopyOp,
    ElementwiseOp,
    Engine,
    FillOp,
    Level,
    MmaExecOp,
    MmaStoreOp,
    ParallelOp,
    ReduceOp,
    RoleOp,
    Space,
    TriggerOp,
    WaitOp,
    WarpgroupBarrierOp,
    root_of,
    tile_type,
)
from croqtile_mlir.lowering.event_arrivals import Arrivers, arrivers_of, copies_of

_BY_THREADS = (Engine.Threads, Engine.CpAsync)

Divisions = dict[SSAValue, list[Hashable]]
"""For each buffer, the ways in which its elements are divided among threads."""


def warp_name(warp: int) -> str:
    """How messages call a warp."""
    return f"warp {warp}"


@dataclass
class WarpBody(Body):
    """Translates the ops of scopes for the warps of one warpgroup."""

    own: WarpValues = field(kw_only=True)
    group: int = field(kw_only=True)
    """The index of the warpgroup in the block."""

    divisions: Divisions = field(kw_only=True)
    mbarriers: Mbarriers = field(kw_only=True)

    def of_op(self, op: Operation) -> Sequence[DraftStatement]:
        match op:
            case WaitOp() if self._waits_alone(op):
                return self._elected(op, Wait(op, self.at(op), self.which(op)))
            case BarrierOp() if op.cluster is not None:
                return (self.meeting(op),)
            case BarrierOp():
                return (self._barrier_of(op, scope_of(op)),)
            case WarpgroupBarrierOp():
                name = f"barrier of warpgroup {self.group}"
                return (
                    Rendezvous(op, name, WARPGROUP_THREADS, frozenset(self._warps)),
                )
            case CopyOp():
                return self._copy(op)
            case CopyAsyncOp() if op.engine.data is Engine.Threads:
                return (Touch(op, self.accesses(op)),)
            case CopyAsyncOp() if op.engine.data is Engine.CpAsync:
                return self._by_cp_async(op)
            case CopyAsyncOp():
                return self._elected(op, *self.started(op))
            case AwaitOp():
                return self._await(op)
            case AwaitStoresOp():
                return self._elected(op, self.await_stores(op))
            case MmaExecOp() if instruction_of(op, target_around(op)) == "mma.sync":
                return super().of_op(op)
            case MmaExecOp():
                return (Start(op, self.accesses(op), queue=WGMMA, joint=self._warps),)
            case TriggerOp():
                return self._arrivals(op)
            case ParallelOp():
                return self._level(op)
            case scf.WhileOp():
                wait = self.mbarriers.wait(op, self.values)
                return super().of_op(op) if wait is None else (wait,)
            case _ if op.name.startswith(("nvvm.", "llvm.")):
                return other_op(op, self.mbarriers, self.values)
            case _:
                return super().of_op(op)

    @property
    def _warps(self) -> tuple[str, ...]:
        """The warps of the warpgroup."""
        first = self.group * WARPGROUP_THREADS // WARP_THREADS
        return tuple(warp_name(first + n) for n in range(4))

    def _waits_alone(self, op: WaitOp) -> bool:
        """Whether one thread of the scope waits for all, as `--lower-events` has it."""
        root = scope_of(op).root
        return isinstance(root, RoleOp) and is_elected_only(root)

    def _elected(self, op: Operation, *actions: Action) -> Sequence[DraftStatement]:
        return (Branch(self.own.leader(op), actions, (), op),)

    def meeting(self, op: BarrierOp) -> Rendezvous:
        """A barrier of all warps of the cluster."""
        warps = scope_of(op).num_warps
        names = frozenset(map(warp_name, range(warps)))
        return replace(super().meeting(op), members=names)

    def _barrier_of(self, op: Operation, scope: Scope) -> Rendezvous:
        root = scope.root
        name = "the block"
        if isinstance(root, RoleOp):
            name = f'role "{root.role_name.data}"'
        first, count = scope.first_thread // WARP_THREADS, scope.num_warps
        members = frozenset(warp_name(first + n) for n in range(count))
        return Rendezvous(op, f"barrier of {name}", scope.num_threads, members)

    def _copy(self, op: CopyOp) -> Sequence[DraftStatement]:
        touch = Touch(op, self.accesses(op))
        if op.engine.data is not Engine.Tma:
            return (touch,)
        if _is_load(op):
            raise NotModelled(
                op,
                "a TMA load is synchronous where barriers are explicit",
                "run --lower-futures first",
            )
        return self._elected(op, touch)

    def started(self, op: CopyAsyncOp) -> Sequence[Action]:
        if op.completes is None:
            return super().started(op)
        start = Start(
            op,
            self.accesses(op),
            completes=self.mbarriers.slot_of(op.completes, op, self.values),
            bytes=Constant(self.bytes(op)),
            future=op.future,
            ranks=self.receivers(op),
        )
        return (start,)

    def _by_cp_async(self, op: CopyAsyncOp) -> Sequence[Action]:
        """
        The part of a load that the warp makes; `bytes` are those of the part.

        Where it completes an mbarrier, bytes that it delivers hold the phase up, as its
        arrival does that comes later.
        """
        if op.completes is None:
            return super().started(op)
        at = self.mbarriers.slot_of(op.completes, op, self.values)
        size = Constant(self.bytes(op))
        expect = Arrive(op, at, Next(), 0, announced_bytes=size)
        start = Start(op, self.accesses(op), completes=at, bytes=size, future=op.future)
        return expect, start

    def bytes(self, copy: CopyAsyncOp) -> int:
        """Bytes of what a copy fills, of the warp's part of it if each has one."""
        whole = super().bytes(copy)
        if copy.engine.data is not Engine.CpAsync:
            return whole
        return max(1, whole // scope_of(copy).num_warps)

    def _await(self, op: AwaitOp) -> Sequence[DraftStatement]:
        copy = op.future.owner
        if isinstance(copy, CopyAsyncOp) and copy.engine.data is Engine.CpAsync:
            return (Join(op, op.future),)
        if not isinstance(copy, CopyAsyncOp) or _is_load(copy):
            raise NotModelled(
                op,
                "a copy is awaited where barriers are explicit",
                "run --lower-futures first",
            )
        return self._elected(op, Join(op, op.future, op.read is not None))

    def _arrivals(self, op: TriggerOp) -> Sequence[DraftStatement]:
        """The arrivals of the warp, as `--lower-events` makes them."""
        at, which = self.at(op), self.which(op)
        copies = copies_of(op)
        loads = [c for c in copies if c.engine.data is Engine.Tma]
        parts = [c for c in copies if c.engine.data is Engine.CpAsync]
        announced = Constant(sum(map(self.bytes_to_own, loads)))
        ranks = self.receivers(op)
        match arrivers_of(op):
            case Arrivers.Warps:
                return (Arrive(op, at, which, ranks=ranks),)
            case Arrivers.Threads:
                own = Constant(sum(map(self.bytes, parts)))
                arrive = Arrive(op, at, which, per_lane=True, announced_bytes=own)
                if not loads:
                    return (arrive,)
                expect = Arrive(op, at, which, 0, announced_bytes=announced)
                return (*self._elected(op, expect), arrive)
            case Arrivers.Elected:
                arrive = Arrive(op, at, which, announced_bytes=announced, ranks=ranks)
                return self._elected(op, arrive)

    def _level(self, op: ParallelOp) -> Sequence[DraftStatement]:
        inside = self.of_ops(op.body.block.ops)
        around = scope_parallel(op)
        threads = scope_of(op).num_threads
        if around is not None and around.level.data is not Level.Block:
            threads = inner_threads(around)
        taken = inner_threads(op)
        if taken >= threads or not inside:
            return inside
        some = self.own.make.apply("lt", self.own.within(op), Constant(taken))
        return (BranchDraft(op, some, op.body.block, None, self.own.make, inside),)

    def region(self, op: Operation, tile: SSAValue) -> Region | None:
        region = super().region(op, tile)
        divisions = self.divisions.get(root_of(tile))
        if region is None or not divisions or self.values.warp is None:
            return region
        own = division_of(op, tile)
        warp = self.values.warp
        here = Interval(warp, self.values.make.apply("add", warp, Constant(1)))
        parts = tuple(here if each == own else None for each in divisions)
        rank = len(tile_type(root_of(tile)).dims) - (region.buffer.slots > 1)
        box = region.box or (None,) * rank
        return replace(region, box=(*box, *parts))


def _is_load(op: CopyOp | CopyAsyncOp) -> bool:
    return tile_type(op.destination).memory_space is not Space.Global


def division_of(op: Operation, tile: SSAValue) -> Hashable | None:
    """
    How a cooperative op divides a tile among the threads; None when it doesn't.

    Where that is not known, the op divides the same way each time.
    """
    match op:
        case MmaStoreOp() | FillOp() | ElementwiseOp() | ReduceOp():
            pass
        case CopyOp() | CopyAsyncOp() if op.engine.data in _BY_THREADS:
            pass
        case _:
            return None
    if tile_type(tile).memory_space is not Space.Shared:
        written = any(touched is tile and write for touched, write in tiles_of(op))
        division = division_in_global(op, tile, written=written)
        # Tiles that are one of their tile's are apart, or at one place.
        return op if division is None or not is_tiled(tile) else (division, tile)
    shared = [
        touched
        for touched, _ in tiles_of(op)
        if tile_type(touched).memory_space is Space.Shared
    ]
    accesses = accesses_of(op)
    for touched, access in zip(shared, accesses, strict=True):
        if touched is tile:
            return op if access.mapping is None else access.mapping
    return None


def divisions_in(block: ParallelOp) -> Divisions:
    """The divisions of the buffers of a block."""
    found: Divisions = {}
    for op in block.walk():
        for tile, _ in tiles_of(op):
            division = division_of(op, tile)
            if division is not None:
                known = found.setdefault(root_of(tile), [])
                if division not in known:
                    known.append(division)
    return found
