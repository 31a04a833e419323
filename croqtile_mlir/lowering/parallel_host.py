"""
The shape of a kernel: its one block, what the host computes, what comes back.

Part of `--lower-parallel`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.scopes import scope_parallel
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import croq
from croqtile_mlir.lowering.cluster_reach import blocks_in_cluster
from croqtile_mlir.targets.architecture import Architecture

_STAGES: Sequence[tuple[tuple[type[Operation], ...], str]] = (
    (
        (croq.AxisOp, croq.ComposeOp, croq.SpanOp, croq.WithOp),
        "--lower-indices",
    ),
    ((croq.EventOp, croq.WaitOp, croq.TriggerOp), "--lower-events"),
    (
        (
            croq.CopyOp,
            croq.CopyAsyncOp,
            croq.DataOp,
            croq.FillOp,
            croq.AwaitOp,
            croq.AwaitLoadsOp,
            croq.AwaitStoresOp,
            croq.CommitLoadsOp,
        ),
        "--lower-dma",
    ),
    (
        (
            croq.MmaFillOp,
            croq.MmaExecOp,
            croq.MmaCommitOp,
            croq.MmaWaitOp,
            croq.MmaStoreOp,
        ),
        "--lower-mma",
    ),
    ((croq.ElementwiseOp,), "--lower-elementwise"),
    ((croq.ReduceOp,), "--lower-reduce"),
    (
        (
            croq.ViewOp,
            croq.LoadOp,
            croq.StoreOp,
            croq.AtomicOp,
            croq.FenceOp,
            croq.DescriptorOp,
        ),
        "--lower-views",
    ),
    ((croq.AssertOp,), "--lower-asserts"),
    (
        (*croq.LANE_OPS, croq.ActiveMaskOp, croq.LaneIdOp, croq.WarpIdOp),
        "--lower-lanes",
    ),
)
"""What an earlier pass lowers."""


def host_side(kernel: croq.KernelOp) -> tuple[croq.ParallelOp, Sequence[SSAValue]]:
    """
    The one block-level `parallel`, which may be in one of level cluster, and the
    returned tiles; checks the rest.
    """
    blocks: list[croq.ParallelOp] = []
    returned: Sequence[SSAValue] = ()
    for op in kernel.body.block.ops:
        match op:
            case croq.ParallelOp():
                blocks.append(op)
            case croq.ReturnOp():
                returned = op.tiles
            case (
                croq.AllocOp()
                | croq.AssertOp()
                | croq.CDivOp()
                | croq.DimOp()
                | croq.AxisOp()
                | croq.ComposeOp()
                | croq.SpanOp()
                | croq.WithOp()
                | croq.WorkspaceOp()
            ):
                pass
            case _ if op.name.startswith("arith.") and all(
                isinstance(r.type, IndexType | IntegerType) for r in op.results
            ):
                pass
            case _:
                fail(
                    op,
                    "must be inside croq.parallel of level block: outside only extents "
                    "are computed",
                )
    if len(blocks) != 1:
        fail(
            blocks[1] if blocks else kernel,
            f"must have one croq.parallel of level block, got {len(blocks)}",
            notes=[(block, "one is here") for block in blocks[:1]],
        )
    if blocks[0].level.data is croq.Level.Cluster:
        # The verifier has seen to the other ops of its body.
        (blocks[0],) = (
            op for op in blocks[0].body.block.ops if isinstance(op, croq.ParallelOp)
        )
    return blocks[0], returned


def cluster_of(block: croq.ParallelOp) -> croq.ParallelOp | None:
    """The `parallel : cluster` around a block."""
    return None if block.extents_in_cluster is None else scope_parallel(block)


def check_cluster(block: croq.ParallelOp, chip: Architecture) -> None:
    """Refuse a cluster that the target does not have."""
    cluster = cluster_of(block)
    if cluster is None:
        return
    if not chip.has("cluster"):
        fail(cluster, f"must be on a target that has clusters, got {chip.name}")
    if (blocks := blocks_in_cluster(block)) > chip.max_cluster:
        fail(
            block,
            f"must be at most {chip.max_cluster} blocks in a cluster on {chip.name}, "
            f"got {blocks}",
        )


def check_lowered(block: croq.ParallelOp) -> None:
    """Refuse what an earlier pass of the pipeline lowers."""
    for op in block.body.walk():
        if isinstance(op, croq.BarrierOp) and op.grid is not None:
            fail(
                op,
                "of the grid must be lowered before --lower-parallel",
                hint="run --lower-grid-barriers",
            )
        for classes, stage in _STAGES if op.name.startswith("croq.") else ():
            if isinstance(op, classes):
                fail(op, "must be lowered before --lower-parallel", hint=f"run {stage}")


def needed(block: croq.ParallelOp) -> list[Operation]:
    """The ops outside the block that compute what is used in it, in order."""
    cluster = cluster_of(block)
    around = [op.parent for op in (cluster, block) if op is not None]
    found: set[Operation] = set()
    pending: list[Operation] = list(block.body.walk())
    while pending:
        for operand in pending.pop().operands:
            owner = operand.owner
            if (
                isinstance(owner, Operation)
                and owner.parent in around
                and owner not in found
                and not isinstance(owner, croq.AllocOp)
            ):
                found.add(owner)
                pending.append(owner)
    return [op for parent in around if parent for op in parent.ops if op in found]
