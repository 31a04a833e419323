"""torch's tensors."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from croqtile_mlir.launch.plan import LaunchPlan, TileArg
from croqtile_mlir.runtime.array_library import Guard
from croqtile_mlir.runtime.outputs import ReturnedTile, torch_tile
from croqtile_mlir.runtime.streams import current_stream_of
from croqtile_mlir.runtime.tensor_guards import guard_of


@dataclass(frozen=True)
class TorchTensors:
    """What calls like earlier ones ask torch (`ArrayLibrary`)."""

    torch: Any

    name: Literal["torch", "cupy"] = "torch"
    address: str = "data_ptr()"

    def holds(self, tensors: Sequence[Any]) -> bool:
        """Whether all are strided and of torch's own class, or parameters of modules.

        Other classes may say of their memory what they like, and views that negate have
        none of their elements in it.
        """
        # The module may still be loading.
        kind = getattr(self.torch, "Tensor", None)
        strided = getattr(self.torch, "strided", None)
        for tensor in tensors:
            if type(tensor) is not kind and not self._is_parameter(tensor):
                return False
            if tensor.layout is not strided or tensor.is_neg():
                return False
        return True

    def _is_parameter(self, tensor: object) -> bool:
        """Whether it is a parameter of a module, and no class derived from it."""
        nn = getattr(self.torch, "nn", None)
        return type(tensor) is getattr(nn, "Parameter", None)

    def like(self, tensor: Any) -> Hashable:
        """See `ArrayLibrary`."""
        return tensor.dtype, tensor.shape, tensor.stride(), tensor.device

    def guard_of(self, tensors: Sequence[Any]) -> Guard:
        """See `ArrayLibrary`."""
        return guard_of(self.torch, tensors)

    def address_of(self, tensor: Any) -> int:
        """See `ArrayLibrary`."""
        return tensor.data_ptr()

    def device_of(self, tensor: Any) -> int:
        """See `ArrayLibrary`."""
        return tensor.get_device()

    def current_stream(self) -> Callable[[int], int]:
        """See `ArrayLibrary`."""
        return current_stream_of(self.torch)

    def result(
        self, plan: LaunchPlan, tile: TileArg, dims: Mapping[str, int], device: int
    ) -> ReturnedTile:
        """See `ArrayLibrary`."""
        return torch_tile(plan, tile, dims, f"cuda:{device}")

    def another(self, tensor: Any) -> Callable[[], Any]:
        """See `ArrayLibrary`."""
        kind = {"dtype": tensor.dtype, "device": tensor.device}
        return partial(self.torch.empty, tuple(tensor.shape), **kind)
