"""The CUDA driver API through cuda-python, with its status codes as exceptions.

Nothing here is imported or loaded before the first use of a device.
"""

from __future__ import annotations

import functools
import importlib
from dataclasses import dataclass
from typing import Any

from croqtile_mlir.errors import DeviceError
from croqtile_mlir.runtime.advice import advice


class DriverCallError(DeviceError):
    """A driver function returned a status other than success."""

    def __init__(self, function: str, status: int, name: str, text: str):
        super().__init__(
            f"{function} failed with {name} ({status}): {text}\nhint: {advice(name)}"
        )
        self.function = function
        self.status = status
        self.name = name


@dataclass(frozen=True)
class Driver:
    """The functions of one driver binding."""

    api: Any
    """The module `cuda.bindings.driver`, or an object with the same functions."""

    def call(self, function: str, *args: Any) -> Any:
        """Call a driver function: its value, several as a tuple, or None.

        A failure raises `DriverCallError` with the driver's name and text for it.
        """
        status, *values = getattr(self.api, function)(*args)
        if int(status) != 0:
            raise self.error(function, status)
        if not values:
            return None
        return values[0] if len(values) == 1 else tuple(values)

    def error(self, function: str, status: Any) -> DriverCallError:
        """What a function failed with that returned a status other than success."""
        return DriverCallError(
            function,
            int(status),
            self._text("cuGetErrorName", status),
            self._text("cuGetErrorString", status),
        )

    def enum(self, kind: str, member: str) -> Any:
        """The member of an enumeration of the binding: `CUjit_option`, for one."""
        return getattr(getattr(self.api, kind), member)

    def make(self, kind: str) -> Any:
        """A new structure of the binding: `CUlaunchConfig`, for one."""
        return getattr(self.api, kind)()

    def handle(self, kind: str, value: int) -> Any:
        """A handle as the binding's own type: `CUstream`, for one."""
        return getattr(self.api, kind)(value)

    def _text(self, function: str, status: Any) -> str:
        found, text = getattr(self.api, function)(status)
        if int(found) != 0 or text is None:
            return "unknown"
        return text.decode() if isinstance(text, bytes) else str(text)


@functools.cache
def load_driver() -> Driver:
    """The initialised driver of this machine; a `DeviceError` says why there is none.

    A failure is not remembered: the next call tries again.
    """
    try:
        api = importlib.import_module("cuda.bindings.driver")
    except ImportError as error:
        raise DeviceError(
            "no device: the package cuda-python is not installed"
        ) from error
    driver = Driver(api)
    try:
        driver.call("cuInit", 0)
    except DriverCallError as error:
        raise DeviceError(f"no device: {error}") from error
    except (RuntimeError, ImportError, OSError) as error:
        # What the binding raises when the machine has no driver library.
        raise DeviceError("no device: the NVIDIA driver is not installed") from error
    return driver
