"""Returned tiles: made in the library of the arguments."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import lcm
from typing import Any

from croqtile_mlir.launch.plan import LaunchPlan, PitchCheck, TileArg
from croqtile_mlir.runtime.arrays import DeviceArray, numpy_dtype
from croqtile_mlir.runtime.device import Device
from croqtile_mlir.runtime.dtypes import dtype_named
from croqtile_mlir.runtime.tensors import Library


@dataclass(frozen=True)
class Output:
    """A returned tile."""

    result: Any
    """What the caller gets."""

    storage: Any
    """What the kernel writes: `result`, or an array that is copied to it."""


@dataclass(frozen=True)
class ReturnedTile:
    """How a library makes a returned tile."""

    shape: tuple[int, ...]
    """With rows as wide as the kernel needs them."""

    row: int | None
    """The extent of a row, where it is less."""

    empty: Callable[[tuple[int, ...]], Any]
    """What makes an uninitialised tensor of a shape."""

    @staticmethod
    def of(
        plan: LaunchPlan,
        tile: TileArg,
        dims: Mapping[str, int],
        empty: Callable[[tuple[int, ...]], Any],
    ) -> ReturnedTile:
        """For a returned tile of a launch."""
        shape = plan.shape(tile, dims)
        padded = _padded(plan, tile, shape)
        return ReturnedTile(padded, None if padded == shape else shape[-1], empty)

    def make(self) -> Any:
        """An uninitialised tensor."""
        result = self.empty(self.shape)
        return result if self.row is None else result[..., : self.row]


def torch_tile(
    plan: LaunchPlan, tile: TileArg, dims: Mapping[str, int], device: Any
) -> ReturnedTile:
    """A returned tile of a launch, on one of torch's devices."""
    torch: Any = sys.modules["torch"]
    kind = getattr(torch, dtype_named(tile.dtype).libraries[0])
    empty = partial(torch.empty, dtype=kind, device=device)
    return ReturnedTile.of(plan, tile, dims, empty)


def cupy_tile(
    plan: LaunchPlan, tile: TileArg, dims: Mapping[str, int], device: int
) -> ReturnedTile:
    """A returned tile of a launch, on one of cupy's devices."""
    kind = numpy_dtype(dtype_named(tile.dtype))
    empty = partial(empty_of_cupy, dtype=kind, device=device)
    return ReturnedTile.of(plan, tile, dims, empty)


def empty_of_cupy(shape: tuple[int, ...], dtype: Any, device: int) -> Any:
    """An uninitialised array of cupy on a device."""
    cupy: Any = sys.modules["cupy"]
    with cupy.cuda.Device(device):
        return cupy.empty(shape, dtype=dtype)


def make_output(
    plan: LaunchPlan,
    tile: TileArg,
    dims: Mapping[str, int],
    library: Library,
    device: Device,
) -> Output:
    """An uninitialised tensor for a returned tile.

    Where the kernel needs rows at multiples of some bytes, the result is a view into
    wider rows. What will be an array of jax is one of ours first. Libraries of which
    only an interface is known get a numpy array.
    """
    if library == "torch":
        result = torch_tile(plan, tile, dims, f"cuda:{device.ordinal}").make()
        return Output(result, result)
    if library == "cupy":
        result = cupy_tile(plan, tile, dims, device.ordinal).make()
        return Output(result, result)
    shape = plan.shape(tile, dims)
    dtype = dtype_named(tile.dtype)
    array = DeviceArray.empty(device, shape, dtype)
    if library in ("croqtile", "jax"):
        return Output(array, array)
    import numpy as np

    return Output(np.empty(shape, numpy_dtype(dtype)), array)


def _padded(plan: LaunchPlan, tile: TileArg, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape with rows widened to the pitch that the plan's checks ask for."""
    if len(shape) < 2:
        return shape
    pitch = lcm(
        *(
            check.bytes
            for check in plan.all_checks
            if isinstance(check, PitchCheck) and check.arg == tile.name
        )
    )
    size = dtype_named(tile.dtype).bytes
    unit = lcm(pitch, size) // size
    return (*shape[:-1], -(-shape[-1] // unit) * unit)
