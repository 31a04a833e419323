"""Integer arithmetic (`arith`): wraps at the width of its type."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from xdsl.dialects import arith
from xdsl.ir import Operation

from croqtile_mlir.simulator.program import Frame, Handlers, Made, Maker
from croqtile_mlir.simulator.values import (
    Array,
    dtype_of,
    elements,
    lanes_of,
    scalar_type,
    spread,
    unsigned_of,
    width,
    wrapped,
)

_Whole = Callable[[int, int], int]
_Lanes = Callable[[Any, Any], Array]


def _truncated(a: int, b: int) -> int:
    """Division that rounds towards zero; by zero gives 0, which no kernel may use."""
    if not b:
        return 0
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int:
    return a - _truncated(a, b) * b if b else 0


def _floor(a: int, b: int) -> int:
    return a // b if b else 0


def _ceiling(a: int, b: int) -> int:
    return -(-a // b) if b else 0


def _each(whole: _Whole) -> _Lanes:
    """An operation on lanes out of one on Python integers: for the rare ones."""

    def lanes(a: Any, b: Any) -> Array:
        pairs = np.broadcast_arrays(a, b)
        results = [
            whole(int(x), int(y))
            for x, y in zip(pairs[0].ravel(), pairs[1].ravel(), strict=True)
        ]
        return np.array(results, dtype=object).reshape(pairs[0].shape)

    return lanes


def _binary(
    whole: _Whole, lanes: _Lanes, *, unsigned: bool = False
) -> Callable[[Any, Maker], Made]:
    """An operation of two operands, on one integer and on arrays of them."""

    def make(op: Operation, maker: Maker) -> Made:
        left, right = maker.registers(op.operands)
        result = maker.register(op.results[0])
        type_ = op.results[0].type
        bits = width(scalar_type(type_))
        dtype = dtype_of(type_, op)
        half, span = 1 << (bits - 1), 1 << bits
        ones = span - 1
        plain = unsigned_of(type_, op)
        is_bool = bits == 1

        def signed_step(frame: Frame) -> None:
            values = frame.values
            a, b = values[left], values[right]
            if a.__class__ is int and b.__class__ is int:
                values[result] = ((whole(a, b) + half) & ones) - half
            else:
                values[result] = lanes(a, b).astype(dtype, copy=False)

        def unsigned_step(frame: Frame) -> None:
            values = frame.values
            a, b = values[left], values[right]
            if a.__class__ is int and b.__class__ is int:
                values[result] = ((whole(a & ones, b & ones) + half) & ones) - half
                return
            a = a.view(plain) if a.__class__ is np.ndarray else plain.type(a & ones)
            b = b.view(plain) if b.__class__ is np.ndarray else plain.type(b & ones)
            values[result] = lanes(a, b).astype(plain, copy=False).view(dtype)

        def bit_step(frame: Frame) -> None:
            values = frame.values
            a, b = values[left], values[right]
            if a.__class__ is bool and b.__class__ is bool:
                values[result] = bool(whole(int(a), int(b)) & 1)
            else:
                a, b = np.asarray(a, np.int8), np.asarray(b, np.int8)
                values[result] = (lanes(a, b) & 1).astype(dtype)

        if is_bool:
            return bit_step
        return unsigned_step if unsigned else signed_step

    return make


_COMPARISONS: Final = (
    np.equal,
    np.not_equal,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
)
"""By the number of the predicate: eq ne slt sle sgt sge ult ule ugt uge."""

_WHOLE_COMPARISONS: Final[tuple[Callable[[int, int], bool], ...]] = (
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
)


def make_compare(op: arith.CmpiOp, maker: Maker) -> Made:
    """`arith.cmpi`."""
    left, right = maker.registers(op.operands)
    result = maker.register(op.result)
    predicate = op.predicate.value.data
    whole, lanes = _WHOLE_COMPARISONS[predicate], _COMPARISONS[predicate]
    unsigned = predicate >= 6
    bits = width(scalar_type(op.lhs.type))
    ones = (1 << bits) - 1
    plain = unsigned_of(op.lhs.type, op)
    is_bool = bits == 1

    def step(frame: Frame) -> None:
        values = frame.values
        a, b = values[left], values[right]
        if a.__class__ is not np.ndarray and b.__class__ is not np.ndarray:
            if unsigned or is_bool:
                a, b = a & ones, b & ones
                if is_bool and not unsigned:
                    a, b = -a, -b
            values[result] = whole(a, b)
            return
        if unsigned and not is_bool:
            a = a.view(plain) if a.__class__ is np.ndarray else plain.type(a & ones)
            b = b.view(plain) if b.__class__ is np.ndarray else plain.type(b & ones)
        elif is_bool and predicate > 1 and not unsigned:
            a, b = b, a
        values[result] = lanes(a, b)

    return step


def make_select(op: arith.SelectOp, maker: Maker) -> Made:
    """`arith.select` and `llvm.select`."""
    from croqtile_mlir.simulator.values import merge_of

    condition, left, right = maker.registers(op.operands)
    result = maker.register(op.results[0])
    merge = merge_of(op.results[0].type, op)

    def step(frame: Frame) -> None:
        values = frame.values
        chosen = values[condition]
        if chosen.__class__ is np.ndarray:
            values[result] = merge(frame, chosen, values[left], values[right])
        else:
            values[result] = values[left] if chosen else values[right]

    return step


def _extend(*, signed: bool) -> Callable[[Any, Maker], Made]:
    def make(op: Operation, maker: Maker) -> Made:
        (source,) = maker.registers(op.operands)
        result = maker.register(op.results[0])
        bits = width(scalar_type(op.operands[0].type))
        ones = (1 << bits) - 1
        dtype = dtype_of(op.results[0].type, op)
        plain = unsigned_of(op.operands[0].type, op)

        def step(frame: Frame) -> None:
            value = frame.values[source]
            if value.__class__ is not np.ndarray:
                if signed:
                    extended = -int(value) if bits == 1 else value
                else:
                    extended = int(value) & ones
            elif bits == 1:
                extended = value.astype(dtype)
                if signed:
                    extended = -extended
            elif signed:
                extended = value.astype(dtype)
            else:
                extended = value.view(plain).astype(dtype)
            frame.values[result] = extended

        return step

    return make


def make_truncate(op: Operation, maker: Maker) -> Made:
    """`arith.trunci`: also a cast between `index` and integers, of any widths."""
    (source,) = maker.registers(op.operands)
    result = maker.register(op.results[0])
    bits = width(scalar_type(op.results[0].type))
    dtype = dtype_of(op.results[0].type, op)

    def step(frame: Frame) -> None:
        value = frame.values[source]
        if value.__class__ is np.ndarray:
            frame.values[result] = (
                (value & 1).astype(dtype) if bits == 1 else value.astype(dtype)
            )
        else:
            frame.values[result] = wrapped(int(value), bits)

    return step


def _extended(*, signed: bool) -> Callable[[Any, Maker], Made]:
    """The low and the high half of a product."""

    def make(op: Operation, maker: Maker) -> Made:
        left, right = maker.registers(op.operands)
        low, high = maker.registers(op.results)
        type_ = op.results[0].type
        bits, dtype = width(scalar_type(type_)), dtype_of(type_, op)
        ones = (1 << bits) - 1
        count = elements(type_)

        def halves(a: int, b: int) -> tuple[int, int]:
            if not signed:
                a, b = a & ones, b & ones
            product = a * b
            return int(wrapped(product, bits)), int(wrapped(product >> bits, bits))

        def step(frame: Frame) -> None:
            values = frame.values
            a, b = values[left], values[right]
            if a.__class__ is int and b.__class__ is int:
                values[low], values[high] = halves(a, b)
                return
            threads = frame.agent.threads
            if count is None:
                a, b = lanes_of(a, threads), lanes_of(b, threads)
            pairs = [
                halves(int(x), int(y))
                for x, y in zip(a.ravel(), b.ravel(), strict=True)
            ]
            both = np.array(pairs, dtype).reshape(*a.shape, 2)
            values[low], values[high] = both[..., 0], both[..., 1]

        return step

    return make


def make_add_extended(op: arith.AddUIExtendedOp, maker: Maker) -> Made:
    """`arith.addui_extended`: the sum and whether it overflowed."""
    left, right = maker.registers(op.operands)
    total, overflow = maker.registers(op.results)
    bits = width(scalar_type(op.sum.type))
    dtype = dtype_of(op.sum.type, op)
    ones, plain = (1 << bits) - 1, unsigned_of(op.sum.type, op)

    def step(frame: Frame) -> None:
        values = frame.values
        a, b = values[left], values[right]
        if a.__class__ is int and b.__class__ is int:
            exact = (a & ones) + (b & ones)
            values[total] = wrapped(exact, bits)
            values[overflow] = exact > ones
            return
        threads = frame.agent.threads
        a, b = spread(a, threads, dtype), spread(b, threads, dtype)
        summed = a.view(plain) + b.view(plain)
        values[total] = summed.view(dtype)
        values[overflow] = summed < a.view(plain)

    return step


HANDLERS: Final[Handlers] = {
    arith.AddiOp: _binary(lambda a, b: a + b, np.add),
    arith.SubiOp: _binary(lambda a, b: a - b, np.subtract),
    arith.MuliOp: _binary(lambda a, b: a * b, np.multiply),
    arith.AndIOp: _binary(lambda a, b: a & b, np.bitwise_and),
    arith.OrIOp: _binary(lambda a, b: a | b, np.bitwise_or),
    arith.XOrIOp: _binary(lambda a, b: a ^ b, np.bitwise_xor),
    arith.ShLIOp: _binary(lambda a, b: a << (b & 63), np.left_shift),
    arith.ShRSIOp: _binary(lambda a, b: a >> (b & 63), np.right_shift),
    arith.ShRUIOp: _binary(lambda a, b: a >> b, np.right_shift, unsigned=True),
    arith.DivSIOp: _binary(_truncated, _each(_truncated)),
    arith.RemSIOp: _binary(_remainder, _each(_remainder)),
    arith.FloorDivSIOp: _binary(_floor, _each(_floor)),
    arith.CeilDivSIOp: _binary(_ceiling, _each(_ceiling)),
    arith.CeilDivUIOp: _binary(_ceiling, _each(_ceiling), unsigned=True),
    arith.DivUIOp: _binary(_floor, np.floor_divide, unsigned=True),
    arith.RemUIOp: _binary(lambda a, b: a % b if b else 0, np.remainder, unsigned=True),
    arith.MinSIOp: _binary(min, np.minimum),
    arith.MaxSIOp: _binary(max, np.maximum),
    arith.MinUIOp: _binary(min, np.minimum, unsigned=True),
    arith.MaxUIOp: _binary(max, np.maximum, unsigned=True),
    arith.CmpiOp: make_compare,
    arith.SelectOp: make_select,
    arith.ExtSIOp: _extend(signed=True),
    arith.ExtUIOp: _extend(signed=False),
    arith.TruncIOp: make_truncate,
    arith.IndexCastOp: make_truncate,
    arith.AddUIExtendedOp: make_add_extended,
    arith.MulUIExtendedOp: _extended(signed=False),
    arith.MulSIExtendedOp: _extended(signed=True),
}
