"""Putting a kernel on a stream, with nothing left to work out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from croqtile_mlir.launch_plan import LaunchPlan
from croqtile_mlir.runtime.module import LoadedKernel


def _cooperative(
    api: Any,
    function: Any,
    shape: Sequence[int],
    stream: int,
    parameters: int,
    extra: int,
) -> Any:
    """Launch blocks that wait for each other: the driver starts all or none."""
    assert not extra
    return api.cuLaunchCooperativeKernel(function, *shape, stream, parameters)


@dataclass(frozen=True, eq=False, slots=True)
class Enqueue:
    """Launches of one grid; they differ in parameters and stream."""

    kernel: LoadedKernel
    _launch: Any = field(repr=False)
    _current: Any = field(repr=False)
    _context: int = field(repr=False)

    @staticmethod
    def of(kernel: LoadedKernel, plan: LaunchPlan, grid: Sequence[int]) -> Enqueue:
        """Launches of a grid that has blocks."""
        api = kernel.device.driver.api
        shape = (*grid, plan.block, 1, 1, plan.shared_bytes)
        launch = partial(api.cuLaunchKernel, kernel.function, *shape)
        if plan.cooperative:
            launch = partial(_cooperative, api, kernel.function, shape)
        return Enqueue(kernel, launch, api.cuCtxGetCurrent, int(kernel.device.context))

    def __call__(self, stream: int, parameters: int) -> None:
        """Launch with the array of pointers at an address; it is read at once."""
        # Asking costs less than a push and a pop, and the answer is mostly yes.
        current = self._current()[1]
        if current is not None and int(current) == self._context:
            self._put(stream, parameters)
        else:
            with self.kernel.device.current():
                self._put(stream, parameters)

    def _put(self, stream: int, parameters: int) -> None:
        status = self._launch(stream, parameters, 0)[0]
        if status:
            raise self.kernel.device.driver.error("cuLaunchKernel", status)
