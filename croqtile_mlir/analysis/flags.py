"""Which ops learn, from values in memory, of what other threads do."""

from __future__ import annotations

from xdsl.ir import Operation

from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import (
    AtomicOp,
    FenceOp,
    LoadOp,
    MemoryOrder,
    MemoryScope,
    StoreOp,
    WaitOp,
    event_type,
)

_ACQUIRING = frozenset({MemoryOrder.Acquire, MemoryOrder.AcqRel})
_RELEASING = frozenset({MemoryOrder.Release, MemoryOrder.AcqRel})
_ORDERINGS = frozenset(
    {llvm.Ordering.Acquire, llvm.Ordering.AcqRel, llvm.Ordering.SeqCst}
)


def is_strong(op: Operation, among: MemoryScope = MemoryScope.Cta) -> bool:
    """
    Whether an access synchronises with others of its kind by threads of one such scope.

    Two such accesses do not conflict. Blocks of a grid are of one gpu, those of a
    cluster of one cluster (PTX ISA, memory model: scope, morally strong operations).
    """
    if not isinstance(op, LoadOp | StoreOp | AtomicOp) or op.order is None:
        return False
    scopes = list(MemoryScope)
    own = MemoryScope.Sys if op.scope is None else op.scope.data
    return scopes.index(own) >= scopes.index(among)


def acquires(op: Operation) -> bool:
    """Whether an op may learn of what other threads did, from a value in memory."""
    match op:
        case LoadOp() | AtomicOp():
            return op.order is not None and op.order.data in _ACQUIRING
        case WaitOp():
            return event_type(op.event).is_of_grid
        case FenceOp() | llvm.FenceOp() | nvvm.MemoryBarrierOp():
            return True
        case llvm.LoadOp():
            return op.ordering.value.data in _ORDERINGS
        case llvm.AtomicRMWOp() | llvm.AtomicCmpXchgOp():
            return op.order in _ORDERINGS
        case _:
            return False


def releases(op: Operation) -> bool:
    """Whether others may learn, from a value in memory, of what a thread did before."""
    match op:
        case StoreOp() | AtomicOp():
            return op.order is not None and op.order.data in _RELEASING
        case FenceOp():
            return True
        case _:
            return False


def waits_for_memory(op: Operation) -> bool:
    """Whether an op finds what other threads change meanwhile."""
    match op:
        case AtomicOp() | llvm.AtomicRMWOp() | llvm.AtomicCmpXchgOp():
            return True
        case LoadOp():
            return op.order is not None
        case llvm.LoadOp():
            return llvm.is_ordered(op)
        case _:
            return False
