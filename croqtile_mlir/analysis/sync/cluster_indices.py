"""The indices of a block in its cluster as expressions, and the values they take."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import product

from croqtile_mlir.analysis.sync.clusters import Place
from croqtile_mlir.analysis.sync.model import Constant, Expr, Variable
from croqtile_mlir.analysis.sync.symbolic import Expressions


@dataclass(frozen=True)
class Cluster:
    """
    The indices of a block in its cluster, which are variables, and what they may be.

    Ranks count with the first index fastest (PTX ISA, `%cluster_ctarank`).
    """

    make: Expressions
    extents: tuple[int, ...]
    indices: tuple[Expr, ...]
    places: tuple[Place, ...]
    """By rank: the indices of that block."""

    @staticmethod
    def of(make: Expressions, extents: Sequence[int], names: Sequence[str]) -> Cluster:
        """A cluster of these extents; an index is known where the extent is 1."""
        indices: list[Expr] = [
            make.variable(name, (0, extent - 1)) if extent > 1 else Constant(0)
            for name, extent in zip(names, extents, strict=True)
        ]
        places: list[Place] = [
            {
                index: Constant(at)
                for index, at in zip(indices, reversed(place), strict=True)
                if isinstance(index, Variable)
            }
            for place in product(*map(range, reversed(extents)))
        ]
        return Cluster(make, tuple(extents), tuple(indices), tuple(places))

    @property
    def blocks(self) -> int:
        """How many blocks the cluster has."""
        return len(self.places)

    def rank(self, left_out: Collection[int] = ()) -> Expr:
        """The rank of the block that is first along the indices that are left out."""
        rank: Expr = Constant(0)
        stride = 1
        pairs = zip(self.indices, self.extents, strict=True)
        for number, (index, extent) in enumerate(pairs):
            if number not in left_out:
                scaled = self.make.apply("mul", index, Constant(stride))
                rank = self.make.apply("add", rank, scaled)
            stride *= extent
        return rank

    def differs(self, expr: Expr) -> bool:
        """Whether an expression may differ between the blocks."""
        return not self.make.variables(expr).isdisjoint(self.indices)

    def by_rank(self, expr: Expr, of: Callable[[Expr, int], Expr]) -> Expr:
        """
        What stands for an expression: one thing for all blocks, or where it depends on
        the block one for each. `of` is given the expression of a block, and its rank.
        """
        if not self.differs(expr):
            return of(expr, 0)
        return self.selected(
            [
                of(self.make.substitute(expr, place, {}), rank)
                for rank, place in enumerate(self.places)
            ]
        )

    def selected(self, each: Sequence[Expr]) -> Expr:
        """The expression that is each of these in the block of that rank."""
        found = each[0]
        for rank, own in enumerate(each[1:], 1):
            here = self.make.apply("eq", self.rank(), Constant(rank))
            found = self.make.apply("select", here, own, found)
        return found
