"""
Copies by the threads of a scope: vectors of up to 16 bytes, predicated at the edges.

Each thread takes every n-th vector of the tile. A vector goes in one piece when all of
it is in range and the argument allows: its address and its pitches are multiples of
the vector, which is tested once, at run time. Otherwise it goes element by element;
what is out of range reads as zero and is not written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    Float16Type,
    FloatAttr,
    IntegerType,
    VectorType,
    i32,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.analysis.uniformity import require_whole_scope
from croqtile_mlir.dialects.croq import (
    AddressOp,
    CopyAsyncOp,
    CopyOp,
    Space,
    ThreadIdOp,
    tile_type,
)
from croqtile_mlir.dialects.llvm_ext import LoadOp, StoreOp, ZeroOp
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

Scalar = IntegerType | Float16Type
"""What one element is moved as: bits of its size."""


def element_type(size: int) -> Scalar:
    """The type to move an element of so many bytes with."""
    return Float16Type() if size == 2 else IntegerType(size * 8)


def vector_type(size: int) -> Attribute:
    """The type to move so many bytes with in one access."""
    return element_type(size) if size < 8 else VectorType(i32, [size // 4])


def _zero(builder: LocatedBuilder, kind: Scalar) -> SSAValue:
    if isinstance(kind, Float16Type):
        return builder.float(FloatAttr(0.0, kind))
    if kind.bitwidth < 32:
        # There is no arithmetic on bytes, nor a constant.
        return builder.insert(ZeroOp(kind)).result
    return builder.constant(0, kind)


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
        size = tile_type(copy.source).element_bytes
        vector = vector_bytes(copy, dims)
        self.memo.move_before(copy)
        guard = guard_of(self.memo, copy, dims, (vector,))
        builder = self.memo.builder
        thread = builder.insert(ThreadIdOp()).result
        thread.name_hint = "thread"
        lanes = vector // size
        count = prod(dims) // lanes
        with builder.for_(thread, count, scope_of(copy).num_threads) as (body, index):
            at = split_index(body, index, (*dims[:-1], dims[-1] // lanes))
            at[-1] = scaled(body, at[-1], lanes)
            _move(copy, body, at, guard, vector, lanes)


def _move(
    copy: CopyOp | CopyAsyncOp,
    builder: LocatedBuilder,
    at: Sequence[Value],
    guard: Guard | None,
    vector: int,
    lanes: int,
) -> None:
    """Move the vector at an element of the tile."""
    size = vector // lanes
    kind = element_type(size) if lanes == 1 else vector_type(vector)
    if guard is None:
        _transfer(copy, builder, at, kind, vector)
        return
    rows = guard.inside(builder, at, 1, outer=True)
    cols = guard.inside(builder, at, lanes, outer=False)
    if lanes == 1:
        _predicated(copy, builder, at, size, [*rows, *cols])
        return
    row = [all_of(builder, rows)] if rows else []
    aligned = guard.aligned.values()
    whole, pieces = Block(), Block()
    fast = LocatedBuilder.at_end(whole, copy.location)
    _transfer(copy, fast, at, kind, vector)
    fast.insert(scf.YieldOp())
    slow = LocatedBuilder.at_end(pieces, copy.location)
    move_elements(copy, slow, at, guard, lanes, row)
    slow.insert(scf.YieldOp())
    test = all_of(builder, [*aligned, *row, *cols])
    builder.insert(scf.IfOp(test, [], Region(whole), Region(pieces)))


def move_elements(
    copy: CopyOp | CopyAsyncOp,
    builder: LocatedBuilder,
    at: Sequence[Value],
    guard: Guard,
    lanes: int,
    row: Sequence[SSAValue],
) -> None:
    """Move a vector of `lanes` elements one by one; `row` is whether its row is in."""
    size = tile_type(copy.source).element_bytes
    with builder.for_(0, lanes) as (each, number):
        element = [*at[:-1], add(each, at[-1], number)]
        tests = [*row, *guard.inside(each, element, 1, outer=False)]
        _predicated(copy, each, element, size, tests)


def _predicated(
    copy: CopyOp | CopyAsyncOp,
    builder: LocatedBuilder,
    at: Sequence[Value],
    size: int,
    tests: Sequence[SSAValue],
) -> None:
    """Move one element if all tests hold; else store a zero in shared memory."""
    kind = element_type(size)
    if not tests:
        _transfer(copy, builder, at, kind, size)
        return
    yes, no = Block(), Block()
    then = LocatedBuilder.at_end(yes, copy.location)
    _transfer(copy, then, at, kind, size)
    then.insert(scf.YieldOp())
    rest = None
    if tile_type(copy.destination).memory_space is Space.Shared:
        otherwise = LocatedBuilder.at_end(no, copy.location)
        target = otherwise.insert(AddressOp(copy.destination, at)).pointer
        zero = _zero(otherwise, kind)
        otherwise.insert(StoreOp(zero, target, alignment=size))
        otherwise.insert(scf.YieldOp())
        rest = Region(no)
    builder.insert(scf.IfOp(all_of(builder, tests), [], Region(yes), rest))


def _transfer(
    copy: CopyOp | CopyAsyncOp,
    builder: LocatedBuilder,
    at: Sequence[Value],
    kind: Attribute,
    size: int,
) -> None:
    source = builder.insert(AddressOp(copy.source, at)).pointer
    value = builder.insert(LoadOp(source, kind, alignment=size))
    target = builder.insert(AddressOp(copy.destination, at)).pointer
    builder.insert(StoreOp(value, target, alignment=size))
