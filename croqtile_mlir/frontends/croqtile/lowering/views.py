"""Views: parts of buffers, as views of croq."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.ir import SSAValue

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Dim, SubspanOp
from croqtile_mlir.dialects.croq.index import WHOLE, Index
from croqtile_mlir.dialects.croq.views import ElementViewOp
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import (
    buffers,
    expressions,
    initial_values,
)
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    ONE,
    ZERO,
    Const,
    Integer,
    Named,
    Op,
    equal,
    interval,
    operation,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.values import Int, Tile, Tuple
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.frontends.croqtile.source import Span


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
    if found.thread_dims:
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
    if found.thread_dims:
        ctx.unsupported(node, "a local buffer as a whole", "name its elements with .at")
    return found


Entry = tuple[Int | None, Span]
"""An argument, None for a `_`, and its place."""


def entries(ctx: Lowering, args: tuple[ast.Arg, ...]) -> list[Entry]:
    """The arguments of a view: tuples and shapes stand for their elements."""
    found: list[Entry] = []
    for arg in args:
        if isinstance(arg, ast.Whole):
            found.append((None, arg.span))
            continue
        value = expressions.evaluate(ctx, arg)
        match value:
            case Tuple(items=items):
                found.extend((item, arg.span) for item in items)
            case Int():
                found.append((value, arg.span))
            case _:
                shape = expressions.integers(ctx, (arg,))
                found.extend((item, arg.span) for item in shape)
    return found


def check_rank(
    ctx: Lowering, step: ast.Node, what: str, found: list[Entry], source: Tile
) -> None:
    """Refuse a number of arguments that is not the rank of the source."""
    if len(found) != len(source.shape):
        ctx.fail(
            Kind.RankMismatch,
            step,
            f"{what} must have {len(source.shape)} arguments for a source of rank "
            f"{len(source.shape)}, got {len(found)}",
        )


def _chunkat(ctx: Lowering, source: Tile, step: ast.ChunkAt) -> Tile:
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
        elif isinstance(extent, Const) and isinstance(count, Const):
            _check_divides(ctx, place, extent, count)
            extents.append(Const(extent.value // count.value))
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
    return _subspan(ctx, source, extents, None, [value for value, _ in found])


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
    low, high = interval(value)
    if (high is not None and high < 0) or (
        isinstance(count, Const) and low is not None and low >= count.value
    ):
        ctx.fail(
            Kind.OutOfBounds,
            place,
            f"index must be below {text(count)}, got {text(value)}",
        )


def part(source: Tile, ssa: SSAValue, shape: tuple[Integer, ...]) -> Tile:
    """A part of a tile."""
    return Tile(ssa, shape, source.element, source.space, root=source.root)


def _chunk(ctx: Lowering, source: Tile, step: ast.Chunk) -> Tile:
    counts, at = entries(ctx, step.counts), entries(ctx, step.indices)
    check_rank(ctx, step, "chunk", counts, source)
    check_rank(ctx, step, ".at of chunk", at, source)
    values = [ONE if each is None else each.value for each, _ in counts]
    return chunks(ctx, source, step, values, at)


def _subspan_step(ctx: Lowering, source: Tile, step: ast.Subspan) -> Tile:
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
    return _subspan(ctx, source, sizes, spacing, at)


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


def _subspan(
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
    symbolic = [not _is_known(size) for size in sizes]
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
    dims = [_dim(size) for size in sizes]
    places: list[Index] = [
        0 if value is None else ctx.index(value.value) for value in at
    ]
    steps = None if spacing is None else [_dim(each) for each in spacing]
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
    """A tile that keeps whole dims of unknown extent: divided in chunks of others."""
    if spacing is not None:
        ctx.unsupported(ctx.span, "steps beside a whole dim of unknown extent")
    counts: list[Integer] = []
    for size, own, keep in zip(sizes, source.shape, symbolic, strict=True):
        counts.append(ONE if keep else operation("/", own, size))
    found: list[Entry] = [
        (None if keep else value, ctx.span)
        for value, keep in zip(at, symbolic, strict=True)
    ]
    return chunks(ctx, source, ast.Whole(ctx.span), counts, found)


def _is_known(value: Integer) -> bool:
    return isinstance(value, Const) or (isinstance(value, Named) and value.is_param)


def _dim(value: Integer) -> Dim:
    match value:
        case Const():
            return value.value
        case Named():
            return value.name
        case _:
            raise AssertionError(f"not an extent: {text(value)}")


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
        if not _is_known(size):
            ctx.fail(
                Kind.SymbolicShared,
                step,
                f"extents of a tile must be known when compiling, got {text(size)}",
                hint="give the names values: -DNAME=value, or --param NAME",
            )
    if source.root in ctx.initialised:
        initial_values.refuse(ctx, step.span)
    spacing = None if strides is None else [_dim(each) for each in strides]
    op = ElementViewOp(source.ssa, [_dim(size) for size in sizes], at, spacing)
    return part(source, ctx.add(op).results[0], tuple(sizes))


def _span_as(ctx: Lowering, source: Tile, step: ast.SpanAs) -> Tile:
    extents = entries(ctx, step.extents)
    sizes: list[Integer] = []
    dims: list[Dim] = []
    for value, place in extents:
        if value is None:
            ctx.fail(Kind.TypeMismatch, place, "_ must not be an extent of span_as")
        sizes.append(value.value)
        dims.append(_dim(value.value) if _is_known(value.value) else "_")
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
    shape = tuple(e for d, e in enumerate(source.shape) if d not in dropped)
    op = croq.SqueezeOp(source.ssa, dropped)
    return part(source, ctx.add(op).results[0], shape)


_OPERATIONS: Mapping[type[ast.Node], Callable[..., Tile]] = {
    ast.ChunkAt: _chunkat,
    ast.Chunk: _chunk,
    ast.Subspan: _subspan_step,
    ast.Window: _window,
    ast.SpanAs: _span_as,
    ast.Squeeze: _squeeze,
}
