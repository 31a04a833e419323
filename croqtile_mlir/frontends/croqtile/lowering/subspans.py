"""Tiles of stated extents at a tile index."""

from __future__ import annotations

from dataclasses import replace

from croqtile_mlir.dialects.croq import SubspanOp
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import (
    chunks,
    initial_values,
)
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    ONE,
    ZERO,
    Const,
    Integer,
    Named,
    divides,
    equal,
    interval,
    is_known,
    known,
    operation,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.values import Int, Tile
from croqtile_mlir.frontends.croqtile.lowering.view_parts import (
    Entry,
    check_rank,
    dim_of_extent,
    entries,
    part,
)
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.frontends.croqtile.source import Span


def subspan_at(ctx: Lowering, source: Tile, step: ast.Subspan) -> Tile:
    """`.subspan(extents).step(steps).at(indices)`."""
    extents = entries(ctx, step.extents)
    check_rank(ctx, step, "subspan", extents, source)
    if step.strides is not None:
        ctx.unsupported(step, "subspan with strides", "view(..) with strides")
    sizes = [
        own if each is None else each.value
        for (each, _), own in zip(extents, source.shape, strict=True)
    ]
    indices: list[Entry] = [(Int(ZERO), place) for _, place in extents]
    if step.indices is not None:
        indices = entries(ctx, step.indices)
        check_rank(ctx, step, ".at of subspan", indices, source)
    at = [value for value, _ in indices]
    spacing = None
    if step.steps is not None:
        steps = entries(ctx, step.steps)
        check_rank(ctx, step, ".step", steps, source)
        spacing = [
            size if each is None else each.value
            for (each, _), size in zip(steps, sizes, strict=True)
        ]
    units = sizes if spacing is None else spacing
    for (_, place), value, unit, own in zip(
        indices,
        at,
        units,
        source.shape,
        strict=True,
    ):
        if value is not None:
            _check_origin(ctx, place, value.value, unit, own)
    return subspan(ctx, source, sizes, spacing, at)


def _check_origin(
    ctx: Lowering, place: Span, index: Integer, unit: Integer, extent: Integer
) -> None:
    low, high = interval(operation("*", index, unit))
    if (isinstance(extent, Const) and low is not None and low >= extent.value) or (
        high is not None and high < 0
    ):
        ctx.fail(
            Kind.OutOfBounds,
            place,
            f"the tile must start inside the {text(extent)} elements, got tile "
            f"{text(index)} of {text(unit)}",
        )


def subspan(
    ctx: Lowering,
    source: Tile,
    sizes: list[Integer],
    spacing: list[Integer] | None,
    at: list[Int | None],
) -> Tile:
    whole = [
        value is None or equal(size, own)
        for size, own, value in zip(sizes, source.shape, at, strict=True)
    ]
    symbolic = [not is_known(size) for size in sizes]
    if any(symbolic):
        if not all(w for w, s in zip(whole, symbolic, strict=True) if s):
            bad = next(s for s, k in zip(sizes, symbolic, strict=True) if k)
            ctx.fail(
                Kind.SymbolicShared,
                ctx.span,
                f"extents of a tile must be known when compiling, got {text(bad)}",
                hint="give the names values: -DNAME=value, or --param NAME",
            )
        return _rows(ctx, source, sizes, spacing, at, symbolic)
    dims = [dim_of_extent(size) for size in sizes]
    places: list[Index] = [
        0 if value is None else ctx.index(value.value) for value in at
    ]
    steps = None if spacing is None else [dim_of_extent(each) for each in spacing]
    if source.root in ctx.initialised:
        origin = [
            ZERO if value is None else operation("*", value.value, unit)
            for value, unit in zip(
                at, sizes if spacing is None else spacing, strict=True
            )
        ]
        initial_values.record(ctx, source, origin, sizes, ctx.span)
    op = SubspanOp(source.ssa, dims, places, steps)
    return part(source, ctx.add(op).results[0], tuple(sizes))


def _rows(
    ctx: Lowering,
    source: Tile,
    sizes: list[Integer],
    spacing: list[Integer] | None,
    at: list[Int | None],
    symbolic: list[bool],
) -> Tile:
    """
    A tile that keeps whole dims of unknown extent: divided in chunks of others.

    Chunks are not clipped, so that their extents divide those of the source.
    """
    if spacing is not None:
        ctx.unsupported(ctx.span, "steps beside a whole dim of unknown extent")
    counts: list[Integer] = []
    for size, own, keep in zip(sizes, source.shape, symbolic, strict=True):
        if not keep:
            _divide(ctx, own, size)
        counts.append(ONE if keep else operation("/", own, size))
    found: list[Entry] = [
        (None if keep else value, ctx.span)
        for value, keep in zip(at, symbolic, strict=True)
    ]
    made = chunks.chunks(ctx, source, ast.Whole(ctx.span), counts, found)
    return replace(made, shape=tuple(sizes))


def _divide(ctx: Lowering, extent: Integer, size: Integer) -> None:
    """Let a launch check that a size divides an extent, where it is not known to."""
    if equal(extent, size):
        return
    number = known(size)
    if number is not None and divides(number, extent):
        return
    if number is not None and isinstance(extent, Named) and not extent.is_param:
        ctx.demand_multiple(extent.name, number)
        return
    ctx.fail(
        Kind.Divisibility,
        ctx.span,
        f"beside a whole dim of unknown extent {text(size)} must divide the "
        f"{text(extent)} elements",
        hint="give the unknown extent a value, and the tile is clipped",
    )
