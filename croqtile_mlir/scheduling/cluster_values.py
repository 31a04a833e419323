"""Which values differ between the blocks of a cluster, and because of which index."""

from __future__ import annotations

from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from croqtile_mlir.analysis.scopes import block_of
from croqtile_mlir.analysis.uniformity import controls, incoming
from croqtile_mlir.dialects.croq import LoadOp, ParallelOp, Space, tile_type


def indices_of(value: SSAValue, block: ParallelOp) -> frozenset[int]:
    """
    The indices in the cluster that a value may follow from, of those that vary.

    What is read from shared memory is each block's own: it follows from all of them.
    """
    varying = varying_indices(block)
    found: set[int] = set()
    seen: set[SSAValue] = set()
    todo = [value]
    while todo:
        current = todo.pop()
        if current in seen:
            continue
        seen.add(current)
        owner = current.owner
        if isinstance(owner, Block):
            parent = owner.parent_op()
            if parent is block and isinstance(current, BlockArgument):
                found.add(current.index)
            elif not isinstance(parent, ParallelOp) and parent is not None:
                if isinstance(current, BlockArgument):
                    todo += incoming(parent, current)
            continue
        if isinstance(owner, LoadOp) and _is_shared(owner.tile):
            return varying
        todo += owner.operands
        for region in owner.regions:
            for inner in region.blocks:
                if inner.last_op is not None:
                    todo += inner.last_op.operands
    return varying & found


def varying_indices(block: ParallelOp) -> frozenset[int]:
    """The indices along which a cluster has more than one block."""
    extents = block.extents_in_cluster or ()
    return frozenset(index for index, extent in enumerate(extents) if extent > 1)


def varying_control(op: Operation) -> Operation | None:
    """
    The loop or condition around an op that may run another number of times in another
    block of the cluster.
    """
    block = block_of(op)
    parent = op.parent_op()
    while parent is not None and parent is not block:
        if any(indices_of(value, block) for value in controls(parent)):
            return parent
        parent = parent.parent_op()
    return None


def _is_shared(tile: SSAValue) -> bool:
    return tile_type(tile).memory_space is Space.Shared
