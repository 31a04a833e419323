"""
Building and replacing ops so that every op keeps the place it came from.

xDSL's builders and rewriters set no location; these do.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.hints import isa

from croqtile_mlir.dialects.croq import DimOp, ForeachOp
from croqtile_mlir.dialects.croq.index import Index

OpT = TypeVar("OpT", bound=Operation)


def stamp(op: Operation, location: LocationAttr) -> None:
    """Give an op and the ops inside it a location where they have none."""
    for inner in op.walk():
        if inner.location == UNKNOWN_LOC:
            inner.location = location


def constant_value(value: SSAValue) -> int | None:
    """The integer that an `arith.constant` defines, else None."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


@dataclass
class LocatedBuilder:
    """
    Inserts ops at a point, all with one location.

    The arithmetic shorthands fold constants and drop identities; operands of one op
    have one type, and a Python integer stands for a constant of that type. Division,
    remainder and right shift are unsigned, and so are conversions.
    """

    point: InsertPoint
    location: LocationAttr

    @staticmethod
    def before(op: Operation) -> LocatedBuilder:
        """A builder right before an op, with the op's location."""
        return LocatedBuilder(InsertPoint.before(op), op.location)

    @staticmethod
    def after(op: Operation) -> LocatedBuilder:
        """A builder right after an op, with the op's location."""
        return LocatedBuilder(InsertPoint.after(op), op.location)

    @staticmethod
    def at_start(block: Block, location: LocationAttr) -> LocatedBuilder:
        """A builder at the start of a block."""
        return LocatedBuilder(InsertPoint.at_start(block), location)

    @staticmethod
    def at_end(block: Block, location: LocationAttr) -> LocatedBuilder:
        """A builder at the end of a block."""
        return LocatedBuilder(InsertPoint.at_end(block), location)

    def insert(self, op: OpT) -> OpT:
        """Insert an op and return it."""
        stamp(op, self.location)
        if self.point.insert_before is None:
            self.point.block.add_op(op)
        else:
            self.point.block.insert_op_before(op, self.point.insert_before)
        return op

    def constant(self, value: int, type: IntegerType | IndexType) -> SSAValue:
        """An integer constant."""
        return self.insert(arith.ConstantOp(IntegerAttr(value, type))).result

    def index(self, value: int) -> SSAValue:
        """A constant of type index."""
        return self.constant(value, IndexType())

    def index_value(self, index: Index) -> SSAValue:
        """An index operand as a value; a name becomes `croq.dim`."""
        if isinstance(index, str):
            return self.insert(DimOp(index)).result
        return self.index(index) if isinstance(index, int) else index

    def i1(self, value: bool) -> SSAValue:
        """A constant of type i1."""
        return self.constant(int(value), i1)

    def i32(self, value: int) -> SSAValue:
        """A constant of type i32."""
        return self.constant(value, i32)

    def i64(self, value: int) -> SSAValue:
        """A constant of type i64."""
        return self.constant(value, i64)

    def float(self, attr: FloatAttr) -> SSAValue:
        """A floating-point constant."""
        return self.insert(arith.ConstantOp(attr)).result

    def add(self, a: SSAValue | int, b: SSAValue | int) -> SSAValue:
        """a + b"""
        return self._binary(arith.AddiOp, lambda x, y: x + y, a, b, right=0, left=0)

    def sub(self, a: SSAValue | int, b: SSAValue | int) -> SSAValue:
        """a - b"""
        return self._binary(arith.SubiOp, lambda x, y: x - y, a, b, right=0)

    def mul(self, a: SSAValue | int, b: SSAValue | int) -> SSAValue:
        """a * b"""
        return self._binary(arith.MuliOp, lambda x, y: x * y, a, b, right=1, left=1)

    def udiv(self, a: SSAValue | int, b: SSAValue | int) -> SSAValue:
        """a / b, unsigned; a shift when b is a constant power of two."""
        shift = _log2(b)
        if shift is not None:
            return self.shr(a, shift)
        return self._binary(arith.DivUIOp, lambda x, y: x // y, a, b, right=1)

    def urem(self, a: SSAValue | int, b: SSAValue | int) -> SSAValue:
        """a mod b, unsigned; a mask when b is a constant power of two."""
        shift = _log2(b)
        if shift is not None:
            return self.and_(a, (1 << shift) - 1)
        return self._binary(arith.RemUIOp, lambda x, y: x % y, a, b)

    def and_(self, a: SSAValue | int, b: SSAValue | int) -> SSAValue:
        """a & b"""
        if _known(b) == 0 or _known(a) == 0:
            return self.constant(0, _type(a, b))
        return self._binary(arith.AndIOp, lambda x, y: x & y, a, b, right=-1, left=-1)

    def or_(self, a: SSAValue | int, b: SSAValue | int) -> SSAValue:
        """a | b"""
        return self._binary(arith.OrIOp, lambda x, y: x | y, a, b, right=0, left=0)

    def xor(self, a: SSAValue | int, b: SSAValue | int) -> SSAValue:
        """a ^ b"""
        return self._binary(arith.XOrIOp, lambda x, y: x ^ y, a, b, right=0, left=0)

    def shl(self, a: SSAValue | int, b: SSAValue | int) -> SSAValue:
        """a << b"""
        return self._binary(arith.ShLIOp, _shift_left, a, b, right=0)

    def shr(self, a: SSAValue | int, b: SSAValue | int) -> SSAValue:
        """a >> b, unsigned"""
        return self._binary(arith.ShRUIOp, lambda x, y: x >> y, a, b, right=0)

    def cmp(self, predicate: str, a: SSAValue | int, b: SSAValue | int) -> SSAValue:
        """Compare integers; the predicate is that of `arith.cmpi` (`eq`, `ult`, ..)."""
        kind = _type(a, b)
        known_a, known_b = _known(a), _known(b)
        if known_a is not None and known_b is not None:
            return self.i1(_compare(predicate, known_a, known_b, kind))
        return self.insert(
            arith.CmpiOp(self._value(a, kind), self._value(b, kind), predicate)
        ).result

    def select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """a where the condition holds, else b."""
        if (known := constant_value(condition)) is not None:
            return a if known else b
        return self.insert(arith.SelectOp(condition, a, b)).result

    def not_(self, condition: SSAValue) -> SSAValue:
        """The negation of an i1."""
        return self.xor(condition, 1)

    def cast(self, value: SSAValue, type: IntegerType | IndexType) -> SSAValue:
        """
        An unsigned conversion between integer types and index; nothing when the types
        are equal.
        """
        if value.type == type:
            return value
        if (known := constant_value(value)) is not None and isa(
            value.type, IntegerType | IndexType
        ):
            return self.constant(_wrap(_unsigned(known, value.type), type), type)
        if isinstance(value.type, IndexType) or isinstance(type, IndexType):
            return self.insert(arith.IndexCastOp(value, type)).result
        if isa(value.type, IntegerType) and value.type.bitwidth > type.bitwidth:
            return self.insert(arith.TruncIOp(value, type)).result
        return self.insert(arith.ExtUIOp(value, type)).result

    @contextmanager
    def if_(self, condition: SSAValue) -> Generator[LocatedBuilder]:
        """`scf.if` without results; the builder inserts in its body."""
        body = Block()
        op = scf.IfOp(condition, [], Region(body))
        yield LocatedBuilder.at_end(body, self.location)
        body.add_op(scf.YieldOp())
        self.insert(op)

    @contextmanager
    def if_else(
        self, condition: SSAValue
    ) -> Generator[tuple[LocatedBuilder, LocatedBuilder]]:
        """`scf.if` without results; the builders insert in its two sides."""
        then, other = Block(), Block()
        at_end, location = LocatedBuilder.at_end, self.location
        yield at_end(then, location), at_end(other, location)
        then.add_op(scf.YieldOp())
        other.add_op(scf.YieldOp())
        self.insert(scf.IfOp(condition, [], Region(then), Region(other)))

    @contextmanager
    def for_(
        self,
        lower: SSAValue | int,
        upper: SSAValue | int,
        step: SSAValue | int = 1,
        type: IntegerType | IndexType | None = None,
    ) -> Generator[tuple[LocatedBuilder, SSAValue]]:
        """`scf.for` that carries nothing: the builder of its body, and its index."""
        bounds = [v for v in (lower, upper, step) if isinstance(v, SSAValue)]
        kind = type or (_type(*bounds) if bounds else IndexType())
        body = Block(arg_types=[kind])
        op = scf.ForOp(
            self._value(lower, kind),
            self._value(upper, kind),
            self._value(step, kind),
            [],
            Region(body),
        )
        yield LocatedBuilder.at_end(body, self.location), body.args[0]
        body.add_op(scf.YieldOp())
        self.insert(op)

    def _value(self, value: SSAValue | int, type: IntegerType | IndexType) -> SSAValue:
        return self.constant(value, type) if isinstance(value, int) else value

    def _binary(
        self,
        op: Callable[[SSAValue, SSAValue], Operation],
        fold: Callable[[int, int], int],
        a: SSAValue | int,
        b: SSAValue | int,
        *,
        right: int | None = None,
        left: int | None = None,
    ) -> SSAValue:
        kind = _type(a, b)
        known_a, known_b = _known(a), _known(b)
        if known_a is not None and known_b is not None:
            with suppress(ZeroDivisionError):
                value = fold(_unsigned(known_a, kind), _unsigned(known_b, kind))
                return self.constant(_wrap(value, kind), kind)
        if right is not None and known_b == right:
            return self._value(a, kind)
        if left is not None and known_a == left:
            return self._value(b, kind)
        return self.insert(op(self._value(a, kind), self._value(b, kind))).results[0]


def _known(value: SSAValue | int) -> int | None:
    return value if isinstance(value, int) else constant_value(value)


def _log2(value: SSAValue | int) -> int | None:
    known = _known(value)
    if known is None or known < 1 or known & (known - 1):
        return None
    return known.bit_length() - 1


def _type(*values: SSAValue | int) -> IntegerType | IndexType:
    for value in values:
        if isinstance(value, SSAValue) and isa(value.type, IntegerType | IndexType):
            return value.type
    raise ValueError("at least one operand must be an integer SSA value")


def _unsigned(value: int, type: IntegerType | IndexType) -> int:
    """The value that unsigned ops see; an index is never negative."""
    return value if isinstance(type, IndexType) else value & _mask(type)


def _mask(type: IntegerType) -> int:
    return (1 << type.bitwidth) - 1


def _shift_left(value: int, count: int) -> int:
    # Counts past the width of any type have no defined result.
    return value << count if count < 64 else 0


def _compare(predicate: str, a: int, b: int, type: IntegerType | IndexType) -> bool:
    convert = _wrap if predicate.startswith("s") else _unsigned
    a, b = convert(a, type), convert(b, type)
    match predicate.removeprefix("s").removeprefix("u"):
        case "eq":
            return a == b
        case "ne":
            return a != b
        case "lt":
            return a < b
        case "le":
            return a <= b
        case "gt":
            return a > b
        case "ge":
            return a >= b
        case _:
            raise ValueError(f"predicate must be one of arith.cmpi, got {predicate}")


def _wrap(value: int, type: IntegerType | IndexType) -> int:
    """Reduce to the value range that an attribute of the type may hold."""
    if isinstance(type, IndexType):
        return value
    low = value & _mask(type)
    return low - (1 << type.bitwidth) if low >> (type.bitwidth - 1) else low


def loop_like(
    loop: ForeachOp | scf.ForOp, iter_args: Sequence[SSAValue], body: Region
) -> ForeachOp | scf.ForOp:
    """A loop with the bounds and attributes of another that carries other values."""
    new: ForeachOp | scf.ForOp
    if isinstance(loop, ForeachOp):
        new = ForeachOp(
            loop.upper,
            body,
            lower=loop.lower,
            step=loop.step,
            iter_args=iter_args,
            unroll=loop.unrolling,
        )
    else:
        new = scf.ForOp(loop.lb, loop.ub, loop.step, iter_args, body)
    new.attributes |= loop.attributes
    return new


def while_like(
    loop: scf.WhileOp,
    arguments: Sequence[SSAValue],
    types: Sequence[Attribute],
    regions: Sequence[Region],
) -> scf.WhileOp:
    """
    A `scf.while` with the attributes of another that carries other values.

    `types` are those of its results, `regions` its condition and its body, detached.
    """
    new = scf.WhileOp(arguments, types, *regions)
    new.attributes |= loop.attributes
    return new


def replace(
    op: Operation, new_ops: Sequence[Operation], results: Sequence[SSAValue]
) -> None:
    """
    Replace an op by new ops, which take its location, and its results by values.

    Name hints of the results go to the values that replace them.
    """
    builder = LocatedBuilder.before(op)
    for new_op in new_ops:
        builder.insert(new_op)
    replace_values(op, results)


def replace_values(op: Operation, results: Sequence[SSAValue]) -> None:
    """Replace the results of an op by values that are there already, and erase it."""
    for old, new in zip(op.results, results, strict=True):
        if new.name_hint is None:
            new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()
