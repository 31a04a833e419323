"""Views: parts of buffers, as views of croq."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Dim, Space
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.dialects.croq.views import ElementViewOp
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import (
    buffers,
    chunks,
    expressions,
    initial_values,
    subspans,
)
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    ONE,
    ZERO,
    Const,
    Integer,
    is_known,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.values import Tile
from croqtile_mlir.frontends.croqtile.lowering.view_parts import (
    check_rank,
    dim_of_extent,
    entries,
    part,
)
from croqtile_mlir.frontends.croqtile.reporting import Kind


def view(ctx: Lowering, node: ast.View) -> Tile:
    """A base with its operations, from left to right."""
    found = buffers.tile(ctx, node.base)
    if found.array:
        ctx.fail(
            Kind.RankMismatch,
            node.base,
            f"a view must be of one buffer, got the array {node.base.name}",
            hint=f"{node.base.name}[i] is one buffer",
        )
    if found.space is Space.Register:
        ctx.unsupported(node, "a view of a local buffer", "name its elements with .at")
    for step in node.operations:
        with ctx.at(step):
            found = _OPERATIONS[type(step)](ctx, found, step)
    return found


def viewed(ctx: Lowering, node: ast.ViewLike) -> Tile:
    """What a copy or a matrix statement names."""
    if isinstance(node, ast.View):
        return view(ctx, node)
    found = buffers.tile(ctx, node)
    if found.array:
        ctx.fail(
            Kind.RankMismatch,
            node,
            f"must be one buffer, got the array {node.name}",
            hint=f"{node.name}[i] is one buffer",
        )
    if found.space is Space.Register:
        ctx.unsupported(node, "a local buffer as a whole", "name its elements with .at")
    if found.root in ctx.initialised:
        origin = [ZERO] * len(found.shape)
        initial_values.record(ctx, found, origin, found.shape, node.span)
    return found


def _window(ctx: Lowering, source: Tile, step: ast.Window) -> Tile:
    extents = entries(ctx, step.extents)
    check_rank(ctx, step, "view", extents, source)
    sizes = [
        own if each is None else each.value
        for (each, _), own in zip(extents, source.shape, strict=True)
    ]
    strides = None
    if step.strides is not None:
        found = entries(ctx, step.strides)
        check_rank(ctx, step, "strides of view", found, source)
        strides = [ONE if each is None else each.value for each, _ in found]
    at: list[Index] = [0] * len(sizes)
    if step.offsets is not None:
        offsets = entries(ctx, step.offsets)
        check_rank(ctx, step, ".from of view", offsets, source)
        at = [0 if each is None else ctx.index(each.value) for each, _ in offsets]
    for size in (*sizes, *(strides or ())):
        if not is_known(size):
            ctx.fail(
                Kind.SymbolicShared,
                step,
                f"extents of a tile must be known when compiling, got {text(size)}",
                hint="give the names values: -DNAME=value, or --param NAME",
            )
    initial_values.check_part(ctx, source, step.span)
    spacing = None if strides is None else [dim_of_extent(each) for each in strides]
    op = ElementViewOp(source.ssa, [dim_of_extent(size) for size in sizes], at, spacing)
    return part(source, ctx.add(op).results[0], tuple(sizes))


def _span_as(ctx: Lowering, source: Tile, step: ast.SpanAs) -> Tile:
    initial_values.check_part(ctx, source, step.span)
    extents = entries(ctx, step.extents)
    sizes: list[Integer] = []
    dims: list[Dim] = []
    for value, place in extents:
        if value is None:
            ctx.fail(Kind.TypeMismatch, place, "_ must not be an extent of span_as")
        sizes.append(value.value)
        dims.append(dim_of_extent(value.value) if is_known(value.value) else "_")
    before = expressions.product(source.shape)
    after = expressions.product(tuple(sizes))
    if isinstance(before, Const) and isinstance(after, Const) and before != after:
        ctx.fail(
            Kind.ShapeMismatch,
            step,
            f"span_as must keep the {before.value} elements, got {after.value}",
        )
    op = croq.SpanAsOp(source.ssa, dims)
    return part(source, ctx.add(op).results[0], tuple(sizes))


def _squeeze(ctx: Lowering, source: Tile, step: ast.Squeeze) -> Tile:
    dropped = [d for d, extent in enumerate(source.shape) if extent == ONE]
    if len(dropped) == len(source.shape):
        dropped = dropped[:-1]
    if not dropped:
        return source
    initial_values.check_part(ctx, source, step.span)
    dims = croq.tile_type(source.ssa).dims
    if any(dims[dim] == croq.DYNAMIC for dim in dropped):
        ctx.unsupported(
            step,
            ".sqz of a part that keeps a whole dim of unknown extent",
            "give the extents values, or name the elements with .at",
        )
    shape = tuple(e for d, e in enumerate(source.shape) if d not in dropped)
    op = croq.SqueezeOp(source.ssa, dropped)
    return part(source, ctx.add(op).results[0], shape)


_OPERATIONS: Mapping[type[ast.Node], Callable[..., Tile]] = {
    ast.ChunkAt: chunks.chunkat,
    ast.Chunk: chunks.chunk,
    ast.Subspan: subspans.subspan_at,
    ast.Window: _window,
    ast.SpanAs: _span_as,
    ast.Squeeze: _squeeze,
}
