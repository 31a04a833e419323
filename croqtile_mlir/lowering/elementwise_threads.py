"""
Computations for each element by the threads of a scope: vectors of up to 16 bytes.

Vector v is made by thread v modulo the threads. Where all tiles allow, each is accessed
in one piece; where a global tile is not aligned, or the vector not all in range, the
elements are made one by one: those out of range read as zero and are not written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import (
    VectorType,
)
from xdsl.ir import Attribute, SSAValue

from croqtile_mlir.analysis.element_vectors import (
    check_captured,
    lanes_of,
    static_dims,
)
from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.analysis.uniformity import require_whole_scope
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects.croq import (
    AddressOp,
    ElementwiseOp,
    ThreadIdOp,
    tile_type,
)
from croqtile_mlir.lowering.dma_vectors import (
    Guard,
    add,
    all_of,
    chosen,
    guard_of,
    scaled,
    split_index,
)
from croqtile_mlir.lowering.element_bodies import emit_body
from croqtile_mlir.lowering.element_constants import element_constant
from croqtile_mlir.lowering.memo_builder import MemoBuilder, Value
from croqtile_mlir.lowering.rewriting import LocatedBuilder


@dataclass(frozen=True)
class Operand:
    """A tile whose elements a computation reads or writes."""

    tile: SSAValue
    along: tuple[int, ...]
    """The dims of the result that it has."""

    guard: Guard | None
    lanes: int
    """Its elements in a vector of the result: 1 where it lacks the inner dim."""

    @property
    def element(self) -> Attribute:
        """The type of its elements."""
        return tile_type(self.tile).element_type

    def at(self, at: Sequence[Value]) -> list[Value]:
        """The indices of the element at indices of the result."""
        return [at[dim] for dim in self.along]

    def tests(self, builder: LocatedBuilder, at: Sequence[Value]) -> list[SSAValue]:
        """What must hold for the vector to be accessed in one piece."""
        if self.guard is None:
            return []
        return [
            *(self.guard.aligned.values() if self.lanes > 1 else ()),
            *self.inside(builder, at, self.lanes),
        ]

    def inside(
        self, builder: LocatedBuilder, at: Sequence[Value], count: int = 1
    ) -> list[SSAValue]:
        """Tests whether so many elements are in range."""
        if self.guard is None:
            return []
        own = self.at(at)
        return [
            *self.guard.inside(builder, own, 1, outer=True),
            *self.guard.inside(builder, own, count, outer=False),
        ]

    def load(self, builder: LocatedBuilder, at: Sequence[Value]) -> list[SSAValue]:
        """The elements of a vector that is all in range."""
        kind = self.element
        if self.lanes > 1:
            kind = VectorType(kind, [self.lanes])
        pointer = builder.insert(AddressOp(self.tile, self.at(at))).pointer
        load = llvm.LoadOp(pointer, kind, alignment=self._bytes)
        value = builder.insert(load).result
        if self.lanes == 1:
            return [value]
        return [
            builder.insert(llvm.ExtractElementOp(value, builder.i32(lane))).result
            for lane in range(self.lanes)
        ]

    def load_one(self, builder: LocatedBuilder, at: Sequence[Value]) -> SSAValue:
        """One element, zero when it is out of range."""
        tests = self.inside(builder, at)
        one = Operand(self.tile, self.along, self.guard, 1)
        if not tests:
            return one.load(builder, at)[0]
        return chosen(
            builder,
            tests,
            self.element,
            lambda inner: one.load(inner, at)[0],
            lambda inner: element_constant(inner, self.element, 0, self.tile),
        )

    def store(
        self, builder: LocatedBuilder, at: Sequence[Value], elements: list[SSAValue]
    ) -> None:
        """Write a vector of elements, all in range."""
        pointer = builder.insert(AddressOp(self.tile, self.at(at))).pointer
        value = elements[0]
        if len(elements) > 1:
            kind = VectorType(self.element, [len(elements)])
            value = builder.insert(llvm.UndefOp(kind)).result
            for lane, element in enumerate(elements):
                insert = llvm.InsertElementOp(value, element, builder.i32(lane))
                value = builder.insert(insert).result
        size = tile_type(self.tile).element_bytes * len(elements)
        builder.insert(llvm.StoreOp(value, pointer, alignment=size))

    @property
    def _bytes(self) -> int:
        return tile_type(self.tile).element_bytes * self.lanes


@dataclass(frozen=True)
class ThreadElements:
    """Lowers computations for each element of a tile."""

    memo: MemoBuilder

    def lower(self, op: ElementwiseOp, destination: SSAValue) -> None:
        """Emit the loop of a computation before it."""
        require_whole_scope(
            op,
            "move the computation out of parallel levels and of conditions on the "
            "thread",
        )
        check_captured(op)
        dims, lanes = static_dims(op), lanes_of(op)
        rank = len(dims)
        self.memo.move_before(op)
        inputs = [
            self.operand(op, value, along, dims, lanes)
            for value, along in zip(op.inputs, op.along_dims, strict=True)
        ]
        output = self.operand(op, destination, tuple(range(rank)), dims, lanes)
        builder = self.memo.builder
        thread = builder.insert(ThreadIdOp()).result
        thread.name_hint = "thread"
        count = prod(dims) // lanes
        with builder.for_(thread, count, scope_of(op).num_threads) as (body, index):
            at = split_index(body, index, (*dims[:-1], dims[-1] // lanes))
            at[-1] = scaled(body, at[-1], lanes)
            _Vector(op, inputs, output, lanes).emit(body, at)

    def operand(
        self,
        op: ElementwiseOp,
        tile: SSAValue,
        along: tuple[int, ...],
        dims: tuple[int, ...],
        lanes: int,
    ) -> Operand:
        """A tile of an op, with the tests of its range at the current place."""
        own = lanes if len(dims) - 1 in along else 1
        size = tile_type(tile).element_bytes
        extents = tuple(dims[dim] for dim in along)
        guard = guard_of(self.memo, op, tile, extents, (own * size,))
        return Operand(tile, along, guard, own)


@dataclass(frozen=True)
class _Vector:
    """What a thread does for one vector of the result."""

    op: ElementwiseOp
    inputs: Sequence[Operand]
    output: Operand
    lanes: int

    def emit(self, builder: LocatedBuilder, at: Sequence[Value]) -> None:
        """Make the vector in one piece, or else by elements."""
        tests = [
            test
            for operand in (*self.inputs, self.output)
            for test in operand.tests(builder, at)
        ]
        if not tests:
            self._whole(builder, at)
            return
        if self.lanes == 1:
            self._element(builder, at)
            return
        test = all_of(builder, list(dict.fromkeys(tests)))
        with builder.if_else(test) as (whole, pieces):
            self._whole(whole, at)
            with pieces.for_(0, self.lanes) as (each, number):
                self._element(each, [*at[:-1], add(each, at[-1], number)])

    def _whole(self, builder: LocatedBuilder, at: Sequence[Value]) -> None:
        loaded = [operand.load(builder, at) for operand in self.inputs]
        made: list[SSAValue] = []
        for lane in range(self.lanes):
            elements = [each[lane % len(each)] for each in loaded]
            place = [*at[:-1], at[-1]]
            if self.op.positions is not None:
                place[-1] = add(builder, at[-1], lane)
            made.append(emit_body(self.op, builder, elements, place))
        self.output.store(builder, at, made)

    def _element(self, builder: LocatedBuilder, at: Sequence[Value]) -> None:
        tests = self.output.inside(builder, at)
        if not tests:
            self._one(builder, at)
            return
        with builder.if_(all_of(builder, tests)) as then:
            self._one(then, at)

    def _one(self, builder: LocatedBuilder, at: Sequence[Value]) -> None:
        elements = [operand.load_one(builder, at) for operand in self.inputs]
        made = emit_body(self.op, builder, elements, at)
        self.output.store(builder, at, [made])
