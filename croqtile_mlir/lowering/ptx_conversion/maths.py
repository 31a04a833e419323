"""
Rules for elementary functions of f32 (`math`): one instruction each.

Accuracy (PTX ISA 9.7.3): `ex2.approx` 2 ulp, `lg2.approx` an absolute error of 2^-22
for results near 0 and 2^-22 of the result elsewhere, `rsqrt.approx` 2^-22.9 of the
result, `tanh.approx` 2^-11 of the result, `sqrt.rn` and `abs` exact.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import math
from xdsl.dialects.utils.fast_math import FastMathFlag

from croqtile_mlir.dialects.ptx import arithmetic as ptx
from croqtile_mlir.dialects.ptx.instruction import ComputeOp
from croqtile_mlir.dialects.ptx.types import InstructionType
from croqtile_mlir.lowering.ptx_conversion.emitter import Emitter, RuleTable, rule
from croqtile_mlir.lowering.ptx_conversion.floats import float_source, float_type

_F32 = InstructionType.F32

Unary = math.AbsFOp | math.Exp2Op | math.Log2Op | math.RsqrtOp | math.SqrtOp


def is_approximate(op: math.TanhOp) -> bool:
    """Whether an op may be an approximation of the hardware."""
    return FastMathFlag.APPROX_FUNC in op.fastmath.data


def _check(e: Emitter, op: Unary | math.TanhOp) -> None:
    if float_type(e, op.result) is not _F32:
        e.refuse(
            f"is not supported by convert-to-ptx on type {op.result.type}",
            hint="--expand-math computes it in f32",
        )


def _unary(
    instruction: type[ComputeOp], qualifiers: str
) -> Callable[[Emitter, Unary], None]:
    def make(e: Emitter, op: Unary) -> None:
        _check(e, op)
        source = e.register(op.operand)
        made = instruction(_F32, source, qualifiers=qualifiers)
        e.bind(op.result, e.emit(made).result)

    return make


def _tanh(e: Emitter, op: math.TanhOp) -> None:
    _check(e, op)
    if not is_approximate(op):
        e.refuse(
            "is not supported by convert-to-ptx without fastmath<afn>",
            hint="--expand-math computes it with the exponential function",
        )
    tanh = ptx.TanhOp(_F32, e.register(op.operand), qualifiers="approx")
    e.bind(op.result, e.emit(tanh).result)


def _fma(e: Emitter, op: math.FmaOp) -> None:
    type = float_type(e, op.result)
    sources = (float_source(e, value, type) for value in (op.a, op.b, op.c))
    e.bind(op.result, e.emit(ptx.FmaOp(type, *sources, qualifiers="rn")).result)


RULES: RuleTable = dict(
    [
        rule(math.AbsFOp, _unary(ptx.AbsOp, "")),
        rule(math.Exp2Op, _unary(ptx.Ex2Op, "approx")),
        rule(math.Log2Op, _unary(ptx.Lg2Op, "approx")),
        rule(math.RsqrtOp, _unary(ptx.RsqrtOp, "approx")),
        rule(math.SqrtOp, _unary(ptx.SqrtOp, "rn")),
        rule(math.TanhOp, _tanh),
        rule(math.FmaOp, _fma),
    ]
)
