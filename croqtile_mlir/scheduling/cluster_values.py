"""Which values differ between the blocks of a cluster, and because of which index."""

from __future__ import annotations

from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from croqtile_mlir.analysis.reached import reached
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
    for current in reached(value, computed_from):
        if isinstance(current, BlockArgument):
            if current.block.parent_op() is block:
                found.add(current.index)
        elif isinstance(current.owner, LoadOp) and _is_shared(current.owner.tile):
            return varying
    return varying & found


def computed_from(value: SSAValue) -> list[SSAValue]:
    """What a value is computed from, or takes from loops and conditions."""
    if isinstance(value, BlockArgument):
        parent = value.block.parent_op()
        if parent is None or isinstance(parent, ParallelOp):
            return []
        return incoming(parent, value)
    if not isinstance(value, OpResult):
        return []
    found = list(value.op.operands)
    for region in value.op.regions:
        for block in region.blocks:
            if block.last_op is not None:
                found += block.last_op.operands
    return found


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
