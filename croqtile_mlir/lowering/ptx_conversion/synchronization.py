"""Rules for barriers, mbarriers, fences and control of the launch (`nvvm`)."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from croqtile_mlir.dialects.nvvm import mbarrier as source
from croqtile_mlir.dialects.nvvm import synchronization as sync
from croqtile_mlir.dialects.nvvm.attributes import (
    MemScope,
    ProxyKind,
    SetMaxRegisterAction,
)
from croqtile_mlir.dialects.ptx import barrier, control, mbarrier, warp
from croqtile_mlir.dialects.ptx.memory import StateSpace
from croqtile_mlir.dialects.ptx.operands import Source
from croqtile_mlir.dialects.ptx.types import B32
from croqtile_mlir.lowering.ptx_conversion.emitter import (
    Emitter,
    RuleTable,
    is_used,
    rule,
)
from croqtile_mlir.lowering.ptx_conversion.pointers import space_of


def _init(e: Emitter, op: source.MbarrierInitOp) -> None:
    init = mbarrier.MbarrierInitOp(
        space_of(e, op.addr), e.address(op.addr), e.source_of(op.count)
    )
    e.emit_guarded(init, op.predicate)


def _invalidate(e: Emitter, op: source.MbarrierInvalOp) -> None:
    e.emit(mbarrier.MbarrierInvalOp(space_of(e, op.addr), e.address(op.addr)))


def _order(scope: MemScope, relaxed: bool, strict: str) -> str | None:
    """The order and the scope to name, if they aren't the ones that go without."""
    if scope is MemScope.CTA and not relaxed:
        return None
    return f"{'relaxed' if relaxed else strict}.{scope.value}"


def _arrive(
    instruction: type[mbarrier.MbarrierArriveOp | mbarrier.MbarrierArriveDropOp],
    form: str,
) -> Callable[[Emitter, source.MbarrierArriveOp | source.MbarrierArriveDropOp], None]:
    """A rule for an arrival, which keeps the state only where it is used."""

    def make(
        e: Emitter, op: source.MbarrierArriveOp | source.MbarrierArriveDropOp
    ) -> None:
        space, address = space_of(e, op.addr), e.address(op.addr)
        count: Source = 1 if op.count is None else e.source_of(op.count)
        order = _order(op.scope.data, bool(op.relaxed.value.data), "release")
        if op.state is None or not is_used(op.state):
            e.emit(instruction(space, address, count, order=order))
            return
        with_state = mbarrier.MbarrierArriveStateOp(
            form, space, address, count, order=order
        )
        e.bind(op.state, e.emit(with_state).result)

    return make


def _arrive_nocomplete(e: Emitter, op: source.MbarrierArriveNocompleteOp) -> None:
    arrive = mbarrier.MbarrierArriveStateOp(
        "arrive.noComplete",
        space_of(e, op.addr),
        e.address(op.addr),
        e.source_of(op.count),
    )
    e.bind(op.state, e.emit(arrive).result)


def _arrive_expect(e: Emitter, op: source.MbarrierArriveExpectTxOp) -> None:
    space, address = space_of(e, op.addr), e.address(op.addr)
    count = e.source_of(op.bytes)
    order = _order(op.scope.data, bool(op.relaxed.value.data), "release")
    if op.state is None or not is_used(op.state):
        arrive = mbarrier.MbarrierArriveExpectTxOp(space, address, count, order=order)
        e.emit_guarded(arrive, op.predicate)
        return
    with_state = mbarrier.MbarrierArriveStateOp(
        "arrive.expect_tx", space, address, count, order=order
    )
    e.bind(op.state, e.emit(with_state).result)


def _count_bytes(
    instruction: type[mbarrier.MbarrierExpectTxOp | mbarrier.MbarrierCompleteTxOp],
) -> Callable[[Emitter, source.MbarrierExpectTxOp | source.MbarrierCompleteTxOp], None]:
    def make(
        e: Emitter, op: source.MbarrierExpectTxOp | source.MbarrierCompleteTxOp
    ) -> None:
        order = f"relaxed.{op.scope.data.value}"
        count = e.source_of(op.bytes)
        space, address = space_of(e, op.addr), e.address(op.addr)
        e.emit(instruction(space, address, count, order=order))

    return make


