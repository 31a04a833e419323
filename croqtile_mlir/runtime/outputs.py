"""Returned tiles: made in the library of the arguments."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
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
class TorchOutput:
    """How torch makes a returned tile."""

    shape: tuple[int, ...]
    """With rows as wide as the kernel needs them."""

    row: int | None
    """The extent of a row, where it is less."""

    dtype: Any
    device: Any

    @staticmethod
    def of(
        plan: LaunchPlan, tile: TileArg, dims: Mapping[str, int], device: Any
    ) -> TorchOutput:
        """For a returned tile of a launch, on one of torch's devices."""
        shape = plan.shape(tile, dims)
        padded = _padded(plan, tile, shape)
        row = None if padded == shape else shape[-1]
        kind = getattr(sys.modules["torch"], dtype_named(tile.dtype).libraries[0])
        return TorchOutput(padded, row, kind, device)

    def make(self) -> Any:
        """An uninitialised tensor."""
        torch: Any = sys.modules["torch"]
        result = torch.empty(self.shape, dtype=self.dtype, device=self.device)
        return result if self.row is None else result[..., : self.row]


@dataclass(frozen=True)
class CupyOutput:
    """How cupy makes a returned tile."""

    shape: tuple[int, ...]
    """With rows as wide as the kernel needs them."""

    row: int | None
    """The extent of a row, where it is less."""

    dtype: Any
    device: int

    @staticmethod
    def of(
        plan: LaunchPlan, tile: TileArg, dims: Mapping[str, int], device: int
    ) -> CupyOutput:
        """For a returned tile of a launch."""
        shape = plan.shape(tile, dims)
        padded = _padded(plan, tile, shape)
        row = None if padded == shape else shape[-1]
        return CupyOutput(padded, row, numpy_dtype(dtype_named(tile.dtype)), device)

    def make(self) -> Any:
        """An uninitialised array."""
        cupy: Any = sys.modules["cupy"]
        with cupy.cuda.Device(self.device):
            result = cupy.empty(self.shape, dtype=self.dtype)
        return result if self.row is None else result[..., : self.row]


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
        result = TorchOutput.of(plan, tile, dims, f"cuda:{device.ordinal}").make()
        return Output(result, result)
    if library == "cupy":
        result = CupyOutput.of(plan, tile, dims, device.ordinal).make()
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
