"""A launch whose arguments were checked and packed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from croqtile_mlir.launch.plan import LaunchPlan
from croqtile_mlir.runtime.arrays import DeviceArray
from croqtile_mlir.runtime.enqueue import Enqueue
from croqtile_mlir.runtime.module import LoadedKernel
from croqtile_mlir.runtime.parameters import ParameterLayout, Parameters
from croqtile_mlir.runtime.tensors import Tensor


@dataclass(frozen=True)
class PreparedLaunch:
    """A kernel with its arguments checked and packed; it can be launched many times.

    It keeps the arguments alive.
    """

    kernel: LoadedKernel
    plan: LaunchPlan
    stream: int
    grid: tuple[int, int, int]
    dims: Mapping[str, int]
    results: tuple[Any, ...]
    """The tiles that the kernel returns, as the caller gets them."""

    enqueue: Enqueue = field(repr=False)
    layout: ParameterLayout | None = field(repr=False)
    parameters: Parameters | None
    """None, as the layout, where the grid has no blocks."""

    staged: tuple[tuple[DeviceArray, Any], ...]
    """Device copies and the numpy arrays that they go back to."""

    tensors: Mapping[str, Tensor] = field(repr=False)

    def launch(self) -> None:
        """Put the kernel on its stream, without waiting. No blocks: nothing to do."""
        if self.parameters is not None:
            self.enqueue(self.stream, self.parameters.address)

    def finish(self) -> None:
        """Where numpy arrays are written: wait for the stream and copy back to them."""
        if not self.staged:
            return
        device = self.kernel.device
        with device.current():
            device.driver.call("cuStreamSynchronize", self.stream)
        for array, target in self.staged:
            array.download(target)
