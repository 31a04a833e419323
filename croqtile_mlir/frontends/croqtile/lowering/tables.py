"""What lowers each kind of statement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import (
    accumulators,
    barriers,
    buffers,
    control,
    events,
    futures,
    loops,
    parallels,
    product_stores,
    products,
    roles,
    statements,
)

STATEMENTS: Mapping[type[ast.Node], Callable[..., Any]] = MappingProxyType(
    {
        ast.Assign: statements.assign,
        ast.ScalarDecl: statements.scalars,
        ast.ShapeDecl: statements.shape,
        ast.TupleDecl: statements.tuples,
        ast.BufferDecl: buffers.declare,
        ast.CallStatement: statements.call,
        ast.Return: statements.ends,
        ast.If: control.conditional,
        ast.While: control.loop,
        ast.Break: control.leave,
        ast.Continue: control.leave,
        ast.With: loops.with_,
        ast.Foreach: loops.foreach,
        ast.Parallel: parallels.parallel,
        ast.Copy: futures.copy,
        ast.Placeholder: futures.placeholder,
        ast.Rotate: futures.rotate,
        ast.Wait: events.wait,
        ast.Trigger: events.trigger,
        ast.EventDecl: events.declare,
        ast.InThreads: roles.inthreads,
        ast.MmaFill: accumulators.fill,
        ast.MmaLoad: products.load,
        ast.MmaExec: products.multiply,
        ast.MmaCommit: products.commit,
        ast.MmaWait: products.wait,
        ast.MmaStore: product_stores.store,
        **dict.fromkeys(products.REFUSED, products.refuse),
        ast.SyncStorage: barriers.barrier,
        ast.SyncBarrier: barriers.barrier,
        ast.SyncFence: barriers.fence,
    }
)
