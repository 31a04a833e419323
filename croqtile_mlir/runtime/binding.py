"""What a caller passed, checked against a launch plan; no device is needed for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.launch.plan import LaunchPlan, ScalarArg
from croqtile_mlir.runtime.driver import Driver
from croqtile_mlir.runtime.dtypes import dtype_named, pack_scalar
from croqtile_mlir.runtime.tensors import (
    Library,
    Tensor,
    check_no_overlap,
    check_strides,
    check_writeable,
    read_tensor,
)
from croqtile_mlir.targets.architecture import architecture


@dataclass(frozen=True)
class Arguments:
    """The arguments of one call, each by name."""

    tensors: Mapping[str, Tensor]
    scalars: Mapping[str, bytes]
    dims: Mapping[str, int]
    grid: tuple[int, int, int]
    ordinal: int | None
    """The device that all tensors are on; None: they are in host memory."""

    library: Library
    """The library of the tensors, of the first one where they differ."""


def bind_arguments(
    plan: LaunchPlan,
    args: Sequence[Any],
    stream: int | None,
    driver: Callable[[], Driver],
) -> Arguments:
    """Check count, kinds, element types, ranks, dims, strides, devices, and the grid.

    `driver` is asked for only when an argument does not say what device it is on.
    """
    inputs = plan.inputs
    if len(args) != len(inputs):
        names = ", ".join(arg.name for arg in inputs) or "none"
        raise ArgumentError(
            f"the kernel takes {len(inputs)} arguments ({names}), got {len(args)}"
        )
    tensors: dict[str, Tensor] = {}
    scalars: dict[str, bytes] = {}
    for arg, given in zip(inputs, args, strict=True):
        if isinstance(arg, ScalarArg):
            scalars[arg.name] = pack_scalar(arg.name, dtype_named(arg.dtype), given)
        else:
            tensors[arg.name] = read_tensor(arg, given, driver, stream or 0)
    dims = plan.bind({name: tensor.value.shape for name, tensor in tensors.items()})
    for name, tensor in tensors.items():
        tile = plan.tiles[name]
        if tile.written:
            check_writeable(name, tensor)
        # A numpy array is copied, whatever its strides; but each element comes back.
        if tensor.library != "numpy":
            check_strides(tile, tensor.value)
        elif tile.written and 0 not in tensor.value.shape:
            check_no_overlap(tile, tensor.value)
    libraries: list[Library] = [tensor.library for tensor in tensors.values()]
    return Arguments(
        tensors=tensors,
        scalars=scalars,
        dims=dims,
        grid=launch_grid(plan, dims),
        ordinal=_one_device(tensors),
        library=libraries[0] if libraries else "numpy",
    )


def launch_grid(plan: LaunchPlan, dims: Mapping[str, int]) -> tuple[int, int, int]:
    """The number of blocks along each axis, within the target's limits."""
    grid = plan.grid_extents(dims)
    limits = architecture(plan.target).max_grid
    for axis, extent, limit in zip("xyz", grid, limits, strict=True):
        if not 0 <= extent <= limit:
            sizes = ", ".join(f"{name} = {size}" for name, size in dims.items())
            raise ArgumentError(
                f"grid {axis} must be at most {limit} blocks, got {extent} "
                f"({sizes or 'no dims'})"
            )
    for axis, extent, blocks in zip("xyz", grid, plan.cluster, strict=True):
        if extent % blocks:
            raise ArgumentError(
                f"grid {axis} must be a multiple of the {blocks} blocks of a cluster, "
                f"got {extent}"
            )
    return grid


def _one_device(tensors: Mapping[str, Tensor]) -> int | None:
    """The device that every tensor is on."""
    places = [(name, tensor.device) for name, tensor in tensors.items()]
    for name, device in places[1:]:
        if device != places[0][1]:
            raise ArgumentError(
                f"argument '{name}' must be on the device of '{places[0][0]}' "
                f"({_place(places[0][1])}), got {_place(device)}"
            )
    return places[0][1] if places else None


def _place(device: int | None) -> str:
    return "a numpy array in host memory" if device is None else f"device {device}"
