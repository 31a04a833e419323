"""Where values begin to differ between threads, and where they become one again."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.analysis.flags import waits_for_memory
from croqtile_mlir.analysis.scopes import THREADS_OF, WARP_THREADS
from croqtile_mlir.dialects.croq import (
    Level,
    LoadOp,
    MatchKind,
    MatchOp,
    ParallelOp,
    ReduxOp,
    ShuffleKind,
    ShuffleOp,
    Space,
    ThreadIdOp,
    VoteOp,
    tile_type,
)
from croqtile_mlir.dialects.nvvm import (
    MatchSyncKind,
    MatchSyncOp,
    ReduxSyncOp,
    ShflKind,
    ShflSyncOp,
    TidXOp,
    VoteSyncOp,
)
from croqtile_mlir.lowering.rewriting import constant_value
from croqtile_mlir.targets.architecture import WARPGROUP_THREADS


class Varies(IntEnum):
    """Between which threads the results of an op may differ by themselves."""

    WARPGROUPS = 1
    """The threads of a warpgroup have the same."""

    WARPS = 2
    """The threads of a warp have the same."""

    LANES = 3


VARYING: Mapping[str, Varies] = MappingProxyType(
    {
        "croq.active_mask": Varies.LANES,
        "croq.elect": Varies.LANES,
        "croq.elect_lane": Varies.LANES,
        "croq.lane_id": Varies.LANES,
        "croq.thread_id": Varies.LANES,
        "croq.warp_id": Varies.WARPS,
        "llvm.alloca": Varies.LANES,
        # What another function does is not known.
        "llvm.call_intrinsic": Varies.LANES,
        "nvvm.elect.sync": Varies.LANES,
        "nvvm.read.ptx.sreg.laneid": Varies.LANES,
        "nvvm.read.ptx.sreg.tid.x": Varies.LANES,
        "nvvm.read.ptx.sreg.tid.y": Varies.LANES,
        "nvvm.read.ptx.sreg.tid.z": Varies.LANES,
        "nvvm.read.ptx.sreg.clock64": Varies.LANES,
        "nvvm.read.ptx.sreg.globaltimer": Varies.LANES,
        **{
            f"nvvm.read.ptx.sreg.lanemask.{which}": Varies.LANES
            for which in ("eq", "lt", "le", "gt", "ge")
        },
        "nvvm.read.ptx.sreg.warpid": Varies.WARPS,
    }
)
"""The ops of which threads get different results from the same operands, by name."""

_ATOMIC = ("atom", "atomic", "atomicrmw", "cmpxchg")
"""Parts of the names of ops of which each thread gets another old value."""

_CASTS = (arith.IndexCastOp, arith.ExtUIOp, arith.ExtSIOp)


def varies(op: Operation) -> Varies | None:
    """Between which threads an op's results differ whatever its operands; None: no."""
    found = VARYING.get(op.name)
    if found is None:
        if not _ATOMIC_NAMES.isdisjoint(op.name.split(".")):
            return Varies.LANES
        if isinstance(op, LoadOp) and tile_type(op.tile).memory_space is Space.Register:
            return Varies.LANES
        if waits_for_memory(op):
            # What another thread changes meanwhile is not the same to all that read it.
            return Varies.LANES
    return found


_ATOMIC_NAMES = frozenset(_ATOMIC)


def index_varies(block: ParallelOp, position: int) -> Varies | None:
    """
    Between which threads an index of a `parallel` differs.

    The last index is the fastest: one after which a multiple of 32 threads follow is
    the same in all lanes of a warp, of 128 in all of a warpgroup.
    """
    level = block.level.data
    if not level.divides_block:
        return None
    inner = 1
    for extent in block.extent_values[position + 1 :]:
        if not isinstance(extent, int):
            return Varies.LANES
        inner *= extent
    threads = inner * THREADS_OF.get(level, 1)
    if threads % WARPGROUP_THREADS == 0:
        return Varies.WARPGROUPS
    return Varies.LANES if threads % WARP_THREADS else Varies.WARPS


def divides_threads(op: Operation, unit: int) -> bool:
    """Whether an op divides the number of the thread by a multiple of a unit."""
    if not isinstance(op, arith.DivUIOp | arith.ShRUIOp):
        return False
    by = constant_value(op.rhs)
    if by is None:
        return False
    if isinstance(op, arith.ShRUIOp):
        by = 1 << by if 0 <= by < 32 else 0
    return bool(by) and not by % unit and _counts_threads(op.lhs, unit)


def gathered(op: Operation) -> tuple[SSAValue, ...] | None:
    """
    Of an op whose results all lanes of a warp share: on which operands that depends.

    None: an op that gives each lane what it makes of its own operands.
    """
    if isinstance(op, VoteOp | ReduxOp):
        return () if op.mask is None else (op.mask,)
    if isinstance(op, ShuffleOp) and op.kind.data is ShuffleKind.Idx:
        return (op.offset,) if op.mask is None else (op.offset, op.mask)
    if isinstance(op, MatchOp) and op.kind.data is MatchKind.All:
        return () if op.mask is None else (op.mask,)
    if isinstance(op, MatchSyncOp) and op.kind.data is MatchSyncKind.All:
        return (op.mask,)
    if isinstance(op, VoteSyncOp | ReduxSyncOp):
        # All lanes of the mask get one result.
        return (op.operands[0] if isinstance(op, VoteSyncOp) else op.operands[1],)
    if isinstance(op, ShflSyncOp) and op.kind.data is ShflKind.Idx:
        clamp = constant_value(op.clamp)
        if clamp is not None and not clamp >> 8 & 31:
            return (op.mask, op.offset)
    return () if divides_threads(op, WARP_THREADS) else None


def _counts_threads(value: SSAValue, unit: int) -> bool:
    """Whether a value is the number of the thread, from a multiple of a unit on."""
    owner = value.owner
    if isinstance(owner, Block):
        parent = owner.parent_op()
        return (
            isinstance(parent, ParallelOp)
            and parent.level.data is Level.Thread
            and len(parent.extent_values) == 1
        )
    match owner:
        case ThreadIdOp() | TidXOp():
            return True
        case arith.AddiOp() | arith.SubiOp():
            by = constant_value(owner.rhs)
            return by is not None and not by % unit and _counts_threads(owner.lhs, unit)
        case _ if isinstance(owner, _CASTS):
            return _counts_threads(owner.operands[0], unit)
        case _:
            return False
