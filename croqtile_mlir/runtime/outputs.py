"""Returned tiles: made in the library of the arguments."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from math import lcm
from typing import Any

from croqtile_mlir.launch_plan import LaunchPlan, PitchCheck, TileArg
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


def make_output(
    plan: LaunchPlan,
    tile: TileArg,
    dims: Mapping[str, int],
    library: Library,
    device: Device,
) -> Output:
    """An uninitialised tensor for a returned tile.

    Where the kernel needs rows at multiples of some bytes, the result is a view into
    wider rows. Libraries of which only an interface is known get a numpy array.
    """
    shape = plan.shape(tile, dims)
    dtype = dtype_named(tile.dtype)
    if library in ("numpy", "other", "croqtile"):
        array = DeviceArray.empty(device, shape, dtype)
        if library == "croqtile":
            return Output(array, array)
        import numpy as np

        return Output(np.empty(shape, numpy_dtype(dtype)), array)
    padded = _padded(plan, tile, shape)
    if library == "torch":
        torch: Any = sys.modules["torch"]
        kind = getattr(torch, dtype.libraries[0])
        result = torch.empty(padded, dtype=kind, device=f"cuda:{device.ordinal}")
    else:
        cupy: Any = sys.modules["cupy"]
        result = cupy.empty(padded, dtype=numpy_dtype(dtype))
    if padded != shape:
        result = result[..., : shape[-1]]
    return Output(result, result)


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
