"""
`--persist`: as many blocks as the device runs at once walk over all tiles.

    croq.parallel (%m, %n) in (%ms, %ns) : block {
      <body>
    }
          ->
    croq.parallel (%b) in (132) : block {
      %tiles = arith.muli %ms, %ns
      croq.foreach %t in %b to %tiles step 132 {
        %m, %n = <the tile %t, in the order asked for>
        <body>
      }
    }

Buffers, events and arithmetic that does not depend on the tile stay outside the loop.
What a block does for one tile overlaps with what it does for the next as far as later
passes separate the two: `--warp-specialize` lets the producer run ahead across tiles.

With clusters, a cluster walks over the tiles of clusters: the index of a cluster takes
the place of that of a block, and the blocks of a cluster run the loop together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import is_side_effect_free

from croqtile_mlir.analysis.scopes import blocks_in
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AllocOp,
    DimOp,
    EventOp,
    ForeachOp,
    Level,
    ParallelOp,
    YieldOp,
    event_type,
)
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.lowering.bounded_indices import lower_indices_in
from croqtile_mlir.lowering.rewriting import LocatedBuilder
from croqtile_mlir.scheduling.plain_blocks import check_no_roles
from croqtile_mlir.scheduling.tile_order import Order, product, tile_indices

_index = IndexType()


def _value(build: LocatedBuilder, extent: Index) -> SSAValue | int:
    """An extent as a value inside the block."""
    return build.insert(DimOp(extent)).result if isinstance(extent, str) else extent


def _stays_outside(op: Operation, inside: set[SSAValue]) -> bool:
    """Whether an op of the body is the same for every tile, and costs no registers."""
    if any(operand in inside for operand in op.operands) or op.regions:
        return False
    if isinstance(op, AllocOp | EventOp):
        return True
    return is_side_effect_free(op) and all(
        isinstance(result.type, IndexType | IntegerType) for result in op.results
    )


def _check(block: ParallelOp, grid: ParallelOp, order: Order) -> None:
    for op in block.walk():
        if isinstance(op, EventOp) and event_type(op.event).is_of_grid:
            fail(
                op,
                "must be of a block to persist, got an event of the grid: there would "
                "be fewer blocks to arrive",
                notes=[(block, "the block is here")],
            )
    extents = grid.extent_values
    if order == "grouped" and len(extents) < 2:
        fail(
            grid,
            f"must have 2 indices or more for order=grouped, got {len(extents)}",
            hint="use order=first or order=last",
        )
    check_no_roles(block, "persist")


def _instances(block: ParallelOp, blocks: int) -> int:
    """How many blocks, or clusters of them, walk over the tiles."""
    size = math.prod(block.extents_in_cluster or (1,))
    if blocks % size:
        fail(
            block,
            f"blocks must be a multiple of the {size} blocks of a cluster, got "
            f"{blocks}",
            hint=f"use blocks={max(size, blocks - blocks % size)}",
        )
    return blocks // size


def _tile_body(block: ParallelOp, grid: ParallelOp, outer: Block) -> list[Operation]:
    """
    Move what no tile changes to `outer`; the other ops.

    What a cluster computes goes into its block.
    """
    inside: set[SSAValue] = set(grid.body.block.args)
    moved: list[Operation] = []
    ops = [op for op in grid.body.block.ops if op is not block]
    if grid is not block:
        ops += block.body.block.ops
    for op in ops:
        op.detach()
        if _stays_outside(op, inside):
            outer.add_op(op)
        else:
            moved.append(op)
            inside.update(op.results)
    return moved


def _persist(block: ParallelOp, blocks: int, order: Order, group: int) -> None:
    parent = block.parent_op()
    grid = parent if isinstance(parent, ParallelOp) else block
    _check(block, grid, order)
    instances = _instances(block, blocks)
    around, loop_body = Block(arg_types=[_index]), Block(arg_types=[_index])
    number = around.args[0]
    number.name_hint, loop_body.args[0].name_hint = "b", "tile"
    outer = around
    if grid is not block:
        number.name_hint = "c"
        outer = Block(arg_types=[_index] * len(block.extent_values))
        for old, new in zip(block.body.block.args, outer.args, strict=True):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
    build = LocatedBuilder.at_end(outer, block.location)
    sizes = [_value(build, extent) for extent in grid.extent_values]
    moved = _tile_body(block, grid, outer)
    build = LocatedBuilder.at_end(outer, block.location)
    count = sizes[0]
    for size in sizes[1:]:
        count = product(build, count, size)
    body = LocatedBuilder.at_end(loop_body, block.location)
    indices = tile_indices(body, loop_body.args[0], sizes, order, group)
    for arg, index in zip(grid.body.block.args, indices, strict=True):
        index.name_hint = arg.name_hint
        arg.replace_all_uses_with(index)
    for op in moved:
        loop_body.add_op(op)
    body = LocatedBuilder.at_end(loop_body, block.location)
    body.insert(YieldOp([]))
    build.insert(ForeachOp(count, Region(loop_body), lower=number, step=instances))
    _replace(block, grid, outer, around, instances)


def _replace(
    block: ParallelOp, grid: ParallelOp, outer: Block, around: Block, instances: int
) -> None:
    """Put the new body in the place of the grid."""
    threads = None if block.threads is None else block.threads.value.data
    extents = [instances] if grid is block else block.extent_values
    new = ParallelOp(extents, Level.Block, Region(outer), threads)
    new.attributes |= block.attributes
    if grid is not block:
        LocatedBuilder.at_end(around, block.location).insert(new)
        new = ParallelOp([instances], Level.Cluster, Region(around))
        new.attributes |= grid.attributes
    LocatedBuilder.before(grid).insert(new)
    grid.detach()
    grid.erase()


@dataclass(frozen=True)
class PersistPass(ModulePass):
    """
    Let a fixed number of blocks walk over all tiles.

    `blocks` is their number (132: the multiprocessors of an H100 or H200, one block on
    each), a multiple of the blocks of a cluster. `order` is that of the tiles: the
    `first` index fastest, the `last` index fastest, or `grouped`: of the last two
    indices `group` rows of tiles after each other, the row fastest inside, so that
    blocks which run at the same time share operands in L2; other indices slowest.
    With clusters it is the order of their tiles, and `group` counts rows of those.
    """

    name = "persist"

    blocks: int = 132
    order: Order = "first"
    group: int = 8

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.blocks < 1 or self.group < 1:
            fail(
                op,
                f"--persist must have blocks and group of at least 1, got "
                f"{self.blocks} and {self.group}",
            )
        lower_indices_in(op)
        for block in blocks_in(op):
            _persist(block, self.blocks, self.order, self.group)
