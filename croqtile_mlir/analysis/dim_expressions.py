"""Index values that a launch knows: affine expressions of the dims of a kernel."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from croqtile_mlir.dialects.croq import CDivOp, DimOp, KernelOp
from croqtile_mlir.dialects.croq.index import Index

RULE = (
    "must be computed from dims and constants (croq.cdiv, arith.divui, arith.remui by "
    "a constant, arith.addi, arith.subi, arith.muli by a constant)"
)


@dataclass(frozen=True)
class NotOfDimsError(Exception):
    """A value, or a name that is no dim, that an expression cannot hold."""

    value: SSAValue | str


def dim_expression(kernel: KernelOp, value: Index) -> AffineExpr:
    """
    An index as an expression of the dims of its kernel, in their order.

    Raises:
        NotOfDimsError: with what it also depends on.
    """
    if isinstance(value, int):
        return AffineExpr.constant(value)
    if isinstance(value, str):
        if value not in kernel.dim_names:
            raise NotOfDimsError(value)
        return AffineExpr.dimension(kernel.dim_names.index(value))
    owner = value.owner

    def part(operand: Index) -> AffineExpr:
        return dim_expression(kernel, operand)

    match owner:
        case DimOp():
            return part(owner.dim.data)
        case CDivOp() if isinstance(owner.denominator, int):
            return part(owner.numerator).ceil_div(owner.denominator)
        case arith.ConstantOp(value=IntegerAttr() as number):
            return AffineExpr.constant(number.value.data)
        case arith.AddiOp():
            return part(owner.lhs) + part(owner.rhs)
        case arith.SubiOp():
            return part(owner.lhs) - part(owner.rhs)
        case arith.DivUIOp() | arith.DivSIOp() | arith.RemUIOp() | arith.RemSIOp() if (
            by := _positive(owner.rhs)
        ) is not None and is_non_negative(owner.lhs):
            if isinstance(owner, arith.DivUIOp | arith.DivSIOp):
                return part(owner.lhs) // by
            return part(owner.lhs) % by
        case arith.MuliOp():
            for factor, other in ((owner.lhs, owner.rhs), (owner.rhs, owner.lhs)):
                if isinstance(factor.owner, arith.ConstantOp):
                    return part(other) * part(factor)
        case _:
            pass
    raise NotOfDimsError(value)


def _positive(value: SSAValue) -> int | None:
    """The number that a value is, if it is a positive one."""
    match value.owner:
        case arith.ConstantOp(value=IntegerAttr() as number):
            return number.value.data if number.value.data > 0 else None
        case _:
            return None


def is_non_negative(value: Index) -> bool:
    """Whether a value of dims and constants is surely not negative."""
    least = _least(value)
    return least is not None and least >= 0


def _least(value: Index) -> int | None:
    """A number that a value of dims and constants is not below, if one is known."""
    if isinstance(value, int):
        return value
    if isinstance(value, str):
        return 0
    owner = value.owner
    match owner:
        case DimOp():
            return 0
        case CDivOp():
            return 0 if is_non_negative(owner.numerator) else None
        case arith.ConstantOp(value=IntegerAttr() as number):
            return number.value.data
        case arith.AddiOp():
            a, b = _least(owner.lhs), _least(owner.rhs)
            return None if a is None or b is None else a + b
        case arith.SubiOp():
            a, b = _least(owner.lhs), _positive(owner.rhs)
            return None if a is None or b is None else a - b
        case (
            arith.MuliOp()
            | arith.DivUIOp()
            | arith.DivSIOp()
            | arith.RemUIOp()
            | arith.RemSIOp()
        ):
            both = is_non_negative(owner.lhs) and is_non_negative(owner.rhs)
            return 0 if both else None
        case _:
            return None
