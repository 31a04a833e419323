"""Element types: MLIR's names, their widths, and what libraries and TMA call them."""

from __future__ import annotations

import operator
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import SupportsIndex, cast

from croqtile_mlir.errors import ArgumentError


@dataclass(frozen=True)
class DType:
    """One element type."""

    name: str
    """MLIR's spelling."""

    bits: int
    libraries: tuple[str, ...]
    """What numpy, ml_dtypes, torch and cupy call the types that may stand for it."""

    tensor_map: str | None
    """The suffix of the driver's `CU_TENSOR_MAP_DATA_TYPE_`."""

    @property
    def bytes(self) -> int:
        return self.bits // 8

    @property
    def is_float(self) -> bool:
        return not self.name.startswith("i")


def _table(*dtypes: DType) -> Mapping[str, DType]:
    return MappingProxyType({dtype.name: dtype for dtype in dtypes})


DTYPES = _table(
    DType("f16", 16, ("float16",), "FLOAT16"),
    DType("bf16", 16, ("bfloat16",), "BFLOAT16"),
    DType("f32", 32, ("float32",), "FLOAT32"),
    DType("f64", 64, ("float64",), "FLOAT64"),
    DType("f8E4M3FN", 8, ("float8_e4m3fn",), "UINT8"),
    DType("f8E5M2", 8, ("float8_e5m2",), "UINT8"),
    DType("i1", 8, ("bool",), "UINT8"),
    DType("i8", 8, ("int8", "uint8"), "UINT8"),
    DType("i16", 16, ("int16", "uint16"), "UINT16"),
    DType("i32", 32, ("int32", "uint32"), "INT32"),
    DType("i64", 64, ("int64", "uint64"), "INT64"),
)
"""The element types that an argument may have."""


def dtype_named(name: str) -> DType:
    """The element type that MLIR spells `name`."""
    found = DTYPES.get(name)
    if found is None:
        known = ", ".join(DTYPES)
        raise ArgumentError(f"element type must be one of {known}, got {name}")
    return found


def pack_scalar(argument: str, dtype: DType, value: object) -> bytes:
    """The bytes of a scalar argument; refuses what its type cannot hold."""
    if dtype.is_float:
        return _pack_float(argument, dtype, value)
    try:
        number = operator.index(cast("SupportsIndex", value))
    except (TypeError, ValueError):
        raise ArgumentError(
            f"argument '{argument}' must be an integer for {dtype.name}, got "
            f"{describe(value)}"
        ) from None
    low, high = -(1 << dtype.bits - 1), (1 << dtype.bits) - 1
    if dtype.name == "i1":
        low, high = 0, 1
    if not low <= number <= high:
        raise ArgumentError(
            f"argument '{argument}' must be between {low} and {high} for {dtype.name}, "
            f"got {number}"
        )
    return (number % (1 << dtype.bits)).to_bytes(dtype.bytes, "little")


def _pack_float(argument: str, dtype: DType, value: object) -> bytes:
    convert = getattr(value, "__float__", None)
    shape = getattr(value, "shape", ())
    if convert is None or isinstance(value, bool | str) or shape != ():
        raise ArgumentError(
            f"argument '{argument}' must be a number for {dtype.name}, got "
            f"{describe(value)}"
        )
    number = float(convert())
    match dtype.name:
        case "f64":
            return struct.pack("<d", number)
        case "f32" | "f16":
            code = "<f" if dtype.name == "f32" else "<e"
            try:
                return struct.pack(code, number)
            except OverflowError:
                raise ArgumentError(
                    f"argument '{argument}' must be finite in {dtype.name}, "
                    f"got {number}"
                ) from None
        case "bf16":
            return _round_bf16(argument, number)
        case _:
            raise ArgumentError(
                f"argument '{argument}': scalars of type {dtype.name} are not supported"
            )


def _round_bf16(argument: str, number: float) -> bytes:
    try:
        bits = struct.unpack("<I", struct.pack("<f", number))[0]
    except OverflowError:
        raise ArgumentError(
            f"argument '{argument}' must be finite in bf16, got {number}"
        ) from None
    if number != number:
        return struct.pack("<H", 0x7FC0)
    bits += 0x7FFF + (bits >> 16 & 1)
    return struct.pack("<H", bits >> 16 & 0xFFFF)


def describe(value: object) -> str:
    """A value in a message: its type, and itself when that is short."""
    kind = type(value)
    name = kind.__name__ if kind.__module__ == "builtins" else str(kind)[8:-2]
    text = repr(value)
    return f"{name} {text}" if len(text) <= 32 and "\n" not in text else name
