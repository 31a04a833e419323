"""Tensors of other libraries as addresses, shapes and strides, without importing them.

Known are torch, cupy, numpy and jax, and whatever exports `__cuda_array_interface__` or
DLPack. A library is looked at only when it is already loaded: its tensors cannot exist
otherwise.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NoReturn

from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.launch.plan import TileArg, TileValue
from croqtile_mlir.runtime.arrays import DeviceArray
from croqtile_mlir.runtime.dlpack import read_dlpack
from croqtile_mlir.runtime.driver import Driver
from croqtile_mlir.runtime.dtypes import DType, describe, dtype_named
from croqtile_mlir.runtime.jax_arrays import IMMUTABLE, is_jax, ready

Library = Literal["torch", "cupy", "jax", "numpy", "croqtile", "other"]


@dataclass(frozen=True)
class Tensor:
    """One tensor argument, as the launch needs it."""

    value: TileValue
    dtype: DType
    device: int | None
    """The device's number; None for host memory."""

    library: Library
    source: Any
    """The object itself, which keeps the memory alive."""

    read_only: bool = False
    immutable: str = ""
    """Why its library lets nobody write to it, and what to do."""

    stream: int | None = None
    """The stream whose work the tensor's contents wait for, when it names one."""


def read_tensor(
    arg: TileArg, source: Any, driver: Callable[[], Driver], stream: int
) -> Tensor:
    """What the caller passed for the tile `arg`; refuses anything else by name."""
    if isinstance(source, DeviceArray):
        _match(arg, source.dtype.libraries[0], source.shape)
        return of_array(source)
    if _is_a(source, "torch", "Tensor"):
        return _read_torch(arg, source)
    if _is_a(source, "cupy", "ndarray"):
        return _read_array(arg, source, "cupy")
    if _is_a(source, "numpy", "ndarray"):
        return _read_array(arg, source, "numpy")
    if is_jax(source):
        host = ready(arg.name, source)
        if host is not source:
            return replace(_read_array(arg, host, "numpy"), immutable=IMMUTABLE)
        read = _read_dlpack(arg, source, stream)
        return replace(read, library="jax", immutable=IMMUTABLE)
    interface = getattr(source, "__cuda_array_interface__", None)
    if interface is not None:
        return _read_interface(arg, source, interface, driver)
    if hasattr(source, "__dlpack__") and hasattr(source, "__dlpack_device__"):
        return _read_dlpack(arg, source, stream)
    raise ArgumentError(
        f"argument '{arg.name}' must be a tensor (torch, cupy, numpy, jax, or one "
        f"that exports __cuda_array_interface__ or DLPack), got {describe(source)}"
    )


def of_array(array: DeviceArray) -> Tensor:
    """An array of the runtime's own."""
    return Tensor(array.value, array.dtype, array.device.ordinal, "croqtile", array)


def check_strides(arg: TileArg, value: TileValue) -> None:
    """Refuse what a kernel cannot walk: its inner stride is 1, its outer ones free.

    Strides of dims of extent 1 mean nothing; a tensor without elements is never read.
    """
    if 0 in value.shape:
        return
    place = f"argument '{arg.name}'"
    found = f"got strides {value.strides} for shape {value.shape}"
    steps = [
        (stride, extent)
        for stride, extent in zip(value.strides, value.shape, strict=True)
        if extent > 1
    ]
    if any(stride <= 0 for stride, _ in steps):
        raise ArgumentError(f"{place}: strides must be positive, {found}")
    if value.shape and value.shape[-1] > 1 and value.strides[-1] != 1:
        raise ArgumentError(
            f"{place}: the last dim must have stride 1 (make the tensor contiguous), "
            f"{found}"
        )
    check_no_overlap(arg, value)


def check_no_overlap(arg: TileArg, value: TileValue) -> None:
    """Refuse a tensor of which one place in memory is several elements."""
    covered = 1
    steps = zip(value.strides, value.shape, strict=True)
    for stride, extent in sorted((abs(s), e) for s, e in steps if e > 1):
        if stride < covered:
            raise ArgumentError(
                f"argument '{arg.name}': elements must not overlap, got strides "
                f"{value.strides} for shape {value.shape}"
            )
        covered = stride * extent


def check_writeable(name: str, tensor: Tensor) -> None:
    """Refuse an argument that is stored to and must not be."""
    if tensor.immutable:
        raise ArgumentError(
            f"argument '{name}' must be writeable, the kernel stores to it "
            f"({tensor.immutable})"
        )
    if tensor.read_only:
        raise ArgumentError(
            f"argument '{name}' must be writeable, the kernel stores to it"
        )


def _is_a(source: object, module: str, name: str) -> bool:
    loaded = sys.modules.get(module)
    kind = getattr(loaded, name, None)
    return isinstance(kind, type) and isinstance(source, kind)


def _match(arg: TileArg, name: str, shape: Sequence[int]) -> DType:
    """The declared element type, if a library's `name` may stand for it."""
    dtype = dtype_named(arg.dtype)
    if name not in dtype.libraries:
        wanted = " or ".join(dtype.libraries)
        raise ArgumentError(
            f"argument '{arg.name}': element type must be {arg.dtype} ({wanted}), "
            f"got {name} (shape {tuple(shape)})"
        )
    return dtype


def check_not_negated(arg: TileArg, source: Any) -> None:
    """Refuse a view of torch whose elements are those in memory with another sign."""
    if _is_a(source, "torch", "Tensor") and source.is_neg():
        raise ArgumentError(
            f"argument '{arg.name}': memory must hold the elements, got a view that "
            "negates them (resolve_neg() makes a tensor of it)"
        )


