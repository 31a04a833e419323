"""Putting a kernel on a stream, with nothing left to work out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from croqtile_mlir.launch.plan import LaunchPlan
from croqtile_mlir.runtime.module import LoadedKernel

_STREAMS = 256
"""Streams whose configurations are kept."""

_OTHER_CONTEXT = ("CUDA_ERROR_INVALID_HANDLE", "CUDA_ERROR_INVALID_CONTEXT")
"""What the driver says where the current context is not that of the kernel."""


@dataclass(frozen=True, eq=False, slots=True)
class Enqueue:
    """Launches of one grid; they differ in parameters and stream."""

    kernel: LoadedKernel
    _configure: Callable[[int], Any] = field(repr=False)
    """The launch on a stream, given the address of the parameters and 0."""

    launches: dict[int, Any] = field(repr=False)
    """Those made so far, by stream."""

    @staticmethod
    def of(kernel: LoadedKernel, plan: LaunchPlan, grid: Sequence[int]) -> Enqueue:
        """Launches of a grid that has blocks."""
        return Enqueue(kernel, partial(_launch, kernel, plan, tuple(grid)), {})

    def __call__(self, stream: int, parameters: int) -> None:
        """Launch with the array of pointers at an address; it is read at once."""
        launch = self.launches.get(stream)
        if launch is None:
            launch = self._on(stream)
        # Mostly the context is current: asking would cost a tenth of the launch.
        status = launch(parameters, 0)[0]
        if status:
            self.retry(launch, parameters, status)

    def _on(self, stream: int) -> Any:
        if len(self.launches) >= _STREAMS:
            self.launches.clear()
        launch = self.launches[stream] = self._configure(stream)
        return launch

    def retry(self, launch: Any, parameters: int, status: Any) -> None:
        """A launch that failed: with the context of the kernel, if it was another."""
        device = self.kernel.device
        error = device.driver.error("cuLaunchKernelEx", status)
        current = device.driver.call("cuCtxGetCurrent")
        if error.name not in _OTHER_CONTEXT or int(current) == int(device.context):
            raise error
        with device.current():
            status = launch(parameters, 0)[0]
        if status:
            raise device.driver.error("cuLaunchKernelEx", status)


def _launch(
    kernel: LoadedKernel, plan: LaunchPlan, grid: tuple[int, ...], stream: int
) -> Any:
    """The driver's launch, with all but the parameters.

    A cluster is part of the kernel's own text. Where blocks wait for each other, the
    driver starts all or none.
    """
    driver = kernel.device.driver
    config = driver.make("CUlaunchConfig")
    config.gridDimX, config.gridDimY, config.gridDimZ = grid
    config.blockDimX, config.blockDimY, config.blockDimZ = plan.block, 1, 1
    config.sharedMemBytes = plan.shared_bytes
    config.hStream = driver.handle("CUstream", stream)
    if plan.cooperative:
        attribute = driver.make("CUlaunchAttribute")
        attribute.id = driver.enum(
            "CUlaunchAttributeID", "CU_LAUNCH_ATTRIBUTE_COOPERATIVE"
        )
        attribute.value.cooperative = 1
        config.attrs, config.numAttrs = [attribute], 1
    return partial(driver.api.cuLaunchKernelEx, config, kernel.function)
