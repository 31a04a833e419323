"""
The arguments of a launch as global memory of the simulator, and back.

Shapes, element types, dims and the plan's checks are those of a launch on a device. Two
ways to lay an array out:

- like the runtime's device copies of numpy arrays: rows at multiples of 16 bytes, any
  strides of the array will do (the default);
- `keep_strides`: the array stands for a device tensor, the kernel sees its strides, and
  the checks of pitches and alignment apply. The memory that the array is a view of
  counts as aligned to 16 bytes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import gcd, prod
from typing import Any, NoReturn, cast

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.launch.plan import LaunchPlan, TileArg, TileValue
from croqtile_mlir.runtime.arrays import numpy_dtype
from croqtile_mlir.runtime.binding import Arguments, bind_arguments
from croqtile_mlir.runtime.dlpack import read_dlpack
from croqtile_mlir.runtime.dtypes import DType, describe, dtype_named
from croqtile_mlir.runtime.jax_arrays import is_jax
from croqtile_mlir.runtime.tensors import (
    check_memory,
    check_not_negated,
    check_strides,
    contiguous_strides,
)
from croqtile_mlir.simulator.global_memory import GlobalMemory, GlobalTile
from croqtile_mlir.simulator.memory import Bytes
from croqtile_mlir.simulator.state import Executable, LaunchState

Array = NDArray[Any]

ALIGNMENT = 16
"""Bytes that every allocation is a multiple of."""

_CPU = 1
"""DLPack's number for host memory."""


@dataclass(frozen=True, eq=False)
class BoundTile:
    """A tile argument in global memory, and the array that it came from."""

    tile: GlobalTile
    array: Array
    written: bool
    """Whether it goes back to the array after the run."""

    gaps: NDArray[np.int64] | None = None
    """The granules between the rows that the kernel must leave alone; None: it may
    write there, because nobody owns them."""

    def store(self) -> None:
        """Copy what the kernel wrote back."""
        if self.written and self.array.size:
            self.array.view(self.tile.dtype)[...] = _elements(
                self.tile.buffer.data, self.tile
            )


@dataclass(frozen=True, eq=False)
class BoundLaunch:
    """The arguments of one run."""

    state: LaunchState
    tiles: tuple[BoundTile, ...]
    results: tuple[Array, ...]
    """The tiles that the kernel returns."""

    def store(self) -> None:
        """Copy the tiles that the kernel writes back to the caller's arrays."""
        for tile in self.tiles:
            tile.store()


def bind_launch(
    plan: LaunchPlan,
    executable: Executable,
    args: Sequence[object],
    *,
    keep_strides: bool = False,
    checks: bool = True,
) -> BoundLaunch:
    """
    Check the arguments, copy them to global memory, and find the grid.

    Raises:
        ArgumentError: an argument breaks a rule; the message names it.
    """
    inputs = plan.inputs
    hosted = [
        _on_host(arg, given) if isinstance(arg, TileArg) else given
        for arg, given in zip(inputs, args, strict=False)
    ]
    arguments = bind_arguments(plan, hosted + list(args[len(hosted) :]), None, _driver)
    granule = executable.granule
    if keep_strides:
        # Fine enough to tell an element from its neighbour in a gap.
        sizes = [dtype_named(tile.dtype).bytes for tile in plan.tiles.values()]
        granule = gcd(granule, *sizes)
    memory = GlobalMemory(
        granule=granule, proxies=executable.explicit_fences, checked=checks
    )
    bound = tuple(_tiles(plan, arguments, memory, keep_strides))
    state = LaunchState(
        memory,
        {each.tile.name: each.tile for each in bound},
        {name: _scalar(plan, name, data) for name, data in arguments.scalars.items()},
        arguments.dims,
    )
    state.grid = executable.grid(state)
    for axis, extent, blocks in zip("xyz", state.grid, executable.cluster, strict=True):
        if extent % blocks:
            raise ArgumentError(
                f"grid {axis} must be a multiple of the {blocks} blocks of a cluster, "
                f"got {extent}"
            )
    if 0 not in state.grid:
        plan.check(arguments.dims, {t.tile.name: _geometry(t.tile) for t in bound})
    results = {each.tile.name: each.array for each in bound}
    return BoundLaunch(state, bound, tuple(results[t.name] for t in plan.outputs))


def _driver() -> NoReturn:
    raise ArgumentError("arguments must be in host memory for the simulator")


def _on_host(arg: TileArg, source: Any) -> object:
    """A tensor of another library in host memory as an array that shares its memory."""
    if isinstance(source, np.ndarray) or is_jax(source):
        return cast("object", source)
    device = getattr(source, "__dlpack_device__", None)
    if hasattr(source, "__cuda_array_interface__") or (
        device is not None and _dlpack(arg, source, device)[0] != _CPU
    ):
        raise ArgumentError(
            f"argument '{arg.name}' must be in host memory for the simulator, got "
            f"{describe(source)} on a device"
        )
    if device is None or not hasattr(source, "__dlpack__"):
        return source
    check_not_negated(arg, source)
    tensor = read_dlpack(_dlpack(arg, source, source.__dlpack__))
    dtype = dtype_named(arg.dtype)
    if tensor.dtype not in dtype.libraries:
        raise ArgumentError(
            f"argument '{arg.name}': element type must be {arg.dtype} "
            f"({' or '.join(dtype.libraries)}), got {tensor.dtype}"
        )
    if 0 in tensor.shape:
        return np.empty(tensor.shape, numpy_dtype(dtype))
    strides = tensor.strides or contiguous_strides(tensor.shape)
    size = dtype.bytes
    check_memory(arg, TileValue(tensor.shape, strides, tensor.address, dtype.bits))
    raw = _memory(tensor.address, _span(tensor.shape, strides) * size)
    return as_strided(
        raw.view(numpy_dtype(dtype)), tensor.shape, tuple(s * size for s in strides)
    )


