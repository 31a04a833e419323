"""
Algebra on integers and pointers: what an op can be replaced by.

Each rule looks at one op whose operands are folded already, and builds the replacement
right before it; None leaves the op. Unsigned powers of two become shifts and masks, and
constants move to the end of sums and address chains, where users fold them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType, i8
from xdsl.ir import Operation, SSAValue
from xdsl.utils.hints import isa

from croqtile_mlir.dialects import llvm_ext
from croqtile_mlir.lowering.rewriting import LocatedBuilder, constant_value

Rule = Callable[[LocatedBuilder, Operation], SSAValue | None]

_INVERTED = {
    "eq": "ne",
    "ne": "eq",
    "slt": "sge",
    "sge": "slt",
    "sle": "sgt",
    "sgt": "sle",
    "ult": "uge",
    "uge": "ult",
    "ule": "ugt",
    "ugt": "ule",
}
_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def _integer_type(value: SSAValue) -> IntegerType | IndexType | None:
    return value.type if isa(value.type, IntegerType | IndexType) else None


def _bits(value: SSAValue) -> int:
    kind = _integer_type(value)
    return kind.bitwidth if isa(kind, IntegerType) else 64


def _unsigned(value: SSAValue) -> int | None:
    """The value of a constant, read as unsigned."""
    known = constant_value(value)
    return None if known is None else known & ((1 << _bits(value)) - 1)


def _split(
    value: SSAValue, kind: type[arith.AddiOp] | type[arith.MuliOp] | type[arith.ShLIOp]
) -> tuple[SSAValue, int] | None:
    """`x` and `c` of a value that is `x op c`."""
    owner = value.owner
    if isinstance(owner, kind):
        known = constant_value(owner.rhs)
        if known is not None:
            return owner.lhs, known
    return None


def _constants_last(op: Operation) -> tuple[SSAValue, SSAValue]:
    a, b = op.operands
    return (b, a) if constant_value(a) is not None else (a, b)


def _add(build: LocatedBuilder, op: Operation) -> SSAValue | None:
    a, b = _constants_last(op)
    c = constant_value(b)
    if constant_value(a) is not None or c == 0:
        return build.add(a, b)
    inner = _split(a, arith.AddiOp)
    if c is not None:
        if inner is not None:
            return build.add(inner[0], _sum(a, inner[1], c))
        return None if b is op.operands[1] else build.add(a, b)
    other = _split(b, arith.AddiOp)
    if inner is not None and other is not None:
        both = build.add(inner[0], other[0])
        return build.add(both, _sum(a, inner[1], other[1]))
    if inner is not None:
        return build.add(build.add(inner[0], b), inner[1])
    if other is not None:
        return build.add(build.add(a, other[0]), other[1])
    return None


def _sum(value: SSAValue, a: int, b: int) -> int:
    if isinstance(value.type, IndexType):
        return a + b
    bits = _bits(value)
    low = (a + b) & ((1 << bits) - 1)
    return low - (1 << bits) if low >> (bits - 1) else low


def _sub(build: LocatedBuilder, op: Operation) -> SSAValue | None:
    a, b = op.operands
    kind = _integer_type(a)
    if a is b and kind is not None:
        return build.constant(0, kind)
    c = constant_value(b)
    if c is None:
        return None
    if constant_value(a) is not None or c == 0:
        return build.sub(a, b)
    return build.add(a, -c)


def _mul(build: LocatedBuilder, op: Operation) -> SSAValue | None:
    a, b = _constants_last(op)
    c = _unsigned(b)
    kind = _integer_type(a)
    if c is None or kind is None:
        return None
    if c == 0:
        return build.constant(0, kind)
    if c == 1:
        return a
    if constant_value(a) is not None:
        return build.mul(a, b)
    if c & (c - 1) == 0:
        return build.shl(a, c.bit_length() - 1)
    return None if b is op.operands[1] else build.mul(a, b)


def _divide(build: LocatedBuilder, op: Operation) -> SSAValue | None:
    a, b = op.operands
    x, c = _unsigned(a), _unsigned(b)
    kind = _integer_type(a)
    if not c or kind is None:
        return None
    if x is not None:
        result = x // c if isinstance(op, arith.DivUIOp) else x % c
        return build.constant(_sum(a, result, 0), kind)
    if c & (c - 1) == 0:
        if isinstance(op, arith.DivUIOp):
            return build.shr(a, c.bit_length() - 1)
        return build.and_(a, c - 1)
    return None


def _shift(build: LocatedBuilder, op: Operation) -> SSAValue | None:
    a, b = op.operands
    x, c = _unsigned(a), constant_value(b)
    kind = _integer_type(a)
    if c is None or kind is None or not 0 <= c < _bits(a):
        return None
    if c == 0:
        return a
    left = isinstance(op, arith.ShLIOp)
    if x is not None:
        return build.constant(_sum(a, x << c if left else x >> c, 0), kind)
    inner = _split(a, arith.ShLIOp)
    if left and inner is not None and inner[1] + c < _bits(a):
        return build.shl(inner[0], inner[1] + c)
    return None


def _and(build: LocatedBuilder, op: Operation) -> SSAValue | None:
    a, b = _constants_last(op)
    if a is b:
        return a
    c = _unsigned(b)
    if c is None:
        return None
    if c == (1 << _bits(a)) - 1:
        return a
    if c == 0 or constant_value(a) is not None or b is not op.operands[1]:
        return build.and_(a, b)
    return None


def _or(build: LocatedBuilder, op: Operation) -> SSAValue | None:
    a, b = _constants_last(op)
    if a is b:
        return a
    if constant_value(b) == 0 or constant_value(a) is not None:
        return build.or_(a, b)
    return None


def _xor(build: LocatedBuilder, op: Operation) -> SSAValue | None:
    a, b = _constants_last(op)
    c = constant_value(b)
    if c is None:
        return None
    if c == 0 or constant_value(a) is not None:
        return build.xor(a, b)
    compare = a.owner
    if _bits(a) == 1 and isinstance(compare, arith.CmpiOp):
        predicate = _PREDICATES[compare.predicate.value.data]
        return build.cmp(_INVERTED[predicate], compare.lhs, compare.rhs)
    if isinstance(compare, arith.XOrIOp) and constant_value(compare.rhs) == c:
        return compare.lhs
    return None


def _signed(value: SSAValue) -> int | None:
    known = constant_value(value)
    return None if known is None else _sum(value, known, 0)


def _compare(build: LocatedBuilder, op: Operation) -> SSAValue | None:
    if not isinstance(op, arith.CmpiOp):
        return None
    predicate = _PREDICATES[op.predicate.value.data]
    read = _signed if predicate.startswith("s") else _unsigned
    a, b = read(op.lhs), read(op.rhs)
    if op.lhs is op.rhs:
        a = b = 0
    if a is None or b is None:
        return None
    holds = {
        "eq": a == b,
        "ne": a != b,
        "lt": a < b,
        "le": a <= b,
        "gt": a > b,
        "ge": a >= b,
    }[predicate if predicate in ("eq", "ne") else predicate[1:]]
    return build.i1(holds)


def _select(build: LocatedBuilder, op: Operation) -> SSAValue | None:
    condition, a, b = op.operands
    known = constant_value(condition)
    if a is b:
        return a
    return None if known is None else a if known else b


def _convert(build: LocatedBuilder, op: Operation) -> SSAValue | None:
    (a,) = op.operands
    kind = _integer_type(op.results[0])
    inner = a.owner
    source = constant_value(inner.input if isinstance(inner, arith.TruncIOp) else a)
    # Bytes have no constants (`--widen-integers`).
    if kind is None or kind == i8:
        return None
    if source is not None:
        signed = _sum(a, source, 0)
        is_signed = isinstance(op, arith.ExtSIOp | arith.IndexCastOp)
        known = signed if is_signed else signed & ((1 << _bits(a)) - 1)
        return build.constant(_sum(op.results[0], known, 0), kind)
    if isinstance(op, arith.ExtUIOp) and isinstance(inner, arith.ExtUIOp):
        return build.cast(inner.input, kind)
    if isinstance(op, arith.TruncIOp) and isinstance(inner, arith.ExtUIOp):
        return build.cast(inner.input, kind)
    return None


def _address(build: LocatedBuilder, op: Operation) -> SSAValue | None:
    """Byte addresses: `p + c1 + c2`, `p + c + x` and `p + (x + c)`, constant last."""
    if not isinstance(op, llvm_ext.GEPOp) or op.element_type != i8:
        return None
    (index,) = op.indices if len(op.indices) == 1 else (None,)
    if index is None:
        return None
    offset = index if isinstance(index, int) else _signed(index)
    if offset == 0:
        return op.base
    base, constant = _constant_address(op.base)
    if offset is not None:
        total = offset + (constant or 0)
        if (constant is None and isinstance(index, int)) or not _fits(total):
            return None
        return _gep(build, base, total)
    if isinstance(index, int):
        return None
    inner = _split(index, arith.AddiOp)
    # A part below 0 is no address: hardware adds the constant to one.
    if inner is not None and _bits(index) == 32 and not _subtracts(inner[0]):
        index, constant = inner[0], (constant or 0) + inner[1]
    if constant is None or not _fits(constant):
        return None
    return _gep(build, _gep(build, base, index), constant)


def _subtracts(value: SSAValue) -> bool:
    """Whether a sum has a part that is taken off, so that it may be negative."""
    match value.owner:
        case arith.AddiOp(lhs=a, rhs=b):
            return _subtracts(a) or _subtracts(b)
        case arith.MuliOp(rhs=b):
            known = _signed(b)
            return known is not None and known < 0
        case arith.SubiOp():
            return True
        case _:
            return False


def _fits(offset: int) -> bool:
    """Whether an offset is a constant index, of 32 bits; the lowest has a meaning."""
    return abs(offset) < 1 << 31


def _constant_address(pointer: SSAValue) -> tuple[SSAValue, int | None]:
    owner = pointer.owner
    if isinstance(owner, llvm_ext.GEPOp) and owner.element_type == i8:
        indices = owner.indices
        if len(indices) == 1 and isinstance(indices[0], int):
            return owner.base, indices[0]
    return pointer, None


def _gep(build: LocatedBuilder, base: SSAValue, offset: SSAValue | int) -> SSAValue:
    if offset == 0:
        return base
    return build.insert(llvm_ext.GEPOp(base, [offset], i8)).result


RULES: Mapping[type[Operation], Rule] = MappingProxyType(
    {
        arith.AddiOp: _add,
        arith.AndIOp: _and,
        arith.CmpiOp: _compare,
        arith.DivUIOp: _divide,
        arith.ExtSIOp: _convert,
        arith.ExtUIOp: _convert,
        arith.IndexCastOp: _convert,
        arith.MuliOp: _mul,
        arith.OrIOp: _or,
        arith.RemUIOp: _divide,
        arith.SelectOp: _select,
        arith.ShLIOp: _shift,
        arith.ShRUIOp: _shift,
        arith.SubiOp: _sub,
        arith.TruncIOp: _convert,
        arith.XOrIOp: _xor,
        llvm_ext.GEPOp: _address,
    }
)
"""The rule for each op that has one."""
