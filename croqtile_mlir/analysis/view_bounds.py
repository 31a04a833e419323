"""
Which tiles are known to end inside the view they are a part of.

A tile index of an argument may be out of range: the argument ends there, and what is
beyond is clipped. A view of an argument ends inside it, and only a proof or a test
keeps a copy from what comes after.
"""

from __future__ import annotations

from collections.abc import Set
from typing import TypeGuard

from xdsl.dialects import arith, scf
from xdsl.ir import Block, SSAValue

from croqtile_mlir.analysis.linear import known_bound
from croqtile_mlir.dialects.croq import (
    DYNAMIC,
    CDivOp,
    ChunkAtOp,
    Dim,
    DimOp,
    ForeachOp,
    ParallelOp,
    SlotOp,
    SqueezeOp,
    SubspanOp,
    ThreadIdOp,
    ViewOp,
)
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.lowering.rewriting import constant_value

_NOTHING: frozenset[SSAValue] = frozenset()


def is_constant(dim: Dim) -> TypeGuard[int]:
    """Whether an extent is known while compiling."""
    return isinstance(dim, int) and dim != DYNAMIC


def tile_stays_inside(
    view: SubspanOp, dim: int, unbounded: Set[SSAValue] = _NOTHING
) -> bool:
    """Whether a tile is known not to reach beyond the end of its source."""
    size, extent = view.source_type.dims[dim], view.extent_dims[dim]
    last = greatest(view.at_values[dim], unbounded)
    if last is None or not is_constant(size) or not is_constant(extent):
        return False
    step = view.step_dims[dim]
    return is_constant(step) and last * step + extent <= size


def ends_with_root(tile: SSAValue, dim: int) -> bool:
    """Whether a dim of a view is a whole dim of the buffer or argument."""
    while True:
        match tile.owner:
            case SlotOp() as slot:
                tile, dim = slot.viewed, dim + 1
            case ChunkAtOp() as chunk if chunk.chunk_values[dim] == 1:
                tile = chunk.viewed
            case SqueezeOp() as part:
                tile, dim = part.viewed, part.kept_dims[dim]
            case SubspanOp() as part if (
                part.at_values[dim] == 0
                and is_constant(part.extent_dims[dim])
                and part.extent_dims[dim] == part.source_type.dims[dim]
            ):
                tile = part.viewed
            case owner:
                return not isinstance(owner, ViewOp)


def greatest(index: Index, unbounded: Set[SSAValue] = _NOTHING) -> int | None:
    """
    The largest value that an index can have, if known; then it is not negative either.

    Of the values in `unbounded` nothing is taken to be known.
    """
    if isinstance(index, str) or index in unbounded:
        return None
    if isinstance(index, int):
        return index if index >= 0 else None
    if (known := constant_value(index)) is not None:
        return known if known >= 0 else None
    owner = index.owner
    if isinstance(owner, Block):
        return _greatest_argument(index, owner, unbounded)

    def bounds(*operands: Index) -> list[int] | None:
        found = [greatest(operand, unbounded) for operand in operands]
        known = [bound for bound in found if bound is not None]
        return known if len(known) == len(found) else None

    def least(*operands: Index) -> int | None:
        found = [greatest(operand, unbounded) for operand in operands]
        return min((b for b in found if b is not None), default=None)

    match owner:
        case arith.AddiOp(lhs=a, rhs=b):
            return sum(both) if (both := bounds(a, b)) is not None else None
        case arith.MuliOp(lhs=a, rhs=b):
            return both[0] * both[1] if (both := bounds(a, b)) is not None else None
        case arith.SelectOp(lhs=a, rhs=b):
            return max(both) if (both := bounds(a, b)) is not None else None
        case arith.MinUIOp(lhs=a, rhs=b) | arith.AndIOp(lhs=a, rhs=b):
            return least(a, b)
        case arith.RemUIOp(lhs=a, rhs=b):
            divisor, value = greatest(b, unbounded), greatest(a, unbounded)
            if not divisor:
                return value
            return divisor - 1 if value is None else min(value, divisor - 1)
        case arith.DivUIOp(lhs=a, rhs=b):
            value = greatest(a, unbounded)
            return None if value is None else value // (exact(b) or 1)
        case arith.ShRUIOp(lhs=a, rhs=b):
            value, bits = greatest(a, unbounded), exact(b)
            return None if value is None else value >> max(bits or 0, 0)
        case arith.ShLIOp(lhs=a, rhs=b):
            value, bits = greatest(a, unbounded), greatest(b, unbounded)
            return None if value is None or bits is None else value << bits
        case CDivOp():
            value = greatest(owner.numerator, unbounded)
            divisor = exact(owner.denominator) or 1
            return None if value is None else -(-value // divisor)
        case arith.IndexCastOp() | arith.ExtUIOp():
            return greatest(owner.operands[0], unbounded)
        case _:
            return None if owner.operands else known_bound(index)


def is_not_negative(index: Index) -> bool:
    """Whether an index is known not to be negative, whatever its largest value."""
    if isinstance(index, str):
        return True
    known = index if isinstance(index, int) else constant_value(index)
    if known is not None:
        return known >= 0
    assert isinstance(index, SSAValue)
    match index.owner:
        case Block() as block:
            parent = block.parent_op()
            if isinstance(parent, ParallelOp):
                return True
            if isinstance(parent, ForeachOp) and index is parent.induction:
                return is_not_negative(parent.lower)
            return (
                isinstance(parent, scf.ForOp)
                and index is parent.body.block.args[0]
                and is_not_negative(parent.lb)
            )
        case (
            arith.AddiOp()
            | arith.MuliOp()
            | arith.DivUIOp()
            | arith.RemUIOp()
            | arith.MinUIOp()
            | arith.ShRUIOp()
            | arith.ShLIOp()
            | arith.AndIOp()
            | arith.IndexCastOp()
        ) as op:
            return all(map(is_not_negative, op.operands))
        case CDivOp() | DimOp() | ThreadIdOp():
            return True
        case _:
            return False


def exact(index: Index) -> int | None:
    """The value of an index that is the same at every launch."""
    if isinstance(index, str):
        return None
    if isinstance(index, int):
        return index
    match index.owner:
        case CDivOp() as op:
            above, below = exact(op.numerator), exact(op.denominator)
            return -(-above // below) if above is not None and below else None
        case arith.MuliOp(lhs=a, rhs=b):
            left, right = exact(a), exact(b)
            return None if left is None or right is None else left * right
        case _:
            return constant_value(index)


def _greatest_argument(
    value: SSAValue, block: Block, unbounded: Set[SSAValue]
) -> int | None:
    """The largest value of an index of a level or of a loop."""
    match block.parent_op():
        case ParallelOp() as parallel:
            count = greatest(parallel.extent_values[block.args.index(value)], unbounded)
            return count - 1 if count else None
        case ForeachOp() as loop if value is loop.induction:
            lower, upper, step = loop.lower, loop.upper, loop.step
        case scf.ForOp() as loop if value is loop.body.block.args[0]:
            lower, upper, step = loop.lb, loop.ub, loop.step
        case _:
            return None
    first, count = greatest(lower, unbounded), greatest(upper, unbounded)
    if first is None or count is None:
        return None
    start, by = exact(lower), exact(step)
    if start is None or not by or count <= start:
        return max(count - 1, 0)
    return start + (count - 1 - start) // by * by
