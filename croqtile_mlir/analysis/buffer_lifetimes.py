"""
When the shared buffers of a function are in use, and which may share memory.

Time is the order of the ops of the function's entry block: what happens inside a
branch or a loop happens at the op that holds it. Two buffers may share memory only when
a barrier of the whole block lies between all uses of the one and all of the other.
A barrier does not order the proxies: where threads wrote without a fence, since only
they access the buffer, TMA fills no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator, is_side_effect_free

from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import AllocOp
from croqtile_mlir.dialects.llvm_ext import AtomicCmpXchgOp, AtomicRMWOp

_LOADS = nvvm.CpAsyncBulkTensorLoadOp | nvvm.CpAsyncBulkLoadOp

_ASYNCHRONOUS = (
    nvvm.CpAsyncOp,
    nvvm.CpAsyncBulkLoadOp,
    nvvm.CpAsyncBulkStoreOp,
    nvvm.CpAsyncBulkTensorLoadOp,
    nvvm.CpAsyncBulkTensorReduceOp,
    nvvm.CpAsyncBulkTensorStoreOp,
    nvvm.WgmmaMmaAsyncOp,
)
"""What starts something that goes on using the buffer."""

_WRITES = frozenset(
    op.name
    for op in (
        llvm.StoreOp,
        AtomicRMWOp,
        AtomicCmpXchgOp,
        nvvm.CpAsyncOp,
        nvvm.StMatrixOp,
    )
)
"""What writes to a buffer through the generic proxy."""

_COMPLETIONS = (
    nvvm.CpAsyncWaitGroupOp,
    nvvm.CpAsyncBulkWaitGroupOp,
    nvvm.MbarrierTestWaitOp,
    nvvm.MbarrierTryWaitOp,
    nvvm.MbarrierTryWaitParityOp,
    nvvm.WgmmaWaitGroupOp,
)
"""What may wait for that."""

_MBARRIER = "nvvm.mbarrier."

FOREVER = 2**31


@dataclass(frozen=True)
class Lifetime:
    """The first and last position of a buffer's uses; None of one without uses."""

    first: int
    last: int
    is_mbarrier: bool = False
    """An mbarrier is never part of memory that is used for something else."""

    is_unfenced: bool = False
    """Whether threads write to it, and the asynchronous proxy does not access it."""

    is_filled: bool = False
    """Whether TMA writes to it."""


class Lifetimes:
    """The lifetimes of the shared buffers of one function."""

    def __init__(self, entry: Block):
        self._entry = entry
        self._position = {op: number for number, op in enumerate(entry.ops)}
        self._barriers = [
            number
            for op, number in self._position.items()
            if isinstance(op, nvvm.Barrier0Op)
            or (isinstance(op, nvvm.BarrierOp) and op.barrier_id is None)
        ]
        self._last_wait = max(
            (self._at(op) for op in _inside(entry) if isinstance(op, _COMPLETIONS)),
            default=-1,
        )
        self._of: Mapping[AllocOp, Lifetime] = {
            op: self._lifetime(op) for op in entry.ops if isinstance(op, AllocOp)
        }

    def interfere(self, a: AllocOp, b: AllocOp) -> bool:
        """Whether two buffers need memory of their own."""
        one, other = self._of[a], self._of[b]
        if one.is_mbarrier or other.is_mbarrier:
            return True
        earlier, later = sorted((one, other), key=lambda lifetime: lifetime.last)
        if earlier.is_unfenced and later.is_filled:
            return True
        return not any(
            earlier.last < barrier < later.first for barrier in self._barriers
        )

    def _at(self, op: Operation) -> int:
        """The position of the op of the entry block that is or holds an op."""
        ancestor = self._entry.find_ancestor_op_in_block(op)
        return FOREVER if ancestor is None else self._position[ancestor]

    def _lifetime(self, alloc: AllocOp) -> Lifetime:
        positions: set[int] = set()
        is_mbarrier = is_written = is_filled = is_asynchronous = False
        for op in _users(alloc.tile):
            if not op.regions and is_side_effect_free(op):
                # An address is no use of the memory.
                continue
            at = self._at(op)
            positions.add(at)
            is_mbarrier |= op.name.startswith(_MBARRIER)
            is_written |= op.name in _WRITES
            is_filled |= isinstance(op, _LOADS)
            is_asynchronous |= isinstance(op, _ASYNCHRONOUS) and (
                not isinstance(op, nvvm.CpAsyncOp)
            )
            if _is_multicast(op):
                # Barriers of this block don't hold up what peers send here.
                positions |= {-1, FOREVER}
            if isinstance(op, _ASYNCHRONOUS):
                positions.add(self._last_wait if self._last_wait >= at else FOREVER)
        if not positions:
            return Lifetime(FOREVER, FOREVER)
        is_unfenced = is_written and not is_asynchronous
        return Lifetime(
            min(positions), max(positions), is_mbarrier, is_unfenced, is_filled
        )


def _is_multicast(op: Operation) -> bool:
    return isinstance(op, _LOADS) and op.multicast_mask is not None


def _inside(block: Block) -> list[Operation]:
    return [op for outer in block.ops for op in outer.walk()]


def _users(value: SSAValue) -> set[Operation]:
    """All ops that use a value or what may have been computed from it."""
    users: set[Operation] = set()
    seen: set[SSAValue] = set()
    pending = [value]
    while pending:
        current = pending.pop()
        if current in seen:
            continue
        seen.add(current)
        for use in current.uses:
            op = use.operation
            users.add(op)
            if op.regions or is_side_effect_free(op):
                pending += op.results
            for region in op.regions:
                for block in region.blocks:
                    pending += block.args
            parent = op.parent_op()
            if op.has_trait(IsTerminator) and parent is not None:
                pending += parent.results
                for region in parent.regions:
                    for block in region.blocks:
                        pending += block.args
    return users
