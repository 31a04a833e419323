"""Where `croq-run` runs a kernel and times it: on a device.

For the simulator see `simulated_run`. A backend is anything with the methods of
`Backend`; `choose_backend` picks one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np

    from croqtile_mlir.kernel import Kernel
    from croqtile_mlir.runtime.device import Device
    from croqtile_mlir.runtime.launch import PreparedLaunch

    Array = np.ndarray[Any, Any]

_WARM_UP = 3


@dataclass(frozen=True)
class Outcome:
    """What a run left behind."""

    tiles: Mapping[str, Array]
    """Every tile that the kernel may have written, returned ones included, after the
    first launch."""

    milliseconds: float | None = None
    """Median time of a launch; None where time has no meaning."""


class Backend(Protocol):
    """Something that runs compiled kernels."""

    @property
    def description(self) -> str:
        """What it is, for the user: the device's name."""
        ...

    def run(
        self,
        kernel: Kernel,
        tiles: Mapping[str, Array],
        scalars: Mapping[str, float],
        repeat: int,
    ) -> Outcome:
        """Run the kernel on the given arguments, and time `repeat` further launches."""
        ...


@dataclass(frozen=True)
class Unavailable:
    """No backend, and why."""

    reason: str


def choose_backend() -> Backend | Unavailable:
    """The device, if there is one."""
    from croqtile_mlir.runtime.device import available, current_ordinal, open_device
    from croqtile_mlir.runtime.driver import load_driver

    state = available()
    if not state:
        return Unavailable(state.reason)
    driver = load_driver()
    return DeviceBackend(open_device(driver, current_ordinal(driver)))


@dataclass(frozen=True)
class DeviceBackend:
    """A CUDA device."""

    device: Device

    @property
    def description(self) -> str:
        major, minor = self.device.compute_capability
        return f"{self.device.name} (compute capability {major}.{minor})"

    def run(
        self,
        kernel: Kernel,
        tiles: Mapping[str, Array],
        scalars: Mapping[str, float],
        repeat: int,
    ) -> Outcome:
        from croqtile_mlir.runtime.arrays import DeviceArray, numpy_dtype
        from croqtile_mlir.runtime.dtypes import dtype_named

        plan = kernel.plan
        arrays = {
            name: DeviceArray.of(self.device, tile, dtype_named(plan.tiles[name].dtype))
            for name, tile in tiles.items()
        }
        with self.device.current():
            prepared = kernel.prepare(
                *(arrays.get(arg.name, scalars.get(arg.name)) for arg in plan.inputs)
            )
            prepared.launch()
            self.device.driver.call("cuStreamSynchronize", prepared.stream)
        outputs = [tile.name for tile in plan.outputs]
        arrays |= dict(zip(outputs, prepared.results, strict=True))
        after: dict[str, Array] = {}
        for name, array in arrays.items():
            if plan.tiles[name].written:
                after[name] = _empty(array.shape, numpy_dtype(array.dtype))
                array.download(after[name])
        return Outcome(after, self._time(prepared, repeat) if repeat else None)

    def _time(self, prepared: PreparedLaunch, repeat: int) -> float:
        """The median time of a launch in milliseconds, by events on its stream."""
        call, stream = self.device.driver.call, prepared.stream
        with self.device.current():
            for _ in range(_WARM_UP):
                prepared.launch()
            events = [call("cuEventCreate", 0) for _ in range(2 * repeat)]
            pairs = list(zip(events[::2], events[1::2], strict=True))
            for start, end in pairs:
                call("cuEventRecord", start, stream)
                prepared.launch()
                call("cuEventRecord", end, stream)
            call("cuStreamSynchronize", stream)
            times = [
                float(call("cuEventElapsedTime", start, end)) for start, end in pairs
            ]
            for event in events:
                call("cuEventDestroy", event)
        return median(times)


def _empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    import numpy as np

    return np.empty(shape, dtype)
