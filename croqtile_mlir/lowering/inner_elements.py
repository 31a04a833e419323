"""Elements of tiles, one by one, by a thread or by the lanes of a warp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from croqtile_mlir.dialects.croq import (
    ForeachOp,
    LoadOp,
    StoreOp,
    YieldOp,
    tile_type,
)
from croqtile_mlir.lowering.dma_vectors import Guard, all_of, chosen, guard_of
from croqtile_mlir.lowering.element_constants import element_constant
from croqtile_mlir.lowering.memo_builder import MemoBuilder, Value
from croqtile_mlir.lowering.rewriting import LocatedBuilder

Emit = Callable[[LocatedBuilder, Sequence[Value]], None]
"""Emits what is done at an element."""


@dataclass(frozen=True)
class Elements:
    """The elements of a tile of an op, which may be out of range."""

    op: Operation
    tile: SSAValue
    guard: Guard | None

    @classmethod
    def of(
        cls, op: Operation, tile: SSAValue, dims: Sequence[int], memo: MemoBuilder
    ) -> Elements:
        """Those of a tile of these extents; tests go where the memo is."""
        return cls(op, tile, guard_of(memo, op, tile, tuple(dims), ()))

    @property
    def element(self) -> Attribute:
        """The type of an element."""
        return tile_type(self.tile).element_type

    def inside(self, b: LocatedBuilder, at: Sequence[Value]) -> list[SSAValue]:
        """What must hold for an element to be in range."""
        if self.guard is None:
            return []
        return [
            *self.guard.inside(b, at, 1, outer=True),
            *self.guard.inside(b, at, 1, outer=False),
        ]

    def load(self, b: LocatedBuilder, at: Sequence[Value]) -> SSAValue:
        """An element; zero when it is out of range."""
        return chosen(
            b,
            self.inside(b, at),
            self.element,
            lambda inner: self.load_inside(inner, at),
            lambda inner: element_constant(inner, self.element, 0, self.op),
        )

    def load_inside(self, b: LocatedBuilder, at: Sequence[Value]) -> SSAValue:
        """An element that is in range."""
        return b.insert(LoadOp(self.tile, at)).value

    def store(
        self,
        b: LocatedBuilder,
        at: Sequence[Value],
        make: Callable[[LocatedBuilder], SSAValue],
    ) -> None:
        """Store what is made there, unless the element is out of range."""
        tests = self.inside(b, at)
        if not tests:
            b.insert(StoreOp(make(b), self.tile, at))
            return
        with b.if_(all_of(b, tests)) as then:
            then.insert(StoreOp(make(then), self.tile, at))


def each_element(
    b: LocatedBuilder,
    dims: Sequence[int],
    emit: Emit,
    *,
    unroll: bool = False,
    at: Sequence[Value] = (),
) -> None:
    """Loops over the elements of some extents, the last dim innermost."""
    if not dims:
        emit(b, at)
        return
    if dims[0] == 1:
        each_element(b, dims[1:], emit, unroll=unroll, at=(*at, 0))
        return
    body = Block(arg_types=[IndexType()])
    inner = LocatedBuilder.at_end(body, b.location)
    index = body.args[0]
    each_element(inner, dims[1:], emit, unroll=unroll, at=(*at, index))
    inner.insert(YieldOp([]))
    b.insert(ForeachOp(dims[0], Region(body), unroll=unroll))
