"""
Copies by the threads of a scope: vectors of up to 16 bytes, predicated at the edges.

Each thread takes every n-th vector of the destination. A vector goes in one piece when
all of it is in range and the arguments allow: address and pitches are multiples of
the vector, which is tested once, at run time. Otherwise it goes element by element;
what is out of range reads as zero and is not written. Where elements are rearranged,
`dma_places` says from where they come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from xdsl.dialects.builtin import (
    Float16Type,
    IntegerType,
    VectorType,
    i32,
)
from xdsl.ir import Attribute, SSAValue

from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.analysis.uniformity import require_whole_scope
from croqtile_mlir.dialects.croq import (
    AddressOp,
    CopyAsyncOp,
    CopyOp,
    ThreadIdOp,
    tile_type,
)
from croqtile_mlir.dialects.llvm_ext import LoadOp, StoreOp
from croqtile_mlir.lowering.dma_fills import Filled
from croqtile_mlir.lowering.dma_places import origin_of, walk_of
from croqtile_mlir.lowering.dma_vectors import (
    Guard,
    add,
    all_of,
    extents_of,
    guard_of,
    scaled,
    vector_bytes,
)
from croqtile_mlir.lowering.element_constants import element_constant
from croqtile_mlir.lowering.memo_builder import MemoBuilder, Value
from croqtile_mlir.lowering.rewriting import LocatedBuilder

Scalar = IntegerType | Float16Type
"""What one element is moved as: bits of its size."""


def element_type(size: int) -> Scalar:
    """The type to move an element of so many bytes with."""
    return Float16Type() if size == 2 else IntegerType(size * 8)


def vector_type(size: int) -> Attribute:
    """The type to move so many bytes with in one access."""
    return element_type(size) if size < 8 else VectorType(i32, [size // 4])


@dataclass(frozen=True)
class ThreadCopies:
    """Lowers copies with engine threads."""

    memo: MemoBuilder

    def lower(self, copy: CopyOp | CopyAsyncOp) -> None:
        """Emit the loop of a copy before it."""
        require_whole_scope(
            copy, "move the copy out of parallel levels and of conditions on the thread"
        )
        dims = extents_of(copy)
        by = copy.rearrangement
        size = tile_type(copy.source).element_bytes
        vector = vector_bytes(copy, dims)
        self.memo.move_before(copy)
        source = guard_of(
            self.memo, copy, copy.source, by.source_extents(dims), (vector,)
        )
        target = guard_of(self.memo, copy, copy.destination, dims, (vector,))
        builder = self.memo.builder
        thread = builder.insert(ThreadIdOp()).result
        thread.name_hint = "thread"
        lanes = vector // size
        count = prod(dims) // lanes
        walk = walk_of(copy, (*dims[:-1], dims[-1] // lanes))
        with builder.for_(thread, count, scope_of(copy).num_threads) as (body, index):
            at = walk.at(body, index)
            at[-1] = scaled(body, at[-1], lanes)
            origin = origin_of(body, by, dims, at)
            piece = Piece(copy, origin.at, at, source, target)
            if not origin.tests:
                piece.move(body, vector, lanes)
                return
            with body.if_else(all_of(body, origin.tests)) as (copied, padding):
                piece.move(copied, vector, lanes)
                piece.fill(padding, by.value, vector, lanes)


@dataclass(frozen=True)
class Piece:
    """A vector of a copy: an element of each side, and what of them may be touched."""

    copy: CopyOp | CopyAsyncOp
    source: Sequence[Value]
    target: Sequence[Value]
    source_guard: Guard | None
    target_guard: Guard | None

    @property
    def _sides(self) -> list[tuple[Guard, Sequence[Value]]]:
        sides = (
            (self.source_guard, self.source),
            (self.target_guard, self.target),
        )
        return [(guard, at) for guard, at in sides if guard is not None]

    def rows(self, builder: LocatedBuilder) -> list[SSAValue]:
        """Whether the rows are in range, if that is a question; one test at most."""
        tests = self._tests(builder, self._sides, 1, outer=True)
        return [all_of(builder, tests)] if tests else []

    def move(self, builder: LocatedBuilder, vector: int, lanes: int) -> None:
        """Move so many bytes, which are as many elements as there are lanes."""
        size = vector // lanes
        sides = self._sides
        if not sides:
            kind = element_type(size) if lanes == 1 else vector_type(vector)
            self._transfer(builder, kind, vector)
            return
        if lanes == 1:
            self._element(builder, size)
            return
        row = self.rows(builder)
        cols = self._tests(builder, sides, lanes, outer=False)
        aligned = [test for guard, _ in sides for test in guard.aligned.values()]
        test = all_of(builder, [*aligned, *row, *cols])
        with builder.if_else(test) as (whole, pieces):
            self._transfer(whole, vector_type(vector), vector)
            # Tests of rows are made once, unless both sides have some: a row of the
            # source that is out of range reads as zero.
            self.move_elements(pieces, lanes, row if len(sides) == 1 else None)

    def move_elements(
        self,
        builder: LocatedBuilder,
        lanes: int,
        row: Sequence[SSAValue] | None = None,
    ) -> None:
        """Move so many elements one by one; `row`: whether their rows are in range."""
        size = tile_type(self.copy.source).element_bytes
        with builder.for_(0, lanes) as (each, number):
            self._moved(each, number)._element(each, size, row)

    def fill(
        self, builder: LocatedBuilder, value: float, vector: int, lanes: int
    ) -> None:
        """Give so many bytes of the destination a value, where they are in range."""
        place = Filled(
            self.copy, self.copy.destination, self.target, self.target_guard, value
        )
        place.store(builder, vector, lanes)

    def _moved(self, builder: LocatedBuilder, by: SSAValue) -> Piece:
        source, target = (
            [*at[:-1], add(builder, at[-1], by)] for at in (self.source, self.target)
        )
        return replace(self, source=source, target=target)

    def _tests(
        self,
        builder: LocatedBuilder,
        sides: Sequence[tuple[Guard, Sequence[Value]]],
        count: int,
        *,
        outer: bool,
    ) -> list[SSAValue]:
        return [
            test
            for guard, at in sides
            for test in guard.inside(builder, at, count, outer=outer)
        ]

    def _element(
        self,
        builder: LocatedBuilder,
        size: int,
        row: Sequence[SSAValue] | None = None,
    ) -> None:
        """Move one element; what is out of range is zero, or not written."""

        def tests(guard: Guard | None, at: Sequence[Value]) -> list[SSAValue]:
            if guard is None:
                return []
            side = [(guard, at)]
            rows = self._tests(builder, side, 1, outer=True) if row is None else row
            return [*rows, *self._tests(builder, side, 1, outer=False)]

        readable = tests(self.source_guard, self.source)
        writable = tests(self.target_guard, self.target)
        if not writable:
            self._read_element(builder, size, readable)
            return
        with builder.if_(all_of(builder, writable)) as inner:
            self._read_element(inner, size, readable)

    def _read_element(
        self, builder: LocatedBuilder, size: int, tests: Sequence[SSAValue]
    ) -> None:
        """Move one element that may be written: if all tests hold, else a zero."""
        kind = element_type(size)
        if not tests:
            self._transfer(builder, kind, size)
            return
        with builder.if_else(all_of(builder, tests)) as (inside, outside):
            self._transfer(inside, kind, size)
            pointer = outside.insert(AddressOp(self.copy.destination, self.target))
            zero = element_constant(outside, kind, 0, self.copy)
            outside.insert(StoreOp(zero, pointer.pointer, alignment=size))

    def _transfer(self, builder: LocatedBuilder, kind: Attribute, size: int) -> None:
        copy = self.copy
        source = builder.insert(AddressOp(copy.source, self.source)).pointer
        value = builder.insert(LoadOp(source, kind, alignment=size))
        target = builder.insert(AddressOp(copy.destination, self.target)).pointer
        builder.insert(StoreOp(value, target, alignment=size))
