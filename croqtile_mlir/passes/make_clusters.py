"""
`--make-clusters`: the blocks of a kernel run in clusters.

    croq.parallel (%m, %n) in (%ms, %ns) : block {
      <body>
    }
          ->
    %cs = croq.cdiv %ms, 2
    croq.parallel (%cm, %cn) in (%cs, %ns) : cluster {
      %first = arith.muli %cm, 2
      croq.parallel (%i, %j) in (2, 1) : block {
        %m = arith.addi %first, %i
        <body, %n is %cn>
      }
    }

Where the tiles are no multiple of a cluster, the last blocks get tiles beyond the end:
all blocks of a cluster do the same, copies there read zero and write nothing. A kernel
that uses single elements there, or views that must be inside their source, is refused.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, Region
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.scopes import blocks_in
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    MAX_CLUSTER_BLOCKS,
    CDivOp,
    Level,
    ParallelOp,
)
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.lowering.bounded_indices import lower_indices_in
from croqtile_mlir.lowering.rewriting import LocatedBuilder
from croqtile_mlir.scheduling.cluster_tails import check_tails
from croqtile_mlir.scheduling.plain_blocks import check_no_roles

_index = IndexType()
_NAMES = "ijk"
"""Hints for the indices in a cluster."""


def _extents(text: str) -> tuple[int, ...]:
    """The extents of a cluster written as `2x1`."""
    parts = text.split("x")
    if not all(part.isascii() and part.isdecimal() and int(part) for part in parts):
        fail(None, f"cluster must be positive extents such as 2x1, got {text}")
    extents = tuple(map(int, parts))
    if (blocks := math.prod(extents)) > MAX_CLUSTER_BLOCKS:
        fail(
            None,
            f"cluster must have at most {MAX_CLUSTER_BLOCKS} blocks, got {text}, "
            f"which are {blocks}",
        )
    return extents


def _check(block: ParallelOp, extents: Sequence[int]) -> None:
    if block.extents_in_cluster is not None:
        fail(block, "must not be in a cluster yet")
    if (indices := len(block.extent_values)) != len(extents):
        fail(
            block,
            f"must have as many indices as the cluster has extents, got {indices} and "
            f"{len(extents)}",
            hint="give an extent for each index, such as 2x1 for two",
        )
    check_no_roles(block, "make-clusters")


def _make_cluster(block: ParallelOp, extents: Sequence[int]) -> None:
    build = LocatedBuilder.before(block)
    clusters: list[Index] = [
        extent if size == 1 else build.insert(CDivOp(extent, size)).result
        for extent, size in zip(block.extent_values, extents, strict=True)
    ]
    outer = Block(arg_types=[_index] * len(extents))
    inner = Block(arg_types=[_index] * len(extents))
    build = LocatedBuilder.at_end(outer, block.location)
    start = LocatedBuilder.at_end(inner, block.location)
    old = block.body.block
    for number, (arg, size) in enumerate(zip(old.args, extents, strict=True)):
        cluster, own = outer.args[number], inner.args[number]
        own.name_hint = _NAMES[number]
        tile = cluster
        if size == 1:
            cluster.name_hint = arg.name_hint
        else:
            cluster.name_hint = f"c{arg.name_hint}" if arg.name_hint else None
            tile = start.add(build.mul(cluster, size), own)
            tile.name_hint = arg.name_hint
        arg.replace_all_uses_with(tile)
    for op in list(old.ops):
        op.detach()
        inner.add_op(op)
    threads = None if block.threads is None else block.threads.value.data
    new = ParallelOp(extents, Level.Block, Region(inner), threads)
    new.attributes |= block.attributes
    build.insert(new)
    LocatedBuilder.before(block).insert(
        ParallelOp(clusters, Level.Cluster, Region(outer))
    )
    block.detach()
    block.erase()


@dataclass(frozen=True)
class MakeClustersPass(ModulePass):
    """
    Let blocks run in clusters.

    `cluster` is how many blocks a cluster has along each index of the block, `2x1`:
    two along the first, one along the second. A cluster of one block is no cluster.
    """

    name = "make-clusters"

    cluster: str = "2x1"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        extents = _extents(self.cluster)
        lower_indices_in(op)
        blocks = blocks_in(op)
        for block in blocks:
            _check(block, extents)
        if math.prod(extents) == 1:
            return
        for block in blocks:
            check_tails(block, extents)
            _make_cluster(block, extents)
