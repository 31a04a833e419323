"""
Tiles of one warpgroup, or warp, as the tile of all of them together.

An accumulator of croq is that of its whole scope, whose warpgroups have its rows in
order, and copies are made by the whole scope. Source that names the rows of one,
`.subspan(64, K).at(wg - 1, 0)` in a role that starts with warpgroup 1, means those of
all: `.subspan(128, K).at(0, 0)`. In general tile number `count * x + index` of the
group, of e rows, is tile x of `count * e` rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import subspans, views
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    Compose,
    Const,
    Integer,
    Op,
    Variable,
    equal,
    operation,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.parts import Group
from croqtile_mlir.frontends.croqtile.lowering.values import Int, Tile
from croqtile_mlir.frontends.croqtile.lowering.view_parts import entries
from croqtile_mlir.frontends.croqtile.reporting import Kind


def names_group(ctx: Lowering, node: ast.ViewLike) -> bool:
    """Whether a view differs between the groups that execute it together."""
    if ctx.parts.group is None or not isinstance(node, ast.View):
        return False
    variable = ctx.parts.group.variable
    return any(
        _dims_of_group(ctx, operation, variable) for operation in node.operations
    )


def operand(ctx: Lowering, node: ast.ViewLike, rows: int | None) -> Tile:
    """
    The tile of a matrix statement, of all groups together.

    `rows` is the dim that they share; None for a tile that all of them use whole.
    """
    if not names_group(ctx, node):
        return views.viewed(ctx, node)
    assert isinstance(node, ast.View)
    assert ctx.parts.group is not None
    if rows is None:
        refuse_shared(ctx, node)
    return _folded(ctx, node, ctx.parts.group, rows)


def refuse_shared(ctx: Lowering, where: ast.Node) -> NoReturn:
    """Refuse a tile of one group where all of them use the same."""
    assert ctx.parts.group is not None
    ctx.fail(
        Kind.PerWarpgroupTile,
        where,
        f"must be the same for all {ctx.parts.group.name}s that share the "
        "accumulator, got a tile of one of them",
    )


def of_all(ctx: Lowering, node: ast.ViewLike) -> tuple[Tile, int | None]:
    """
    A tile, that of all groups together where each has one of its own; the dim that
    they share then.
    """
    if not names_group(ctx, node):
        return views.viewed(ctx, node), None
    assert isinstance(node, ast.View)
    assert ctx.parts.group is not None
    group = ctx.parts.group
    dims = _dims_of_group(ctx, node.operations[-1], group.variable)
    shared = dims[0] if dims else 0
    return _folded(ctx, node, group, shared), shared


def check_copy(ctx: Lowering, node: ast.Copy) -> None:
    """Refuse a copy of which one side alone is a tile of one group."""
    if not isinstance(node.destination, ast.Ref | ast.View):
        return
    sides = names_group(ctx, node.source), names_group(ctx, node.destination)
    if sides[0] != sides[1] and ctx.parts.group is not None:
        ctx.fail(
            Kind.PerWarpgroupTile,
            node.source if sides[0] else node.destination,
            f"both sides of a copy must be tiles of one {ctx.parts.group.name}, or "
            "none, got one side",
            hint="all of them make a copy together",
        )


def _folded(ctx: Lowering, node: ast.View, group: Group, rows: int) -> Tile:
    last = node.operations[-1]
    for step in node.operations[:-1]:
        if _dims_of_group(ctx, step, group.variable):
            _refuse(ctx, node, group, "an index of a view of a view")
    before = replace(node, operations=node.operations[:-1])
    indices = _indices(ctx, last)
    dims = _dims_of_group(ctx, last, group.variable)
    index = indices[dims[0]]
    assert index is not None
    if dims != [rows]:
        _refuse(ctx, last, group, text(index.value))
    place = _tile_of_all(index.value, group)
    if place is None:
        _refuse(ctx, last, group, text(index.value))
    source = _viewed(ctx, before)
    with ctx.at(last):
        match last:
            case ast.Subspan(steps=None, strides=None, clipped=False):
                found = entries(ctx, last.extents)
                if len(found) != len(source.shape):
                    ctx.fail(
                        Kind.RankMismatch,
                        last,
                        f"must have {len(source.shape)} extents, got {len(found)}",
                    )
                sizes = [
                    own if each is None else each.value
                    for (each, _), own in zip(found, source.shape, strict=True)
                ]
            case ast.ChunkAt() | ast.Chunk():
                counts = _counts(ctx, last, indices)
                sizes = [
                    operation("/", own, count)
                    for own, count in zip(source.shape, counts, strict=True)
                ]
            case _:
                _refuse(ctx, last, group, "a view of another form")
        sizes[rows] = operation("*", sizes[rows], Const(group.extent))
        at = [Int(place) if dim == rows else value for dim, value in enumerate(indices)]
        return subspans.subspan(ctx, source, sizes, None, at)


def _viewed(ctx: Lowering, node: ast.View) -> Tile:
    if node.operations:
        return views.view(ctx, node)
    return views.viewed(ctx, node.base)


def _tile_of_all(index: Integer, group: Group) -> Integer | None:
    """x where an index is `count * x + index of the group`."""
    rest = operation("-", index, group.variable)
    if equal(rest, Const(0)):
        return Const(0)
    count = Const(group.extent)
    place = operation("/", rest, count)
    return place if equal(operation("*", place, count), rest) else None


def _counts(
    ctx: Lowering, step: ast.ChunkAt | ast.Chunk, indices: list[Int | None]
) -> list[Integer]:
    """In how many chunks each dim is divided."""
    if isinstance(step, ast.Chunk):
        counts = [value for value, _ in entries(ctx, step.counts)]
        return [Const(1) if value is None else value.value for value in counts]
    return [
        Const(1) if value is None or value.bound is None else value.bound
        for value in indices
    ]


def _refuse(ctx: Lowering, where: ast.Node, group: Group, found: str) -> NoReturn:
    ctx.fail(
        Kind.PerWarpgroupTile,
        where,
        f"must be the tile of rows number {text(group.variable)} of the "
        f"{group.extent} {group.name}s that share the accumulator, got {found}",
        hint=".subspan(rows, cols).at(index of the warpgroup in its role, 0)",
    )


def _indices(ctx: Lowering, operation: ast.ViewOperation) -> list[Int | None]:
    """The indices of a view operation, one for each dim."""
    match operation:
        case ast.ChunkAt(args=args):
            pass
        case ast.Subspan(indices=tuple(args)) | ast.Chunk(indices=args):
            pass
        case ast.Window(offsets=tuple(args)):
            pass
        case _:
            return []
    return [value for value, _ in entries(ctx, args)]


def _dims_of_group(
    ctx: Lowering, operation: ast.ViewOperation, variable: Variable
) -> list[int]:
    """The dims whose index differs between groups."""
    return [
        dim
        for dim, value in enumerate(_indices(ctx, operation))
        if value is not None and _depends(value.value, variable)
    ]


def _depends(value: Integer, variable: Variable) -> bool:
    match value:
        case Op(a=a, b=b):
            return _depends(a, variable) or _depends(b, variable)
        case Compose(parts=parts):
            return any(_depends(part, variable) for part in parts)
        case _:
            return value is variable
