"""
How the elements of a tile are dealt to threads by a computation for each element.

They go in vectors along the rows, of as many elements as every tile that has the inner
dim allows in one aligned access; vector v is made by thread v modulo the threads.
"""

from __future__ import annotations

from collections.abc import Hashable
from math import gcd

from xdsl.ir import SSAValue

from croqtile_mlir.analysis.row_alignment import VECTOR_BYTES, row_alignment
from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.analysis.uniformity import divergent_source
from croqtile_mlir.analysis.vector_divisions import vectors
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import ElementwiseOp, tile_type


def static_dims(op: ElementwiseOp) -> tuple[int, ...]:
    """The extents of the elements that an op makes."""
    dims = tuple(d for d in op.dims if isinstance(d, int) and d > 0)
    if len(dims) < len(op.dims):
        fail(
            op,
            f"must be on tiles of constant extents, got {'x'.join(map(str, op.dims))}",
            hint="run --bind-params first",
        )
    return dims


def lanes_of(op: ElementwiseOp) -> int:
    """The elements of a vector."""
    dims = static_dims(op)
    inner = len(dims) - 1
    lanes = gcd(VECTOR_BYTES, dims[-1])
    for tile in _tiles_along(op, inner):
        size = tile_type(tile).element_bytes
        lanes = gcd(lanes, max(1, row_alignment(op, tile) // size))
    return lanes


def _tiles_along(op: ElementwiseOp, dim: int) -> list[SSAValue]:
    """The tiles of an op that have a dim of the result."""
    found = [
        value
        for value, along in zip(op.inputs, op.along_dims, strict=True)
        if dim in along
    ]
    return found if op.destination is None else [*found, op.destination]


def division_of(op: ElementwiseOp, tile: SSAValue, *, written: bool) -> Hashable:
    """
    Equal for two accesses that give each element of a tile to the same thread.

    A tile that lacks dims of the result is read by many threads: it is None. So it is
    for those that go with accumulators.
    """
    if op.destination is None:
        return None
    for value, along in zip(op.inputs, op.along_dims, strict=True):
        if not written and value is tile and len(along) < len(op.dims):
            return None
    return vectors(static_dims(op), lanes_of(op))


def check_captured(op: ElementwiseOp) -> None:
    """Refuse numbers from outside that differ between threads of the scope."""
    if scope_of(op).per_thread:
        return
    inside: set[SSAValue] = set(op.body.block.args)
    for inner in op.body.block.ops:
        for value in inner.operands:
            if value not in inside and (cause := divergent_source(value)) is not None:
                fail(
                    inner,
                    "must use numbers that are the same in all threads of the scope, "
                    "got one that is not",
                    hint="take the indices of the element: at (%i, ..)",
                    notes=[(cause, "this differs between threads")],
                )
        inside.update(inner.results)
