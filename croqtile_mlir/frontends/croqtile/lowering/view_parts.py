"""What all views share: their arguments, and the tile that one makes."""

from __future__ import annotations

from xdsl.ir import SSAValue

from croqtile_mlir.dialects.croq import Dim
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import (
    expressions,
)
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    Const,
    Integer,
    Named,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.values import Int, Tile
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.frontends.croqtile.source import Span

Entry = tuple[Int | None, Span]
"""An argument, None for a `_`, and its place."""


def entries(ctx: Lowering, args: tuple[ast.Arg, ...]) -> list[Entry]:
    """The arguments of a view: tuples and shapes stand for their elements."""
    found: list[Entry] = []
    for arg in args:
        if isinstance(arg, ast.Whole):
            found.append((None, arg.span))
            continue
        found.extend((item, arg.span) for item in expressions.integers_of(ctx, arg))
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


def part(source: Tile, ssa: SSAValue, shape: tuple[Integer, ...]) -> Tile:
    """A part of a tile."""
    return Tile(ssa, shape, source.element, source.space, root=source.root)


def dim_of_extent(value: Integer) -> Dim:
    """A known extent as windows have it."""
    match value:
        case Const():
            return value.value
        case Named():
            return value.name
        case _:
            raise AssertionError(f"not an extent: {text(value)}")
