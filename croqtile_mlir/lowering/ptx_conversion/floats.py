"""Rules for constants and for floating-point values (`arith`, `llvm.intr`)."""

from __future__ import annotations

import struct
from collections.abc import Callable

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    i1,
)
from xdsl.dialects.utils.fast_math import FastMathFlag
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.hints import isa

from croqtile_mlir.dialects.llvm_ext import ConstantOp
from croqtile_mlir.dialects.ptx import arithmetic as ptx
from croqtile_mlir.dialects.ptx.conversion import CvtOp
from croqtile_mlir.dialects.ptx.instruction import ComputeOp
from croqtile_mlir.dialects.ptx.operands import Source
from croqtile_mlir.dialects.ptx.types import F32, InstructionType
from croqtile_mlir.lowering.ptx_conversion.emitter import Emitter, RuleTable, rule
from croqtile_mlir.lowering.ptx_conversion.lowered import Lowered, Members, integer_bits

_T = InstructionType
_HALVES = (_T.F16, _T.BF16)
_BF16_SINCE = 9
"""The compute capability from which there are arithmetic and conversions of bf16."""


def float_bits(value: float, type: Attribute) -> int | None:
    """The bit pattern of a value of a floating-point type, None of another type."""
    match type:
        case Float16Type():
            return int.from_bytes(struct.pack("<e", value), "little")
        case BFloat16Type():
            # The attribute's value is rounded to bf16 already.
            return int.from_bytes(struct.pack("<f", value), "little") >> 16
        case Float32Type():
            return int.from_bytes(struct.pack("<f", value), "little")
        case Float64Type():
            return int.from_bytes(struct.pack("<d", value), "little")
        case _:
            return None


def _constant(e: Emitter, op: arith.ConstantOp | ConstantOp) -> None:
    e.bind(op.result, _literal(e, op.value))


def _literal(e: Emitter, value: Attribute) -> Lowered:
    if isa(value, IntegerAttr):
        number = value.value.data
        return number & 1 if value.type == i1 else number
    if isa(value, FloatAttr):
        bits = float_bits(value.value.data, value.type)
        if bits is not None:
            return bits
    elif isinstance(value, DenseIntOrFPElementsAttr):
        items = tuple(_literal(e, item) for item in value.iter_attrs())
        return 0 if all(item == 0 for item in items) else Members(items)
    e.refuse(f"is not supported by convert-to-ptx with the value {value}")


def float_type(e: Emitter, value: SSAValue) -> InstructionType:
    """The instruction type of a floating-point value; vectors are refused."""
    match value.type:
        case Float16Type():
            return _T.F16
        case BFloat16Type():
            return _T.BF16
        case Float32Type():
            return _T.F32
        case Float64Type():
            return _T.F64
        case _:
            e.refuse(f"is not supported by convert-to-ptx on type {value.type}")


def float_source(e: Emitter, value: SSAValue, type: InstructionType) -> Source:
    """A floating-point operand; those of 16 bits cannot be immediates."""
    return e.register(value) if type in _HALVES else e.source_of(value)


def _check_bf16(e: Emitter, type: InstructionType) -> None:
    if type is _T.BF16 and e.target.compute_capability[0] < _BF16_SINCE:
        e.refuse(
            "is not supported by convert-to-ptx on type bf16 for target "
            f"{e.target.name}",
            hint="compute in f32",
        )


def _may_contract(op: arith.FloatingPointLikeBinaryOperation) -> bool:
    return any(flag.value in ("contract", "fast") for flag in op.fastmath.data)


def _binary(
    instruction: type[ComputeOp],
) -> Callable[[Emitter, arith.FloatingPointLikeBinaryOperation], None]:
    """A rule for a sum or a product; `rn` keeps ptxas from fusing the two."""

    def make(e: Emitter, op: arith.FloatingPointLikeBinaryOperation) -> None:
        type = float_type(e, op.result)
        _check_bf16(e, type)
        sources = (float_source(e, value, type) for value in (op.lhs, op.rhs))
        qualifiers = "" if _may_contract(op) else "rn"
        result = e.emit(instruction(type, *sources, qualifiers=qualifiers)).result
        e.bind(op.result, result)

    return make


def _divide(e: Emitter, op: arith.DivfOp) -> None:
    type = float_type(e, op.result)
    if type in _HALVES:
        e.refuse(
            f"is not supported by convert-to-ptx on type {op.result.type}",
            hint="divide in f32",
        )
    # 2 ulp over the whole range, without the slow path (PTX ISA 9.7.3, div).
    fast = type is _T.F32 and FastMathFlag.ALLOW_RECIP in op.fastmath.data
    rounding = "full" if fast else "rn"
    sources = e.source_of(op.lhs), e.source_of(op.rhs)
    div = ptx.DivOp(type, *sources, qualifiers=rounding)
    e.bind(op.result, e.emit(div).result)


def _extremum(
    instruction: type[ComputeOp], qualifiers: str
) -> Callable[[Emitter, arith.FloatingPointLikeBinaryOperation], None]:
    """A rule for a minimum or maximum, with `NaN` if one operand that is not a number
    makes the result not one."""

    def make(e: Emitter, op: arith.FloatingPointLikeBinaryOperation) -> None:
        type = float_type(e, op.result)
        if qualifiers and type is _T.F64:
            e.refuse("is not supported by convert-to-ptx on type f64")
        sources = (float_source(e, value, type) for value in (op.lhs, op.rhs))
        result = e.emit(instruction(type, *sources, qualifiers=qualifiers)).result
        e.bind(op.result, result)

    return make


