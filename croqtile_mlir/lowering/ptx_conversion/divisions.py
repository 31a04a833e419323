"""
Unsigned division by constants: a product with the reciprocal, and a shift.

ptxas makes a `div.u32` by a constant a division like any other, with a conversion to
floating point and MUFU.RCP. Method: T. Granlund, P. L. Montgomery, "Division by
Invariant Integers using Multiplication", PLDI 1994.
"""

from __future__ import annotations

from dataclasses import dataclass

from croqtile_mlir.dialects.ptx import arithmetic as ptx
from croqtile_mlir.dialects.ptx.operands import Source
from croqtile_mlir.dialects.ptx.types import InstructionType
from croqtile_mlir.lowering.ptx_conversion.emitter import Emitter

_T = InstructionType

_BITS = 32


@dataclass(frozen=True)
class Reciprocal:
    """
    `x div d` is `(x * multiplier) >> (32 + shift)` for every x of 32 bits.

    The multiplier has up to 33 bits.
    """

    multiplier: int
    shift: int

    @staticmethod
    def of(divisor: int) -> Reciprocal:
        """The smallest reciprocal of a positive divisor that is no power of two."""
        for shift in range(_BITS + 1):
            power = 1 << (_BITS + shift)
            multiplier = -(-power // divisor)
            if multiplier * divisor - power <= 1 << shift:
                return Reciprocal(multiplier, shift)
        raise ValueError(f"divisor must be in 1..2^32 - 1, got {divisor}")


def divided(e: Emitter, value: Source, divisor: int) -> Source | None:
    """The unsigned quotient of 32 bits; None when the divisor is 0."""
    divisor &= (1 << _BITS) - 1
    if divisor == 0:
        return None
    if divisor & (divisor - 1) == 0:
        shift = divisor.bit_length() - 1
        return e.emit(ptx.ShrOp(_T.U32, value, shift)).result if shift else value
    reciprocal = Reciprocal.of(divisor)
    low = reciprocal.multiplier & ((1 << _BITS) - 1)
    high = e.emit(ptx.MulOp(_T.U32, value, low, qualifiers="hi")).result
    if low == reciprocal.multiplier:
        if not reciprocal.shift:
            return high
        return e.emit(ptx.ShrOp(_T.U32, high, reciprocal.shift)).result
    # A multiplier of 33 bits: the sum of the value and `high`, without its carry.
    rest = e.emit(ptx.SubOp(_T.U32, value, high)).result
    half = e.emit(ptx.ShrOp(_T.U32, rest, 1)).result
    whole = e.emit(ptx.AddOp(_T.U32, half, high)).result
    return e.emit(ptx.ShrOp(_T.U32, whole, reciprocal.shift - 1)).result


def remainder(e: Emitter, value: Source, divisor: int) -> Source | None:
    """The unsigned remainder of 32 bits; None when the divisor is 0."""
    divisor &= (1 << _BITS) - 1
    if divisor & (divisor - 1) == 0:
        if divisor == 0:
            return None
        return e.emit(ptx.AndOp(_T.B32, value, divisor - 1)).result
    quotient = divided(e, value, divisor)
    if quotient is None:
        return None
    product = e.emit(ptx.MulOp(_T.U32, quotient, divisor, qualifiers="lo")).result
    return e.emit(ptx.SubOp(_T.U32, value, product)).result
