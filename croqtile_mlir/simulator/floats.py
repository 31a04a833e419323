"""
Floating-point arithmetic (`arith`, `math`, `llvm.intr`): rounded to nearest even.

Of 16-bit types an operation is computed in f32 and rounded once, as the hardware does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects import llvm as xdsl_llvm
from xdsl.ir import Operation

from croqtile_mlir.simulator.program import Frame, Handlers, Made, Maker
from croqtile_mlir.simulator.values import (
    dtype_of,
    scalar_type,
    spread,
    unsigned_of,
    width,
    wrapped,
)

_Make = Callable[[Any, Maker], Made]


def _binary(compute: Callable[[Any, Any], Any]) -> _Make:
    def make(op: Operation, maker: Maker) -> Made:
        left, right = maker.registers(op.operands)
        result = maker.register(op.results[0])
        dtype = dtype_of(op.results[0].type, op)

        def step(frame: Frame) -> None:
            values = frame.values
            found = compute(values[left], values[right])
            values[result] = found.astype(dtype, copy=False)

        return step

    return make


def _unary(compute: Callable[[Any], Any]) -> _Make:
    def make(op: Operation, maker: Maker) -> Made:
        (source,) = maker.registers(op.operands)
        result = maker.register(op.results[0])
        dtype = dtype_of(op.results[0].type, op)

        def step(frame: Frame) -> None:
            with np.errstate(all="ignore"):
                found = compute(frame.values[source])
            frame.values[result] = found.astype(dtype, copy=False)

        return step

    return make


def _rsqrt(value: Any) -> Any:
    return 1 / np.sqrt(value)


def make_fma(op: Operation, maker: Maker) -> Made:
    """
    `llvm.intr.fma`: one rounding.

    The product is exact in f64; the sum is rounded to f64 and then to the type, which
    differs from one rounding only in halfway cases beyond 53 bits.
    """
    a, b, c = maker.registers(op.operands)
    result = maker.register(op.results[0])
    dtype = dtype_of(op.results[0].type, op)

    def step(frame: Frame) -> None:
        values = frame.values
        product = np.multiply(values[a], values[b], dtype=np.float64)
        values[result] = np.add(product, values[c], dtype=np.float64).astype(dtype)

    return step


def _compare_nothing(a: Any, b: Any) -> Any:
    return np.zeros(np.broadcast_shapes(np.shape(a), np.shape(b)), bool)


def _ordered(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: compare(a, b) & ~(np.isnan(a) | np.isnan(b))


def _unordered(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: compare(a, b) | np.isnan(a) | np.isnan(b)


_PREDICATES: Final[tuple[Callable[[Any, Any], Any], ...]] = (
    _compare_nothing,
    np.equal,
    np.greater,
    np.greater_equal,
    np.less,
    np.less_equal,
    _ordered(np.not_equal),
    _ordered(lambda a, b: ~_compare_nothing(a, b)),
    _unordered(np.equal),
    _unordered(np.greater),
    _unordered(np.greater_equal),
    _unordered(np.less),
    _unordered(np.less_equal),
    np.not_equal,
    _unordered(_compare_nothing),
    lambda a, b: ~_compare_nothing(a, b),
)
"""By the number of the predicate: false oeq ogt oge olt ole one ord ueq .. une uno
true."""


def make_compare(op: arith.CmpfOp, maker: Maker) -> Made:
    """`arith.cmpf`."""
    left, right = maker.registers(op.operands)
    result = maker.register(op.result)
    compare = _PREDICATES[op.predicate.value.data]

    def step(frame: Frame) -> None:
        values = frame.values
        found = compare(values[left], values[right])
        is_array = found.__class__ is np.ndarray and found.ndim
        values[result] = found if is_array else bool(found)

    return step


def make_convert(op: Operation, maker: Maker) -> Made:
    """`arith.extf`, `arith.truncf`."""
    (source,) = maker.registers(op.operands)
    result = maker.register(op.results[0])
    dtype = dtype_of(op.results[0].type, op)

    def step(frame: Frame) -> None:
        frame.values[result] = frame.values[source].astype(dtype)

    return step


def _from_integer(*, signed: bool) -> _Make:
    def make(op: Operation, maker: Maker) -> Made:
        (source,) = maker.registers(op.operands)
        result = maker.register(op.results[0])
        bits = width(scalar_type(op.operands[0].type))
        ones, plain = (1 << bits) - 1, unsigned_of(op.operands[0].type, op)
        dtype = dtype_of(op.results[0].type, op)
        is_bool = bits == 1

        def step(frame: Frame) -> None:
            value = frame.values[source]
            if value.__class__ is not np.ndarray:
                whole = -int(value) if is_bool and signed else int(value)
                value = np.float64(whole if signed else whole & ones)
            elif is_bool:
                value = -value.astype(np.int8) if signed else value.astype(np.int8)
            elif not signed:
                value = value.view(plain)
            frame.values[result] = value.astype(dtype)

        return step

    return make


def _to_integer(*, signed: bool) -> _Make:
    """Rounded towards zero; clamped to what the type holds, as PTX `cvt` does."""

    def make(op: Operation, maker: Maker) -> Made:
        (source,) = maker.registers(op.operands)
        result = maker.register(op.results[0])
        bits = width(scalar_type(op.results[0].type))
        dtype = dtype_of(op.results[0].type, op)
        low = -(1 << (bits - 1)) if signed else 0
        high = (1 << (bits - 1)) - 1 if signed else (1 << bits) - 1

        def whole(value: float) -> int:
            if np.isnan(value):
                return 0
            return int(max(low, min(high, np.trunc(value))))

        def step(frame: Frame) -> None:
            value = frame.values[source]
            if value.__class__ is np.ndarray:
                rows = value.astype(np.float64).ravel()
                found = [wrapped(whole(float(each)), bits) for each in rows]
                frame.values[result] = np.array(found, dtype).reshape(value.shape)
            else:
                frame.values[result] = wrapped(whole(float(value)), bits)

        return step

    return make


def make_bitcast(op: Operation, maker: Maker) -> Made:
    """`arith.bitcast`, `llvm.bitcast`: the same bits as another type."""
    (source,) = maker.registers(op.operands)
    result = maker.register(op.results[0])
    from_type, to_type = op.operands[0].type, op.results[0].type
    if from_type == to_type:

        def same(frame: Frame) -> None:
            frame.values[result] = frame.values[source]

        return same
    before, after = dtype_of(from_type, op), dtype_of(to_type, op)
    is_vector = scalar_type(to_type) != to_type
    to_int = after.kind == "i"

    def step(frame: Frame) -> None:
        value = frame.values[source]
        if value.__class__ is not np.ndarray:
            if is_vector:
                value = spread(value, frame.agent.threads, before)
            else:
                bits = np.array([value], before).view(after)[0]
                frame.values[result] = int(bits) if to_int else bits
                return
        rows = np.ascontiguousarray(value).reshape(len(value), -1).view(after)
        frame.values[result] = rows if is_vector else rows[:, 0]

    return step


HANDLERS: Final[Handlers] = {
    arith.AddfOp: _binary(np.add),
    arith.SubfOp: _binary(np.subtract),
    arith.MulfOp: _binary(np.multiply),
    arith.DivfOp: _binary(np.divide),
    arith.NegfOp: _unary(np.negative),
    arith.MaximumfOp: _binary(np.maximum),
    arith.MinimumfOp: _binary(np.minimum),
    arith.MaxnumfOp: _binary(np.fmax),
    arith.MinnumfOp: _binary(np.fmin),
    arith.CmpfOp: make_compare,
    arith.ExtFOp: make_convert,
    arith.TruncFOp: make_convert,
    arith.SIToFPOp: _from_integer(signed=True),
    arith.UIToFPOp: _from_integer(signed=False),
    arith.FPToSIOp: _to_integer(signed=True),
    arith.FPToUIOp: _to_integer(signed=False),
    arith.BitcastOp: make_bitcast,
    math.AbsFOp: _unary(np.abs),
    math.ExpOp: _unary(np.exp),
    math.Exp2Op: _unary(np.exp2),
    math.FmaOp: make_fma,
    math.LogOp: _unary(np.log),
    math.Log2Op: _unary(np.log2),
    math.RsqrtOp: _unary(_rsqrt),
    math.SqrtOp: _unary(np.sqrt),
    math.TanhOp: _unary(np.tanh),
    xdsl_llvm.FAbsOp: _unary(np.abs),
    xdsl_llvm.FSqrtOp: _unary(np.sqrt),
    xdsl_llvm.FExp2Op: _unary(np.exp2),
    xdsl_llvm.FMAOp: make_fma,
}
