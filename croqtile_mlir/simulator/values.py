"""Values in registers: their numpy types, wrapping, spreading and merging of lanes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    VectorType,
)
from xdsl.dialects.llvm import LLVMPointerType, LLVMStructType
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.simulator.program import Frame, Mask

Array = NDArray[Any]
Integers = NDArray[np.int64]

WARP = 32
"""Lanes of a warp."""

BFLOAT16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)

_INTEGERS = {
    1: np.dtype(np.bool_),
    8: np.dtype(np.int8),
    16: np.dtype(np.int16),
    32: np.dtype(np.int32),
    64: np.dtype(np.int64),
}
_UNSIGNED = {
    np.dtype(np.bool_): np.dtype(np.bool_),
    np.dtype(np.int8): np.dtype(np.uint8),
    np.dtype(np.int16): np.dtype(np.uint16),
    np.dtype(np.int32): np.dtype(np.uint32),
    np.dtype(np.int64): np.dtype(np.uint64),
}


def scalar_type(type_: Attribute) -> Attribute:
    """The type itself, or that of a vector's elements."""
    return type_.element_type if isa(type_, VectorType) else type_


def elements(type_: Attribute) -> int | None:
    """The number of elements of a vector; None for a scalar."""
    return type_.element_count() if isa(type_, VectorType) else None


def width(type_: Attribute) -> int:
    """Bits of an integer; pointers and indices have 64."""
    return type_.bitwidth if isinstance(type_, IntegerType) else 64


def dtype_of(type_: Attribute, op: Operation) -> np.dtype[Any]:
    """The numpy type of a scalar, or of the elements of a vector."""
    match scalar_type(type_):
        case IntegerType() as integer if integer.bitwidth in _INTEGERS:
            return _INTEGERS[integer.bitwidth]
        case IndexType() | LLVMPointerType():
            return _INTEGERS[64]
        case Float16Type():
            return np.dtype(np.float16)
        case BFloat16Type():
            return BFLOAT16
        case Float32Type():
            return np.dtype(np.float32)
        case Float64Type():
            return np.dtype(np.float64)
        case other:
            fail(op, f"must not use type {other} in the simulator")


def unsigned_of(type_: Attribute, op: Operation) -> np.dtype[Any]:
    """The unsigned numpy type of an integer, or of the elements of a vector."""
    return _UNSIGNED[dtype_of(type_, op)]


def is_integer(type_: Attribute) -> bool:
    """Whether a scalar is an `int` where all lanes agree."""
    return isinstance(type_, IntegerType | IndexType | LLVMPointerType)


def wrapped(value: int, bits: int) -> int | bool:
    """A Python integer as a signed one of so many bits; a bool for one bit."""
    if bits == 1:
        return bool(value & 1)
    half = 1 << (bits - 1)
    return ((value + half) & ((1 << bits) - 1)) - half


def zero_of(type_: Attribute, op: Operation, threads: int) -> Any:
    """The value of a type whose bits are all zero."""
    if isinstance(type_, LLVMStructType):
        return tuple(zero_of(member, op, threads) for member in type_.types)
    count = elements(type_)
    if count is not None:
        return np.zeros((threads, count), dtype_of(type_, op))
    if is_integer(type_):
        return False if width(type_) == 1 else 0
    return dtype_of(type_, op).type(0)


def spread(value: Any, threads: int, dtype: np.dtype[Any]) -> Array:
    """A scalar as an array of all lanes (threads,); an array stays as it is."""
    if value.__class__ is np.ndarray:
        return value
    return np.full(threads, value, dtype)


def lanes_of(value: Any, threads: int) -> Integers:
    """An integer or pointer in each lane, as int64."""
    if value.__class__ is np.ndarray:
        return value.astype(np.int64, copy=False)
    return np.full(threads, value, np.int64)


def collapse(value: Array, like: Callable[[Any], Any] = int) -> Any:
    """A scalar when all lanes of a scalar value agree."""
    first = value[0]
    return like(first) if (value == first).all() else value


class Shared(ABC):
    """A value that several agents hold together: an accumulator."""

    @abstractmethod
    def registers(self, frame: Frame, op: Operation) -> tuple[Any, ...]:
        """The registers of the lanes of an agent, as a struct has them."""


Merge = Callable[[Frame, Mask, Any, Any], Any]
"""Of a frame, a mask, and two values: the first in the lanes of the mask."""


def merge_of(type_: Attribute, op: Operation) -> Merge:
    """How two values of a type become one."""
    if isinstance(type_, LLVMStructType):
        members = tuple(merge_of(member, op) for member in type_.types)

        def structs(frame: Frame, mask: Mask, new: Any, old: Any) -> Any:
            if new is old or old is None:
                return new
            news = new.registers(frame, op) if isinstance(new, Shared) else new
            olds = old.registers(frame, op) if isinstance(old, Shared) else old
            rows = zip(members, news, olds, strict=True)
            return tuple(merge(frame, mask, a, b) for merge, a, b in rows)

        return structs
    if not isinstance(
        scalar_type(type_), IntegerType | IndexType | LLVMPointerType | AnyFloat
    ):

        def objects(frame: Frame, mask: Mask, new: Any, old: Any) -> Any:
            if new is not old and old is not None:
                fail(op, f"must not have different values of type {type_} in one warp")
            return new

        return objects
    dtype = dtype_of(type_, op)
    is_vector = elements(type_) is not None

    def numbers(frame: Frame, mask: Mask, new: Any, old: Any) -> Any:
        if new is old or old is None:
            return new
        if is_vector:
            lanes = mask[:, None]
            return np.where(lanes, np.asarray(new, dtype), np.asarray(old, dtype))
        threads = frame.agent.threads
        return np.where(mask, spread(new, threads, dtype), spread(old, threads, dtype))

    return numbers
