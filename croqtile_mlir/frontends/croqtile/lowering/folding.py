"""
Tiles of one warpgroup, or warp, as the tile of all of them together.

An accumulator of croq is that of its whole scope, whose warpgroups have its rows in
order. Source that names the rows of one, `.subspan(64, K).at(wg - 1, 0)` in a role
that starts with warpgroup 1, means the rows of all: `.subspan(128, K).at(0, 0)`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import views
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    Compose,
    Const,
    Integer,
    Op,
    Variable,
    equal,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.parts import Group
from croqtile_mlir.frontends.croqtile.lowering.values import Int, Tile
from croqtile_mlir.frontends.croqtile.reporting import Kind


def names_group(ctx: Lowering, node: ast.ViewLike) -> bool:
    """Whether a view differs between the warpgroups that execute it together."""
    if ctx.parts.group is None or not isinstance(node, ast.View):
        return False
    group = ctx.parts.group
    return any(
        value is not None and _depends(value.value, group.variable)
        for operation in node.operations
        for value in _indices(ctx, operation)
    )


def operand(ctx: Lowering, node: ast.ViewLike, rows: int | None) -> Tile:
    """
    The tile of a matrix statement, of all warpgroups together.

    `rows` is the dim that they share; None for a tile that all of them use whole.
    """
    if not names_group(ctx, node):
        return views.viewed(ctx, node)
    assert isinstance(node, ast.View)
    assert ctx.parts.group is not None
    if rows is None:
        ctx.fail(
            Kind.PerWarpgroupTile,
            node,
            f"must be the same for all {ctx.parts.group.name}s that share the "
            "accumulator, got a tile of one of them",
        )
    return views.view(ctx, _folded(ctx, node, ctx.parts.group, rows))


def _folded(ctx: Lowering, node: ast.View, group: Group, rows: int) -> ast.View:
    last = node.operations[-1]
    indices = _indices(ctx, last)
    for dim, value in enumerate(indices):
        if value is None or not _depends(value.value, group.variable):
            continue
        if dim != rows or not equal(value.value, group.variable):
            _refuse(ctx, last, group, text(value.value))
    if any(
        value is not None and _depends(value.value, group.variable)
        for operation in node.operations[:-1]
        for value in _indices(ctx, operation)
    ):
        _refuse(ctx, node, group, "an index of a view of a view")
    zero = ast.IntLiteral(last.span, 0)
    match last:
        case ast.Subspan(extents=extents, indices=tuple(at), steps=None) if len(
            extents
        ) == len(at) == len(indices) and not isinstance(extents[rows], ast.Whole):
            extent = extents[rows]
            assert not isinstance(extent, ast.Whole)
            count = ast.IntLiteral(last.span, group.extent)
            wide = ast.Binary(last.span, "*", count, extent)
            folded = replace(
                last,
                extents=_with(extents, rows, wide),
                indices=_with(at, rows, zero),
            )
        case ast.ChunkAt(args=args) if len(args) == len(indices) and _bound(
            indices[rows]
        ) == Const(group.extent):
            folded = replace(last, args=_with(args, rows, ast.Whole(last.span)))
        case _:
            _refuse(ctx, last, group, "a view of another form")
    return replace(node, operations=(*node.operations[:-1], folded))


def _with(args: tuple[ast.Arg, ...], place: int, value: ast.Arg) -> tuple[ast.Arg, ...]:
    return (*args[:place], value, *args[place + 1 :])


def _bound(value: Int | None) -> Integer | None:
    return None if value is None else value.bound


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
    return [value for value, _ in views.entries(ctx, args)]


def _depends(value: Integer, variable: Variable) -> bool:
    match value:
        case Op(a=a, b=b):
            return _depends(a, variable) or _depends(b, variable)
        case Compose(parts=parts):
            return any(_depends(part, variable) for part in parts)
        case _:
            return value is variable
