"""`sync.*`: barriers and fences of a level, and named barriers."""

from __future__ import annotations

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import MemoryOrder, MemoryScope
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import clusters
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.reporting import Kind


def barrier(ctx: Lowering, node: ast.SyncBarrier | ast.SyncStorage) -> None:
    """
    `sync.shared`, `sync.barrier : block`.

    A barrier of groups is one of their scope: it is stronger, and all of it comes by.
    """
    if isinstance(node, ast.SyncStorage) and node.storage is not ast.Storage.Shared:
        ctx.unsupported(
            node,
            f"sync.{node.storage.value}",
            "sync.barrier : block is a barrier, sync.fence : device orders global "
            "memory",
        )
    level = (
        ast.LevelKind.Block if isinstance(node, ast.SyncStorage) else node.level.kind
    )
    match level:
        case ast.LevelKind.Thread:
            return
        case ast.LevelKind.Warp | ast.LevelKind.Warpgroup:
            ctx.add(croq.BarrierOp())
        case ast.LevelKind.Block:
            _of_block(ctx, node)
        case ast.LevelKind.Cluster:
            clusters.along(ctx, node, "sync.barrier : cluster")
            _of_block(ctx, node, cluster=True)
        case ast.LevelKind.Device:
            ctx.unsupported(
                node,
                f"sync.barrier : {level.value}",
                "block<cooperative> makes a barrier of blocks one of the grid",
            )


def _of_block(
    ctx: Lowering, node: ast.SyncBarrier | ast.SyncStorage, *, cluster: bool = False
) -> None:
    if ctx.parts.role is not None:
        ctx.fail(
            Kind.BarrierScope,
            node,
            "a barrier of the block must not be in a role, whose other roles do not "
            f'come by, got it in the role "{ctx.parts.role.name}"',
            hint="use an event; inthreads ends with a barrier of its role",
            notes=[(ctx.parts.role.span, "the role is here")],
        )
    if cluster:
        ctx.add(croq.BarrierOp(cluster=True))
        return
    ctx.add(
        croq.BarrierOp(
            grid=ctx.parts.is_cooperative and isinstance(node, ast.SyncBarrier)
        )
    )


def fence(ctx: Lowering, node: ast.SyncFence) -> None:
    """`sync.fence : level`: orders what each thread did before with what follows."""
    if node.storage is not None:
        ctx.reporter.remark(
            Kind.Ignored,
            node.span,
            f"a fence orders all memory, not {node.storage.value} memory alone",
        )
    scope = {
        ast.LevelKind.Device: MemoryScope.Gpu,
        ast.LevelKind.Cluster: MemoryScope.Cluster,
    }.get(node.level.kind, MemoryScope.Cta)
    ctx.add(croq.FenceOp(MemoryOrder.AcqRel, scope))
