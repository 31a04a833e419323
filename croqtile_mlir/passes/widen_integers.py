"""
`--widen-integers`: arithmetic on 8 and 16 bits is done in 32.

    %c = arith.addi %a, %b : i8   ->   %x = arith.extsi %a : i8 to i32
                                       %y = arith.extsi %b : i8 to i32
                                       %z = arith.addi %x, %y : i32
                                       %c = arith.trunci %z : i32 to i8

PTX has no arithmetic on bytes, and none on 16 bits that is faster. The low bits of the
wide result are those of the narrow one: operands are extended with their sign, and with
zeros where the op takes them for unsigned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp, i1, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.passes import ModulePass
from xdsl.utils.hints import isa

from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values

_SIGNED = (
    *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.DivSIOp, arith.RemSIOp),
    *(arith.AndIOp, arith.OrIOp, arith.XOrIOp, arith.ShLIOp, arith.ShRSIOp),
    *(arith.MinSIOp, arith.MaxSIOp),
)
_UNSIGNED = (
    *(arith.DivUIOp, arith.RemUIOp, arith.ShRUIOp, arith.MinUIOp, arith.MaxUIOp),
)


def is_narrow(kind: Attribute) -> bool:
    """Whether there is no arithmetic on integers of a type."""
    return isinstance(kind, IntegerType) and kind.bitwidth in (8, 16)


@dataclass(frozen=True)
class WidenIntegersPass(ModulePass):
    """
    Compute on integers of 8 and 16 bits in 32 bits.

    What is loaded and stored keeps its type; masks of multicast copies are left alone.
    """

    name = "widen-integers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.walk()):
            if inner.name.startswith("arith."):
                _widen(inner)


def _widen(op: Operation) -> None:
    match op:
        case arith.ConstantOp(value=IntegerAttr() as value) if op.result.type == (
            IntegerType(8)
        ):
            # Bytes have no constants either.
            builder = LocatedBuilder.before(op)
            _replace(builder, op, builder.i32(value.value.data))
        case _ if isinstance(op, (*_SIGNED, *_UNSIGNED)) and is_narrow(
            op.results[0].type
        ):
            builder = LocatedBuilder.before(op)
            signed = isinstance(op, _SIGNED)
            wide = [_extended(builder, operand, signed) for operand in op.operands]
            _replace(builder, op, _again(builder, op, wide, i32))
        case arith.CmpiOp() if is_narrow(op.lhs.type):
            builder = LocatedBuilder.before(op)
            # 6 to 9 are the unsigned predicates.
            signed = op.predicate.value.data < 6
            lhs, rhs = (_extended(builder, v, signed) for v in (op.lhs, op.rhs))
            new = builder.insert(arith.CmpiOp(lhs, rhs, op.predicate.value.data))
            replace_values(op, [new.result])
        case arith.SelectOp() if is_narrow(op.result.type):
            builder = LocatedBuilder.before(op)
            a, b = (_extended(builder, v, True) for v in (op.lhs, op.rhs))
            _replace(builder, op, builder.insert(arith.SelectOp(op.cond, a, b)).result)
        case arith.SIToFPOp() | arith.UIToFPOp() if is_narrow(op.input.type):
            builder = LocatedBuilder.before(op)
            signed = isinstance(op, arith.SIToFPOp)
            wide = _extended(builder, op.input, signed)
            replace_values(op, [_again(builder, op, [wide], op.result.type)])
        case arith.ExtSIOp() | arith.ExtUIOp() if (
            is_narrow(op.result.type) and op.input.type == i1
        ):
            builder = LocatedBuilder.before(op)
            _replace(builder, op, _again(builder, op, [op.input], i32))
        case arith.FPToSIOp() | arith.FPToUIOp() if is_narrow(op.result.type):
            builder = LocatedBuilder.before(op)
            _replace(builder, op, _again(builder, op, [op.input], i32))
        case _:
            pass


def _again(
    builder: LocatedBuilder,
    op: IRDLOperation,
    operands: Sequence[SSAValue],
    result: Attribute,
) -> SSAValue:
    """The same op on other operands, with a result of another type."""
    new = type(op).build(
        operands=operands, result_types=[result], properties=op.properties
    )
    return builder.insert(new).results[0]


def _extended(builder: LocatedBuilder, value: SSAValue, signed: bool) -> SSAValue:
    kind = arith.ExtSIOp if signed else arith.ExtUIOp
    return builder.insert(kind(value, i32)).result


def _replace(builder: LocatedBuilder, op: Operation, wide: SSAValue) -> None:
    kind = op.results[0].type
    assert isa(kind, IntegerType)
    replace_values(op, [builder.insert(arith.TruncIOp(wide, kind)).result])
