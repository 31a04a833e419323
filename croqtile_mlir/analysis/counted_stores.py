"""Asynchronous stores that `croq.await_stores` counts."""

from __future__ import annotations

from xdsl.ir import Operation

from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.dialects.croq import (
    AwaitStoresOp,
    CopyAsyncOp,
    Space,
    tile_type,
)


def is_counted(op: Operation) -> bool:
    """Whether an op starts a store to global memory whose future nothing uses."""
    return (
        isinstance(op, CopyAsyncOp)
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
