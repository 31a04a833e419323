"""The blocks of a cluster in terms of their indices, at tile level."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

from croqtile_mlir.analysis.sync.clusters import Place
from croqtile_mlir.analysis.sync.model import Constant, Expr, Variable
from croqtile_mlir.analysis.sync.symbolic import Expressions
from croqtile_mlir.dialects.croq import ParallelOp
from croqtile_mlir.lowering.cluster_reach import Reach


@dataclass(frozen=True)
class Cluster:
    """
    The indices of a block in its cluster, which are variables, and what they may be.

    Ranks count with the first index fastest.
    """

    make: Expressions
    block: ParallelOp
    indices: tuple[Expr, ...]
    places: tuple[Place, ...]
    """By rank: the indices of that block."""

    @staticmethod
    def of(block: ParallelOp, make: Expressions) -> Cluster | None:
        """The cluster that a block is of."""
        extents = block.extents_in_cluster
        if extents is None:
            return None
        indices: list[Expr] = []
        for number, (argument, extent) in enumerate(
            zip(block.body.block.args, extents, strict=True)
        ):
            name = argument.name_hint or f"block index {number}"
            indices.append(
                make.variable(name, (0, extent - 1)) if extent > 1 else Constant(0)
            )
        places: list[Place] = [
            {
                index: Constant(at)
                for index, at in zip(indices, reversed(place), strict=True)
                if isinstance(index, Variable)
            }
            for place in product(*map(range, reversed(extents)))
        ]
        return Cluster(make, block, tuple(indices), tuple(places))

    @property
    def blocks(self) -> int:
        """How many blocks the cluster has."""
        return len(self.places)

    def rank(self, left_out: Sequence[int] = ()) -> Expr:
        """The rank of the block that is first along the indices that are left out."""
        rank: Expr = Constant(0)
        stride = 1
        extents = self.block.extents_in_cluster or ()
        pairs = zip(self.indices, extents, strict=True)
        for number, (index, extent) in enumerate(pairs):
            if number not in left_out:
                scaled = self.make.apply("mul", index, Constant(stride))
                rank = self.make.apply("add", rank, scaled)
            stride *= extent
        return rank

    def receivers(self, along: Sequence[int]) -> Expr:
        """
        A bit for each rank that differs from the own one in these indices at most.
        """
        mask = Reach(self.block, tuple(along)).mask
        return self.make.apply("shl", Constant(mask), self.rank(along))

    def by_rank(self, expr: Expr, of: Callable[[Expr, int], Expr]) -> Expr:
        """
        What stands for an expression: one thing for all blocks, or where it depends on
        the block one for each. `of` is given the expression of a block, and its rank.
        """
        variables = self.make.variables(expr)
        if variables.isdisjoint(self.indices):
            return of(expr, 0)
        found: Expr | None = None
        for rank, place in enumerate(self.places):
            own = of(self.make.substitute(expr, place, {}), rank)
            if found is None:
                found = own
            else:
                here = self.make.apply("eq", self.rank(), Constant(rank))
                found = self.make.apply("select", here, own, found)
        assert found is not None
        return found
