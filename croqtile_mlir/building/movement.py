"""Copies, their futures and groups, and values that fill tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from xdsl.ir import Attribute, SSAValue

from croqtile_mlir.building.checks import (
    caller,
    check_integer_lists,
    check_integers,
    check_values,
    named,
    number_of,
    tile_type,
)
from croqtile_mlir.building.core import Building
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Dim, Engine, FutureType, PadAttr, Space
from croqtile_mlir.dialects.croq import tile_type as type_of
from croqtile_mlir.dialects.croq.movement import CopyBase, index_numbers

CopyT = TypeVar("CopyT", bound=CopyBase)


@dataclass(frozen=True)
class Pad:
    """Elements that a copy adds to each dim: before, after and between; their value."""

    low: Sequence[int]
    high: Sequence[int]
    between: Sequence[int] | None = None
    value: float = 0.0


class Movement(Building):
    """What moves elements, and what says when they have arrived."""

    def copy(
        self,
        source: SSAValue,
        destination: SSAValue,
        engine: Engine | str = Engine.Auto,
        *,
        transpose: Sequence[int] | None = None,
        pad: Pad | None = None,
    ) -> None:
        """Copy a tile; complete when the op is.

        Dim d of the destination is dim `transpose[d]` of the source.
        """
        check_values(source, destination)
        _check_rearranging(transpose, pad)
        kind = named(Engine, engine, "engine")
        self.made(
            lambda: _rearrange(croq.CopyOp(source, destination, kind), transpose, pad)
        )

    def copy_async(
        self,
        source: SSAValue,
        destination: SSAValue,
        engine: Engine | str = Engine.Auto,
        *,
        transpose: Sequence[int] | None = None,
        pad: Pad | None = None,
        multicast: Sequence[int] = (),
    ) -> SSAValue:
        """Start to copy a tile; the future that says when it is complete.

        With `multicast`, to all blocks of the cluster along these indices of the block.
        """
        check_values(source, destination)
        check_integer_lists(multicast=multicast)
        _check_rearranging(transpose, pad)
        kind = named(Engine, engine, "engine")
        made = self.made(
            lambda: _rearrange(
                croq.CopyAsyncOp(source, destination, kind, multicast=multicast),
                transpose,
                pad,
            )
        )
        return made.future

    def await_copy(self, future: SSAValue, *, read: bool = False) -> None:
        """Wait for a copy; with `read`, for a store until its source may be reused."""
        check_values(future)
        self.made(lambda: croq.AwaitOp(future, read))

    def data(self, future: SSAValue) -> SSAValue:
        """The buffer of a future."""
        check_values(future)
        return self.made(lambda: croq.DataOp(future)).tile

    def any_future(self, dtype: str, *shape: Dim) -> SSAValue:
        """A future without a copy, with a shared buffer of its own."""
        tile = tile_type(dtype, shape, Space.Shared)
        return self.add(croq.AnyOp(FutureType(tile))).future

    def swap(self, first: SSAValue, second: SSAValue) -> tuple[SSAValue, SSAValue]:
        """The two futures, exchanged."""
        check_values(first, second)
        op = self.made(lambda: croq.SwapOp(first, second))
        return op.new_first, op.new_second

    def rotate(self, *futures: SSAValue) -> tuple[SSAValue, ...]:
        """The futures, the first behind the last."""
        check_values(*futures)
        return tuple(self.made(lambda: croq.RotateOp(futures)).rotated)

    def select(
        self, condition: SSAValue, first: SSAValue, second: SSAValue
    ) -> SSAValue:
        """One of two futures, the same in all threads."""
        check_values(condition, first, second)
        return self.made(lambda: croq.SelectOp(condition, first, second)).chosen

    def commit_loads(self) -> None:
        """Close a group of the loads whose futures nothing uses."""
        self.add(croq.CommitLoadsOp())

    def await_loads(self, in_flight: int = 0) -> None:
        """Wait for all but the newest groups of loads."""
        check_integers(in_flight=in_flight)
        self.add(croq.AwaitLoadsOp(in_flight))

    def await_stores(self, in_flight: int = 0, *, read: bool = False) -> None:
        """Wait for all but the newest stores whose futures nothing uses."""
        check_integers(in_flight=in_flight)
        self.add(croq.AwaitStoresOp(in_flight, read=read))

    def fill_tile(self, tile: SSAValue, value: float) -> None:
        """Give all elements of a tile one value."""
        check_values(tile)
        element = self._element(tile)
        self.add(croq.FillOp(tile, number_of(element, value, "value")))

    def _element(self, tile: SSAValue) -> Attribute:
        if not isinstance(tile.type, croq.TileType):
            fail(caller(), f"operand must be a tile, got {tile.type}")
        return tile.type.element_type


def _check_rearranging(transpose: Sequence[int] | None, pad: object) -> None:
    check_integer_lists(transpose=transpose)
    if pad is None:
        return
    if not isinstance(pad, Pad):
        fail(caller(), f"pad must be a Pad, got {pad!r}")
    check_integer_lists(low=pad.low, high=pad.high, between=pad.between)


def _rearrange(op: CopyT, transpose: Sequence[int] | None, pad: Pad | None) -> CopyT:
    if transpose is not None:
        op.permutation = index_numbers(transpose)
    if pad is not None:
        element = type_of(op.destination).element_type
        op.pad = PadAttr(
            pad.low,
            pad.high,
            pad.between or [0] * len(pad.low),
            number_of(element, pad.value, "padding"),
        )
    return op