def _phase(e: Emitter, value: SSAValue) -> Source:
    """A parity, which may be an immediate, or a state, which is in a register."""
    if value.type == IntegerType(32):
        return e.source_of(value)
    return e.register(value)


def _test(
    instruction: type[mbarrier.MbarrierTryWaitOp | mbarrier.MbarrierTestWaitOp],
) -> Callable[[Emitter, source.MbarrierTryWaitOp | source.MbarrierTestWaitOp], None]:
    def make(
        e: Emitter, op: source.MbarrierTryWaitOp | source.MbarrierTestWaitOp
    ) -> None:
        if isinstance(op, source.MbarrierTryWaitOp) and op.ticks is not None:
            e.refuse("is not supported by convert-to-ptx with a time limit")
        if op.relaxed.value.data:
            e.refuse("is not supported by convert-to-ptx with relaxed order")
        order = _order(op.scope.data, False, "acquire")
        test = instruction(
            space_of(e, op.addr),
            e.address(op.addr),
            _phase(e, op.state_or_phase),
            order=order,
        )
        e.bind(op.ready, e.emit(test).result)

    return make


def _fence_proxy(e: Emitter, op: sync.FenceProxyOp) -> None:
    kind = op.kind.data
    if kind in (ProxyKind.TensorMap, ProxyKind.Generic):
        e.refuse(f"is not supported by convert-to-ptx with the kind {kind.value}")
    name = f"proxy.{kind.value}"
    if kind is ProxyKind.AsyncShared and op.space is not None:
        name = f"proxy.async.shared::{op.space.data.value}"
    e.emit(barrier.FenceOp(name))


def _fence_acquire(e: Emitter, op: sync.FenceProxyAcquireOp) -> None:
    if e.constant(op.size) != 128:
        e.refuse("must be of the 128 bytes of a tensor map")
    address = e.address(op.addr)
    e.emit(barrier.FenceTensormapOp(op.scope.data.value, address))


def _fence_release(e: Emitter, op: sync.FenceProxyReleaseOp) -> None:
    scope = op.scope.data.value
    e.emit(barrier.FenceOp(f"proxy.tensormap::generic.release.{scope}"))


def _fence_mbarrier_init(e: Emitter, op: sync.FenceMbarrierInitOp) -> None:
    e.emit(barrier.FenceOp("mbarrier_init.release.cluster"))


def _fence_sc_cluster(e: Emitter, op: sync.FenceScClusterOp) -> None:
    e.emit(barrier.FenceOp("sc.cluster"))


_MEMBAR = {MemScope.CTA: "cta", MemScope.GPU: "gl", MemScope.Sys: "sys"}


def _memory_barrier(e: Emitter, op: sync.MemoryBarrierOp) -> None:
    scope = op.scope.data
    if scope not in _MEMBAR:
        e.emit(barrier.FenceOp(f"acq_rel.{scope.value}"))
        return
    e.emit(barrier.MembarOp(_MEMBAR[scope]))


def _barrier0(e: Emitter, op: sync.Barrier0Op) -> None:
    e.emit(barrier.BarSyncOp(0, 0))


def _barrier(e: Emitter, op: sync.BarrierOp) -> None:
    if op.reduction is not None:
        e.refuse("is not supported by convert-to-ptx with a reduction")
    number = 0 if op.barrier_id is None else e.source_of(op.barrier_id)
    threads = 0 if op.number_of_threads is None else e.source_of(op.number_of_threads)
    e.emit(barrier.BarSyncOp(number, threads))


def _barrier_arrive(e: Emitter, op: sync.BarrierArriveOp) -> None:
    number = 0 if op.barrier_id is None else e.source_of(op.barrier_id)
    e.emit(barrier.BarArriveOp(number, e.source_of(op.number_of_threads)))


def _warp_barrier(e: Emitter, op: sync.BarWarpSyncOp) -> None:
    e.emit(barrier.BarWarpSyncOp(e.source_of(op.mask)))


