"""
Arithmetic, logic, comparison and conversion: instructions from registers to a register
(PTX ISA 9.7.1 to 9.7.7 and 9.7.9). One class for one mnemonic; types and qualifiers are
tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.irdl import irdl_op_definition
from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.dialects.ptx.instruction import ComputeOp, Forms, forms
from croqtile_mlir.dialects.ptx.operands import type_of
from croqtile_mlir.dialects.ptx.types import (
    B32,
    PREDICATE,
    InstructionType,
    PTXType,
    RegisterKind,
    register_type,
)

_T = InstructionType
_UNSIGNED = (_T.U16, _T.U32, _T.U64)
_SIGNED = (_T.S16, _T.S32, _T.S64)
_INTEGER = (*_UNSIGNED, *_SIGNED)
_BITS = (_T.B16, _T.B32, _T.B64)
_HALF = (_T.F16, _T.F16X2, _T.BF16, _T.BF16X2)

_SUM = forms(
    (_INTEGER, "-"),
    (_HALF, "- rn"),
    ((_T.F32,), "- ftz rn rn.ftz"),
    ((_T.F64,), "- rn"),
)
_EXTREMUM = forms(
    (_INTEGER, "-"),
    ((*_HALF, _T.F32), "- NaN"),
    ((_T.F32,), "ftz ftz.NaN"),
    ((_T.F64,), "-"),
)
_LOGIC = forms((_BITS, "-"), ((_T.Predicate,), "-"))
_PRODUCT = forms(
    (_INTEGER, "lo hi"),
    ((_T.U16, _T.U32, _T.S16, _T.S32), "wide"),
    (_HALF, "- rn"),
    ((_T.F32,), "- ftz rn rn.ftz"),
    ((_T.F64,), "- rn"),
)
_WIDE = {
    _T.U16: B32,
    _T.S16: B32,
    _T.U32: register_type(RegisterKind.B64),
    _T.S32: register_type(RegisterKind.B64),
}


def _product_type(type: InstructionType, qualifiers: str) -> PTXType:
    return _WIDE[type] if qualifiers == "wide" else register_type(type.register)


@irdl_op_definition
class AddOp(ComputeOp):
    """
    Sum. Without `rn` ptxas may fuse a floating-point sum with a product.

    `%c = ptx.add s32 %a, 5 : !ptx.reg<b32>` prints `add.s32 %r3, %r1, 5;`
    """

    name = "ptx.add"
    ARITY: ClassVar[int] = 2
    FORMS: ClassVar[Forms] = _SUM


@irdl_op_definition
class SubOp(ComputeOp):
    """
    Difference.

    `%c = ptx.sub s32 %a, %b : !ptx.reg<b32>` prints `sub.s32 %r3, %r1, %r2;`
    """

    name = "ptx.sub"
    ARITY: ClassVar[int] = 2
    FORMS: ClassVar[Forms] = _SUM


@irdl_op_definition
class MulOp(ComputeOp):
    """
    Product: of integers the low half, the high half, or both (`wide`).

    `%c = ptx.mul wide.u32 %a, 4 : !ptx.reg<b64>` prints `mul.wide.u32 %rd1, %r1, 4;`
    """

    name = "ptx.mul"
    ARITY: ClassVar[int] = 2
    FORMS: ClassVar[Forms] = _PRODUCT

    @classmethod
    def result_type_for(cls, type: InstructionType, qualifiers: str) -> PTXType:
        return _product_type(type, qualifiers)


@irdl_op_definition
class MadOp(ComputeOp):
    """
    Product plus addend, of integers; the addend of `wide` has the width of the result.

    `%d = ptx.mad lo.u32 %a, 64, %c : !ptx.reg<b32>` prints
    `mad.lo.u32 %r4, %r1, 64, %r3;`
    """

    name = "ptx.mad"
    ARITY: ClassVar[int] = 3
    FORMS: ClassVar[Forms] = forms(
        (_INTEGER, "lo hi"), ((_T.U16, _T.U32, _T.S16, _T.S32), "wide")
    )

    @classmethod
    def result_type_for(cls, type: InstructionType, qualifiers: str) -> PTXType:
        return _product_type(type, qualifiers)

    def source_types(self) -> Sequence[InstructionType]:
        type = self.type.data
        if self.qualifier != "wide":
            return (type, type, type)
        return (type, type, InstructionType(f"{type.value[0]}{type.bits * 2}"))


@irdl_op_definition
class FmaOp(ComputeOp):
    """
    Product plus addend, rounded once.

    `%d = ptx.fma rn.f32 %a, %b, %c : !ptx.reg<f32>` prints
    `fma.rn.f32 %f4, %f1, %f2, %f3;`
    """

    name = "ptx.fma"
    ARITY: ClassVar[int] = 3
    FORMS: ClassVar[Forms] = forms(
        (_HALF, "rn"), ((_T.F32,), "rn rn.ftz"), ((_T.F64,), "rn")
    )


@irdl_op_definition
class DivOp(ComputeOp):
    """
    Quotient, of integers towards zero.

    `%c = ptx.div u32 %a, 3 : !ptx.reg<b32>` prints `div.u32 %r3, %r1, 3;`
    """

    name = "ptx.div"
    ARITY: ClassVar[int] = 2
    FORMS: ClassVar[Forms] = forms(
        (_INTEGER, "-"),
        ((_T.F32,), "rn rn.ftz full full.ftz approx approx.ftz"),
        ((_T.F64,), "rn"),
    )


@irdl_op_definition
class RemOp(ComputeOp):
    """
    Remainder of the integer quotient.

    `%c = ptx.rem u32 %a, 3 : !ptx.reg<b32>` prints `rem.u32 %r3, %r1, 3;`
    """

    name = "ptx.rem"
    ARITY: ClassVar[int] = 2
    FORMS: ClassVar[Forms] = forms((_INTEGER, "-"))


@irdl_op_definition
class MinOp(ComputeOp):
    """
    The smaller of two values.

    `%c = ptx.min u32 %a, %b : !ptx.reg<b32>` prints `min.u32 %r3, %r1, %r2;`
    """

    name = "ptx.min"
    ARITY: ClassVar[int] = 2
    FORMS: ClassVar[Forms] = _EXTREMUM


@irdl_op_definition
class MaxOp(ComputeOp):
    """
    The larger of two values; `NaN` when one is, if asked for.

    `%c = ptx.max NaN.f32 %a, %b : !ptx.reg<f32>` prints `max.NaN.f32 %f3, %f1, %f2;`
    """

    name = "ptx.max"
    ARITY: ClassVar[int] = 2
    FORMS: ClassVar[Forms] = _EXTREMUM


@irdl_op_definition
class NegOp(ComputeOp):
    """
    The value with its sign changed.

    `%b = ptx.neg f32 %a : !ptx.reg<f32>` prints `neg.f32 %f2, %f1;`
    """

    name = "ptx.neg"
    ARITY: ClassVar[int] = 1
    FORMS: ClassVar[Forms] = forms(
        (_SIGNED, "-"), ((*_HALF, _T.F32, _T.F64), "-"), ((_T.F32,), "ftz")
    )


@irdl_op_definition
class AbsOp(ComputeOp):
    """
    The value without its sign.

    `%b = ptx.abs s32 %a : !ptx.reg<b32>` prints `abs.s32 %r2, %r1;`
    """

    name = "ptx.abs"
    ARITY: ClassVar[int] = 1
    FORMS: ClassVar[Forms] = forms(
        (_SIGNED, "-"), ((*_HALF, _T.F32, _T.F64), "-"), ((_T.F32,), "ftz")
    )


@irdl_op_definition
class AndOp(ComputeOp):
    """
    Bitwise and.

    `%c = ptx.and b32 %a, 31 : !ptx.reg<b32>` prints `and.b32 %r3, %r1, 31;`
    """

    name = "ptx.and"
    ARITY: ClassVar[int] = 2
    FORMS: ClassVar[Forms] = _LOGIC


@irdl_op_definition
class OrOp(ComputeOp):
    """
    Bitwise or.

    `%c = ptx.or b32 %a, %b : !ptx.reg<b32>` prints `or.b32 %r3, %r1, %r2;`
    """

    name = "ptx.or"
    ARITY: ClassVar[int] = 2
    FORMS: ClassVar[Forms] = _LOGIC


@irdl_op_definition
class XorOp(ComputeOp):
    """
    Bitwise exclusive or.

    `%c = ptx.xor pred %a, %b : !ptx.pred` prints `xor.pred %p3, %p1, %p2;`
    """

    name = "ptx.xor"
    ARITY: ClassVar[int] = 2
    FORMS: ClassVar[Forms] = _LOGIC


@irdl_op_definition
class NotOp(ComputeOp):
    """
    Bitwise complement.

    `%b = ptx.not pred %a : !ptx.pred` prints `not.pred %p2, %p1;`
    """

    name = "ptx.not"
    ARITY: ClassVar[int] = 1
    FORMS: ClassVar[Forms] = _LOGIC


class _ShiftOp(ComputeOp):
    """A shift; the amount is 32 bits wide whatever the type."""

    ARITY: ClassVar[int] = 2

    def source_types(self) -> Sequence[InstructionType]:
        return (self.type.data, InstructionType.U32)


@irdl_op_definition
class ShlOp(_ShiftOp):
    """
    Shift to the left.

    `%c = ptx.shl b32 %a, 3 : !ptx.reg<b32>` prints `shl.b32 %r3, %r1, 3;`
    """

    name = "ptx.shl"
    FORMS: ClassVar[Forms] = forms((_BITS, "-"))


@irdl_op_definition
class ShrOp(_ShiftOp):
    """
    Shift to the right, filled with zeros or, of a signed type, with the sign.

    `%c = ptx.shr u32 %a, 5 : !ptx.reg<b32>` prints `shr.u32 %r3, %r1, 5;`
    """

    name = "ptx.shr"
    FORMS: ClassVar[Forms] = forms((_INTEGER, "-"), (_BITS, "-"))


@irdl_op_definition
class SetpOp(ComputeOp):
    """
    A predicate from a comparison. Of floating-point values `lt` and so on are false,
    and `ltu` and so on true, when one is not a number.

    `%p = ptx.setp lt.s32 %a, 128 : !ptx.pred` prints `setp.lt.s32 %p1, %r1, 128;`
    """

    name = "ptx.setp"
    ARITY: ClassVar[int] = 2
    FORMS: ClassVar[Forms] = forms(
        (_BITS, "eq ne"),
        (_SIGNED, "eq ne lt le gt ge"),
        (_UNSIGNED, "eq ne lt le gt ge lo ls hi hs"),
        (
            (_T.F16, _T.BF16, _T.F32, _T.F64),
            "eq ne lt le gt ge equ neu ltu leu gtu geu num nan",
        ),
    )

    @classmethod
    def result_type_for(cls, type: InstructionType, qualifiers: str) -> PTXType:
        return PREDICATE


@irdl_op_definition
class SelpOp(ComputeOp):
    """
    The first value if the predicate is true, else the second.

    `%d = ptx.selp b32 %a, 0, %p : !ptx.reg<b32>` prints `selp.b32 %r4, %r1, 0, %p1;`
    """

    name = "ptx.selp"
    ARITY: ClassVar[int] = 3
    FORMS: ClassVar[Forms] = forms(((*_BITS, *_INTEGER, _T.F32, _T.F64), "-"))

    def source_types(self) -> Sequence[InstructionType]:
        return (self.type.data, self.type.data, InstructionType.Predicate)


@irdl_op_definition
class MovOp(ComputeOp):
    """
    A copy of a register, or a register from an immediate. Registers of one width may
    differ in class: `mov.b32 %f1, %r1;`.

    `%b = ptx.mov b32 5 : !ptx.reg<b32>` prints `mov.b32 %r2, 5;`
    """

    name = "ptx.mov"
    ARITY: ClassVar[int] = 1
    FORMS: ClassVar[Forms] = forms(
        ((*_BITS, *_INTEGER, _T.F32, _T.F64, _T.Predicate), "-")
    )

    def verify_(self) -> None:
        type = self.type.data
        for value in (*self.sources, self.result):
            found = type_of(value)
            if found.kind.bits != type.register.bits:
                raise VerifyException(
                    f"registers must have {type.register.bits} bits, got {found}"
                )
        if type not in self.FORMS or self.qualifiers is not None:
            raise VerifyException(f"type must be one of {', '.join(self.FORMS)}")
        if len(self.inputs) != 1:
            raise VerifyException(f"sources must be 1, got {len(self.inputs)}")


class _UnaryFloatOp(ComputeOp):
    """An elementary function of one floating-point value."""

    ARITY: ClassVar[int] = 1


@irdl_op_definition
class RcpOp(_UnaryFloatOp):
    """
    Reciprocal.

    `%b = ptx.rcp approx.ftz.f32 %a : !ptx.reg<f32>` prints
    `rcp.approx.ftz.f32 %f2, %f1;`
    """

    name = "ptx.rcp"
    FORMS: ClassVar[Forms] = forms(
        ((_T.F32,), "approx approx.ftz rn rn.ftz"), ((_T.F64,), "rn")
    )


@irdl_op_definition
class SqrtOp(_UnaryFloatOp):
    """
    Square root.

    `%b = ptx.sqrt rn.f32 %a : !ptx.reg<f32>` prints `sqrt.rn.f32 %f2, %f1;`
    """

    name = "ptx.sqrt"
    FORMS: ClassVar[Forms] = forms(
        ((_T.F32,), "approx approx.ftz rn rn.ftz"), ((_T.F64,), "rn")
    )


@irdl_op_definition
class RsqrtOp(_UnaryFloatOp):
    """
    Reciprocal of the square root.

    `%b = ptx.rsqrt approx.f32 %a : !ptx.reg<f32>` prints `rsqrt.approx.f32 %f2, %f1;`
    """

    name = "ptx.rsqrt"
    FORMS: ClassVar[Forms] = forms(((_T.F32,), "approx approx.ftz"))


@irdl_op_definition
class Ex2Op(_UnaryFloatOp):
    """
    Power of two.

    `%b = ptx.ex2 approx.ftz.f32 %a : !ptx.reg<f32>` prints
    `ex2.approx.ftz.f32 %f2, %f1;`
    """

    name = "ptx.ex2"
    FORMS: ClassVar[Forms] = forms(
        ((_T.F32,), "approx approx.ftz"), ((_T.F16, _T.F16X2), "approx")
    )


@irdl_op_definition
class Lg2Op(_UnaryFloatOp):
    """
    Binary logarithm.

    `%b = ptx.lg2 approx.f32 %a : !ptx.reg<f32>` prints `lg2.approx.f32 %f2, %f1;`
    """

    name = "ptx.lg2"
    FORMS: ClassVar[Forms] = forms(((_T.F32,), "approx approx.ftz"))


@irdl_op_definition
class TanhOp(_UnaryFloatOp):
    """
    Hyperbolic tangent.

    `%b = ptx.tanh approx.f32 %a : !ptx.reg<f32>` prints `tanh.approx.f32 %f2, %f1;`
    """

    name = "ptx.tanh"
    FORMS: ClassVar[Forms] = forms(((_T.F32, _T.F16, _T.F16X2), "approx"))


@irdl_op_definition
class PrmtOp(ComputeOp):
    """
    Bytes of two registers, picked by a selector of four nibbles.

    `%d = ptx.prmt b32 %a, %b, 4660 : !ptx.reg<b32>` prints
    `prmt.b32 %r4, %r1, %r2, 4660;`
    """

    name = "ptx.prmt"
    ARITY: ClassVar[int] = 3
    FORMS: ClassVar[Forms] = forms(((_T.B32,), "-"))


OPS = (
    AbsOp,
    AddOp,
    AndOp,
    DivOp,
    Ex2Op,
    FmaOp,
    Lg2Op,
    MadOp,
    MaxOp,
    MinOp,
    MovOp,
    MulOp,
    NegOp,
    NotOp,
    OrOp,
    PrmtOp,
    RcpOp,
    RemOp,
    RsqrtOp,
    SelpOp,
    SetpOp,
    ShlOp,
    ShrOp,
    SqrtOp,
    SubOp,
    TanhOp,
    XorOp,
)
