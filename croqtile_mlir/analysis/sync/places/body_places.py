"""Where in its buffer an element of a view is, over the instances of an access."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue

from croqtile_mlir.analysis.sync.places.body_accesses import Element
from croqtile_mlir.analysis.sync.places.index_maps import Form, Maps, constant
from croqtile_mlir.analysis.view_scales import scales_of
from croqtile_mlir.dialects.croq import (
    AtomicOp,
    ChunkAtOp,
    CopyAsyncOp,
    DataOp,
    SlotOp,
    SpanAsOp,
    ViewOp,
    WindowOp,
    tile_type,
)
from croqtile_mlir.dialects.croq.index import WHOLE, Index


def element(
    maps: Maps, op: Element, params: Mapping[str, int]
) -> tuple[tuple[Form | None, ...], bool]:
    """The positions in each dim of the buffer; whether a view on the way joins dims."""
    tile = op.tile
    own = [maps.index(index) for index in op.index_values]
    if isinstance(op, AtomicOp) and op.others:
        # Several elements of a row at once.
        own[-1] = None
    dims, joined = _origin(maps, tile, params)
    rows = scales_of(tile)
    found = [
        sum_of([form, *(scaled(i, s) for i, s in zip(own, row, strict=True))])
        for form, row in zip(dims, rows, strict=True)
    ]
    return tuple(found), joined


def _origin(
    maps: Maps, tile: SSAValue, params: Mapping[str, int]
) -> tuple[list[Form | None], bool]:
    """Where a tile begins in its buffer; and whether it is of another shape."""
    owner = tile.owner
    if isinstance(owner, DataOp) and isinstance(owner.future.owner, CopyAsyncOp):
        return _origin(maps, owner.future.owner.destination, params)
    if not isinstance(owner, ViewOp):
        return [constant(0) for _ in tile_type(tile).dims], False
    origin, joined = _origin(maps, owner.viewed, params)
    rows = scales_of(owner.viewed)
    at = _at(maps, owner, params)
    moved = [
        sum_of([form, *(scaled(i, s) for i, s in zip(at, row, strict=True))])
        for form, row in zip(origin, rows, strict=True)
    ]
    return moved, joined or _joins(owner)


def _at(maps: Maps, view: ViewOp, params: Mapping[str, int]) -> list[Form | None]:
    """The position of a view, in elements of its source."""
    source = view.source_type.dims
    match view:
        case SlotOp():
            base = maps.index(view.position.base)
            order = sum_of([base, maps.index(view.position.offset)])
            return [
                _slot(maps, view, order, params),
                *(constant(0) for _ in source[1:]),
            ]
        case WindowOp():
            return [
                scaled(maps.index(index), unit)
                for index, unit in zip(view.at_values, view.unit_values, strict=True)
            ]
        case ChunkAtOp():
            return [
                _chunk(maps, index, extent)
                for index, extent in zip(
                    view.at_values, view.result_type.dims, strict=True
                )
            ]
        case _:
            return [constant(0) for _ in source]


def _chunk(maps: Maps, index: Index, extent: int | str) -> Form | None:
    if index == WHOLE:
        return constant(0)
    if not isinstance(extent, int) or extent < 1:
        return None
    return scaled(maps.index(index), extent)


def _slot(
    maps: Maps, view: SlotOp, order: Form | None, params: Mapping[str, int]
) -> Form | None:
    stages = view.stages
    if isinstance(stages, str):
        stages = params.get(stages, 0)
    if order is None or view.position.by_slot or stages < 1:
        return order if view.position.by_slot else None
    return maps.remainder(order, stages)


def _joins(view: ViewOp) -> bool:
    """Whether a view has one dim for several of its source."""
    return isinstance(view, SpanAsOp) and any(
        sum(view.source_type.dims[dim] != 1 for dim in group.source) > 1
        for group in view.groups
    )


def scaled(form: Form | None, factor: int) -> Form | None:
    """A multiple of a position that may be anything."""
    if factor == 0:
        return constant(0)
    return None if form is None else form.scaled(factor)


def sum_of(forms: Sequence[Form | None]) -> Form | None:
    """The sum of positions that may be anything."""
    found = constant(0)
    for form in forms:
        if form is None:
            return None
        found = found.plus(form)
    return found
