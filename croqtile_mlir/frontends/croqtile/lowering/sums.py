"""
Sums in elements of buffers: `foreach k in [16] x.at(i) += a.at(k);`.

The element is loaded once before the loop and stored once after it; in between it is a
scalar. The loop has to have an iteration, and neither the value nor the place of the
element may read the buffer, by any of its names.
"""

from __future__ import annotations

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.values import (
    Buffer,
    Future,
    Tile,
    Value,
)
from croqtile_mlir.frontends.croqtile.lowering.walking import names_in, walk

_EXACT = ("s32", "u32", "s64", "u64", "f32", "f64")
"""Elements that a sum of scalars has the type of: nothing is rounded between steps."""


def kept(
    ctx: Lowering, body: ast.Block, variables: set[str]
) -> tuple[ast.Statement, ast.Block, ast.Statement] | None:
    """What stands before the loop, in it and after it; None where it stays as it is."""
    if not ctx.inside_threads or len(body.statements) != 1:
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
    places = (*target.base.subscripts, *target.indices)
    if any(names_in(place) & variables for place in places):
        return None
    read = [
        ctx.scope.find(name) for part in (value, *places) for name in names_in(part)
    ]
    if any(_may_meet(buffer, each) for each in read) or any(
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


def _may_meet(written: Tile | Future, other: Value | None) -> bool:
    """Whether an element that is written may be one of another buffer."""
    if not isinstance(other, Tile | Future) or written.space is not other.space:
        return False
    a, b = _storage(written), _storage(other)
    return a is None or b is None or a is b


def _storage(found: Tile | Future) -> Buffer | Future | None:
    """What owns the elements; None where it is not one thing that is known."""
    if isinstance(found, Tile) and found.root is not None:
        return found.root
    future = found.future if isinstance(found, Tile) else found
    # A handle may be exchanged, and a named buffer has a name of its own.
    if future is None or future.handle is not None or future.is_named_buffer:
        return None
    return future


def _free_name(ctx: Lowering, name: str, used: set[str]) -> str:
    while name in used or ctx.scope.find(name) is not None:
        name += "_"
    return name
