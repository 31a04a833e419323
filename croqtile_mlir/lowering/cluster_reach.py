"""
Which blocks of a cluster an op reaches, as ranks (PTX ISA, `%cluster_ctarank`).

The rank of a block is `i + extent_i * (j + extent_j * k)`: the first index is the
fastest. An op that is multicast along some indices reaches the blocks at all values of
these: those whose rank is `first + offset`, `first` from its other indices.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from croqtile_mlir.analysis.scopes import block_of
from croqtile_mlir.dialects.croq import CopyAsyncOp, ParallelOp, TriggerOp
from croqtile_mlir.lowering.memo_builder import MemoBuilder, Value
from croqtile_mlir.lowering.rewriting import LocatedBuilder

MASK_BITS = 16
"""Bits of the mask of a multicast copy, one for each rank."""


def blocks_in_cluster(block: ParallelOp) -> int:
    """How many blocks there are in the cluster of a block; 1 without one."""
    return prod(block.extents_in_cluster or ())


@dataclass(frozen=True)
class Reach:
    """The blocks of a cluster that differ from one of them in `indices` at most."""

    block: ParallelOp
    indices: tuple[int, ...]

    @property
    def offsets(self) -> tuple[int, ...]:
        """Their ranks, counted from the lowest, in order."""
        ways = [
            range(0, extent * stride, stride) if index in self.indices else (0,)
            for index, (extent, stride) in enumerate(self._dims)
        ]
        return tuple(sorted(map(sum, product(*ways))))

    @property
    def count(self) -> int:
        """How many they are, the own one among them."""
        return len(self.offsets)

    @property
    def mask(self) -> int:
        """A bit for each of them, the lowest first."""
        return sum(1 << offset for offset in self.offsets)

    def first(self, builder: LocatedBuilder) -> SSAValue | int:
        """The lowest rank of them, an i32, or a number where it is the same in all."""
        total: SSAValue | int = 0
        for value, stride in self._others:
            scaled = builder.mul(builder.cast(value, i32), stride)
            total = scaled if isinstance(total, int) else builder.add(total, scaled)
        return total

    def first_once(self, memo: MemoBuilder) -> Value:
        """The same, where the arithmetic may be there already."""
        total: Value = 0
        for value, stride in self._others:
            total = memo.add(total, memo.mul(memo.cast(value, i32), stride))
        return total

    @property
    def _dims(self) -> list[tuple[int, int]]:
        """Extent and stride in ranks of each index."""
        extents = self.block.extents_in_cluster or ()
        return [(extent, prod(extents[:index])) for index, extent in enumerate(extents)]

    @property
    def _others(self) -> list[tuple[SSAValue, int]]:
        """The indices that all of them have in common, with their strides."""
        args = self.block.body.block.args
        return [
            (args[index], stride)
            for index, (extent, stride) in enumerate(self._dims)
            if index not in self.indices and extent > 1
        ]


def reach_of(op: TriggerOp | CopyAsyncOp) -> Reach:
    """The blocks that a trigger arrives in, or a copy goes to."""
    return Reach(block_of(op), op.multicast_indices)
