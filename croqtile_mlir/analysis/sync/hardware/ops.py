"""Which event an op of hardware level is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod

from xdsl.dialects import scf
from xdsl.ir import Attribute, Operation, SSAValue

from croqtile_mlir.analysis.flags import waits_for_memory
from croqtile_mlir.analysis.sync.hardware.clusters import is_of_peer, meeting
from croqtile_mlir.analysis.sync.hardware.events import Event, If, Kind, Step
from croqtile_mlir.analysis.sync.hardware.values import (
    SHARED_SPACES,
    Values,
    element_bytes,
    space,
)
from croqtile_mlir.analysis.sync.model import Constant, Expr, Unknown
from croqtile_mlir.analysis.sync.not_modelled import NotModelled
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.llvm_ext import (
    AddrSpaceCastOp,
    AtomicCmpXchgOp,
    AtomicRMWOp,
    CallIntrinsicOp,
    GEPOp,
    InlineAsmOp,
    LoadOp,
    StoreOp,
)
from croqtile_mlir.launch.plan import (
    ATTRIBUTE,
    LaunchPlan,
    LaunchPlanError,
    TensorMapParam,
)
from croqtile_mlir.layouts import CHUNK_BYTES, CORE_ROWS

ONE = Constant(1)
NOTHING = Constant(0)
_NOT_MODELLED = (
    nvvm.CpAsyncBulkRemoteStoreOp,
    nvvm.MbarrierCompleteTxOp,
    nvvm.MbarrierInvalOp,
    CallIntrinsicOp,
    InlineAsmOp,
)
_OTHERS = (
    AtomicCmpXchgOp,
    AtomicRMWOp,
    LoadOp,
    StoreOp,
    CallIntrinsicOp,
    InlineAsmOp,
)
"""Ops of other dialects than `nvvm` that do something."""

_MEETINGS = (
    nvvm.ClusterArriveOp,
    nvvm.ClusterArriveRelaxedOp,
    nvvm.ClusterWaitOp,
)
_TESTS = (nvvm.MbarrierTryWaitOp, nvvm.MbarrierTestWaitOp)


@dataclass
class Ops:
    """Translates the ops of a kernel that have no regions."""

    values: Values

    def __post_init__(self) -> None:
        attribute = self.values.function.attributes.get(ATTRIBUTE)
        self.plan: LaunchPlan | None = None
        if attribute is not None:
            try:
                self.plan = LaunchPlan.from_attr(attribute)
            except LaunchPlanError as error:
                raise NotModelled(
                    self.values.function, f"a launch plan that is not one: {error}"
                ) from error

    def step(self, op: Operation) -> Step | None:
        """What an op does; None of one that does nothing here."""
        if not op.name.startswith("nvvm.") and not isinstance(op, _OTHERS):
            return None
        if isinstance(op, CallIntrinsicOp) and op.intrin.data == nvvm.ACTIVE_MASK:
            return None
        if isinstance(op, _NOT_MODELLED):
            raise NotModelled(op, op.name)
        if isinstance(op, _TESTS):
            raise NotModelled(
                op,
                f"a result of {op.name} that is more than the condition of a loop",
                "wait in an scf.while that only repeats the test",
            )
        if isinstance(op, _MEETINGS):
            return meeting(op)
        event = self._barrier(op) or self._copy(op) or self._other(op)
        if event is None:
            return None
        predicate = op.operands[-1] if _is_predicated(op) else None
        if predicate is None:
            return event
        return If(op, self.values.of(predicate), (event,))

    # mbarriers and barriers

    def _barrier(self, op: Operation) -> Event | None:
        of = self.values.of
        match op:
            case nvvm.MbarrierInitOp():
                return Event(op, Kind.INIT, (of(op.addr), of(op.count)))
            case nvvm.MbarrierArriveOp() | nvvm.MbarrierArriveNocompleteOp():
                count = ONE if op.count is None else of(op.count)
                return self._arrival(op, op.addr, count)
            case nvvm.MbarrierArriveDropOp():
                raise NotModelled(op, op.name)
            case nvvm.MbarrierArriveExpectTxOp():
                return self._arrival(op, op.addr, ONE, of(op.bytes))
            case nvvm.MbarrierExpectTxOp():
                return self._arrival(op, op.addr, NOTHING, of(op.bytes))
            case nvvm.MbarrierTryWaitParityOp():
                return Event(op, Kind.WAIT, (of(op.addr), of(op.phase)))
            case nvvm.Barrier0Op():
                threads = Constant(self.values.threads)
                return Event(op, Kind.BARRIER, (NOTHING, threads))
            case nvvm.BarrierOp() | nvvm.BarrierArriveOp():
                number, threads = NOTHING, Constant(self.values.threads)
                if op.barrier_id is not None:
                    number = of(op.barrier_id)
                if op.number_of_threads is not None:
                    threads = of(op.number_of_threads)
                arrives = isinstance(op, nvvm.BarrierArriveOp)
                return Event(op, Kind.BARRIER, (number, threads), reads_only=arrives)
            case nvvm.BarWarpSyncOp():
                return Event(op, Kind.WARP_SYNC, (of(op.mask),))
            case _:
                return None

    def _arrival(
        self, op: Operation, address: SSAValue, count: Expr, announced: Expr = NOTHING
    ) -> Event:
        """An arrival on an mbarrier, of a peer where `mapa` finds it."""
        of = self.values.of
        if not isinstance(owner := address.owner, nvvm.MapaOp):
            return Event(op, Kind.ARRIVE, (of(address), count, announced))
        rank = self.values.make.apply("shl", ONE, of(owner.rank))
        return Event(op, Kind.ARRIVE, (of(owner.addr), count, announced, rank))

    def wait(self, op: scf.WhileOp) -> Event:
        """The wait that an `scf.while` is; any other such loop is not modelled."""
        before = op.before_region.block
        tests = [inner for inner in before.ops if isinstance(inner, _TESTS)]
        condition = before.last_op
        if len(tests) != 1 or not isinstance(condition, scf.ConditionOp):
            raise NotModelled(op, "a loop that is not counted and not a wait")
        (test,) = tests
        for inner in (*before.ops, *op.after_region.block.ops):
            if isinstance(inner, nvvm.NanosleepOp | scf.YieldOp | scf.ConditionOp):
                continue
            if inner is not test and self._does(inner):
                raise NotModelled(inner, f"{inner.name} in the loop of a wait")
        if not self._repeats_until(test.ready, condition.condition, before.ops):
            raise NotModelled(op, "a loop that does not end when its wait does")
        address = self.values.of(test.addr)
        if not test.by_parity:
            return Event(test, Kind.WAIT, (address,))
        return Event(test, Kind.WAIT, (address, self.values.of(test.state_or_phase)))

    def _does(self, op: Operation) -> bool:
        self.values.visit(op, Unknown("the lane that elect.sync takes", op))
        return bool(op.regions) or self.step(op) is not None

    def _repeats_until(self, ready: SSAValue, condition: SSAValue, ops: object) -> bool:
        """Whether a condition holds just as long as a test fails."""
        values, make = self.values, self.values.make
        tested = make.variable("ready", (0, 1))
        values.known[ready] = tested
        owner = condition.owner
        if isinstance(owner, Operation):
            values.known.pop(condition, None)
            values.visit(owner, NOTHING)
        found = values.of(condition)
        results = [
            make.substitute(found, {tested: Constant(outcome)}, {})
            for outcome in (0, 1)
        ]
        return results == [Constant(1), Constant(0)]

    # Copies

    def _copy(self, op: Operation) -> Event | None:
        of = self.values.of
        match op:
            case nvvm.CpAsyncBulkTensorLoadOp() | nvvm.CpAsyncBulkLoadOp():
                if is_of_peer(op.dst) or is_of_peer(op.mbar):
                    raise NotModelled(op, "a copy to an address of another block")
                if isinstance(op, nvvm.CpAsyncBulkLoadOp):
                    size = of(op.size)
                else:
                    size = self._box(op, op.tensor_map)
                mask = () if op.multicast_mask is None else (of(op.multicast_mask),)
                return Event(op, Kind.LOAD, (of(op.dst), size, of(op.mbar), *mask))
            case nvvm.CpAsyncBulkTensorStoreOp() | nvvm.CpAsyncBulkTensorReduceOp():
                exprs = (of(op.src), self._box(op, op.tensor_map))
                return Event(op, Kind.STORE, exprs, queue="bulk")
            case nvvm.CpAsyncBulkStoreOp():
                exprs = (of(op.src), of(op.size))
                return Event(op, Kind.STORE, exprs, queue="bulk")
            case nvvm.CpAsyncOp():
                size = op.size.value.data
                exprs = (of(op.dst),)
                return Event(op, Kind.CP_ASYNC, exprs, size, queue="cp_async")
            case nvvm.CpAsyncMbarrierArriveOp():
                # Without `noinc` the phase expects one more: together they are none.
                count = ONE if op.noinc.value.data else NOTHING
                exprs = (of(op.addr), count)
                return Event(op, Kind.CP_ARRIVE, exprs, queue="cp_async")
            case nvvm.CpAsyncBulkCommitGroupOp():
                return Event(op, Kind.COMMIT, queue="bulk")
            case nvvm.CpAsyncCommitGroupOp():
                return Event(op, Kind.COMMIT, queue="cp_async")
            case nvvm.CpAsyncBulkWaitGroupOp():
                reads = op.read is not None
                pending = op.group.value.data
                return Event(op, Kind.WAIT_GROUP, (), pending, "bulk", reads)
            case nvvm.CpAsyncWaitGroupOp():
                return Event(op, Kind.WAIT_GROUP, (), op.n.value.data, "cp_async")
            case _:
                return None

    def _box(self, op: Operation, tensor_map: SSAValue) -> Expr:
        """The bytes that a tensor copy moves; the launch plan says the box."""
        while isinstance(owner := tensor_map.owner, AddrSpaceCastOp):
            tensor_map = owner.value
        number = self.values.parameters.get(tensor_map)
        if self.plan is None or number is None or number >= len(self.plan.params):
            return Unknown("the box of the tensor map", op)
        param = self.plan.params[number]
        if not isinstance(param, TensorMapParam):
            return Unknown("the box of the tensor map", op)
        bits = re.match(r"[a-z]+(\d+)", self.plan.tiles[param.arg].dtype)
        if bits is None:
            return Unknown("the box of the tensor map", op)
        return Constant(prod(param.box) * int(bits[1]) // 8)

    # The rest

    def _other(self, op: Operation) -> Event | None:
        of = self.values.of
        match op:
            case LoadOp():
                kind = Kind.UPDATE if waits_for_memory(op) else Kind.READ
                return self._access(op, kind, op.addr, op.result.type)
            case StoreOp():
                is_plain = op.volatile is None and not op.ordering.value.data
                kind = Kind.WRITE if is_plain else Kind.UPDATE
                return self._access(op, kind, op.addr, op.value.type)
            case AtomicRMWOp() | AtomicCmpXchgOp():
                return self._access(op, Kind.UPDATE, op.ptr, op.val.type)
            case nvvm.StMatrixOp():
                rows = CORE_ROWS * len(op.sources)
                return Event(op, Kind.WRITE, (of(op.addr),), CHUNK_BYTES, lanes=rows)
            case nvvm.LdMatrixOp():
                rows = CORE_ROWS * op.count.value.data
                return Event(op, Kind.READ, (of(op.addr),), CHUNK_BYTES, lanes=rows)
            case nvvm.MmaSyncOp():
                return Event(op, Kind.WARP)
            case nvvm.ElectSyncOp():
                return Event(op, Kind.WARP, (of(op.mask),) if op.mask else ())
            case (
                nvvm.MatchSyncOp()
                | nvvm.ReduxSyncOp()
                | nvvm.ShflSyncOp()
                | nvvm.VoteSyncOp()
            ):
                return Event(op, Kind.WARP, (of(op.mask),))
            case nvvm.WgmmaMmaAsyncOp():
                exprs = (of(op.descriptor_a), of(op.descriptor_b))
                return Event(op, Kind.PRODUCT, exprs, queue="wgmma")
            case nvvm.WgmmaCommitGroupOp():
                return Event(op, Kind.COMMIT, queue="wgmma")
            case nvvm.WgmmaWaitGroupOp():
                return Event(op, Kind.WAIT_GROUP, (), op.group.value.data, "wgmma")
            case nvvm.FenceProxyOp():
                shared = op.kind.data in (
                    nvvm.ProxyKind.Async,
                    nvvm.ProxyKind.AsyncShared,
                )
                return Event(op, Kind.FENCE) if shared else None
            case nvvm.FenceMbarrierInitOp():
                return Event(op, Kind.INIT_FENCE)
            case nvvm.ExitOp():
                return Event(op, Kind.EXIT)
            case _:
                return None

    def _access(
        self, op: Operation, kind: Kind, address: SSAValue, type_: Attribute
    ) -> Event | None:
        """A load or store, if it is of shared memory."""
        base = address
        while isinstance(owner := base.owner, AddrSpaceCastOp | GEPOp):
            base = owner.value if isinstance(owner, AddrSpaceCastOp) else owner.base
        if isinstance(owner, nvvm.MapaOp):
            raise NotModelled(op, "an access to the shared memory of another block")
        spaces = {space(address.type), space(base.type)}
        if not spaces & set(SHARED_SPACES):
            return None
        size = element_bytes(type_)
        if size is None:
            raise NotModelled(op, f"an access of type {type_}")
        return Event(op, kind, (self.values.of(address),), size)


def _is_predicated(op: Operation) -> bool:
    return getattr(op, "predicate", None) is not None and not isinstance(
        op, nvvm.BarrierOp
    )
