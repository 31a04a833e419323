"""Chunks: dims divided in equal parts."""

from __future__ import annotations

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq.index import WHOLE, Index
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import (
    initial_values,
    subspans,
)
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    ONE,
    ZERO,
    Const,
    Integer,
    Op,
    equal,
    is_outside,
    operation,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.values import Tile
from croqtile_mlir.frontends.croqtile.lowering.view_parts import (
    Entry,
    check_rank,
    entries,
    part,
)
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.frontends.croqtile.source import Span


def chunkat(ctx: Lowering, source: Tile, step: ast.ChunkAt) -> Tile:
    """`.chunkat(v, _)`: as many chunks as the bound of each variable."""
    found = entries(ctx, step.args)
    check_rank(ctx, step, "chunkat", found, source)
    counts: list[Integer] = []
    for value, place in found:
        if value is not None and value.bound is None:
            ctx.fail(
                Kind.ChunkatFactor,
                place,
                f"an argument of chunkat must be a bounded variable, got "
                f"{text(value.value)}, which says nothing of the number of chunks",
                hint=".subspan(extents).at(indices) takes any tile index",
            )
        counts.append(ONE if value is None or value.bound is None else value.bound)
    tiles = [
        _tile_of_cdiv(count, extent)
        for count, extent in zip(counts, source.shape, strict=True)
    ]
    if any(each is not None for each in tiles):
        return _chunkat_as_subspan(ctx, source, step, found, counts, tiles)
    return chunks(ctx, source, step, counts, found)


def _tile_of_cdiv(count: Integer, extent: Integer) -> Integer | None:
    """T where the number of chunks is `cdiv(extent, T)`, and does not divide it."""
    match count:
        case Op("cdiv", a, b) if equal(a, extent):
            return b
        case _:
            return None


def _chunkat_as_subspan(
    ctx: Lowering,
    source: Tile,
    step: ast.ChunkAt,
    found: list[Entry],
    counts: list[Integer],
    tiles: list[Integer | None],
) -> Tile:
    extents: list[Integer] = []
    for each, count, extent, (_, place) in zip(
        tiles, counts, source.shape, found, strict=True
    ):
        if each is not None:
            extents.append(each)
        elif count == ONE:
            extents.append(extent)
        elif isinstance(extent, Const) and isinstance(count, Const):
            _check_divides(ctx, place, extent, count)
            extents.append(Const(extent.value // count.value))
        elif equal(extent, count):
            extents.append(ONE)
        else:
            ctx.fail(
                Kind.Divisibility,
                place,
                f"a chunk of {text(extent)} by {text(count)} must have a known extent "
                "beside a dim in tiles of cdiv",
                hint="write .subspan(extents).at(indices)",
            )
    ctx.reporter.remark(
        Kind.ChunkatAsSubspan,
        step.span,
        f"chunks by cdiv are tiles of {', '.join(map(text, extents))} elements, "
        "clipped at the end",
    )
    return subspans.subspan(ctx, source, extents, None, [value for value, _ in found])


def _check_divides(ctx: Lowering, place: Span, extent: Const, count: Const) -> None:
    if count.value and extent.value % count.value:
        ctx.fail(
            Kind.Divisibility,
            place,
            f"extent must be divisible in {count.value} chunks, got {extent.value}",
            hint=".subspan(extents).at(indices) has tiles that may overhang",
        )


def chunks(
    ctx: Lowering,
    source: Tile,
    step: ast.Node,
    counts: list[Integer],
    found: list[Entry],
) -> Tile:
    """Each dim divided in a number of chunks."""
    shape: list[Integer] = []
    at: list[Index] = []
    for extent, count, (value, place) in zip(source.shape, counts, found, strict=True):
        if isinstance(extent, Const) and isinstance(count, Const):
            _check_divides(ctx, place, extent, count)
        shape.append(operation("/", extent, count))
        if value is None or count == ONE:
            at.append(WHOLE if value is None else 0)
            continue
        _check_index(ctx, place, value.value, count)
        at.append(ctx.index(value.value))
    if source.root in ctx.initialised:
        origin = [
            ZERO if value is None else operation("*", value.value, extent)
            for (value, _), extent in zip(found, shape, strict=True)
        ]
        initial_values.record(ctx, source, origin, shape, ctx.span)
    chunk_counts: list[Index] = [ctx.index(count) for count in counts]
    op = croq.ChunkAtOp(source.ssa, chunk_counts, at)
    return part(source, ctx.add(op).results[0], tuple(shape))


def _check_index(ctx: Lowering, place: Span, value: Integer, count: Integer) -> None:
    if is_outside(value, count):
        ctx.fail(
            Kind.OutOfBounds,
            place,
            f"index must be below {text(count)}, got {text(value)}",
        )


def chunk(ctx: Lowering, source: Tile, step: ast.Chunk) -> Tile:
    """`.chunk(counts).at(indices)`."""
    counts, at = entries(ctx, step.counts), entries(ctx, step.indices)
    check_rank(ctx, step, "chunk", counts, source)
    check_rank(ctx, step, ".at of chunk", at, source)
    values = [ONE if each is None else each.value for each, _ in counts]
    return chunks(ctx, source, step, values, at)
