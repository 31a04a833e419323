"""Replacing index operands of `croq` ops: names and constants become integers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import accumulate
from types import MappingProxyType

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    UnitAttr,
    i32,
)
from xdsl.ir import Operation, SSAValue
from xdsl.utils.hints import isa

from croqtile_mlir.dialects.croq import CDivOp
from croqtile_mlir.dialects.croq.index import Index, IndexListAttr, pack, unpack
from croqtile_mlir.lowering.rewriting import (
    LocatedBuilder,
    constant_value,
    replace_values,
)

_SEGMENTS = "operandSegmentSizes"


def change_indices(op: Operation, change: Callable[[Index], Index]) -> None:
    """
    Replace the index operands of an op in place.

    `change` may turn a name or a value into an integer or a name, or a value into
    another value; it may not turn what is static into a value.
    """
    for name, listed in list(op.properties.items()):
        if not name.startswith("static_") and name != "offset":
            continue
        if not isa(listed, IndexListAttr):
            continue
        first = _first_index_operand(op)
        count = sum(isinstance(item, UnitAttr) for item in listed)
        values = unpack(op.operands[first : first + count], listed)
        changed = [change(value) for value in values]
        operands, static = pack(changed)
        if changed == list(values):
            continue
        op.properties[name] = static
        op.operands = [
            *op.operands[:first],
            *operands,
            *op.operands[first + count :],
        ]
        _resize_segment(op, first, len(operands) - count)


def _first_index_operand(op: Operation) -> int:
    """Where the dynamic index operands start: before all others of type index."""
    for number, operand in enumerate(op.operands):
        if isinstance(operand.type, IndexType):
            return number
    return len(op.operands)


def _resize_segment(op: Operation, first: int, by: int) -> None:
    sizes = op.properties.get(_SEGMENTS)
    if by == 0 or not isinstance(sizes, DenseArrayBase):
        return
    segments = [int(size) for size in sizes.iter_values()]
    for number, end in enumerate(accumulate(segments)):
        if end > first:
            segments[number] += by
            break
    op.properties[_SEGMENTS] = DenseArrayBase.from_list(i32, segments)


def static_or_same(value: Index) -> Index:
    """The integer that an index operand is known to be, else the operand itself."""
    if not isinstance(value, SSAValue):
        return value
    known = constant_value(value)
    return value if known is None else known


_Fold = Callable[[int, int], int | None]

_ARITH: Mapping[type[Operation], _Fold] = MappingProxyType(
    {
        arith.AddiOp: lambda a, b: a + b,
        arith.SubiOp: lambda a, b: a - b,
        arith.MuliOp: lambda a, b: a * b,
        arith.DivUIOp: lambda a, b: a // b if b else None,
        arith.DivSIOp: lambda a, b: a // b if b else None,
        arith.FloorDivSIOp: lambda a, b: a // b if b else None,
        arith.CeilDivUIOp: lambda a, b: -(-a // b) if b else None,
        arith.CeilDivSIOp: lambda a, b: -(-a // b) if b else None,
        arith.RemUIOp: lambda a, b: a % b if b else None,
        arith.RemSIOp: lambda a, b: a % b if b else None,
        arith.MinUIOp: min,
        arith.MinSIOp: min,
        arith.MaxUIOp: max,
        arith.MaxSIOp: max,
    }
)
"""Of non-negative integers: there signed and unsigned forms agree."""


def _folded(op: Operation) -> int | None:
    if isinstance(op, CDivOp):
        a, b = op.numerator, op.denominator
        if isinstance(a, int) and isinstance(b, int):
            return -(-a // b)
        return None
    fold = _ARITH.get(type(op))
    if fold is None or not isinstance(op.results[0].type, IndexType):
        return None
    a, b = (constant_value(operand) for operand in op.operands)
    if a is None or b is None or min(a, b) < 0:
        return None
    return fold(a, b)


def fold_indices(root: Operation) -> None:
    """
    Fold the index arithmetic inside an op: what is constant becomes an integer in the
    index operands of `croq` ops, and an `arith.constant` for other ops.
    """
    for op in list(root.walk()):
        change_indices(op, static_or_same)
        value = _folded(op)
        if value is not None:
            replace_values(op, [LocatedBuilder.before(op).index(value)])
    for op in list(root.walk(reverse=True)):
        if isinstance(op, arith.ConstantOp) and op.result.first_use is None:
            op.detach()
            op.erase()
