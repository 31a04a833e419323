"""
How a reduction is dealt to threads, and in which order elements are combined.

Along the inner dim each element of the result has a group of threads: as many as there
are elements along the dim, 32 at most; more where there are more threads than that for
each element of the result. Thread m of a group combines elements m, m + g, m + 2g, ..
in this order, g the size of the group. Then the threads of a warp combine their values
in a butterfly: with the thread at distance g/2 (16 at most), .., 2, 1. Then the first
thread combines those of the warps of the group, in order. Along any other dim one
thread combines all elements, in order.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from croqtile_mlir.analysis.scopes import WARP_THREADS, scope_of
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import ReduceOp, dims_of


@dataclass(frozen=True)
class Groups:
    """The threads of a reduction of a tile."""

    dims: tuple[int, ...]
    dim: int
    """The dim of the source that is reduced."""

    threads: int
    size: int
    """Threads of a group: a power of two."""

    @property
    def outer(self) -> tuple[int, ...]:
        """The extents of the other dims."""
        return (*self.dims[: self.dim], *self.dims[self.dim + 1 :])

    @property
    def extent(self) -> int:
        """The elements that are combined to one."""
        return self.dims[self.dim]

    @property
    def results(self) -> int:
        """The elements of the result."""
        return prod(self.outer)

    @property
    def count(self) -> int:
        """The number of groups."""
        return self.threads // self.size

    @property
    def rounds(self) -> int:
        """The results that each group makes."""
        return -(-self.results // self.count)

    @property
    def in_warp(self) -> int:
        """The threads of a group that are in one warp."""
        return min(self.size, WARP_THREADS)

    @property
    def warps(self) -> int:
        """The warps of a group of several; 1 where groups are in a warp."""
        return max(1, self.size // WARP_THREADS)


def groups_of(op: ReduceOp) -> Groups:
    """The threads of the reduction of a tile by its scope."""
    return groups_for(op, scope_of(op).num_threads)


def groups_for(op: ReduceOp, threads: int) -> Groups:
    """The same by a number of threads."""
    dims = tuple(d for d in dims_of(op.source) if isinstance(d, int) and d > 0)
    if len(dims) < len(dims_of(op.source)):
        fail(
            op,
            f"must reduce tiles of constant extents, got {op.source.type}",
            hint="run --bind-params first; use views of constant extents",
        )
    dim = op.dim.data
    if dim < len(dims) - 1:
        return Groups(dims, dim, threads, 1)
    wanted = min(dims[dim], max(WARP_THREADS, threads // prod(dims[:-1])))
    size = 1
    while size * 2 <= wanted and threads % (size * 2) == 0:
        size *= 2
    return Groups(dims, dim, threads, size)
