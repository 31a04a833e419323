"""The operands of a product: shapes, layouts, and which kernel takes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.kernels.matmul import Engine, PlainMatmul
from croqtile_mlir.kernels.memory_ranges import memory_range, overlap
from croqtile_mlir.launch.records import MAX_EXTENT, TileArg
from croqtile_mlir.runtime.driver import Driver
from croqtile_mlir.runtime.dtypes import DType, describe, dtype_named
from croqtile_mlir.runtime.tensors import (
    Tensor,
    check_strides,
    check_writeable,
    read_tensor,
)

_BYTES = 16
"""What TMA wants addresses and pitches to be multiples of."""

_ELEMENT_TYPES = {"float16": "f16", "bfloat16": "bf16", "float32": "f32"}
_OPERAND_TYPES = ("f16", "bf16")
_TYPE_STRINGS = {"<f2": "float16", "<f4": "float32"}


@dataclass(frozen=True)
class Operands:
    """What is multiplied, and how it lies in memory."""

    m: int
    n: int
    k: int
    plain: PlainMatmul
    device: int | None
    """None: numpy arrays."""

    @property
    def dims(self) -> dict[str, int]:
        """The extents, as `croqtile_mlir.compile` takes them."""
        return {"M": self.m, "N": self.n, "K": self.k}


def element_type(name: str, source: Any) -> str:
    """MLIR's name of a tensor's element type."""
    given = getattr(source, "dtype", None)
    if given is None:
        interface = getattr(source, "__cuda_array_interface__", {})
        library = _TYPE_STRINGS.get(str(interface.get("typestr", "")), "")
    elif isinstance(given, DType):
        library = given.libraries[0]
    else:
        library = str(given).removeprefix("torch.")
    if library not in _ELEMENT_TYPES:
        raise ArgumentError(
            f"argument '{name}' must be a tensor of f16, bf16 or f32, got "
            f"{describe(source) if given is None else given}"
        )
    return _ELEMENT_TYPES[library]


def read_operand(
    name: str, source: Any, driver: Callable[[], Driver], stream: int
) -> Tensor:
    """A matrix of any strides; its name is for messages."""
    tensor = read_tensor(
        TileArg(name, element_type(name, source), ()), source, driver, stream
    )
    if len(tensor.value.shape) != 2:
        raise ArgumentError(
            f"argument '{name}': rank must be 2, got shape {tensor.value.shape}"
        )
    return tensor


def dtype_name(dtype: Any) -> str | None:
    """MLIR's name of an element type that a caller wrote in some way."""
    if dtype is None or (isinstance(dtype, str) and dtype in _ELEMENT_TYPES.values()):
        return dtype
    library = str(getattr(dtype, "__name__", dtype)).removeprefix("torch.")
    if library not in _ELEMENT_TYPES:
        raise ArgumentError(f"dtype must be f16, bf16 or f32, got {dtype!r}")
    return _ELEMENT_TYPES[library]


def result_type(a: Tensor, b: Tensor, dtype: str | None) -> str:
    """The element type of the result, where `dtype` is asked for."""
    if a.dtype.name not in _OPERAND_TYPES or a.dtype != b.dtype:
        raise ArgumentError(
            "arguments 'a' and 'b' must both be f16 or both bf16, got "
            f"{a.dtype.name} and {b.dtype.name}"
        )
    return dtype or a.dtype.name


def extents(a: Tensor, b: Tensor) -> tuple[int, int, int]:
    """M, N and K of a product."""
    (m, k), (depth, n) = a.value.shape, b.value.shape
    if depth != k:
        raise ArgumentError(
            f"argument 'b': extent of dim 0 must be {k} as dim 1 of argument 'a', got "
            f"{depth} (shapes {a.value.shape} and {b.value.shape})"
        )
    for extent in (m, n, k):
        if extent > MAX_EXTENT:
            raise ArgumentError(f"extents must be at most {MAX_EXTENT}, got {extent}")
    return m, n, k


def check_result(
    out: Tensor, shape: tuple[int, int], a: Tensor, b: Tensor, dtype: str | None
) -> str:
    """The element type of `out`; refuses one that does not suit the operands."""
    found = out.dtype.name
    if out.value.shape != shape:
        raise ArgumentError(
            f"argument 'out': shape must be {shape}, got {out.value.shape}"
        )
    if dtype is not None and found != dtype:
        raise ArgumentError(
            f"argument 'out': element type must be {dtype}, got {found}"
        )
    check_writeable("out", out)
    places = {tensor.device for tensor in (a, b, out)}
    if len(places) > 1:
        shown = ", ".join("host" if p is None else f"device {p}" for p in places)
        raise ArgumentError(f"arguments must all be on one device, got {shown}")
    for name, operand in (("a", a), ("b", b)):
        if overlap(memory_range(out.value), memory_range(operand.value)):
            raise ArgumentError(
                f"argument 'out' must not share a range of addresses with '{name}'"
            )
    return found


def is_transposed(tensor: Tensor) -> bool:
    """Whether the first dim of a matrix is the contiguous one."""
    (rows, cols), (outer, inner) = tensor.value.shape, tensor.value.strides
    if tensor.library == "numpy":
        # It is copied; the order that needs no gathering is the better one.
        return outer < inner
    by_rows, by_cols = inner == 1 or cols == 1, outer == 1 or rows == 1
    return rows > cols if by_rows and by_cols else by_cols


def check_strided(name: str, tensor: Tensor) -> None:
    """Refuse a matrix of which no dim is contiguous, or with overlapping elements."""
    if tensor.library != "numpy":
        arg = TileArg(name, tensor.dtype.name, ("rows", "cols"))
        check_strides(arg, _row_major(tensor).value)


def operands(a: Tensor, b: Tensor, out: Tensor, out_dtype: str) -> Operands:
    """Which kernel takes the operands; `out` is row-major."""
    m, n, k = extents(a, b)
    lhs_by_k, rhs_by_k = not is_transposed(a), is_transposed(b)
    unit = _BYTES // dtype_named(out_dtype).bytes
    stored_by_tma = n % unit == 0 and _has_pitch(out)
    plain = PlainMatmul(
        dtype=a.dtype.name,
        out_dtype=out_dtype,
        lhs_by_k=lhs_by_k,
        rhs_by_k=rhs_by_k,
        lhs_engine=_engine(_has_pitch(_row_major(a))),
        rhs_engine=_engine(_has_pitch(_row_major(b))),
        out_engine=_engine(stored_by_tma),
        multiple=1,
    )
    return Operands(m, n, k, plain, a.device)


def _engine(by_tma: bool) -> Engine:
    return "tma" if by_tma else "threads"


def _row_major(tensor: Tensor) -> Tensor:
    """The matrix with its contiguous dim last."""
    if not is_transposed(tensor):
        return tensor
    value = tensor.value
    swapped = replace(value, shape=value.shape[::-1], strides=value.strides[::-1])
    return replace(tensor, value=swapped)


def _has_pitch(tensor: Tensor) -> bool:
    """Whether TMA can address a row-major matrix; copies of numpy arrays it can."""
    if tensor.library == "numpy":
        return True
    value = tensor.value
    pitch = value.strides[0] * tensor.dtype.bytes
    return value.address % _BYTES == 0 and (value.shape[0] == 1 or pitch % _BYTES == 0)