def _dlpack(arg: TileArg, source: object, ask: Callable[[], Any]) -> Any:
    """What a tensor answers; one that does not is refused by name."""
    try:
        return ask()
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ArgumentError(
            f"argument '{arg.name}' must export DLPack, got {describe(source)}: {error}"
        ) from None


def _tiles(
    plan: LaunchPlan, arguments: Arguments, memory: GlobalMemory, keep_strides: bool
) -> Iterator[BoundTile]:
    for name, arg in plan.tiles.items():
        dtype = dtype_named(arg.dtype)
        if arg.output:
            shape = plan.shape(arg, arguments.dims)
            array: Array = np.empty(shape, numpy_dtype(dtype))
            yield _copied(memory, arg, array, dtype)
            continue
        tensor = arguments.tensors[name]
        if tensor.device is not None:
            raise ArgumentError(
                f"argument '{name}' must be in host memory for the simulator, got "
                f"{describe(tensor.source)} on device {tensor.device}"
            )
        array = tensor.source
        if keep_strides and array.size:
            check_strides(arg, tensor.value)
            yield _in_place(memory, arg, array, dtype)
        else:
            yield _copied(memory, arg, array, dtype)


def _copied(
    memory: GlobalMemory, arg: TileArg, array: Array, dtype: DType
) -> BoundTile:
    """Rows at multiples of 16 bytes; the bytes between them have no value."""
    shape = tuple(array.shape)
    unit = ALIGNMENT // dtype.bytes
    padded = (*shape[:-1], -(-shape[-1] // unit) * unit) if shape else shape
    strides = contiguous_strides(padded)
    data = np.zeros(prod(padded) * dtype.bytes, np.uint8)
    tile = _added(memory, arg, array, data, strides, 0)
    return BoundTile(tile, array, arg.written or arg.output)


def _in_place(
    memory: GlobalMemory, arg: TileArg, array: Array, dtype: DType
) -> BoundTile:
    """The array with its strides, and what lies between its rows."""
    strides = tuple(
        stride // dtype.bytes if extent > 1 else 1
        for stride, extent in zip(array.strides, array.shape, strict=True)
    )
    offset = (_address(array) - _address(_root(array))) % ALIGNMENT // dtype.bytes
    length = _span(array.shape, strides) * dtype.bytes
    data = np.zeros(offset * dtype.bytes + length, np.uint8)
    data[offset * dtype.bytes :] = _memory(_address(array), length)
    tile = _added(memory, arg, array, data, strides, offset)
    return BoundTile(tile, array, arg.written, _gaps(tile))


def _added(
    memory: GlobalMemory,
    arg: TileArg,
    array: Array,
    data: Bytes,
    strides: tuple[int, ...],
    offset: int,
) -> GlobalTile:
    """A buffer with the elements of an array; a returned tile has no values yet."""
    buffer = memory.add(arg.name, data, written=not arg.output)
    dtype = numpy_dtype(dtype_named(arg.dtype))
    tile = GlobalTile(arg.name, buffer, dtype, array.shape, strides, offset)
    if array.size:
        buffer.is_written[_gaps(tile)] = False
        if not arg.output:
            _elements(buffer.data, tile)[...] = array.view(dtype)
            buffer.async_data[:] = buffer.data
    return tile


def _elements(data: Bytes, tile: GlobalTile) -> Array:
    """The elements of a tile that has some, a view of its buffer's bytes."""
    size = tile.dtype.itemsize
    start, length = tile.offset * size, _span(tile.shape, tile.strides) * size
    elements = data[start : start + length].view(tile.dtype)
    return as_strided(elements, tile.shape, tuple(s * size for s in tile.strides))


def _gaps(tile: GlobalTile) -> NDArray[np.int64]:
    """The granules without a byte of an element."""
    buffer, size = tile.buffer, tile.dtype.itemsize
    covered = np.zeros(len(buffer.data), np.uint8)
    _elements(covered, tile).view(f"u{size}")[...] = (1 << 8 * size) - 1
    return np.nonzero(~covered.reshape(-1, buffer.granule).any(axis=1))[0]


def _span(shape: Sequence[int], strides: Sequence[int]) -> int:
    """Elements from the first to the last, both included."""
    steps = zip(shape, strides, strict=True)
    return 1 + sum((extent - 1) * stride for extent, stride in steps)


def _geometry(tile: GlobalTile) -> TileValue:
    """What the plan's checks look at."""
    return TileValue(tile.shape, tile.strides, tile.address, tile.dtype.itemsize * 8)


def _root(array: Array) -> Array:
    """The array that owns the memory of a view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _address(array: Array) -> int:
    return int(array.ctypes.data)


def _memory(address: int, length: int) -> Bytes:
    return np.ctypeslib.as_array((ctypes.c_uint8 * length).from_address(address))


def _scalar(plan: LaunchPlan, name: str, data: bytes) -> Any:
    """A scalar argument as registers hold it."""
    (named,) = (arg for arg in plan.args if arg.name == name)
    dtype = dtype_named(named.dtype)
    value = np.frombuffer(data, numpy_dtype(dtype))[0]
    return value if dtype.is_float else value.item()
