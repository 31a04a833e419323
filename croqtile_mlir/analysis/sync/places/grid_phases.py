"""
What the barriers of the grid separate.

    croq.foreach %step in 3 {   // part 0
      croq.barrier grid         // part 1
      croq.barrier grid         // part 0 again: of the next turn
    }

All blocks come to each barrier equally often: it is in the body of the block, or in
that of a loop there of which all blocks make the same turns. Between two accesses in
different parts of the body of a loop there is a barrier, whichever turns they are in.
What is outside the loop is in a part with what is before the first and after the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, Operation

from croqtile_mlir.analysis.sync.model import Expr, Unknown
from croqtile_mlir.analysis.sync.tiles.values import Values
from croqtile_mlir.analysis.sync.used_values import parts_of
from croqtile_mlir.analysis.sync.verdicts import Undecided
from croqtile_mlir.dialects.croq import BarrierOp, CopyAsyncOp, ForeachOp, ParallelOp


@dataclass(frozen=True)
class GridPhases:
    """Where the barriers of the grid are in a block."""

    block: ParallelOp
    barriers: Sequence[Operation]
    """In the body of the block."""

    in_loops: dict[Operation, Sequence[Operation]]
    """In the bodies of loops there."""

    @staticmethod
    def of(block: ParallelOp, values: Values, differ: set[Expr]) -> GridPhases:
        """`differ`: the variables that may not be the same in all blocks."""
        body = block.body.block
        outer: list[Operation] = []
        loops: dict[Operation, list[Operation]] = {}
        for op in block.walk():
            if not isinstance(op, BarrierOp) or op.grid is None:
                continue
            loop = op.parent_op()
            if op.parent is body:
                outer.append(op)
            elif (
                isinstance(loop, ForeachOp)
                and loop.parent is body
                and _is_of_all(loop, values, differ)
            ):
                loops.setdefault(loop, []).append(op)
            else:
                # Blocks may be at different barriers at a time.
                return GridPhases(block, (), {})
        return GridPhases(block, outer, dict(loops))

    def separate(self, first: Operation, second: Operation) -> bool:
        """Whether a barrier is between two accesses, whenever they are made."""
        if any(isinstance(op, CopyAsyncOp) for op in (first, second)):
            # It may go on after a barrier.
            return False
        one, other = self._outer(first), self._outer(second)
        if _before(self.barriers, one) != _before(self.barriers, other):
            return True
        a, b = self._part(one, first), self._part(other, second)
        return a != b if one is other else a != 0 or b != 0

    def _outer(self, op: Operation) -> Operation:
        return _inside(op, self.block.body.block)

    def _part(self, outer: Operation, op: Operation) -> int:
        """How many barriers of a loop are before an op, modulo all of them."""
        if not isinstance(outer, ForeachOp) or outer not in self.in_loops:
            return 0
        barriers = self.in_loops[outer]
        return _before(barriers, _inside(op, outer.body.block)) % len(barriers)


def _before(barriers: Sequence[Operation], op: Operation) -> int:
    return sum(barrier.is_before_in_block(op) for barrier in barriers)


def _inside(op: Operation, body: Block) -> Operation:
    """The op of a body that another one is in."""
    outer = body.find_ancestor_op_in_block(op)
    assert outer is not None
    return outer


def missed_barrier(
    block: ParallelOp, values: Values, differ: set[Expr]
) -> Undecided | None:
    """A barrier of the grid to which some blocks may come more often than others."""
    for op in block.walk():
        if not isinstance(op, BarrierOp) or op.grid is None:
            continue
        around = op.parent_op()
        while around is not None and around is not block:
            if not _is_entered_by_all(around, values, differ):
                return Undecided(
                    op,
                    "it is not seen that all blocks of the grid come to this barrier "
                    "equally often; all else is proved",
                    "a barrier of the grid in the body of the block is come to by all",
                )
            around = around.parent_op()
    return None


def _is_entered_by_all(op: Operation, values: Values, differ: set[Expr]) -> bool:
    """Whether all blocks do what is inside equally often."""
    match op:
        case ForeachOp():
            return _is_of_all(op, values, differ)
        case scf.IfOp():
            return _is_same(values.value(op.cond), differ)
        case _:
            return False


def _is_of_all(loop: ForeachOp, values: Values, differ: set[Expr]) -> bool:
    """Whether all blocks make the same turns of a loop."""
    bounds = (loop.lower, loop.upper, loop.step)
    return all(_is_same(values.index(bound, loop), differ) for bound in bounds)


def _is_same(expr: Expr, differ: set[Expr]) -> bool:
    """Whether a value is the same in all blocks."""
    parts = set(parts_of(expr))
    return parts.isdisjoint(differ) and not any(
        isinstance(part, Unknown) for part in parts
    )
