"""Arrays in device memory that the runtime owns: copies of numpy arrays."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

from croqtile_mlir.launch.plan import TileValue
from croqtile_mlir.runtime.device import Device
from croqtile_mlir.runtime.dlpack import make_capsule
from croqtile_mlir.runtime.driver import Driver, DriverCallError
from croqtile_mlir.runtime.dtypes import DType

if TYPE_CHECKING:
    import numpy as np

_PITCH = 16
"""Rows start at multiples of this many bytes, so that TMA takes every array."""


def numpy_dtype(dtype: DType) -> np.dtype[Any]:
    """The numpy element type; those that numpy lacks come from ml_dtypes."""
    import numpy as np

    name = dtype.libraries[0]
    if name.startswith(("bfloat", "float8")):
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, name))
    return np.dtype(name)


@dataclass(frozen=True, eq=False)
class DeviceMemory:
    """An allocation of `size` bytes on a device, freed with the object."""

    device: Device
    address: int
    size: int

    @staticmethod
    def allocate(device: Device, size: int) -> DeviceMemory:
        """At least 16 bytes of device memory, contents undefined."""
        with device.current():
            address = int(device.driver.call("cuMemAlloc", max(size, _PITCH)))
        memory = DeviceMemory(device, address, max(size, _PITCH))
        owner = weakref.finalize(memory, _free, device.driver, device.context, address)
        # At exit the process gives everything back, perhaps the driver first.
        owner.atexit = False
        return memory


def _free(driver: Driver, context: Any, address: int) -> None:
    # After a fault the context is gone, and its memory with it.
    with suppress(DriverCallError):
        driver.call("cuCtxPushCurrent", context)
        try:
            driver.call("cuMemFree", address)
        finally:
            driver.call("cuCtxPopCurrent")


@dataclass(frozen=True, eq=False)
class DeviceArray:
    """An array in device memory whose rows start at multiples of 16 bytes."""

    memory: DeviceMemory
    shape: tuple[int, ...]
    dtype: DType

    @property
    def device(self) -> Device:
        return self.memory.device

    @cached_property
    def pitch(self) -> int:
        """Elements from the start of a row to the next."""
        unit = _PITCH // self.dtype.bytes
        row = self.shape[-1] if self.shape else 1
        return max(-(-row // unit), 1) * unit

    @property
    def rows(self) -> int:
        return prod(self.shape[:-1])

    @cached_property
    def value(self) -> TileValue:
        """Shape, strides and address."""
        strides: list[int] = [1] if self.shape else []
        step = self.pitch
        for extent in reversed(self.shape[:-1]):
            strides.append(step)
            step *= max(extent, 1)
        return TileValue(
            self.shape, tuple(reversed(strides)), self.memory.address, self.dtype.bits
        )

    def __dlpack_device__(self) -> tuple[int, int]:
        """DLPack's number of CUDA, and the device's."""
        return 2, self.device.ordinal

    def __dlpack__(self, *, stream: int | None = None, **_: object) -> Any:
        """The array itself for another library, when all its kernels have run.

        Raises:
            BufferError: DLPack has no such elements.
        """
        value, where = self.value, self.device.ordinal
        name = self.dtype.libraries[0]
        made = make_capsule(
            self, value.address, where, name, value.shape, value.strides
        )
        if stream != -1:
            self.wait()
        return made

    def wait(self) -> None:
        """Wait for all that the device was given to do."""
        with self.device.current():
            self.device.driver.call("cuCtxSynchronize")

    @property
    def is_contiguous(self) -> bool:
        """Whether there is nothing between the rows."""
        return self.rows <= 1 or self.pitch == self._row

    @staticmethod
    def empty(device: Device, shape: Sequence[int], dtype: DType) -> DeviceArray:
        """An array with undefined contents."""
        shape = tuple(shape)
        unit = _PITCH // dtype.bytes
        row = shape[-1] if shape else 1
        size = prod(shape[:-1]) * max(-(-row // unit), 1) * unit * dtype.bytes
        return DeviceArray(DeviceMemory.allocate(device, size), shape, dtype)

    @staticmethod
    def of(device: Device, source: np.ndarray[Any, Any], dtype: DType) -> DeviceArray:
        """A copy of a numpy array, complete on return."""
        array = DeviceArray.empty(device, source.shape, dtype)
        array.upload(source)
        return array

    def upload(self, source: np.ndarray[Any, Any]) -> None:
        """Replace the contents; the bytes between rows become zero."""
        import numpy as np

        staging = np.zeros((self.rows, self.pitch), numpy_dtype(self.dtype))
        if source.size:
            # Signless integers: the bits are what is copied.
            staging[:, : self._row] = source.reshape(self.rows, self._row).view(
                staging.dtype
            )
        with self.device.current():
            if staging.nbytes:
                self.device.driver.call(
                    "cuMemcpyHtoD",
                    self.memory.address,
                    staging.ctypes.data,
                    staging.nbytes,
                )
                # The driver may return while the last bytes are still on their way,
                # and a stream of the caller need not wait for the default stream.
                self.device.driver.call("cuStreamSynchronize", 0)

    def download(self, target: np.ndarray[Any, Any]) -> None:
        """Copy the contents into a numpy array of the same shape."""
        import numpy as np

        staging = np.empty((self.rows, self.pitch), target.dtype)
        with self.device.current():
            if staging.nbytes:
                self.device.driver.call(
                    "cuMemcpyDtoH",
                    staging.ctypes.data,
                    self.memory.address,
                    staging.nbytes,
                )
        if target.size:
            target[...] = staging[:, : self._row].reshape(self.shape)

    @property
    def _row(self) -> int:
        return self.shape[-1] if self.shape else 1
