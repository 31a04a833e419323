"""Integer ops of `arith` and `llvm` as functions of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation

from croqtile_mlir.analysis.sync.model import Constant, Expr, Unknown


class Maker(Protocol):
    """What makes expressions."""

    def apply(self, function: str, *operands: Expr, bits: int | None = None) -> Expr:
        """A function of expressions."""
        ...

    def truncated(self, value: Expr, bits: int) -> Expr:
        """The low bits of a number, signed."""
        ...

    def range(self, expr: Expr) -> tuple[float, float]:
        """Between which values an expression surely is."""
        ...


_BINARY: Mapping[str, str] = MappingProxyType(
    {
        "arith.addi": "add",
        "arith.subi": "sub",
        "arith.muli": "mul",
        "arith.floordivsi": "floordiv",
        "arith.ceildivsi": "ceildiv",
        "arith.andi": "and",
        "arith.ori": "or",
        "arith.xori": "xor",
        "arith.shli": "shl",
        "arith.shrui": "shr",
        "arith.minsi": "min",
        "arith.maxsi": "max",
        "llvm.add": "add",
        "llvm.sub": "sub",
        "llvm.mul": "mul",
        "llvm.and": "and",
        "llvm.or": "or",
        "llvm.xor": "xor",
        "llvm.shl": "shl",
        "llvm.lshr": "shr",
    }
)
_UNSIGNED: Mapping[str, str] = MappingProxyType(
    {
        "arith.divui": "floordiv",
        "arith.ceildivui": "ceildiv",
        "arith.remui": "mod",
        "arith.minui": "min",
        "arith.maxui": "max",
        "llvm.udiv": "floordiv",
        "llvm.urem": "mod",
    }
)
"""The same as the signed function where no operand is negative."""

_WIDENINGS = frozenset({"arith.extui", "llvm.zext", "arith.index_castui"})
_SIGNED_WIDENINGS = frozenset({"arith.extsi", "llvm.sext", "arith.index_cast"})
_TRUNCATIONS = frozenset({"arith.trunci", "llvm.trunc"})
_OTHERS = frozenset(
    {
        "arith.constant",
        "llvm.mlir.constant",
        "arith.cmpi",
        "llvm.icmp",
        "arith.select",
        "llvm.select",
        "arith.divsi",
        "llvm.sdiv",
        "arith.remsi",
        "llvm.srem",
        "arith.shrsi",
        "llvm.ashr",
    }
)
NAMES = (
    frozenset(_BINARY)
    | frozenset(_UNSIGNED)
    | _WIDENINGS
    | _SIGNED_WIDENINGS
    | _TRUNCATIONS
    | _OTHERS
)
"""The names of the ops that are translated."""

COMPARE = ("eq", "ne", "lt", "le", "gt", "ge", "ult", "ule", "ugt", "uge")
"""By the predicate of `arith.cmpi`."""


def width(type_: Attribute) -> int | None:
    """The bits of an integer type; None of `index`."""
    return type_.bitwidth if isinstance(type_, IntegerType) else None


@dataclass(frozen=True)
class Integers:
    """Translates ops with a maker of expressions."""

    make: Maker

    def result(self, op: Operation, operands: Sequence[Expr]) -> Expr | None:
        """The result of an op; None of an op that is not translated."""
        name = op.name
        if name not in NAMES or len(op.results) != 1:
            return None
        type_ = op.results[0].type
        if not isinstance(type_, IntegerType | IndexType):
            return None
        bits = width(op.results[0].type)
        apply = self.make.apply
        if name in _BINARY:
            return apply(_BINARY[name], *operands, bits=bits)
        if name in _UNSIGNED:
            a, b = (self._unsigned(operand, bits) for operand in operands)
            return self._of_unsigned(_UNSIGNED[name], a, b, bits)
        if name in _TRUNCATIONS and bits is not None:
            return self.make.truncated(operands[0], bits)
        if name in _WIDENINGS or name in _SIGNED_WIDENINGS:
            return self._widened(op, operands[0])
        return self._other(op, operands, bits)

    def _of_unsigned(self, function: str, a: Expr, b: Expr, bits: int | None) -> Expr:
        """A function of numbers without a sign; those of 64 bits are not below 0."""
        apply = self.make.apply
        if function == "max" and min(self.make.range(a)[0], self.make.range(b)[0]) < 0:
            # The largest is often one that is below 0 with a sign.
            return apply("select", apply("ult", a, b, bits=bits), b, a)
        return apply(function, a, b, bits=bits)

    def _unsigned(self, value: Expr, bits: int | None) -> Expr:
        """A number of `bits` bits without a sign; 64 are taken to have none."""
        if bits is None or bits >= 64 or self.make.range(value)[0] >= 0:
            return value
        return self.make.apply("and", value, Constant((1 << bits) - 1))

    def _widened(self, op: Operation, value: Expr) -> Expr:
        source, bits = width(op.operands[0].type), width(op.results[0].type)
        if bits is not None and (source is None or bits < source):
            # A cast of an index to fewer bits.
            return self.make.truncated(value, bits)
        if source == 1:
            if op.name in _WIDENINGS:
                return value
            return self.make.apply("sub", Constant(0), value)
        return self._unsigned(value, source) if op.name in _WIDENINGS else value

    def _other(self, op: Operation, operands: Sequence[Expr], bits: int | None) -> Expr:
        apply = self.make.apply
        match op.name:
            case "arith.constant" | "llvm.mlir.constant":
                value = op.properties.get("value")
                if isinstance(value, IntegerAttr):
                    number = value.value.data
                    return Constant(number & 1 if bits == 1 else number)
            case "arith.cmpi" | "llvm.icmp":
                predicate = op.properties.get("predicate")
                if isinstance(predicate, IntegerAttr):
                    function = COMPARE[predicate.value.data]
                    if function.startswith("ug"):
                        function = {"ugt": "ult", "uge": "ule"}[function]
                        operands = operands[::-1]
                    of = width(op.operands[0].type)
                    return apply(function, *operands, bits=of)
            case "arith.select" | "llvm.select":
                return apply("select", *operands)
            case "arith.divsi" | "llvm.sdiv":
                return self._towards_zero("floordiv", operands)
            case "arith.remsi" | "llvm.srem":
                return self._towards_zero("mod", operands)
            case _:
                if isinstance(operands[1], Constant):
                    unit = Constant(1 << (operands[1].value & 63))
                    return apply("floordiv", operands[0], unit)
        return Unknown(f"the result of {op.name}", op)

    def _towards_zero(self, function: str, operands: Sequence[Expr]) -> Expr:
        """Signed division of C, by what is taken to be positive."""
        a, b = operands
        apply = self.make.apply
        positive = apply(function, a, b)
        if self.make.range(a)[0] >= 0:
            return positive
        negative = apply(function, apply("sub", Constant(0), a), b)
        opposite = apply("sub", Constant(0), negative)
        return apply("select", apply("lt", a, Constant(0)), opposite, positive)
