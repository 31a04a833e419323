"""
`--expand-math`: elementary functions in terms of those that are one instruction.

    %y = math.exp %x : f16       %w = arith.extf %x : f16 to f32
                             ->  %p = arith.mulf %w, %log2e : f32
                                 %e = math.exp2 %p : f32
                                 %y = arith.truncf %e : f32 to f16

What is left is `exp2`, `log2`, `rsqrt`, `sqrt`, `absf`, `fma`, `tanh fastmath<afn>`,
of f32 (`fma` of any type).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import e as EULER
from math import log, log2
from types import MappingProxyType

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    FloatAttr,
    ModuleOp,
    f32,
)
from xdsl.dialects.utils.fast_math import FastMathFlag
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values

_NONE = arith.FastMathFlagsAttr("none")
_RECIPROCAL = arith.FastMathFlagsAttr([FastMathFlag.ALLOW_RECIP])

_LOG2_E = log2(EULER)
_LN_2 = log(2)

Unary = (
    math.AbsFOp
    | math.ExpOp
    | math.Exp2Op
    | math.LogOp
    | math.Log2Op
    | math.RsqrtOp
    | math.SqrtOp
    | math.TanhOp
)


@dataclass(frozen=True)
class ExpandMathPass(ModulePass):
    """
    Expand elementary functions to those of the hardware, in f32.

    `exp` is `exp2` of the product with log2(e): its relative error is about
    2^-22 + |x| * 2^-23. `log` is `log2` times ln(2). `tanh` without `fastmath<afn>`
    is 1 - 2 / (1 + exp(2x)): an absolute error of about 2^-22.
    """

    name = "expand-math"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.walk()):
            if isinstance(inner, Unary):
                _expand(inner)
            elif inner.name.startswith("math.") and not isinstance(inner, math.FmaOp):
                known = ", ".join(sorted(each.name for each in _EXPANSIONS))
                fail(inner, f"must be one of {known}, math.fma, got {inner.name}")


def _expand(op: Unary) -> None:
    """Replace a function of another type than f32, or of several instructions."""
    value = op.operand
    narrow = value.type
    if not isinstance(narrow, Float16Type | BFloat16Type | Float32Type):
        fail(op, f"must be of f32, f16 or bf16, got {narrow}")
    expansion = _EXPANSIONS[type(op)]
    is_instruction = expansion is None or (
        isinstance(op, math.TanhOp) and FastMathFlag.APPROX_FUNC in op.fastmath.data
    )
    if is_instruction and isinstance(narrow, Float32Type):
        return
    b = LocatedBuilder.before(op)
    if not isinstance(narrow, Float32Type):
        value = b.insert(arith.ExtFOp(value, f32)).result
    if is_instruction or expansion is None:
        value = b.insert(type(op)(value, op.fastmath)).result
    else:
        value = expansion(b, value)
    replace_values(op, [_converted(b, value, narrow)])


def _converted(b: LocatedBuilder, value: SSAValue, to: AnyFloat) -> SSAValue:
    if isinstance(to, Float32Type):
        return value
    return b.insert(arith.TruncFOp(value, to)).result


def _constant(b: LocatedBuilder, value: float) -> SSAValue:
    return b.float(FloatAttr(value, f32))


def _scaled(b: LocatedBuilder, value: SSAValue, by: float) -> SSAValue:
    return b.insert(arith.MulfOp(value, _constant(b, by))).result


def _exp(b: LocatedBuilder, value: SSAValue, factor: float = 1.0) -> SSAValue:
    """e to the power of a multiple of a value."""
    return b.insert(math.Exp2Op(_scaled(b, value, factor * _LOG2_E), _NONE)).result


def _log(b: LocatedBuilder, value: SSAValue) -> SSAValue:
    return _scaled(b, b.insert(math.Log2Op(value, _NONE)).result, _LN_2)


def _tanh(b: LocatedBuilder, value: SSAValue) -> SSAValue:
    """1 - 2 / (1 + e^2x): right also where the power overflows."""
    one = _constant(b, 1.0)
    below = b.insert(arith.AddfOp(one, _exp(b, value, 2.0))).result
    part = b.insert(arith.DivfOp(_constant(b, 2.0), below, _RECIPROCAL)).result
    return b.insert(arith.SubfOp(one, part)).result


_EXPANSIONS: Mapping[
    type[Operation], Callable[[LocatedBuilder, SSAValue], SSAValue] | None
] = MappingProxyType(
    {
        math.AbsFOp: None,
        math.Exp2Op: None,
        math.ExpOp: _exp,
        math.Log2Op: None,
        math.LogOp: _log,
        math.RsqrtOp: None,
        math.SqrtOp: None,
        math.TanhOp: _tanh,
    }
)
"""What a function becomes; None: it is one instruction."""
