"""
Arithmetic that is emitted once: asking again for a value that is at hand returns it.

Addresses of one tile share most of their arithmetic; emitting it once for each address
and merging it later would cost more than all the rest of the lowering.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.hints import isa

from croqtile_mlir.analysis.linear import Linear
from croqtile_mlir.lowering.rewriting import LocatedBuilder

Value = SSAValue | int
"""An operand: a value, or an integer constant of the type of the other operand."""

_BinaryOp = Callable[[SSAValue, SSAValue], Operation]


def _signed(value: int, kind: IntegerType | IndexType) -> int:
    """The bits of a number as the attribute of a constant holds them."""
    if isinstance(kind, IndexType):
        return value
    half = 1 << (kind.bitwidth - 1)
    return (value + half) % (2 * half) - half


class MemoBuilder:
    """
    Inserts pure ops before the op that is being lowered.

    A value that was emitted before, in the same block or in one around it, is used
    again. Ops must be visited in the order they are in.
    """

    def __init__(self) -> None:
        self._values: dict[tuple[object, ...], SSAValue] = {}
        self._blocks: list[Block] = []
        self._builder: LocatedBuilder | None = None

    def move_before(self, op: Operation) -> None:
        """Emit before this op from now on."""
        self._builder = LocatedBuilder.before(op)
        self._blocks = []
        block = op.parent
        while block is not None:
            self._blocks.append(block)
            parent = block.parent_op()
            block = None if parent is None else parent.parent

    @property
    def builder(self) -> LocatedBuilder:
        """The builder at the current place."""
        if self._builder is None:
            raise ValueError("must be moved to an op first")
        return self._builder

    def once(
        self, key: tuple[object, ...], build: Callable[[LocatedBuilder], SSAValue]
    ) -> SSAValue:
        """The value that a pure op of this key has; `build` emits it if needed."""
        for block in self._blocks:
            if (known := self._values.get((block, *key))) is not None:
                return known
        value = build(self.builder)
        self._values[(self._blocks[0], *key)] = value
        return value

    def constant(self, value: int, kind: IntegerType | IndexType) -> SSAValue:
        """An integer constant; bits beyond the type are dropped."""
        signed = _signed(value, kind)
        return self.once(
            ("constant", signed, kind),
            lambda b: b.insert(arith.ConstantOp(IntegerAttr(signed, kind))).result,
        )

    def add(self, a: Value, b: Value) -> Value:
        """a + b"""
        if a == 0 or b == 0:
            return b if a == 0 else a
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        return self._binary(arith.AddiOp, a, b)

    def mul(self, a: Value, b: Value) -> Value:
        """a * b"""
        if a == 0 or b == 0:
            return 0
        if a == 1 or b == 1:
            return b if a == 1 else a
        if isinstance(a, int) and isinstance(b, int):
            return prod((a, b))
        return self._binary(arith.MuliOp, a, b)

    def xor(self, a: Value, b: Value) -> Value:
        """a ^ b"""
        if a == 0 or b == 0:
            return b if a == 0 else a
        if isinstance(a, int) and isinstance(b, int):
            return a ^ b
        return self._binary(arith.XOrIOp, a, b)

    def or_(self, a: SSAValue, bits: int) -> SSAValue:
        """a | bits"""
        return self._binary(arith.OrIOp, a, bits) if bits else a

    def and_(self, a: SSAValue, mask: int) -> SSAValue:
        """a & mask"""
        return self._binary(arith.AndIOp, a, mask)

    def shl(self, a: SSAValue, bits: int) -> SSAValue:
        """a << bits"""
        return self._binary(arith.ShLIOp, a, bits) if bits else a

    def bits_from(self, bits: int, place: SSAValue) -> SSAValue:
        """bits << place"""
        return self._binary(arith.ShLIOp, bits, place)

    def shr(self, a: SSAValue, bits: int) -> SSAValue:
        """a >> bits, unsigned"""
        return self._binary(arith.ShRUIOp, a, bits) if bits else a

    def urem(self, a: Value, divisor: int) -> Value:
        """a mod divisor, unsigned; a mask when the divisor is a power of two"""
        if isinstance(a, int):
            return a % divisor
        if divisor & (divisor - 1) == 0:
            return self.and_(a, divisor - 1) if divisor > 1 else 0
        return self._binary(arith.RemUIOp, a, divisor)

    def udiv(self, a: SSAValue, divisor: Value) -> SSAValue:
        """a / divisor, unsigned"""
        return a if divisor == 1 else self._binary(arith.DivUIOp, a, divisor)

    def cast(self, value: SSAValue, kind: IntegerType | IndexType) -> SSAValue:
        """An unsigned conversion between integer types and index."""
        if value.type == kind:
            return value
        return self.once(("cast", value, kind), lambda b: b.cast(value, kind))

    def sum(self, form: Linear, kind: IntegerType | IndexType) -> Value:
        """The value of a linear form, its constant last."""
        total: Value = 0
        for value, factor in form.terms:
            total = self.add(total, self.mul(self.cast(value, kind), factor))
        return self.add(total, form.constant)

    def materialize(
        self, value: Value, kind: IntegerType | IndexType = i64
    ) -> SSAValue:
        """A value that is not a Python integer any more."""
        return self.constant(value, kind) if isinstance(value, int) else value

    def _binary(self, op: _BinaryOp, a: Value, b: Value) -> SSAValue:
        kind = a.type if isinstance(a, SSAValue) else None
        if kind is None and isinstance(b, SSAValue):
            kind = b.type
        if not isa(kind, IntegerType | IndexType):
            raise ValueError("at least one operand must be an integer SSA value")
        left, right = self.materialize(a, kind), self.materialize(b, kind)
        return self.once(
            (op, left, right), lambda b: b.insert(op(left, right)).results[0]
        )
