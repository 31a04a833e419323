"""
Where the lanes of a warp must meet between ops that they share.

Each op gives its elements to lanes. Two ops that touch a buffer, one of them to write,
need a meeting in between, unless they give each element of the same tile to the same
lane. What comes before the body of `parallel : warp`, or after it, is ordered by
barriers of the scope.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.analysis.effects import has_no_effect
from croqtile_mlir.dialects.croq import (
    CopyOp,
    ElementwiseOp,
    FillOp,
    Level,
    ParallelOp,
    ReduceOp,
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
    """Whether lane t has every 32nd element of the tile from t on."""

    def conflicts(self, other: _Access) -> bool:
        """Whether two lanes may meet at an element."""
        if root_of(self.tile) is not root_of(other.tile):
            return False
        same = self.tile is other.tile and self.by_element and other.by_element
        return (self.write or other.write) and not same


@dataclass(frozen=True)
class Meetings:
    """Follows the ops of warps in program order."""

    is_inner: Callable[[Operation], bool]
    """Whether an op is one that the lanes of a warp share."""

    open: dict[Block, list[_Access]] = field(default_factory=dict[Block, list[_Access]])
    """For the block of an op: the accesses since the lanes met."""

    last: dict[Block, Operation] = field(default_factory=dict[Block, Operation])
    """What stands for the last op of a block that its lanes shared."""

    def before(self, op: InnerOp) -> bool:
        """Whether the lanes must meet before an op; notes what it does."""
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
            not _is_body_of_warp(block)
            if following is None
            else not self.is_inner(following)
        )
        if needed:
            self.open[block] = []
        return needed

    def _pending(self, op: Operation, block: Block) -> list[_Access] | None:
        """The accesses since the lanes met; None where that is not known."""
        before = op.prev_op
        while before is not None and has_no_effect(before):
            before = before.prev_op
        if before is None:
            return [] if _is_body_of_warp(block) else None
        return self.open[block] if before is self.last.get(block) else None


def _is_body_of_warp(block: Block) -> bool:
    parent = block.parent_op()
    return isinstance(parent, ParallelOp) and parent.level.data is Level.Warp


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