def _cluster_arrive(e: Emitter, op: sync.ClusterArriveOp) -> None:
    e.emit(barrier.ClusterArriveOp(aligned=op.aligned is not None))


def _cluster_arrive_relaxed(e: Emitter, op: sync.ClusterArriveRelaxedOp) -> None:
    aligned = op.aligned is not None
    e.emit(barrier.ClusterArriveOp(order="relaxed", aligned=aligned))


def _cluster_wait(e: Emitter, op: sync.ClusterWaitOp) -> None:
    e.emit(barrier.ClusterWaitOp(aligned=op.aligned is not None))


def _map_address(e: Emitter, op: sync.MapaOp) -> None:
    space = StateSpace.Generic
    if e.type_of(op.addr) == B32:
        space = StateSpace.Cluster
    mapa = warp.MapaOp(space, e.register(op.addr), e.source_of(op.rank))
    if e.type_of(op.addr) != e.type_of(op.result):
        e.refuse(f"is not supported by convert-to-ptx on type {op.result.type}")
    e.bind(op.result, e.emit(mapa).result)


def _set_max_registers(e: Emitter, op: sync.SetMaxRegisterOp) -> None:
    increase = op.action.data is SetMaxRegisterAction.Increase
    count = op.count.value.data
    e.emit(barrier.SetMaxRegistersOp("inc" if increase else "dec", count))


def _grid_dependency(e: Emitter, op: sync.GridDepControlOp) -> None:
    e.emit(barrier.GriddepcontrolOp(op.kind.data.value))


def _sleep(e: Emitter, op: sync.NanosleepOp) -> None:
    e.emit(barrier.NanosleepOp(e.source_of(op.duration)))


def _exit(e: Emitter, op: sync.ExitOp) -> None:
    e.emit(control.ExitOp())


RULES: RuleTable = dict(
    [
        rule(source.MbarrierInitOp, _init),
        rule(source.MbarrierInvalOp, _invalidate),
        rule(source.MbarrierArriveOp, _arrive(mbarrier.MbarrierArriveOp, "arrive")),
        rule(
            source.MbarrierArriveDropOp,
            _arrive(mbarrier.MbarrierArriveDropOp, "arrive_drop"),
        ),
        rule(source.MbarrierArriveNocompleteOp, _arrive_nocomplete),
        rule(source.MbarrierArriveExpectTxOp, _arrive_expect),
        rule(source.MbarrierExpectTxOp, _count_bytes(mbarrier.MbarrierExpectTxOp)),
        rule(source.MbarrierCompleteTxOp, _count_bytes(mbarrier.MbarrierCompleteTxOp)),
        rule(source.MbarrierTryWaitOp, _test(mbarrier.MbarrierTryWaitOp)),
        rule(source.MbarrierTestWaitOp, _test(mbarrier.MbarrierTestWaitOp)),
        rule(sync.FenceProxyOp, _fence_proxy),
        rule(sync.FenceProxyAcquireOp, _fence_acquire),
        rule(sync.FenceProxyReleaseOp, _fence_release),
        rule(sync.FenceMbarrierInitOp, _fence_mbarrier_init),
        rule(sync.FenceScClusterOp, _fence_sc_cluster),
        rule(sync.MemoryBarrierOp, _memory_barrier),
        rule(sync.Barrier0Op, _barrier0),
        rule(sync.BarrierOp, _barrier),
        rule(sync.BarrierArriveOp, _barrier_arrive),
        rule(sync.BarWarpSyncOp, _warp_barrier),
        rule(sync.ClusterArriveOp, _cluster_arrive),
        rule(sync.ClusterArriveRelaxedOp, _cluster_arrive_relaxed),
        rule(sync.ClusterWaitOp, _cluster_wait),
        rule(sync.MapaOp, _map_address),
        rule(sync.SetMaxRegisterOp, _set_max_registers),
        rule(sync.GridDepControlOp, _grid_dependency),
        rule(sync.NanosleepOp, _sleep),
        rule(sync.ExitOp, _exit),
    ]
)
