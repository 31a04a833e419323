"""Asynchronous loads that `croq.commit_loads` puts in groups."""

from __future__ import annotations

from xdsl.ir import Operation

from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.dialects.croq import (
    AwaitLoadsOp,
    CommitLoadsOp,
    CopyAsyncOp,
    Engine,
    Space,
    tile_type,
)


def is_grouped(op: Operation) -> bool:
    """
    Whether an op starts a load to shared memory that a group completes.

    Its future is not used, nor is it bytes of an mbarrier; TMA knows no such groups.
    """
    return (
        isinstance(op, CopyAsyncOp)
        and op.engine.data is not Engine.Tma
        and tile_type(op.source).memory_space is Space.Global
        and tile_type(op.destination).memory_space is Space.Shared
        and not op.future.uses
        and op.completes is None
    )


def commits_loads(op: Operation) -> bool:
    """Whether the scope that executes an op has groups of loads, and waits for them."""
    root = scope_of(op).root
    found = [
        type(inner)
        for inner in root.walk()
        if isinstance(inner, AwaitLoadsOp | CommitLoadsOp)
        and scope_of(inner).root is root
    ]
    return AwaitLoadsOp in found and CommitLoadsOp in found
