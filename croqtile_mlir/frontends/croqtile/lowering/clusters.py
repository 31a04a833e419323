"""
Clusters: `parallel {c} by [2] : cluster` around the grid.

An index of the cluster is the place of a block in it, along the index of the grid that
has its position; indices of the grid stay those of all blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, Region, SSAValue

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Engine, Level, Space
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    ZERO,
    Const,
    Integer,
    Variable,
    divides,
    known,
    operation,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.parts import Cluster
from croqtile_mlir.frontends.croqtile.lowering.values import Tile
from croqtile_mlir.frontends.croqtile.reporting import Kind

if TYPE_CHECKING:
    from croqtile_mlir.frontends.croqtile.lowering.parallels import Nest

MAX_BLOCKS = 8
"""Blocks of a portable cluster (CUDA Programming Guide, "Thread Block Clusters")."""


def declared(ctx: Lowering, nest: Nest, found: Sequence[tuple[str, Integer]]) -> None:
    """Note the cluster that the grid inside a nest is divided into."""
    if ctx.parts.cluster is not None:
        ctx.fail(Kind.LevelNesting, nest.axis, "a cluster must not be in another one")
    sizes: list[int] = []
    for _, bound in found:
        size = known(bound)
        if size is None:
            ctx.fail(
                Kind.LevelNesting,
                nest.axis.bound,
                f"blocks of a cluster must be known when compiling, got {text(bound)}",
                hint="give the names values: -DNAME=value",
            )
        sizes.append(size)
    if not 1 <= prod(sizes) <= MAX_BLOCKS:
        ctx.fail(
            Kind.LevelNesting,
            nest.axis.bound,
            f"a cluster must have 1 to {MAX_BLOCKS} blocks, got {prod(sizes)}",
        )
    ctx.parts.cluster = Cluster(nest.axis, tuple(sizes))


@dataclass(frozen=True)
class Grid:
    """The two nests of a grid of clusters, which are being built."""

    outer: Block
    """Of the clusters."""

    inner: Block
    """Of the blocks of one."""

    sizes: tuple[int, ...]

    @staticmethod
    def of(ctx: Lowering, count: int) -> Grid | None:
        """For a grid of so many indices; None if it has no clusters."""
        cluster = ctx.parts.cluster
        if cluster is None:
            return None
        if len(cluster.sizes) > count:
            ctx.fail(
                Kind.LevelNesting,
                cluster.axis,
                f"a cluster must have no more indices than its grid, got "
                f"{len(cluster.sizes)} and {count}",
            )
        rest = (1,) * (count - len(cluster.sizes))
        blocks = [Block(arg_types=[IndexType()] * count) for _ in range(2)]
        return Grid(blocks[0], blocks[1], (*cluster.sizes, *rest))

    def indices(
        self, ctx: Lowering, flat: Sequence[tuple[str, Integer]]
    ) -> list[Variable]:
        """The indices of the grid; those of the block in its cluster are noted."""
        cluster = ctx.parts.cluster
        assert cluster is not None
        found: list[Variable] = []
        ranks: list[Variable] = []
        for number, (name, bound) in enumerate(flat):
            outer, inner = self.outer.args[number], self.inner.args[number]
            size, value = self.sizes[number], outer
            outer.name_hint = name
            if size > 1:
                outer.name_hint, inner.name_hint = f"{name}_cluster", f"{name}_rank"
                cluster.is_cut |= not divides(size, bound)
                by = ctx.index_value(Const(size))
                first: SSAValue = ctx.add(arith.MuliOp(outer, by)).result
                value = ctx.add(arith.AddiOp(first, inner), name).result
            found.append(Variable(name, bound, ZERO, ssa=value))
            ranks.append(Variable(f"{name}_rank", Const(size), ZERO, ssa=inner))
        cluster.ranks = tuple(ranks[: len(cluster.sizes)])
        return found

    def finish(
        self,
        ctx: Lowering,
        flat: Sequence[tuple[str, Integer]],
        threads: int | None,
    ) -> croq.ParallelOp:
        """The nests around what was built."""
        with ctx.inside(self.inner):
            # Peers write to its memory until they are done.
            ctx.add(croq.BarrierOp(cluster=True))
        blocks = croq.ParallelOp(self.sizes, Level.Block, Region(self.inner), threads)
        with ctx.inside(self.outer):
            ctx.add(blocks)
        extents = [
            ctx.index(operation("cdiv", bound, Const(size)))
            for (_, bound), size in zip(flat, self.sizes, strict=True)
        ]
        return croq.ParallelOp(extents, Level.Cluster, Region(self.outer))


def along(ctx: Lowering, where: ast.Node, what: str) -> tuple[int, ...]:
    """The indices along which all blocks of the cluster are reached."""
    cluster = ctx.parts.cluster
    if cluster is None:
        ctx.fail(
            Kind.LevelNesting,
            where,
            f"{what} must be in a cluster, got a grid without",
            hint="parallel {c} by [2] : cluster around the grid makes clusters",
        )
    return tuple(number for number, size in enumerate(cluster.sizes) if size > 1)


def shared_copy(
    ctx: Lowering, node: ast.Copy, read: Tile, written: SSAValue
) -> croq.CopyAsyncOp:
    """A copy to all blocks of the cluster: each of them sends its part of the rows."""
    indices = along(ctx, node, ".multicast")
    cluster = ctx.parts.cluster
    assert cluster is not None
    count, rows = prod(cluster.sizes), known(read.shape[0])
    if rows is None or rows % count:
        ctx.fail(
            Kind.Divisibility,
            node.source,
            f"rows of a copy to {count} blocks must be a multiple of {count}, got "
            f"{text(read.shape[0])}",
        )
    _check_shared(ctx, node, read, cluster)
    part: Integer = ZERO
    step = 1
    for size, variable in zip(cluster.sizes, cluster.ranks, strict=True):
        part = operation("+", part, operation("*", variable, Const(step)))
        step *= size
    at = [ctx.index(part), *([0] * (len(read.shape) - 1))]
    chunks = [count, *([1] * (len(read.shape) - 1))]
    source = ctx.add(croq.ChunkAtOp(read.ssa, chunks, at)).result
    target = ctx.add(croq.ChunkAtOp(written, chunks, at)).result
    return croq.CopyAsyncOp(source, target, Engine.Tma, multicast=indices)


def _check_shared(ctx: Lowering, node: ast.Copy, read: Tile, cluster: Cluster) -> None:
    """Refuse a source that differs between blocks of the cluster."""
    ranks = {each.ssa for each in cluster.ranks if known(each.upper) != 1}
    seen: set[SSAValue] = set()
    left = [read.ssa]
    while left:
        value = left.pop()
        if value in seen:
            continue
        seen.add(value)
        if value in ranks:
            ctx.fail(
                Kind.EventOperand,
                node.source,
                "the source of a copy to all blocks must be one for all of the "
                f"cluster, got one that depends on {value.name_hint or 'the block'}",
            )
        if isinstance(value.owner, Operation):
            left += value.owner.operands


def check_element(ctx: Lowering, where: ast.Node, tile: Tile) -> None:
    """Refuse an element where a block may be beyond the end of the grid."""
    cluster = ctx.parts.cluster
    if cluster is None or not cluster.is_cut or ctx.is_conditional:
        return
    if tile.space is Space.Global:
        ctx.fail(
            Kind.OutOfBounds,
            where,
            "the last cluster may have blocks beyond the grid, whose elements must be "
            "left out by a condition",
            hint="copies of views leave them out themselves",
        )
