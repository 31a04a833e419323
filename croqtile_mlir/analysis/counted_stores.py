"""Asynchronous stores that `croq.await_stores` counts."""

from __future__ import annotations

from xdsl.ir import Operation

from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.dialects.croq import (
    AwaitStoresOp,
    CopyAsyncOp,
    Engine,
    Space,
    tile_type,
)


def is_counted(op: Operation) -> bool:
    """
    Whether an op starts a store to global memory whose future nothing uses.

    One by threads is over when they are through, and not counted.
    """
    return (
        isinstance(op, CopyAsyncOp)
        and op.engine.data is not Engine.Threads
        and tile_type(op.destination).memory_space is Space.Global
        and not op.future.uses
    )


def waits_for_stores(op: Operation) -> list[AwaitStoresOp]:
    """The waits for counted stores of the scope that executes an op."""
    root = scope_of(op).root
    return [
        inner
        for inner in root.walk()
        if isinstance(inner, AwaitStoresOp) and scope_of(inner).root is root
    ]
