"""Orders of tiles: the indices of the tile that has a number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from xdsl.ir import SSAValue

from croqtile_mlir.lowering.rewriting import LocatedBuilder

Order = Literal["first", "last", "grouped"]
"""
The first index fastest, the last, or the last but one in groups of so many rows of the
last two; indices before these are the slowest then.
"""


def product(
    build: LocatedBuilder, a: SSAValue | int, b: SSAValue | int
) -> SSAValue | int:
    """The product, an integer where both are."""
    return a * b if isinstance(a, int) and isinstance(b, int) else build.mul(a, b)


def tile_indices(
    build: LocatedBuilder,
    tile: SSAValue,
    extents: Sequence[SSAValue | int],
    order: Order,
    group: int,
) -> list[SSAValue]:
    """The indices of the tile with the number `tile`."""
    if order == "grouped":
        *outer, rows, cols = extents
        around: list[SSAValue] = []
        if outer:
            matrix = product(build, rows, cols)
            number, tile = build.udiv(tile, matrix), build.urem(tile, matrix)
            around = tile_indices(build, number, outer, "last", group)
        if isinstance(rows, int):
            group = min(group, rows)
        width = product(build, cols, group)
        first = build.mul(build.udiv(tile, width), group)
        row, col = _inside_group(build, tile, width, first, rows, group)
        return [*around, build.add(first, row), col]
    axes = list(range(len(extents)))
    if order == "last":
        axes.reverse()
    indices: dict[int, SSAValue] = {}
    rest: SSAValue = tile
    for axis in axes[:-1]:
        indices[axis] = build.urem(rest, extents[axis])
        rest = build.udiv(rest, extents[axis])
    indices[axes[-1]] = rest
    return [indices[axis] for axis in range(len(extents))]


def _inside_group(
    build: LocatedBuilder,
    tile: SSAValue,
    width: SSAValue | int,
    first: SSAValue,
    rows: SSAValue | int,
    group: int,
) -> tuple[SSAValue, SSAValue]:
    """The row in its group, which starts at row `first`, and the column of a tile."""
    if isinstance(rows, int) and rows % group == 0:
        inside = build.urem(tile, width)
        return build.urem(inside, group), build.udiv(inside, group)
    left = build.sub(rows, first)
    last = build.cmp("ult", left, group)
    if isinstance(rows, int):
        # Divisions by two constants cost less than one by a value.
        inside, tail = build.urem(tile, width), rows % group
        return (
            build.select(last, build.urem(inside, tail), build.urem(inside, group)),
            build.select(last, build.udiv(inside, tail), build.udiv(inside, group)),
        )
    height = build.select(last, left, build.index(group))
    inside = build.urem(tile, width)
    return build.urem(inside, height), build.udiv(inside, height)
