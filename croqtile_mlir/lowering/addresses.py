"""
Where an element of a tile is: from chains of views to bytes beyond a buffer's start.

The run-time part of an offset is kept apart from its constant part. Many addresses of
one tile share the first, and the second fits the immediate of an instruction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import IndexType, i32, i64
from xdsl.ir import BlockArgument, Operation, SSAValue

from croqtile_mlir import layouts
from croqtile_mlir.analysis.linear import Linear, linear
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    DYNAMIC,
    AllocOp,
    ChunkAtOp,
    Dim,
    DimOp,
    ElementViewOp,
    Layout,
    SlotOp,
    SpanAsOp,
    SqueezeOp,
    SubspanOp,
    TileType,
    WorkspaceOp,
    tile_type,
)
from croqtile_mlir.dialects.croq.index import WHOLE, Index
from croqtile_mlir.lowering.memo_builder import MemoBuilder, Value

_index = IndexType()


@dataclass(frozen=True)
class Element:
    """An element of a buffer or argument: `root`, and a coordinate for each dim."""

    root: SSAValue
    coordinates: tuple[Linear, ...]

    @property
    def root_type(self) -> TileType:
        """The type of the buffer."""
        return tile_type(self.root)

    @property
    def matrix_origin(self) -> tuple[int, int]:
        """What row and column are multiples of (0: they are 0), as layouts take it."""
        *_, row, col = (Linear(), *self.coordinates)
        return row.multiple, col.multiple


def resolve(
    user: Operation, tile: SSAValue, indices: Sequence[Index], memo: MemoBuilder
) -> Element:
    """The element of the underlying buffer that an element of a view is."""

    def form(index: Index) -> Linear:
        if isinstance(index, str):
            return Linear(((_dim(index, memo), 1),))
        return linear(index)

    at = [form(index) for index in indices]
    while True:
        owner = tile.owner
        match owner:
            case SubspanOp():
                at = [
                    form(i) * unit + own
                    for i, unit, own in zip(
                        owner.at_values, owner.unit_values, at, strict=True
                    )
                ]
            case ElementViewOp():
                at = [
                    form(i) + own * stride
                    for i, stride, own in zip(
                        owner.at_values, owner.stride_values, at, strict=True
                    )
                ]
            case ChunkAtOp():
                at = [
                    own if i == WHOLE else _chunk_start(owner, dim, form(i), memo) + own
                    for dim, (i, own) in enumerate(
                        zip(owner.at_values, at, strict=True)
                    )
                ]
            case SqueezeOp():
                own = dict(zip(owner.kept_dims, at, strict=True))
                at = [own.get(d, Linear()) for d in range(owner.source_type.rank)]
            case SpanAsOp():
                at = _reshaped(owner, at)
            case SlotOp():
                at = [linear(_stage(owner, memo)), *at]
            case _ if isinstance(owner, AllocOp | WorkspaceOp) or isinstance(
                tile, BlockArgument
            ):
                return Element(tile, tuple(at))
            case _:
                fail(
                    user,
                    "must use a view of a croq.alloc or of an argument, got the result "
                    f"of {owner.name if isinstance(owner, Operation) else 'a loop'}",
                    notes=[(tile, "the tile is defined here")],
                )
        tile = owner.viewed


def _dim(name: str, memo: MemoBuilder) -> SSAValue:
    return memo.once(("dim", name), lambda b: b.insert(DimOp(name)).result)


def _chunk_start(view: ChunkAtOp, dim: int, index: Linear, memo: MemoBuilder) -> Linear:
    """The first element of a chunk, in a dim of the source."""
    extent = extent_of(view, view.results[0], dim, memo)
    if extent.is_constant:
        return index * extent.constant
    size = memo.sum(extent, _index)
    start = memo.mul(memo.sum(index, _index), size)
    return linear(memo.materialize(start, _index))


def extent_of(user: Operation, tile: SSAValue, dim: int, memo: MemoBuilder) -> Linear:
    """The elements along a dim of a tile; `user` is what asks for them."""
    extent: Dim = tile_type(tile).dims[dim]
    if isinstance(extent, str):
        return Linear(((_dim(extent, memo), 1),))
    if extent != DYNAMIC:
        return Linear((), extent)
    owner = tile.owner
    match owner:
        case SlotOp():
            return extent_of(user, owner.viewed, dim + 1, memo)
        case SqueezeOp():
            return extent_of(user, owner.viewed, owner.kept_dims[dim], memo)
        case ChunkAtOp():
            whole = extent_of(user, owner.viewed, dim, memo)
            return _quotient(whole, owner.chunk_values[dim], memo)
        case SpanAsOp():
            # The one open extent is what the others leave of its group.
            (group,) = (g for g in owner.groups if dim in g.result)
            whole = Linear((), 1)
            rest = 1
            for of_source in group.source:
                other = extent_of(user, owner.viewed, of_source, memo)
                whole = (
                    whole * other.constant
                    if other.is_constant
                    else other * (whole.constant)
                )
            for of_result in group.result:
                known = owner.result_type.dims[of_result]
                rest *= known if isinstance(known, int) and known != DYNAMIC else 1
            return _quotient(whole, rest, memo)
        case _:
            fail(
                user,
                f"must use tiles of known extents, got {tile_type(tile)}",
                notes=[(tile, "the tile is defined here")],
            )


def _quotient(whole: Linear, by: Index, memo: MemoBuilder) -> Linear:
    if by == 1:
        return whole
    if isinstance(by, int) and whole.is_constant:
        return Linear((), whole.constant // by)
    number = memo.materialize(memo.sum(whole, _index), _index)
    divisor = _dim(by, memo) if isinstance(by, str) else by
    return linear(memo.udiv(number, divisor))


def _reshaped(view: SpanAsOp, at: Sequence[Linear]) -> list[Linear]:
    """
    The element of the source that one of a tile of another shape is.

    Where dims of the source are joined, the last takes all: its rows are contiguous,
    and how far beyond a row an element is does not matter.
    """
    source, result = view.source_type.dims, view.result_type.dims
    found = [Linear()] * len(source)
    for group in view.groups:
        number = Linear()
        for dim in group.result:
            extent = result[dim]
            known = isinstance(extent, int) and extent != DYNAMIC
            number = number * (extent if known and isinstance(extent, int) else 1)
            number += at[dim]
        if group.source:
            wide = [dim for dim in group.source if source[dim] != 1]
            found[(wide or list(group.source))[-1]] = number
    return found


def _stage(view: SlotOp, memo: MemoBuilder) -> Value:
    """The number of the stage that a slot names."""
    position, stages = view.position, view.stages
    base = position.base
    if isinstance(base, str):
        base = _dim(base, memo)
    if position.by_slot:
        return base
    if not isinstance(stages, int) or stages == DYNAMIC:
        fail(
            view,
            f"must have a constant number of stages, got {stages}",
            hint="run --bind-params first",
        )
    if isinstance(position.offset, str):
        fail(
            view,
            f"must have a constant offset, got {position.offset}",
            hint="run --bind-params first",
        )
    return memo.urem(memo.add(base, position.offset % stages), stages)


@dataclass(frozen=True)
class Offset:
    """
    Bytes beyond the start of a buffer: a value (or 0), and a constant.

    `multiple` divides the value (0: there is none).
    """

    dynamic: Value
    constant: int
    multiple: int = 1


def shared_offset(element: Element, memo: MemoBuilder) -> Offset:
    """Where an element of a shared buffer is, in i32."""
    start = _shared_bytes(element, memo)
    if any(factor < 0 for _, factor in start.terms):
        # Without its constant it may be below 0, which is no shared address.
        return Offset(memo.sum(start, i32), 0, start.multiple)
    return Offset(memo.sum(start.dynamic, i32), start.constant, start.dynamic.multiple)


def descriptor_offset(element: Element, memo: MemoBuilder) -> tuple[Value, int]:
    """
    Where what a matrix descriptor points to is, in chunks of 16 bytes: a value in i32
    (or 0), and a constant.
    """
    start = _shared_bytes(element, memo)
    rest, chunk = start.dynamic, layouts.CHUNK_BYTES
    if all(factor % chunk == 0 for _, factor in rest.terms):
        return memo.sum(rest // chunk, i32), start.constant // chunk
    byte = memo.materialize(memo.sum(rest, i32), i32)
    return memo.shr(byte, chunk.bit_length() - 1), start.constant // chunk


def _shared_bytes(element: Element, memo: MemoBuilder) -> Linear:
    """Where an element of a shared buffer is."""
    tile = element.root_type
    layout = layouts.layout_of(tile)
    strides = layouts.slot_strides(tile)
    slots = element.coordinates[: len(strides)]
    *_, row, col = (Linear(), *element.coordinates[len(strides) :])
    start = Linear()
    for slot, stride in zip(slots, strides, strict=True):
        start += slot * stride
    width = layouts.panel_bytes(tile)
    start += row * width
    inside = col * tile.element_bytes
    if layout is not Layout.RowMajor:
        panel, inside = _split(inside, width, memo)
        start += panel * (layouts.matrix_shape(tile)[0] * width)
        inside = _swizzled(layout, row, inside, memo)
    return start + inside


def _split(inside: Linear, width: int, memo: MemoBuilder) -> tuple[Linear, Linear]:
    """The panel of a byte of a row, and the byte inside the panel's row."""
    rest, first = inside.dynamic, inside.constant % width
    panel = Linear((), inside.constant // width)
    bound = rest.upper_bound
    if bound is not None and bound + first < width:
        return panel, rest + first
    if all(factor % width == 0 for _, factor in rest.terms):
        return panel + rest // width, Linear((), first)
    if rest.multiple % width == 0:
        byte = memo.materialize(memo.sum(rest, i32), i32)
        return panel + linear(memo.shr(byte, width.bit_length() - 1)), Linear((), first)
    byte = memo.materialize(memo.sum(inside, i32), i32)
    return (
        linear(memo.shr(byte, width.bit_length() - 1)),
        linear(memo.and_(byte, width - 1)),
    )


def _swizzled(layout: Layout, row: Linear, inside: Linear, memo: MemoBuilder) -> Linear:
    """The byte inside a panel's row after the XOR with bits of the row."""
    shift = layouts.swizzle_shift(layout)
    if shift is None:
        return inside
    # Only what the low three bits of the row depend on takes part.
    low = Linear(
        tuple((v, f) for v, f in row.terms if Linear(((v, f),)).multiple % 8),
        row.constant % layouts.CORE_ROWS,
    )
    if low.is_constant:
        flip: Value = layouts.row_xor(layout, low.constant)
        if inside.is_constant:
            return Linear((), inside.constant ^ flip)
        if flip == 0:
            return inside
    else:
        bits = memo.materialize(memo.sum(low, i32), i32)
        mask = (layouts.CORE_ROWS - 1) & -(1 << shift)
        flip = memo.shl(memo.and_(bits, mask), 4 - shift)
    rest, first = inside.dynamic, inside.constant
    bound = rest.upper_bound
    if first == 0 or (bound is not None and bound < first & -first):
        # Bits that don't overlap: XOR may take the place of the sum, and what varies
        # between the addresses of a row comes last.
        byte = memo.xor(memo.xor(memo.sum(rest, i32), flip), first)
    else:
        byte = memo.xor(memo.sum(inside, i32), flip)
    return linear(byte)


def private_offset(element: Element, memo: MemoBuilder) -> Offset:
    """Where an element of a tile of registers is in local memory, in i32: in rows."""
    tile = element.root_type
    number = Linear()
    for index, extent in zip(element.coordinates, tile.dims, strict=True):
        assert isinstance(extent, int)
        number = number * extent + index
    start = number * tile.element_bytes
    if any(factor < 0 for _, factor in start.terms):
        return Offset(memo.sum(start, i32), 0, start.multiple)
    return Offset(memo.sum(start.dynamic, i32), start.constant, start.dynamic.multiple)


def global_offset(
    element: Element, strides: Sequence[SSAValue], memo: MemoBuilder
) -> Offset:
    """Where an element of a global tile is, in i64; strides are in elements."""
    tile = element.root_type
    *outer, col = element.coordinates
    elements: Value = 0
    for at, stride in zip(outer, strides, strict=True):
        position = memo.sum(at, _index)
        if not isinstance(position, int):
            position = memo.cast(position, i64)
        elements = memo.add(elements, memo.mul(position, stride))
    last = memo.sum(col.dynamic, _index)
    if not isinstance(last, int):
        last = memo.cast(last, i64)
    elements = memo.add(elements, last)
    return Offset(
        memo.mul(elements, tile.element_bytes),
        prod((col.constant, tile.element_bytes)),
    )
