"""How large the values are that all threads share: indices, counters and extents."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from croqtile_mlir.analysis.sync.integer_ops import width
from croqtile_mlir.dialects.croq import CDivOp, DimOp, ForeachOp, ParallelOp
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.lowering.rewriting import constant_value

LARGEST = (1 << 31) - 1
"""Of extents, indices of the block and counters of loops: the launch plan checks it."""

_DEPTH = 8


def largest(value: SSAValue | str, depth: int = _DEPTH) -> int | None:
    """
    What a value surely is at most, if it surely is not negative; else None.

    A string is the name of a dim.
    """
    if isinstance(value, str):
        return LARGEST
    if isinstance(value, BlockArgument):
        return _of_argument(value, depth)
    number = constant_value(value)
    if number is not None:
        return number if number >= 0 else None
    op = value.owner
    assert isinstance(op, Operation)
    if isinstance(op, DimOp):
        return LARGEST
    if isinstance(op, CDivOp):
        return None if depth == 0 else _of_index(op.numerator, depth - 1)
    found = None if depth == 0 else _of_result(op, depth - 1)
    bits = width(value.type) or 64
    return None if found is None or found >= 1 << (bits - 1) else found


def _of_argument(value: BlockArgument, depth: int) -> int | None:
    op = value.owner.parent_op()
    if isinstance(op, ParallelOp):
        return LARGEST
    if not isinstance(op, ForeachOp | scf.ForOp) or value.index != 0:
        return None
    lower = op.lb if isinstance(op, scf.ForOp) else op.lower
    return None if depth == 0 or _of_index(lower, depth - 1) is None else LARGEST


def _of_index(index: Index, depth: int) -> int | None:
    if isinstance(index, int):
        return index if index >= 0 else None
    return largest(index, depth)


def _of_result(op: Operation, depth: int) -> int | None:
    if op.dialect_name() != "arith":
        return None
    each = [largest(operand, depth) for operand in op.operands]
    known = [bound for bound in each if bound is not None]
    match op:
        case arith.RemUIOp() if len(known) == 2:
            return min(known[0], max(known[1] - 1, 0))
        case arith.AndIOp() if known:
            return min(known)
        case arith.MinUIOp() if known:
            return min(known)
        case arith.MaxSIOp() if len(known) == 2:
            return max(known)
        case _:
            pass
    if len(known) < len(each):
        return None
    match op, known:
        case arith.IndexCastOp() | arith.ExtSIOp() | arith.ExtUIOp(), (a,):
            return a
        case arith.AddiOp(), (a, b):
            return a + b
        case arith.MuliOp(), (a, b):
            return a * b
        case (
            arith.DivUIOp() | arith.DivSIOp() | arith.FloorDivSIOp() | arith.RemSIOp(),
            (a, _),
        ):
            return a
        case arith.MinSIOp(), (a, b):
            return min(a, b)
        case (arith.MaxUIOp(), (a, b)) | (arith.SelectOp(), (_, a, b)):
            return max(a, b)
        case _:
            return None
