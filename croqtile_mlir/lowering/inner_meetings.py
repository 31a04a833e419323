"""
Where the threads of a warp or a warpgroup must meet between ops that they share.

Each op gives its elements to threads. Two ops that touch a buffer, one of them to
write, need a meeting in between, unless they give each element of the same tile to the
same thread. What comes before the body of the `parallel`, or after it, is ordered by
barriers of the scope.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.analysis.effects import has_no_effect
from croqtile_mlir.analysis.scopes import THREADS_OF
from croqtile_mlir.dialects.croq import (
    CopyOp,
    ElementwiseOp,
    FillOp,
    ForeachOp,
    Level,
    ParallelOp,
    ReduceOp,
    WarpBarrierOp,
    WarpgroupBarrierOp,
    dims_of,
    root_of,
)

InnerOp = CopyOp | ElementwiseOp | FillOp | ReduceOp


@dataclass(frozen=True)
class _Access:
    """What an op does to a tile."""

    tile: SSAValue
    write: bool
    by_element: bool
    """Whether thread t of n has every n-th element of the tile from t on."""

    def conflicts(self, other: _Access) -> bool:
        """Whether two threads may meet at an element."""
        if root_of(self.tile) is not root_of(other.tile):
            return False
        same = self.tile is other.tile and self.by_element and other.by_element
        return (self.write or other.write) and not same


@dataclass(frozen=True)
class Meetings:
    """Follows the ops of warps and warpgroups in program order."""

    is_inner: Callable[[Operation], bool]
    """Whether an op is one that such threads share."""

    open: dict[Block, list[_Access]] = field(default_factory=dict[Block, list[_Access]])
    """For the block of an op: the accesses since the threads met."""

    last: dict[Block, Operation] = field(default_factory=dict[Block, Operation])
    """What stands for the last op of a block that its threads shared."""

    def before(self, op: InnerOp) -> bool:
        """Whether the threads must meet before an op; notes what it does."""
        block = op.parent_block()
        assert block is not None
        pending = self._pending(op, block)
        accesses = _accesses(op)
        needed = pending is None or any(
            a.conflicts(b) for a in pending for b in accesses
        )
        if needed or pending is None:
            pending = []
        self.open[block] = [*pending, *accesses]
        return needed

    def after(self, op: InnerOp, loops: Operation) -> bool:
        """Whether they must meet after it; `loops` is what the op has become."""
        block = op.parent_block()
        assert block is not None
        self.last[block] = loops
        following = op.next_op
        while following is not None and has_no_effect(following):
            following = following.next_op
        needed = (
            not _is_body(block) if following is None else not self.is_inner(following)
        )
        if needed:
            self.open[block] = []
        return needed

    def _pending(self, op: Operation, block: Block) -> list[_Access] | None:
        """The accesses since the threads met; None where that is not known."""
        before = _effect_until(op.prev_op)
        if before is None:
            return [] if self._has_met(block) else None
        return self.open[block] if before is self.last.get(block) else None

    def _has_met(self, block: Block) -> bool:
        """
        Whether the threads have surely met where a block begins.

        They meet after an op that they share when something else follows.
        """
        parent, last = block.parent_op(), block.last_op
        if _is_body(block):
            return True
        if not isinstance(parent, ForeachOp | scf.ForOp | scf.IfOp) or last is None:
            return False
        if not isinstance(parent, scf.IfOp):
            end = _effect_until(last.prev_op)
            if end is None or not self.is_inner(end):
                return False
        around, before = parent.parent_block(), _effect_until(parent.prev_op)
        if around is None:
            return False
        if before is None:
            return self._has_met(around)
        return before is self.last.get(around)


def _effect_until(op: Operation | None) -> Operation | None:
    """The last op up to one that does more than to compute its results."""
    while op is not None and has_no_effect(op):
        op = op.prev_op
    return op


def barrier_of(level: ParallelOp) -> WarpBarrierOp | WarpgroupBarrierOp:
    """What lets the threads of an instance of a level meet."""
    if level.level.data is Level.Warpgroup:
        return WarpgroupBarrierOp()
    return WarpBarrierOp()


def _is_body(block: Block) -> bool:
    """Whether a block is all that a warp or a warpgroup does."""
    parent = block.parent_op()
    return isinstance(parent, ParallelOp) and parent.level.data in THREADS_OF


def _accesses(op: InnerOp) -> list[_Access]:
    match op:
        case FillOp():
            return [_Access(op.tile, True, True)]
        case CopyOp():
            moves = op.rearranges
            return [
                _Access(op.source, False, not moves),
                _Access(op.destination, True, True),
            ]
        case ElementwiseOp():
            whole = {
                value
                for value, along in zip(op.inputs, op.along_dims, strict=True)
                if len(along) == len(op.dims) == len(dims_of(value))
            }
            return [
                _Access(tile, write, write or tile in whole) for tile, write in op.tiles
            ]
        case ReduceOp():
            return [_Access(tile, write, False) for tile, write in op.tiles]
