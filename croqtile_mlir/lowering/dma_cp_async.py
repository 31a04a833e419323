"""
Copies by `cp.async`: each thread of the scope starts its vectors and goes on.

A vector goes as one copy of 16 bytes where the argument allows, else as copies of 8 or
4, else through a register, element by element. Addresses and pitches decide, at run
time, the same for all vectors. What is out of range is not read and becomes zero: a
copy reads as many bytes as are in range (PTX ISA, "cp.async", `src-size`).

A tile that is all in range, of an argument that allows the widest copies, is by far the
most frequent: one test for all of it leaves copies without tests, one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from croqtile_mlir.analysis.row_alignment import VECTOR_BYTES
from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.analysis.uniformity import require_whole_scope
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import (
    AddressOp,
    CopyAsyncOp,
    ThreadIdOp,
    tile_type,
)
from croqtile_mlir.dialects.nvvm.copies import CP_ASYNC_SIZES
from croqtile_mlir.lowering.dma_threads import Piece
from croqtile_mlir.lowering.dma_vectors import (
    Guard,
    add,
    all_of,
    extents_of,
    guard_of,
    scaled,
    split_index,
    vector_bytes,
)
from croqtile_mlir.lowering.memo_builder import MemoBuilder, Value
from croqtile_mlir.lowering.rewriting import LocatedBuilder

MOST_UNROLLED = 16
"""Most copies of a thread that are written out one after the other."""

SMALLEST = min(CP_ASYNC_SIZES)
"""Bytes of the smallest `cp.async`: elements that are smaller may not be aligned."""


@dataclass(frozen=True)
class CpAsyncCopies:
    """Lowers loads with engine cp_async."""

    memo: MemoBuilder

    def lower(self, copy: CopyAsyncOp) -> None:
        """Emit what starts a copy before it."""
        require_whole_scope(
            copy, "move the copy out of parallel levels and of conditions on the thread"
        )
        dims = extents_of(copy)
        size = tile_type(copy.source).element_bytes
        vector = vector_bytes(copy, dims)
        widths = [w for w in CP_ASYNC_SIZES[::-1] if size <= w <= vector]
        self.memo.move_before(copy)
        guard = guard_of(self.memo, copy, copy.source, dims, widths)
        if guard is None:
            fail(copy, "with engine cp_async must read global memory, got shared")
        vectors = _Vectors(copy, guard, dims, vector, max(widths, default=0))
        builder = self.memo.builder
        thread = builder.insert(ThreadIdOp()).result
        thread.name_hint = "thread"
        if not vectors.few:
            self._one_by_one(copy, guard, dims, vector, widths, builder, thread)
            return
        tests = vectors.tests(builder)
        if not tests:
            vectors.move(builder, thread)
            return
        condition = all_of(builder, tests)
        condition.name_hint = "whole"
        with builder.if_else(condition) as (whole, rest):
            vectors.move(whole, thread)
            self._one_by_one(copy, guard, dims, vector, widths, rest, thread)

    def _one_by_one(
        self,
        copy: CopyAsyncOp,
        guard: Guard,
        dims: tuple[int, ...],
        vector: int,
        widths: Sequence[int],
        builder: LocatedBuilder,
        thread: SSAValue,
    ) -> None:
        """Move each vector of a thread as far as it is in range, in a loop."""
        size = tile_type(copy.source).element_bytes
        lanes = vector // size
        count = prod(dims) // lanes
        threads = scope_of(copy).num_threads
        # Where every thread has as many vectors, the loop is the same for all.
        uniform = count % threads == 0
        start, end, step = (
            (0, count // threads, 1) if uniform else (thread, count, threads)
        )
        with builder.for_(start, end, step) as (body, index):
            if uniform:
                index = body.add(body.mul(index, threads), thread)
            at = split_index(body, index, (*dims[:-1], dims[-1] // lanes))
            at[-1] = scaled(body, at[-1], lanes)
            rows = guard.inside(body, at, 1, outer=True)
            row = [all_of(body, rows)] if rows else []
            _Vector(copy, guard, vector, size, row).move(body, at, widths)


@dataclass(frozen=True)
class _Vectors:
    """The vectors of a tile that is all in range."""

    copy: CopyAsyncOp
    guard: Guard
    dims: tuple[int, ...]
    bytes: int
    width: int
    """Bytes of the widest copies; 0: a vector is less than the smallest."""

    @property
    def _lanes(self) -> int:
        return self.bytes // tile_type(self.copy.source).element_bytes

    @property
    def _threads(self) -> int:
        return scope_of(self.copy).num_threads

    @property
    def few(self) -> bool:
        """Whether a thread has a number of vectors, each one copy, to be unrolled."""
        count = prod(self.dims) // self._lanes
        return (
            self.width == self.bytes
            and count % self._threads == 0
            and count // self._threads <= MOST_UNROLLED
        )

    def tests(self, builder: LocatedBuilder) -> list[SSAValue]:
        """Whether the argument allows the copies, and all of the tile is in range."""
        aligned = self.guard.aligned.get(self.width)
        tests = [] if aligned is None else [aligned]
        return [*tests, *self.guard.whole(builder, self.dims)]

    def move(self, builder: LocatedBuilder, thread: SSAValue) -> None:
        """Start a thread's copies; `thread` is its index in the scope."""
        row = self.dims[-1] // self._lanes
        shape = (*self.dims[:-1], row)
        count = prod(shape) // self._threads
        # Where all threads are at the same place of other rows, only the row differs.
        shared = len(shape) == 2 and self._threads % row == 0
        place = split_index(builder, thread, shape) if shared else []
        for number in range(count):
            if shared:
                rows = number * (self._threads // row)
                at = [add(builder, place[0], rows), place[1]]
            else:
                index = builder.add(thread, number * self._threads)
                at = split_index(builder, index, shape)
            at[-1] = scaled(builder, at[-1], self._lanes)
            source = builder.insert(AddressOp(self.copy.source, at)).pointer
            target = builder.insert(AddressOp(self.copy.destination, at)).pointer
            builder.insert(
                nvvm.CpAsyncOp(target, source, self.width, _cache(self.width), None)
            )


def _cache(width: int) -> nvvm.LoadCacheModifier:
    """Only copies of 16 bytes can leave out the first-level cache."""
    if width == VECTOR_BYTES:
        return nvvm.LoadCacheModifier.CG
    return nvvm.LoadCacheModifier.CA


@dataclass(frozen=True)
class _Vector:
    """One vector of a copy."""

    copy: CopyAsyncOp
    guard: Guard
    bytes: int
    element_bytes: int
    row: Sequence[SSAValue]
    """Whether its row is in range, if that is a question."""

    def move(
        self, builder: LocatedBuilder, at: Sequence[Value], widths: Sequence[int]
    ) -> None:
        """Move the vector at an element of the tile by the widest copies allowed."""
        if not widths:
            lanes = self.bytes // self.element_bytes
            piece = Piece(self.copy, at, at, self.guard, None)
            piece.move_elements(builder, lanes, self.row)
            return
        width, *narrower = widths
        aligned = self.guard.aligned.get(width)
        if aligned is None:
            self._pieces(builder, at, width)
            return
        with builder.if_else(aligned) as (wide, rest):
            self._pieces(wide, at, width)
            self.move(rest, at, narrower)

    def _pieces(self, builder: LocatedBuilder, at: Sequence[Value], width: int) -> None:
        if width == self.bytes:
            self._piece(builder, at, width)
            return
        with builder.for_(0, self.bytes // width) as (body, number):
            step = scaled(body, number, width // self.element_bytes)
            self._piece(body, [*at[:-1], add(body, at[-1], step)], width)

    def _piece(self, builder: LocatedBuilder, at: Sequence[Value], width: int) -> None:
        used = self._bytes_in_range(builder, at, width)
        source = builder.insert(AddressOp(self.copy.source, at)).pointer
        target = builder.insert(AddressOp(self.copy.destination, at)).pointer
        builder.insert(nvvm.CpAsyncOp(target, source, width, _cache(width), used))

    def _bytes_in_range(
        self, builder: LocatedBuilder, at: Sequence[Value], width: int
    ) -> SSAValue | None:
        """
        How many bytes of a piece are in range; None where all surely are.

        A piece starts at a multiple of its bytes, so that the start of a row, where
        positions below 0 would be out of range, is never inside of one.
        """
        lanes = width // self.element_bytes
        first = self.guard.inside(builder, at, 1, outer=False)
        tests = [*self.row, *first]
        if not tests:
            return None
        count = builder.index(lanes)
        if lanes > 1:
            for left in self.guard.left(builder, at):
                fewer = builder.cmp("ult", left, count)
                count = builder.select(fewer, left, count)
        used = builder.select(all_of(builder, tests), count, builder.index(0))
        return builder.cast(builder.mul(used, self.element_bytes), i32)


def may_go_by_elements(copy: CopyAsyncOp) -> bool:
    """Whether threads may have to move elements of a copy through registers."""
    return tile_type(copy.source).element_bytes < SMALLEST
