"""Buffers, and tiles of tiles."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from croqtile_mlir.building.checks import (
    caller,
    check_extents,
    check_indices,
    check_integer_lists,
    check_integers,
    check_values,
    named,
    position,
    tile_type,
)
from croqtile_mlir.building.core import Building
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Dim, Space
from croqtile_mlir.dialects.croq.index import WHOLE, Index


class Views(Building):
    """Buffers and what is seen of them; nothing is moved."""

    def alloc(
        self, dtype: str, *shape: Dim, space: Space | str = Space.Shared
    ) -> SSAValue:
        """A buffer of a block, its layout open; a `global` one is to be returned."""
        tile = tile_type(dtype, shape, named(Space, space, "space"))
        return self.add(croq.AllocOp(tile)).tile

    def subspan(
        self,
        source: SSAValue,
        extents: Sequence[Dim],
        tile: Sequence[Index],
        step: Sequence[Dim] | None = None,
    ) -> SSAValue:
        """The tile at a tile index; tiles start `step` elements apart, if given."""
        check_values(source)
        check_extents(extents, step)
        check_indices(tile)
        return self.made(lambda: croq.SubspanOp(source, extents, tile, step)).results[0]

    def view(
        self,
        source: SSAValue,
        extents: Sequence[Dim],
        offsets: Sequence[Index],
        strides: Sequence[Dim] | None = None,
    ) -> SSAValue:
        """The tile at element offsets; its elements are `strides` apart, if given."""
        check_values(source)
        check_extents(extents, strides)
        check_indices(offsets)
        return self.made(
            lambda: croq.ElementViewOp(source, extents, offsets, strides)
        ).results[0]

    def chunkat(
        self, source: SSAValue, chunks: Sequence[Index], at: Sequence[Index]
    ) -> SSAValue:
        """One of equal chunks; 1 and `"_"` keep a dim whole."""
        check_values(source)
        check_indices(chunks, at)
        if len(chunks) != len(at):
            fail(
                caller(),
                f"there must be an index for each dim, got {len(at)} for {len(chunks)}",
            )
        whole = [1 if chunk == WHOLE else chunk for chunk in chunks]
        places = [
            WHOLE if chunk == WHOLE else index
            for chunk, index in zip(chunks, at, strict=True)
        ]
        return self.made(lambda: croq.ChunkAtOp(source, whole, places)).result

    def squeeze(self, source: SSAValue, *dims: int) -> SSAValue:
        """The tile without some dims, whose extents are 1."""
        check_values(source)
        check_integer_lists(dims=dims)
        return self.made(lambda: croq.SqueezeOp(source, dims)).result

    def span_as(self, source: SSAValue, *extents: Dim) -> SSAValue:
        """The same elements in another shape; `"_"` is what is left."""
        check_values(source)
        check_extents(extents)
        return self.made(lambda: croq.SpanAsOp(source, extents)).result

    def span(self, tile: SSAValue, dim: int) -> SSAValue:
        """The extent of a dim of a tile."""
        check_values(tile)
        check_integers(dim=dim)
        return self.made(lambda: croq.SpanOp(tile, dim)).result

    def slot(
        self,
        buffers: SSAValue,
        at: Index,
        offset: int | str = 0,
        *,
        by_slot: bool = False,
    ) -> SSAValue:
        """One of an array of buffers, by its order: `at + offset` modulo their number.

        `by_slot`: by its own number.
        """
        check_values(buffers)
        place = position(at, offset, by_slot)
        return self.made(lambda: croq.SlotOp(buffers, place)).results[0]
