"""
Values that fill tiles: the bits of a number, repeated over a vector, and where they go.

`croq.fill` is a loop of the threads over vectors, as a copy is, without a source.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd, prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue

from croqtile_mlir.analysis.row_alignment import VECTOR_BYTES
from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.analysis.uniformity import require_whole_scope
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import AddressOp, FillOp, ThreadIdOp, tile_type
from croqtile_mlir.dialects.croq.types import element_bits
from croqtile_mlir.dialects.llvm_ext import ConstantOp, StoreOp
from croqtile_mlir.lowering.dma_vectors import (
    Guard,
    add,
    all_of,
    guard_of,
    row_alignment,
    scaled,
    split_index,
)
from croqtile_mlir.lowering.memo_builder import MemoBuilder, Value
from croqtile_mlir.lowering.rewriting import LocatedBuilder


def bits_of(value: float, element: Attribute) -> int:
    """The bits of a number, rounded to the type of an element; not negative."""
    if isinstance(element, IntegerType):
        return int(value) & ((1 << element.bitwidth) - 1)
    import ml_dtypes
    import numpy as np

    kinds = {
        "f8E4M3FN": ml_dtypes.float8_e4m3fn,
        "f8E5M2": ml_dtypes.float8_e5m2,
        "bf16": ml_dtypes.bfloat16,
        "f16": np.float16,
        "f64": np.float64,
    }
    kind = kinds.get(element.name, np.float32)
    return int.from_bytes(np.asarray(value).astype(kind).tobytes(), "little")


def _fill_value(
    builder: LocatedBuilder, element: Attribute, value: float, size: int
) -> SSAValue:
    """So many bytes of elements of one value, as what one access stores."""
    width = max(element_bits(element) // 8, 1)
    whole = bits_of(value, element).to_bytes(width, "little") * (size // width)
    if size >= 8:
        words = list(struct.unpack(f"<{size // 4}i", whole))
        vector = VectorType(i32, [len(words)])
        dense = DenseIntOrFPElementsAttr.from_list(vector, words)
        return builder.insert(arith.ConstantOp(dense)).result
    kind = IntegerType(size * 8)
    number = int.from_bytes(whole, "little", signed=True)
    if size == 4:
        return builder.constant(number, kind)
    # On less than 32 bits there is no arithmetic, nor an arith.constant.
    return builder.insert(ConstantOp(IntegerAttr(number, kind), kind)).result


@dataclass(frozen=True)
class Filled:
    """A place in a tile that gets a number, and what of the tile may be touched."""

    op: Operation
    tile: SSAValue
    at: Sequence[Value]
    guard: Guard | None
    number: float

    def store(self, builder: LocatedBuilder, vector: int, lanes: int) -> None:
        """Store so many bytes of as many elements as there are lanes."""
        guard = self.guard
        if guard is None:
            self._store(builder, self.at, vector)
            return
        if lanes == 1:
            self._element(builder, self.at, guard)
            return
        tests = [
            *guard.aligned.values(),
            *guard.inside(builder, self.at, 1, outer=True),
            *guard.inside(builder, self.at, lanes, outer=False),
        ]
        with builder.if_else(all_of(builder, tests)) as (whole, pieces):
            self._store(whole, self.at, vector)
            with pieces.for_(0, lanes) as (each, number):
                at = [*self.at[:-1], add(each, self.at[-1], number)]
                self._element(each, at, guard)

    def _element(
        self, builder: LocatedBuilder, at: Sequence[Value], guard: Guard
    ) -> None:
        size = tile_type(self.tile).element_bytes
        tests = [
            *guard.inside(builder, at, 1, outer=True),
            *guard.inside(builder, at, 1, outer=False),
        ]
        if not tests:
            self._store(builder, at, size)
            return
        with builder.if_(all_of(builder, tests)) as inner:
            self._store(inner, at, size)

    def _store(self, builder: LocatedBuilder, at: Sequence[Value], size: int) -> None:
        element = tile_type(self.tile).element_type
        bits = _fill_value(builder, element, self.number, size)
        pointer = builder.insert(AddressOp(self.tile, at)).pointer
        builder.insert(StoreOp(bits, pointer, alignment=size))


def lower_fill(op: FillOp, memo: MemoBuilder) -> None:
    """Emit the loop of a fill before it."""
    require_whole_scope(
        op, "move the fill out of parallel levels and of conditions on the thread"
    )
    kind = tile_type(op.tile)
    dims = kind.static_dims
    if dims is None:
        fail(
            op,
            f"must fill a tile of constant extents, got {kind}",
            hint="fill tiles by croq.subspan, or run --bind-params first",
        )
    vector = gcd(
        VECTOR_BYTES, dims[-1] * kind.element_bytes, row_alignment(op, op.tile)
    )
    memo.move_before(op)
    guard = guard_of(memo, op, op.tile, dims, (vector,))
    builder = memo.builder
    thread = builder.insert(ThreadIdOp()).result
    thread.name_hint = "thread"
    lanes = vector // kind.element_bytes
    count = prod(dims) // lanes
    with builder.for_(thread, count, scope_of(op).num_threads) as (body, index):
        at = split_index(body, index, (*dims[:-1], dims[-1] // lanes))
        at[-1] = scaled(body, at[-1], lanes)
        Filled(op, op.tile, at, guard, op.number).store(body, vector, lanes)