def _negate(e: Emitter, op: arith.NegfOp) -> None:
    type = float_type(e, op.result)
    neg = ptx.NegOp(type, float_source(e, op.operand, type))
    e.bind(op.result, e.emit(neg).result)


_COMPARISONS = (
    *("", "eq", "gt", "ge", "lt", "le", "ne", "num"),
    *("equ", "gtu", "geu", "ltu", "leu", "neu", "nan", ""),
)
"""The comparison for each predicate of `arith.cmpf`; two ask nothing."""


def _compare(e: Emitter, op: arith.CmpfOp) -> None:
    predicate = op.predicate.value.data
    comparison = _COMPARISONS[predicate]
    if not comparison:
        e.bind(op.result, int(predicate != 0))
        return
    type = float_type(e, op.lhs)
    _check_bf16(e, type)
    sources = (float_source(e, value, type) for value in (op.lhs, op.rhs))
    setp = ptx.SetpOp(type, *sources, qualifiers=comparison)
    e.bind(op.result, e.emit(setp).result)


def _extend(e: Emitter, op: arith.ExtFOp) -> None:
    type, source_type = float_type(e, op.result), float_type(e, op.input)
    source = e.register(op.input)
    if source_type is _T.BF16 and (
        e.target.compute_capability[0] < _BF16_SINCE and type is _T.F32
    ):
        # A bf16 is the upper half of an f32.
        wide = e.emit(CvtOp(_T.U32, _T.U16, source)).result
        shifted = e.emit(ptx.ShlOp(_T.B32, wide, 16)).result
        e.bind(op.result, e.move(shifted, F32))
        return
    _check_bf16(e, source_type)
    e.bind(op.result, e.emit(CvtOp(type, source_type, source)).result)


def _truncate(e: Emitter, op: arith.TruncFOp) -> None:
    type, source_type = float_type(e, op.result), float_type(e, op.input)
    cvt = CvtOp(type, source_type, e.register(op.input), qualifiers="rn")
    e.bind(op.result, e.emit(cvt).result)


def _from_integer(
    letter: str,
) -> Callable[[Emitter, arith.SIToFPOp | arith.UIToFPOp], None]:
    def make(e: Emitter, op: arith.SIToFPOp | arith.UIToFPOp) -> None:
        type, bits = float_type(e, op.result), integer_bits(op.input.type)
        _check_bf16(e, type)
        source_type = _T(f"{letter}{bits}")
        cvt = CvtOp(type, source_type, e.register(op.input), qualifiers="rn")
        e.bind(op.result, e.emit(cvt).result)

    return make


def _to_integer(
    letter: str,
) -> Callable[[Emitter, arith.FPToSIOp | arith.FPToUIOp], None]:
    def make(e: Emitter, op: arith.FPToSIOp | arith.FPToUIOp) -> None:
        source_type, bits = float_type(e, op.input), integer_bits(op.result.type)
        _check_bf16(e, source_type)
        type = _T(f"{letter}{bits}")
        cvt = CvtOp(type, source_type, e.register(op.input), qualifiers="rzi")
        e.bind(op.result, e.emit(cvt).result)

    return make


def _unary(
    instruction: type[ComputeOp], qualifiers: str
) -> Callable[[Emitter, llvm.FAbsOp | llvm.FSqrtOp | llvm.FExp2Op], None]:
    """A rule for an elementary function of an f32."""

    def make(e: Emitter, op: llvm.FAbsOp | llvm.FSqrtOp | llvm.FExp2Op) -> None:
        type = float_type(e, op.results[0])
        if type is not _T.F32:
            e.refuse(f"is not supported by convert-to-ptx on type {op.results[0].type}")
        source = e.register(op.operands[0])
        result = e.emit(instruction(type, source, qualifiers=qualifiers)).result
        e.bind(op.results[0], result)

    return make


def _fma(e: Emitter, op: llvm.FMAOp) -> None:
    type = float_type(e, op.results[0])
    sources = (float_source(e, value, type) for value in op.operands)
    fma = ptx.FmaOp(type, *sources, qualifiers="rn")
    e.bind(op.results[0], e.emit(fma).result)


RULES: RuleTable = dict(
    [
        rule(arith.ConstantOp, _constant),
        rule(ConstantOp, _constant),
        rule(arith.AddfOp, _binary(ptx.AddOp)),
        rule(arith.SubfOp, _binary(ptx.SubOp)),
        rule(arith.MulfOp, _binary(ptx.MulOp)),
        rule(arith.DivfOp, _divide),
        rule(arith.NegfOp, _negate),
        rule(arith.MaximumfOp, _extremum(ptx.MaxOp, "NaN")),
        rule(arith.MinimumfOp, _extremum(ptx.MinOp, "NaN")),
        rule(arith.MaxnumfOp, _extremum(ptx.MaxOp, "")),
        rule(arith.MinnumfOp, _extremum(ptx.MinOp, "")),
        rule(arith.CmpfOp, _compare),
        rule(arith.ExtFOp, _extend),
        rule(arith.TruncFOp, _truncate),
        rule(arith.SIToFPOp, _from_integer("s")),
        rule(arith.UIToFPOp, _from_integer("u")),
        rule(arith.FPToSIOp, _to_integer("s")),
        rule(arith.FPToUIOp, _to_integer("u")),
        rule(llvm.FAbsOp, _unary(ptx.AbsOp, "")),
        rule(llvm.FSqrtOp, _unary(ptx.SqrtOp, "rn")),
        rule(llvm.FExp2Op, _unary(ptx.Ex2Op, "approx")),
        rule(llvm.FMAOp, _fma),
    ]
)