def check_memory(arg: TileArg, value: TileValue) -> None:
    """Refuse a tensor with elements and no memory."""
    if not value.address and 0 not in value.shape:
        raise ArgumentError(
            f"argument '{arg.name}': memory must hold the elements, got a tensor of "
            f"shape {value.shape} whose storage was given up, or never was"
        )


def _read_torch(arg: TileArg, source: Any) -> Tensor:
    if str(source.layout) != "torch.strided":
        raise ArgumentError(
            f"argument '{arg.name}': layout must be strided, got {source.layout}"
        )
    check_not_negated(arg, source)
    dtype = _match(arg, str(source.dtype).removeprefix("torch."), source.shape)
    if source.device.type != "cuda":
        here = "; kernel.simulate takes it as it is"
        raise ArgumentError(
            f"argument '{arg.name}' must be on a CUDA device, got a torch tensor on "
            f"{source.device} (move it with .cuda()"
            f"{here if source.device.type == 'cpu' else ''})"
        )
    value = TileValue(
        shape=tuple(int(extent) for extent in source.shape),
        strides=tuple(int(stride) for stride in source.stride()),
        address=int(source.data_ptr()),
        element_bits=dtype.bits,
    )
    check_memory(arg, value)
    return Tensor(value, dtype, int(source.device.index), "torch", source)


def _read_array(arg: TileArg, source: Any, library: Literal["cupy", "numpy"]) -> Tensor:
    if _is_a(source, "numpy.ma", "MaskedArray"):
        _refuse_mask(arg)
    dtype = _match(arg, source.dtype.name, source.shape)
    if not source.dtype.isnative:
        raise ArgumentError(
            f"argument '{arg.name}': byte order must be native, got {source.dtype.str}"
        )
    on_host = library == "numpy"
    address = int(source.ctypes.data) if on_host else int(source.data.ptr)
    value = TileValue(
        shape=tuple(source.shape),
        strides=_element_strides(arg, source.strides, dtype),
        address=address,
        element_bits=dtype.bits,
    )
    device = None if on_host else int(source.device.id)
    read_only = on_host and not source.flags.writeable
    return Tensor(value, dtype, device, library, source, read_only)


def _refuse_mask(arg: TileArg) -> NoReturn:
    raise ArgumentError(
        f"argument '{arg.name}': every element must count, got an array with a mask "
        "(fill what it hides, and pass the array without it)"
    )


def _element_strides(
    arg: TileArg, strides: Sequence[int], dtype: DType
) -> tuple[int, ...]:
    if any(stride % dtype.bytes for stride in strides):
        raise ArgumentError(
            f"argument '{arg.name}': strides must be multiples of the element's "
            f"{dtype.bytes} bytes, got {tuple(strides)} bytes"
        )
    return tuple(stride // dtype.bytes for stride in strides)


def contiguous_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides, in elements, of a tensor without gaps."""
    strides: list[int] = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


# Type strings of the array interface (numpy's array protocol).
_TYPE_STRINGS = {
    "f2": "float16",
    "f4": "float32",
    "f8": "float64",
    "b1": "bool",
    "i1": "int8",
    "i2": "int16",
    "i4": "int32",
    "i8": "int64",
    "u1": "uint8",
    "u2": "uint16",
    "u4": "uint32",
    "u8": "uint64",
}


def _read_interface(
    arg: TileArg, source: Any, interface: Any, driver: Callable[[], Driver]
) -> Tensor:
    if interface.get("mask") is not None:
        _refuse_mask(arg)
    text = str(interface["typestr"])
    shape = tuple(int(extent) for extent in interface["shape"])
    order, kind = text[:1], text[1:]
    if order == ">" or kind not in _TYPE_STRINGS:
        raise ArgumentError(
            f"argument '{arg.name}': element type must be {arg.dtype}, got '{text}'"
        )
    dtype = _match(arg, _TYPE_STRINGS[kind], shape)
    address, read_only = interface["data"]
    strides = interface.get("strides")
    value = TileValue(
        shape=shape,
        strides=contiguous_strides(shape)
        if strides is None
        else _element_strides(arg, strides, dtype),
        address=int(address or 0),
        element_bits=dtype.bits,
    )
    device = _device_of(driver(), value.address)
    stream = interface.get("stream")
    return Tensor(value, dtype, device, "other", source, bool(read_only), stream=stream)


def _device_of(driver: Driver, address: int) -> int:
    """The device that holds an address; the null pointer of an empty array: 0."""
    if address == 0:
        return 0
    kind = driver.enum("CUpointer_attribute", "CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL")
    return int(driver.call("cuPointerGetAttribute", kind, address))


def _read_dlpack(arg: TileArg, source: Any, stream: int) -> Tensor:
    device_type, ordinal = source.__dlpack_device__()
    if int(device_type) != 2:
        raise ArgumentError(
            f"argument '{arg.name}' must be on a CUDA device, got {describe(source)} "
            f"of DLPack device type {int(device_type)}"
        )
    try:
        # DLPack's name for the default stream is 1.
        capsule = source.__dlpack__(stream=stream or 1)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ArgumentError(
            f"argument '{arg.name}' must export DLPack, got {describe(source)}: {error}"
        ) from error
    tensor = read_dlpack(capsule)
    dtype = _match(arg, tensor.dtype, tensor.shape)
    value = TileValue(
        shape=tensor.shape,
        strides=contiguous_strides(tensor.shape)
        if tensor.strides is None
        else tensor.strides,
        address=tensor.address,
        element_bits=dtype.bits,
    )
    return Tensor(value, dtype, int(ordinal), "other", (source, tensor))
