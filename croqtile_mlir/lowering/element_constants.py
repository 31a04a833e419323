"""Constants of the types that elements of tiles have."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.hints import isa

from croqtile_mlir.diagnostics import Place, fail
from croqtile_mlir.dialects.llvm_ext import ConstantOp
from croqtile_mlir.lowering.rewriting import LocatedBuilder

_Float = Float16Type | BFloat16Type | Float32Type | Float64Type


def element_constant(
    builder: LocatedBuilder, element: Attribute, value: float, user: Place
) -> SSAValue:
    """A number as an element; `user` is what asks for it."""
    if isa(element, IntegerType):
        if element.bitwidth >= 32:
            return builder.constant(int(value), element)
        # On less than 32 bits there is no arithmetic, nor an arith.constant.
        return builder.insert(
            ConstantOp(IntegerAttr(int(value), element), element)
        ).result
    if isinstance(element, _Float) and isa(element, AnyFloat):
        return builder.float(FloatAttr(value, element))
    fail(
        user,
        "must be of a type that has constants (f16, bf16, f32, f64, integers) where "
        f"threads have tiles of their own, got {element}",
    )
