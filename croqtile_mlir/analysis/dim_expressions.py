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
    "must be computed from dims and constants (croq.cdiv by a constant, arith.addi, "
    "arith.subi, arith.muli by a constant)"
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
        case arith.MuliOp():
            for factor, other in ((owner.lhs, owner.rhs), (owner.rhs, owner.lhs)):
                if isinstance(factor.owner, arith.ConstantOp):
                    return part(other) * part(factor)
        case _:
            pass
    raise NotOfDimsError(value)
