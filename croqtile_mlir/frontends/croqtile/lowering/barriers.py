"""`sync.*`: barriers and fences of a level, and named barriers."""

from __future__ import annotations

from croqtile_mlir.analysis.scopes import WARP_THREADS
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import MemoryOrder, MemoryScope
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import clusters, constants
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.parts import MAX_THREADS
from croqtile_mlir.frontends.croqtile.reporting import Kind

_NAMED_BARRIERS = 16
"""Numbers of barriers of a block (PTX ISA, bar.sync)."""


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


def named(ctx: Lowering, node: ast.NamedBarrier) -> None:
    """
    `__bar_arrive(id, threads)`, `__bar_sync(id, threads)`, by all threads of the scope.

    The number is a name: which barrier of the hardware it is, the lowering decides.
    """
    word = "__bar_arrive" if node.arrive else "__bar_sync"
    if len(node.args) != 2:
        ctx.fail(
            Kind.TypeMismatch,
            node,
            f"{word} must have a number and a count of threads, got "
            f"{len(node.args)} arguments",
        )
    if ctx.block_level is None:
        ctx.fail(Kind.BarrierScope, node, f"{word} must be inside parallel : block")
    if ctx.inside_threads:
        ctx.fail(
            Kind.BarrierScope,
            node,
            f"{word} must be executed by all threads of its scope, got it in one "
            "thread",
        )
    number, threads = (
        constants.integer(ctx, each, f"arguments of {word}", 0) for each in node.args
    )
    if not 0 <= number < _NAMED_BARRIERS:
        ctx.fail(
            Kind.OutOfBounds,
            node.args[0],
            f"number of a barrier must be in 0..{_NAMED_BARRIERS - 1}, got {number}",
        )
    if threads < 1 or threads % WARP_THREADS or threads > MAX_THREADS:
        ctx.fail(
            Kind.ThreadCount,
            node.args[1],
            f"count of {word} must be a multiple of {WARP_THREADS} up to "
            f"{MAX_THREADS}, got {threads}",
        )
    before = ctx.parts.named_barriers.setdefault(number, (threads, node.span))
    if before[0] != threads:
        ctx.fail(
            Kind.ThreadCount,
            node.args[1],
            f"count of barrier {number} must be {before[0]} as elsewhere, got "
            f"{threads}",
            notes=[(before[1], "it is stated here")],
        )
    kind = croq.BarrierArriveOp if node.arrive else croq.BarrierWaitOp
    ctx.add(kind(f"bar{number}", threads))
