"""Constants that fill tiles: the bits of a number, repeated over a vector."""

from __future__ import annotations

import struct

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
    i32,
)
from xdsl.ir import Attribute, SSAValue

from croqtile_mlir.dialects.croq.types import element_bits
from croqtile_mlir.dialects.llvm_ext import ConstantOp
from croqtile_mlir.lowering.rewriting import LocatedBuilder


def bits_of(value: float, element: Attribute) -> int:
    """The bits of a number, rounded to the type of an element; not negative."""
    if isinstance(element, IntegerType):
        return int(value) & ((1 << element.bitwidth) - 1)
    import ml_dtypes
    import numpy as np

    kinds = {
        "f8E4M3FN": ml_dtypes.float8_e4m3fn,
        "f8E5M2": ml_dtypes.float8_e5m2,
        "bf16": ml_dtypes.bfloat16,
        "f16": np.float16,
        "f64": np.float64,
    }
    kind = kinds.get(element.name, np.float32)
    return int.from_bytes(np.asarray(value).astype(kind).tobytes(), "little")


def fill_value(
    builder: LocatedBuilder, element: Attribute, value: float, size: int
) -> SSAValue:
    """So many bytes of elements of one value, as what one access stores."""
    width = max(element_bits(element) // 8, 1)
    whole = bits_of(value, element).to_bytes(width, "little") * (size // width)
    if size >= 8:
        words = list(struct.unpack(f"<{size // 4}i", whole))
        vector = VectorType(i32, [len(words)])
        dense = DenseIntOrFPElementsAttr.from_list(vector, words)
        return builder.insert(arith.ConstantOp(dense)).result
    kind = IntegerType(size * 8)
    number = int.from_bytes(whole, "little", signed=True)
    if size == 4:
        return builder.constant(number, kind)
    # On less than 32 bits there is no arithmetic, nor an arith.constant.
    return builder.insert(ConstantOp(IntegerAttr(number, kind), kind)).result
