"""cupy's arrays."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from croqtile_mlir.launch.plan import LaunchPlan, TileArg
from croqtile_mlir.runtime.array_library import Guard
from croqtile_mlir.runtime.outputs import ReturnedTile, cupy_tile, empty_of_cupy
from croqtile_mlir.runtime.streams import current_stream_of_cupy


@dataclass(frozen=True)
class CupyArrays:
    """What calls like earlier ones ask cupy (`ArrayLibrary`)."""

    cupy: Any

    name: Literal["torch", "cupy"] = "cupy"
    address: str = "data.ptr"

    def holds(self, tensors: Sequence[Any]) -> bool:
        """Whether all are of cupy's own class: others may say what they like."""
        kind = getattr(self.cupy, "ndarray", None)
        return all(type(tensor) is kind for tensor in tensors)

    def like(self, tensor: Any) -> Hashable:
        """See `ArrayLibrary`."""
        return tensor.dtype, tensor.shape, tensor.strides, tensor.data.device_id

    def guard_of(self, tensors: Sequence[Any]) -> Guard:
        """See `ArrayLibrary`: they are asked for what they are one by one."""
        kind = self.cupy.ndarray
        expected = [
            (each.dtype, each.shape, each.strides, each.data.device_id)
            for each in tensors
        ]

        def check(*found: Any) -> bool:
            for tensor, (dtype, shape, strides, device) in zip(
                found, expected, strict=True
            ):
                if (
                    type(tensor) is not kind
                    or tensor.dtype != dtype
                    or tensor.shape != shape
                    or tensor.strides != strides
                    or tensor.data.device_id != device
                ):
                    return False
            return True

        return check

    def address_of(self, tensor: Any) -> int:
        """See `ArrayLibrary`."""
        return tensor.data.ptr

    def device_of(self, tensor: Any) -> int:
        """See `ArrayLibrary`."""
        return tensor.data.device_id

    def current_stream(self) -> Callable[[int], int]:
        """See `ArrayLibrary`."""
        return current_stream_of_cupy(self.cupy)

    def result(
        self, plan: LaunchPlan, tile: TileArg, dims: Mapping[str, int], device: int
    ) -> ReturnedTile:
        """See `ArrayLibrary`."""
        return cupy_tile(plan, tile, dims, device)

    def another(self, tensor: Any) -> Callable[[], Any]:
        """See `ArrayLibrary`."""
        device = tensor.data.device_id
        return partial(empty_of_cupy, tensor.shape, tensor.dtype, device)
