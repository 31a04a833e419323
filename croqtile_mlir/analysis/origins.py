"""Where a view starts in its buffer, as far as it is known while compiling."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from xdsl.ir import SSAValue

from croqtile_mlir.analysis.linear import linear
from croqtile_mlir.dialects.croq import (
    ChunkAtOp,
    CopyAsyncOp,
    DataOp,
    ElementViewOp,
    SlotOp,
    SpanAsOp,
    SqueezeOp,
    SubspanOp,
    ViewOp,
    WindowOp,
)
from croqtile_mlir.dialects.croq.index import WHOLE, Index


@dataclass(frozen=True)
class Offset:
    """`known`, plus an unknown multiple of `step`; a step of 0 adds nothing."""

    known: int = 0
    step: int = 0

    def plus(self, index: Index, scale: int) -> Offset:
        """The sum with `index * scale`."""
        if isinstance(index, str):
            return Offset(self.known, gcd(self.step, scale))
        form = linear(index)
        return Offset(
            self.known + form.constant * scale,
            gcd(self.step, form.dynamic.multiple * scale),
        )

    def times(self, scale: int) -> Offset:
        """The product with a number."""
        return Offset(self.known * scale, self.step * scale)

    @property
    def multiple(self) -> int:
        """What the offset is a multiple of; the offset itself when it is known."""
        return gcd(self.known, self.step) if self.step else self.known


def _steps(view: ViewOp) -> list[tuple[Index, int]]:
    """For each dim of a view of one rank with its source: the index, and its unit."""
    if isinstance(view, SubspanOp):
        return list(zip(view.at_values, view.unit_values, strict=True))
    if isinstance(view, ElementViewOp):
        return [(at, 1) for at in view.at_values]
    if isinstance(view, ChunkAtOp):
        # The result has the extents of a chunk; an extent that is not known is global.
        units = [
            d if isinstance(d, int) and d > 0 else 1 for d in view.result_type.dims
        ]
        return [
            (0 if at == WHOLE else at, unit)
            for at, unit in zip(view.at_values, units, strict=True)
        ]
    return []


def _slot_row(slot: SlotOp) -> Offset:
    """The row that a stage of a two-dimensional buffer is."""
    base, offset = slot.position.base, slot.position.offset
    if isinstance(base, int) and isinstance(offset, int):
        if isinstance(slot.stages, int) and slot.stages > 0:
            return Offset((base + offset) % slot.stages)
    return Offset(0, 1)


_ANYWHERE = Offset(0, 1)


def _unsqueezed(view: SqueezeOp, row: Offset, col: Offset) -> tuple[Offset, Offset]:
    """Row and column in a source with dims of extent 1 that the result has not."""
    own = {dim: _ANYWHERE for dim in view.kept_dims}
    own |= zip(view.kept_dims[-2:], (row, col)[-len(view.kept_dims) :], strict=True)
    rank = view.source_type.rank
    found = [own.get(dim, Offset()) for dim in (rank - 2, rank - 1)]
    return found[0], found[1]


def _reshaped(view: SpanAsOp, row: Offset, col: Offset) -> tuple[Offset, Offset]:
    """Row and column in a source of another shape."""
    if row == col == Offset():
        return row, col
    inner = view.result_type.dims[-1]
    by = inner if isinstance(inner, int) and inner > 0 else 1
    return _ANYWHERE, Offset(0, gcd(col.known, col.step, by))


def origin_in_buffer(tile: SSAValue) -> tuple[Offset, Offset]:
    """
    The row and the column at which a tile starts in the buffer that it is a view of.

    Rows and columns are the last two dims; a tile of rank 1 is in row 0.
    """
    row, col = Offset(), Offset()
    while True:
        owner = tile.owner
        if isinstance(owner, DataOp) and isinstance(owner.future.owner, CopyAsyncOp):
            tile = owner.future.owner.destination
            continue
        if not isinstance(owner, ViewOp):
            return row, col
        if isinstance(owner, WindowOp) and owner.is_strided:
            *_, by_row, by_col = (1, *owner.stride_values)
            row, col = row.times(by_row), col.times(by_col)
        elif isinstance(owner, SqueezeOp):
            row, col = _unsqueezed(owner, row, col)
        elif isinstance(owner, SpanAsOp):
            row, col = _reshaped(owner, row, col)
        if isinstance(owner, SlotOp) and owner.source_type.rank == 2:
            row = _slot_row(owner)
        match _steps(owner)[-2:]:
            case [(at_row, row_unit), (at_col, col_unit)]:
                row = row.plus(at_row, row_unit)
                col = col.plus(at_col, col_unit)
            case [(at_col, col_unit)]:
                col = col.plus(at_col, col_unit)
            case _:
                pass
        tile = owner.viewed
