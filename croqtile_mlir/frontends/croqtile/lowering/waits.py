"""`wait` of futures; other operands are for the parts that declare them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import futures
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.values import Future, Value, kind_of
from croqtile_mlir.frontends.croqtile.reporting import Kind


def wait(ctx: Lowering, node: ast.Wait) -> None:
    """`wait f, e`: futures and events, in order."""
    for operand in node.operands:
        found = ctx.find(operand.name)
        lower = WAITS.get(type(found))
        if lower is None:
            ctx.fail(
                Kind.EventOperand,
                operand,
                f"must be a future or an event, got {kind_of(found)}",
            )
        lower(ctx, found, operand)


def _future(ctx: Lowering, found: Value, operand: ast.EventRef) -> None:
    assert isinstance(found, Future)
    if operand.subscripts or operand.generation is not None:
        ctx.fail(
            Kind.EventOperand, operand, f"{operand.name} is a future, without slots"
        )
    futures.await_copy(ctx, found, operand)


WAITS: Mapping[type[Value], Callable[[Lowering, Value, ast.EventRef], None]] = {
    Future: _future
}
"""What waits for each kind of value."""
