"""Rules for asynchronous copies (`nvvm`)."""

from __future__ import annotations

from xdsl.ir import SSAValue

from croqtile_mlir.dialects.nvvm import copies as source
from croqtile_mlir.dialects.nvvm import tensor_copies as tensor
from croqtile_mlir.dialects.nvvm.attributes import TMALoadMode, TMAStoreMode
from croqtile_mlir.dialects.ptx import bulk, copies
from croqtile_mlir.dialects.ptx.memory import PrefetchOp, StateSpace
from croqtile_mlir.dialects.ptx.operands import Source
from croqtile_mlir.lowering.ptx_conversion.emitter import Emitter, RuleTable, rule
from croqtile_mlir.lowering.ptx_conversion.pointers import space_of


def _optional(e: Emitter, value: SSAValue | None) -> SSAValue | None:
    return None if value is None else e.register(value)


def _cp_async(e: Emitter, op: source.CpAsyncOp) -> None:
    copy = copies.CpAsyncOp(
        op.modifier.data.value,
        op.size.value.data,
        e.address(op.dst),
        e.address(op.src),
        None if op.cp_size is None else e.source_of(op.cp_size),
    )
    e.emit(copy)


def _cp_async_commit(e: Emitter, op: source.CpAsyncCommitGroupOp) -> None:
    e.emit(copies.CpAsyncCommitGroupOp())


def _cp_async_wait(e: Emitter, op: source.CpAsyncWaitGroupOp) -> None:
    e.emit(copies.CpAsyncWaitGroupOp(op.n.value.data))


def _cp_async_arrive(e: Emitter, op: source.CpAsyncMbarrierArriveOp) -> None:
    arrive = copies.CpAsyncMbarrierArriveOp(
        space_of(e, op.addr), e.address(op.addr), noinc=bool(op.noinc.value.data)
    )
    e.emit(arrive)


def _bulk_commit(e: Emitter, op: source.CpAsyncBulkCommitGroupOp) -> None:
    e.emit(copies.BulkCommitGroupOp())


def _bulk_wait(e: Emitter, op: source.CpAsyncBulkWaitGroupOp) -> None:
    pending = op.group.value.data
    if op.read is not None:
        e.emit(copies.BulkWaitGroupReadOp(pending))
    else:
        e.emit(copies.BulkWaitGroupOp(pending))


def _bulk_load(e: Emitter, op: source.CpAsyncBulkLoadOp) -> None:
    load = bulk.BulkLoadOp(
        space_of(e, op.dst),
        e.address(op.dst),
        e.address(op.src),
        e.source_of(op.size),
        e.address(op.mbar),
        multicast=_optional(e, op.multicast_mask),
        hint=_optional(e, op.l2_cache_hint),
    )
    e.emit(load)


def _bulk_store(e: Emitter, op: source.CpAsyncBulkStoreOp) -> None:
    if op.byte_mask is not None:
        e.refuse("is not supported by convert-to-ptx with a byte mask")
    store = bulk.BulkStoreOp(
        e.address(op.dst),
        e.address(op.src),
        e.source_of(op.size),
        hint=_optional(e, op.l2_cache_hint),
    )
    e.emit(store)


def _bulk_remote_store(e: Emitter, op: source.CpAsyncBulkRemoteStoreOp) -> None:
    store = bulk.BulkRemoteStoreOp(
        e.address(op.dst), e.address(op.src), e.source_of(op.size), e.address(op.mbar)
    )
    e.emit(store)


def _prefetch(e: Emitter, op: source.PrefetchOp) -> None:
    space = space_of(e, op.addr)
    if op.tensormap is not None:
        if op.in_param_space is not None or space is not StateSpace.Generic:
            e.refuse("is not supported by convert-to-ptx but for a generic pointer")
        what = "tensormap"
    else:
        assert op.cache_level is not None
        prefix = "global." if space is StateSpace.Global else ""
        what = f"{prefix}{op.cache_level.data.value}"
    e.emit_guarded(PrefetchOp(what, e.address(op.addr)), op.predicate)


def _coordinates(e: Emitter, values: tuple[SSAValue, ...]) -> list[Source]:
    return [e.source_of(value) for value in values]


def _check_mode(e: Emitter, mode: TMALoadMode | TMAStoreMode) -> None:
    if mode.value != "tile":
        e.refuse(f"is not supported by convert-to-ptx with the mode {mode.value}")


def _tensor_load(e: Emitter, op: tensor.CpAsyncBulkTensorLoadOp) -> None:
    _check_mode(e, op.mode.data)
    if op.group is not None:
        e.refuse("is not supported by convert-to-ptx with a group of blocks")
    cta_only = bool(op.is_cta_only.value.data)
    load = bulk.BulkTensorLoadOp(
        StateSpace.Shared if cta_only else StateSpace.Cluster,
        e.address(op.dst),
        e.address(op.tensor_map),
        _coordinates(e, op.coordinates),
        e.address(op.mbar),
        multicast=_optional(e, op.multicast_mask),
        hint=_optional(e, op.l2_cache_hint),
    )
    e.emit_guarded(load, op.predicate)


def _tensor_store(e: Emitter, op: tensor.CpAsyncBulkTensorStoreOp) -> None:
    _check_mode(e, op.mode.data)
    store = bulk.BulkTensorStoreOp(
        e.address(op.tensor_map),
        _coordinates(e, op.coordinates),
        e.address(op.src),
        hint=_optional(e, op.l2_cache_hint),
    )
    e.emit_guarded(store, op.predicate)


def _tensor_reduce(e: Emitter, op: tensor.CpAsyncBulkTensorReduceOp) -> None:
    _check_mode(e, op.mode.data)
    reduce = bulk.BulkTensorReduceOp(
        op.kind.data.value,
        e.address(op.tensor_map),
        _coordinates(e, op.coordinates),
        e.address(op.src),
        hint=_optional(e, op.l2_cache_hint),
    )
    e.emit(reduce)


def _tensor_prefetch(e: Emitter, op: tensor.CpAsyncBulkTensorPrefetchOp) -> None:
    _check_mode(e, op.mode.data)
    prefetch = bulk.BulkTensorPrefetchOp(
        e.address(op.tensor_map),
        _coordinates(e, op.coordinates),
        hint=_optional(e, op.l2_cache_hint),
    )
    e.emit(prefetch)


RULES: RuleTable = dict(
    [
        rule(source.CpAsyncOp, _cp_async),
        rule(source.CpAsyncCommitGroupOp, _cp_async_commit),
        rule(source.CpAsyncWaitGroupOp, _cp_async_wait),
        rule(source.CpAsyncMbarrierArriveOp, _cp_async_arrive),
        rule(source.CpAsyncBulkCommitGroupOp, _bulk_commit),
        rule(source.CpAsyncBulkWaitGroupOp, _bulk_wait),
        rule(source.CpAsyncBulkLoadOp, _bulk_load),
        rule(source.CpAsyncBulkStoreOp, _bulk_store),
        rule(source.CpAsyncBulkRemoteStoreOp, _bulk_remote_store),
        rule(source.PrefetchOp, _prefetch),
        rule(tensor.CpAsyncBulkTensorLoadOp, _tensor_load),
        rule(tensor.CpAsyncBulkTensorStoreOp, _tensor_store),
        rule(tensor.CpAsyncBulkTensorReduceOp, _tensor_reduce),
        rule(tensor.CpAsyncBulkTensorPrefetchOp, _tensor_prefetch),
    ]
)
