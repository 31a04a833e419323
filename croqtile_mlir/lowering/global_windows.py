"""
Where a view is in the argument it is a part of, and what of it is in range.

Elements that a copy reads beyond the end of the argument are zero, those that it
writes there are dropped; the same goes for a tile that overhangs a view of a view.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.linear import Linear
from croqtile_mlir.analysis.view_bounds import ends_with_root, tile_stays_inside
from croqtile_mlir.analysis.view_scales import Scales, scales_of
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    SubspanOp,
    TileType,
    ViewOp,
    tile_type,
)
from croqtile_mlir.lowering.addresses import extent_of, resolve
from croqtile_mlir.lowering.memo_builder import MemoBuilder


@dataclass(frozen=True)
class Limit:
    """Elements of a dim of the argument from `end` on are out of range."""

    dim: int
    end: Linear


@dataclass(frozen=True)
class GlobalWindow:
    """A view as a part of a kernel argument or output, in elements."""

    root: SSAValue
    origin: tuple[Linear, ...]
    """The first element, for each dim of the root."""
    extents: tuple[int, ...]
    """How many elements from the first to the last, for each dim of the root."""
    scales: Scales
    """For each dim of the root: what a step in each dim of the view is there."""
    overhangs: tuple[Limit, ...]
    """Ends of views in the chain, inside the root, that the view may reach beyond."""

    @property
    def root_type(self) -> TileType:
        """The type of the argument."""
        return tile_type(self.root)

    def limits(self, user: Operation, memo: MemoBuilder) -> list[Limit]:
        """All ends that the view may reach beyond, those of the argument first."""
        ends = [
            Limit(dim, extent_of(user, self.root, dim, memo))
            for dim in range(self.root_type.rank)
        ]
        return [limit for limit in (*ends, *self.overhangs) if self.may_exceed(limit)]

    def may_exceed(self, limit: Limit) -> bool:
        """Whether some of the elements are not provably before an end."""
        first = self.origin[limit.dim]
        if first.is_constant and first.constant < 0:
            # Positions below 0 are, without a sign, above all ends.
            return True
        last = first + self.extents[limit.dim]
        room = limit.end + last * -1
        return not (room.is_constant and room.constant >= 0)


def global_window(
    user: Operation, tile: SSAValue, extents: tuple[int, ...], memo: MemoBuilder
) -> GlobalWindow:
    """
    Compose the views of a global tile; arithmetic goes to the builder.

    `extents` are those of the tile, from the other side of the copy `user`.
    """
    element = resolve(user, tile, [0] * len(extents), memo)
    scales = scales_of(tile)
    overhangs: list[Limit] = []
    view = tile.owner
    while isinstance(view, ViewOp):
        if isinstance(view, SubspanOp) and view.viewed is not element.root:
            overhangs += _overhangs(user, view, memo)
        view = view.viewed.owner
    reach = [
        1 + sum(s * (e - 1) for s, e in zip(scale, extents, strict=True))
        for scale in scales
    ]
    return GlobalWindow(
        element.root, element.coordinates, tuple(reach), scales, tuple(overhangs)
    )


def _overhangs(user: Operation, view: SubspanOp, memo: MemoBuilder) -> list[Limit]:
    """The ends of the source of a subspan that its tile may reach beyond."""
    source = resolve(user, view.viewed, [0] * view.source_type.rank, memo)
    scales = scales_of(view.viewed)
    limits: list[Limit] = []
    for number in range(view.source_type.rank):
        # Where the source ends with the argument, the limit is that of the argument.
        if ends_with_root(view.viewed, number) or tile_stays_inside(view, number):
            continue
        dim = next(d for d, row in enumerate(scales) if row[number])
        scale = scales[dim][number]
        if any(other > scale for other in scales[dim]):
            fail(
                user,
                "must use a tile that is known to end inside the dim that was split, "
                f"got dim {number} of {view.result_type}",
                notes=[(view, "the tile is made here")],
            )
        whole = extent_of(user, view.viewed, number, memo)
        limits.append(Limit(dim, source.coordinates[dim] + whole * scale))
    return limits
