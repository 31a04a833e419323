"""
Order that rests on values in memory: what acquires find, and loops that wait for it.

The model has no values of memory. It leaves out the order that an acquire makes, so
that what it proves holds; what it finds unordered may be ordered by one.
"""

from __future__ import annotations

from xdsl.ir import Operation

from croqtile_mlir.analysis.sync.verdicts import Refuted, Rule, Undecided, Verdict
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import AtomicOp, FenceOp, LoadOp, MemoryOrder

_RACES = frozenset({Rule.READ_BEFORE_WRITE, Rule.OVERWRITE, Rule.WRITE_CONFLICT})
_ACQUIRING = frozenset({MemoryOrder.Acquire, MemoryOrder.AcqRel})
_ORDERINGS = frozenset(
    {llvm.Ordering.Acquire, llvm.Ordering.AcqRel, llvm.Ordering.SeqCst}
)


def acquires(op: Operation) -> bool:
    """Whether an op may learn of what other threads did, from a value in memory."""
    match op:
        case LoadOp() | AtomicOp():
            return op.order is not None and op.order.data in _ACQUIRING
        case FenceOp() | llvm.FenceOp() | nvvm.MemoryBarrierOp():
            return True
        case llvm.LoadOp():
            return op.ordering.value.data in _ORDERINGS
        case llvm.AtomicRMWOp() | llvm.AtomicCmpXchgOp():
            return op.order in _ORDERINGS
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
            return op.volatile is not None or op.ordering.value.data != 0
        case _:
            return False


def with_acquires(verdict: Verdict, root: Operation) -> Verdict:
    """The verdict of the model of an op, which leaves out what acquires order."""
    if not isinstance(verdict, Refuted) or verdict.rule not in _RACES:
        return verdict
    acquire = next((op for op in root.walk() if acquires(op)), None)
    if acquire is None:
        return verdict
    return Undecided(
        verdict.place,
        f"{verdict.message}; an acquire may order it, which depends on a value in "
        "memory",
        "barriers and events are followed, flags are not",
    )
