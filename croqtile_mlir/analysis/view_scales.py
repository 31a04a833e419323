"""How far a step along each dim of a tile goes in the buffer that it is a view of."""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue

from croqtile_mlir.dialects.croq import (
    DYNAMIC,
    CopyAsyncOp,
    DataOp,
    SlotOp,
    SpanAsOp,
    SqueezeOp,
    ViewOp,
    WindowOp,
    tile_type,
)

Scales = tuple[tuple[int, ...], ...]
"""For each dim of the buffer: elements along it for a step in each dim of the tile."""


def scales_of(tile: SSAValue) -> Scales:
    """The scales of a tile; elements that are neighbours in both have a 1."""
    owner = tile.owner
    if isinstance(owner, DataOp) and isinstance(owner.future.owner, CopyAsyncOp):
        return scales_of(owner.future.owner.destination)
    if not isinstance(owner, ViewOp):
        rank = tile_type(tile).rank
        return last_dims(rank, rank)
    return rescaled(owner, scales_of(owner.viewed))


def rescaled(view: ViewOp, rows: Scales) -> Scales:
    """The scales of a view, from those of its source."""
    match view:
        case SlotOp():
            return tuple(row[1:] for row in rows)
        case WindowOp() if view.is_strided:
            strides = view.stride_values
            return tuple(
                tuple(scale * by for scale, by in zip(row, strides, strict=True))
                for row in rows
            )
        case SqueezeOp():
            return tuple(tuple(row[dim] for dim in view.kept_dims) for row in rows)
        case SpanAsOp():
            steps = _steps(view)
            return tuple(tuple(row[dim] * by for dim, by in steps) for row in rows)
        case _:
            return rows


def last_dims(dims: int, rank: int) -> Scales:
    """The scales of a tile whose dims are the last ones of its buffer."""
    dropped = dims - rank
    return tuple(
        tuple(int(dim - dropped == own) for own in range(rank)) for dim in range(dims)
    )


def _steps(view: SpanAsOp) -> list[tuple[int, int]]:
    """For each dim of the result: a dim of the source, and elements along it."""
    source, result = view.source_type.dims, view.result_type.dims
    found: dict[int, tuple[int, int]] = {}
    for group in view.groups:
        wide = [dim for dim in group.source if source[dim] != 1] or [*group.source, 0]
        for number, dim in enumerate(group.result):
            after = [result[other] for other in group.result[number + 1 :]]
            by = prod(d for d in after if isinstance(d, int) and d != DYNAMIC)
            found[dim] = (wide[-1] if group.source else 0, by)
    return [found[dim] for dim in range(len(result))]


def is_contiguous(scales: Scales) -> bool:
    """Whether elements along the inner dim of a tile are neighbours in its buffer."""
    *outer, inner = (row[-1] for row in scales)
    return inner == 1 and not any(outer)
