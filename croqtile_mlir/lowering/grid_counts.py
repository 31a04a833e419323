"""What the blocks of a grid count in global memory: the workspace, their number."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from croqtile_mlir.analysis.scopes import block_of, kernel_of, scope_parallel
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    LoadOp,
    MemoryOrder,
    MemoryScope,
    ParallelOp,
    WorkspaceOp,
)
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.lowering.rewriting import LocatedBuilder

BARRIER_COUNT = 0
"""The element of the workspace that barriers of the grid count in."""


def workspace_of(op: Operation, elements: int = 1) -> SSAValue:
    """The workspace of the kernel around an op; a new one of so many elements."""
    body = kernel_of(op).body.block
    for other in body.ops:
        if isinstance(other, WorkspaceOp):
            if other.elements < elements:
                fail(
                    other,
                    f"must have the {elements} elements that blocks count in, got "
                    f"{other.elements}",
                    hint="leave it to the pass, which makes one",
                )
            return other.result
    first = body.first_op
    assert first is not None
    return LocatedBuilder.before(first).insert(WorkspaceOp(elements)).result


def block_without_cluster(op: Operation) -> ParallelOp:
    """The block of an op, which counts with all others; not in a cluster."""
    block = block_of(op)
    if block.extents_in_cluster is not None or scope_parallel(block) is not None:
        fail(op, "must be in a grid without clusters", notes=[(block, "it is here")])
    return block


def number_of_blocks(build: LocatedBuilder, block: ParallelOp) -> SSAValue:
    """The blocks of the grid, as an index."""
    blocks: SSAValue = build.index(1)
    for extent in block.extent_values:
        blocks = build.mul(blocks, build.index_value(extent))
    return blocks


def spin(
    build: LocatedBuilder,
    counts: SSAValue,
    at: Index,
    against: SSAValue,
    *,
    flips: bool,
) -> scf.WhileOp:
    """
    A loop that reads a count, with acquire, until it is at least `against`.

    Counts go around, so the difference tells. With `flips` it is until the highest bit
    is another one than that of `against`.
    """
    before, after = Block(), Block([scf.YieldOp()])
    test = LocatedBuilder.at_end(before, build.location)
    load = LoadOp(counts, [at], MemoryOrder.Acquire, MemoryScope.Gpu)
    now = test.insert(load).value
    if flips:
        again = test.cmp("sge", test.xor(against, now), 0)
    else:
        again = test.cmp("slt", test.sub(now, against), 0)
    test.insert(scf.ConditionOp(again))
    return scf.WhileOp([], [], Region(before), Region(after))
