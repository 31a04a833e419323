"""
Sums in elements of buffers: `foreach k in [16] x.at(i) += a.at(k);`.

The element is loaded once before the loop and stored once after it; in between it is a
scalar. The loop has to have an iteration, and the value must not read the buffer.
"""

from __future__ import annotations

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.values import Future, Tile
from croqtile_mlir.frontends.croqtile.lowering.walking import names_in, walk

_EXACT = ("s32", "u32", "s64", "u64", "f32", "f64")
"""Elements that a sum of scalars has the type of: nothing is rounded between steps."""


def kept(
    ctx: Lowering, body: ast.Block, variables: set[str]
) -> tuple[ast.Statement, ast.Block, ast.Statement] | None:
    """What stands before the loop, in it and after it; None where it stays as it is."""
    if ctx.threads is None or not ctx.threads.inside or len(body.statements) != 1:
        return None
    match body.statements[0]:
        case (
            ast.Assign(
                target=ast.Element() as target, operator=str(), value=value
            ) as step
        ):
            pass
        case _:
            return None
    base = target.base.name
    buffer = ctx.scope.find(base.text)
    if not isinstance(buffer, Tile | Future) or buffer.element not in _EXACT:
        return None
    if any(names_in(index) & variables for index in target.indices):
        return None
    if base.text in names_in(value) or any(
        isinstance(each, ast.Increment | ast.Atomic) for each in walk(step)
    ):
        return None
    name = _free_name(ctx, f"{base.text}_sum", names_in(step))
    span = target.span
    written = ast.Name(span, name)
    item = ast.ScalarItem(span, written, target)
    element = ast.ElementType(span, buffer.element)
    before = ast.ScalarDecl(span, None, True, element, (item,))
    inside = ast.Assign(step.span, written, step.operator, value)
    after = ast.Assign(step.span, target, None, ast.Ref(span, written))
    return before, ast.Block(body.span, (inside,)), after


def _free_name(ctx: Lowering, name: str, used: set[str]) -> str:
    while name in used or ctx.scope.find(name) is not None:
        name += "_"
    return name
