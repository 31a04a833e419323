"""
Accesses of single elements on pointers. Part of `--lower-views`.

What a scope does that does not divide the work among its threads, it does once: the
elected thread stores, or updates, for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    VectorType,
)
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.analysis.uniformity import divergence
from croqtile_mlir.analysis.view_scales import is_contiguous, scales_of
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects.croq import (
    AtomicKind,
    AtomicOp,
    FenceOp,
    LoadOp,
    MemoryOrder,
    MemoryOrderAttr,
    MemoryScope,
    MemoryScopeAttr,
    StoreOp,
    tile_type,
)
from croqtile_mlir.lowering.elected import when_elected
from croqtile_mlir.lowering.memo_builder import MemoBuilder
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values

ORDERINGS: Mapping[MemoryOrder, llvm.Ordering] = MappingProxyType(
    {
        MemoryOrder.Relaxed: llvm.Ordering.Monotonic,
        MemoryOrder.Acquire: llvm.Ordering.Acquire,
        MemoryOrder.Release: llvm.Ordering.Release,
        MemoryOrder.AcqRel: llvm.Ordering.AcqRel,
        MemoryOrder.Sc: llvm.Ordering.SeqCst,
    }
)
"""LLVM's name of each order."""

_BIN_OPS: Mapping[AtomicKind, llvm.BinOp] = MappingProxyType(
    {
        AtomicKind.Add: llvm.BinOp.Add,
        AtomicKind.Min: llvm.BinOp.Min,
        AtomicKind.Max: llvm.BinOp.Max,
        AtomicKind.UMin: llvm.BinOp.UMin,
        AtomicKind.UMax: llvm.BinOp.UMax,
        AtomicKind.And: llvm.BinOp.And,
        AtomicKind.Or: llvm.BinOp.Or,
        AtomicKind.Xor: llvm.BinOp.Xor,
        AtomicKind.Exch: llvm.BinOp.Xchg,
    }
)

_FLOATS = Float16Type | BFloat16Type | Float32Type | Float64Type


def is_of_whole_scope(op: Operation) -> bool:
    """Whether a scope executes an op once, for all of its threads."""
    return not scope_of(op).per_thread and divergence(op) is None


def require_single_threads(op: AtomicOp) -> None:
    """
    Refuse an update by a whole scope whose old value is used: one thread makes it.

    Raises:
        CompileError: at the op.
    """
    if op.old is not None and next(iter(op.old.uses), None) and is_of_whole_scope(op):
        fail(
            op,
            "must be executed by single threads when its old value is used, got all "
            "of a scope",
            hint="put it in croq.parallel of level thread, or in scf.if on croq.elect",
        )


def lower_access(
    op: LoadOp | StoreOp | AtomicOp, pointer: SSAValue, memo: MemoBuilder
) -> None:
    """Replace an access of an element by one through its pointer."""
    match op:
        case LoadOp():
            replace_values(op, [memo.builder.insert(_load(op, pointer)).result])
            return
        case StoreOp():
            made = _store(op, pointer)
        case AtomicOp():
            require_single_threads(op)
            made = _atomic(op, pointer)
    if is_of_whole_scope(op):
        with when_elected(op) as elected:
            elected.insert(made)
        replace_values(op, [])
        return
    memo.builder.insert(made)
    if not isinstance(op, AtomicOp) or op.old is None:
        replace_values(op, [])
        return
    old = made.results[0]
    if isinstance(made, llvm.AtomicCmpXchgOp):
        old = memo.builder.insert(llvm.ExtractValueOp(old, [0])).result
    replace_values(op, [old])


def lower_fence(op: FenceOp) -> None:
    """Replace a fence by LLVM's."""
    ordering, scope = ORDERINGS[op.order.data], op.scope.data.syncscope
    LocatedBuilder.before(op).insert(llvm.FenceOp(ordering, scope))
    replace_values(op, [])


def _load(op: LoadOp, pointer: SSAValue) -> llvm.LoadOp:
    type_ = op.value.type
    if op.order is None:
        return llvm.LoadOp(pointer, type_)
    if op.order.data is MemoryOrder.Volatile:
        return llvm.LoadOp(pointer, type_, volatile=True)
    ordering, scope = _ordering(op.order, op.scope)
    return llvm.LoadOp(
        pointer,
        type_,
        alignment=tile_type(op.tile).element_bytes,
        ordering=ordering,
        syncscope=scope,
    )


def _store(op: StoreOp, pointer: SSAValue) -> llvm.StoreOp:
    if op.order is None:
        return llvm.StoreOp(op.value, pointer)
    if op.order.data is MemoryOrder.Volatile:
        return llvm.StoreOp(op.value, pointer, volatile=True)
    ordering, scope = _ordering(op.order, op.scope)
    return llvm.StoreOp(
        op.value,
        pointer,
        alignment=tile_type(op.tile).element_bytes,
        ordering=ordering,
        syncscope=scope,
    )


def _atomic(op: AtomicOp, pointer: SSAValue) -> llvm.AtomicRMWOp | llvm.AtomicCmpXchgOp:
    ordering, scope = _ordering(op.order, op.scope)
    if op.compare is not None:
        failure = llvm.Ordering.Monotonic
        if op.order.data in (MemoryOrder.Acquire, MemoryOrder.AcqRel):
            failure = llvm.Ordering.Acquire
        return llvm.AtomicCmpXchgOp(
            pointer, op.compare, op.value, ordering, failure, scope
        )
    kind = _BIN_OPS[op.kind.data]
    if kind is llvm.BinOp.Add and isinstance(op.value.type, _FLOATS):
        kind = llvm.BinOp.FAdd
    return llvm.AtomicRMWOp(kind, pointer, _operand(op), ordering, scope)


def _operand(op: AtomicOp) -> SSAValue:
    """The operand of an update; of neighbours a vector."""
    if not op.others:
        return op.value
    if not is_contiguous(scales_of(op.tile)):
        fail(
            op,
            "elements must be neighbours in memory to be updated together, got a tile "
            "whose inner dim is not",
            notes=[(op.tile, "the tile is defined here")],
        )
    build = LocatedBuilder.before(op)
    kind = VectorType(op.value.type, [len(op.values)])
    vector = build.insert(llvm.UndefOp(kind)).result
    for number, value in enumerate(op.values):
        insert = llvm.InsertElementOp(vector, value, build.i32(number))
        vector = build.insert(insert).result
    return vector


def _ordering(
    order: MemoryOrderAttr, scope: MemoryScopeAttr | None
) -> tuple[llvm.Ordering, str]:
    named = MemoryScope.Sys if scope is None else scope.data
    return ORDERINGS[order.data], named.syncscope
