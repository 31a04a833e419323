"""What calls like earlier ones ask the library of their tensors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple, Protocol

from croqtile_mlir.launch.plan import LaunchPlan, TileArg
from croqtile_mlir.runtime.outputs import ReturnedTile

Guard = Callable[..., bool]
"""Called with as many tensors: whether they are like those that it was made of."""

Addresses = tuple[int, ...]


class ArrayLibrary(Protocol):
    """A library whose tensors are on a device, and its module."""

    @property
    def name(self) -> Literal["torch", "cupy"]:
        """Of the module."""
        ...

    @property
    def address(self) -> str:
        """What follows a tensor in an expression for its address."""
        ...

    def holds(self, tensors: Sequence[Any]) -> bool:
        """Whether all are its own, and say all of themselves by shape and strides."""
        ...

    def like(self, tensor: Any) -> Hashable:
        """All that it says of a tensor but its address."""
        ...

    def guard_of(self, tensors: Sequence[Any]) -> Guard:
        """The guard of some tensors: it lets no other kind through.

        It compares whatever makes memory mean something else, and keeps no tensor.
        """
        ...

    def address_of(self, tensor: Any) -> int:
        """Of the first element."""
        ...

    def device_of(self, tensor: Any) -> int:
        """The number of the device that a tensor is on."""
        ...

    def current_stream(self) -> Callable[[int], int]:
        """What gives the library's current stream on a device."""
        ...

    def result(
        self, plan: LaunchPlan, tile: TileArg, dims: Mapping[str, int], device: int
    ) -> ReturnedTile:
        """What makes a returned tile of a launch."""
        ...

    def another(self, tensor: Any) -> Callable[[], Any]:
        """What makes contiguous tensors of a tensor's shape, type and device."""
        ...


class Arrays(NamedTuple):
    """Tensors of one library."""

    library: ArrayLibrary
    tensors: Sequence[Any]

    @property
    def addresses(self) -> Addresses:
        """Where they are."""
        return tuple(map(self.library.address_of, self.tensors))


def arrays_of(tensors: Sequence[Any]) -> Arrays | None:
    """Plain tensors of one library; None if they are none, or there are none."""
    if not tensors:
        return None
    for name in ("torch", "cupy"):
        # Tensors cannot exist where the module is not loaded; it may still be loading.
        module = sys.modules.get(name)
        if module is not None:
            library = _library(name, module)
            if library.holds(tensors):
                return Arrays(library, tensors)
    return None


@cache
def _library(name: str, module: Any) -> ArrayLibrary:
    if name == "torch":
        from croqtile_mlir.runtime.torch_tensors import TorchTensors

        return TorchTensors(module)
    from croqtile_mlir.runtime.cupy_arrays import CupyArrays

    return CupyArrays(module)
