"""Devices: finding them, their properties, and making one current."""

from __future__ import annotations

import functools
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from croqtile_mlir.errors import DeviceError
from croqtile_mlir.runtime.driver import Driver, load_driver
from croqtile_mlir.targets.architecture import (
    Architecture,
    architecture_of,
    latest_for,
)


@dataclass(frozen=True)
class Availability:
    """Whether kernels can be launched here; true or false as a condition."""

    ok: bool
    reason: str
    """Why not, or the device's name."""

    def __bool__(self) -> bool:
        return self.ok


def available(driver: Driver | None = None) -> Availability:
    """Whether this machine has a device and a driver, and if not, why."""
    try:
        driver = driver or load_driver()
        if device_count(driver) == 0:
            return Availability(False, "no device: the driver sees none")
        return Availability(True, open_device(driver, 0).name)
    except DeviceError as error:
        return Availability(False, str(error))


def device_count(driver: Driver) -> int:
    """The number of devices that the driver shows to this process."""
    return int(driver.call("cuDeviceGetCount"))


@dataclass(frozen=True)
class Device:
    """One device and its primary context, which torch and cupy use too."""

    driver: Driver
    ordinal: int
    handle: Any
    context: Any
    name: str
    compute_capability: tuple[int, int]
    multiprocessors: int

    @contextmanager
    def current(self) -> Generator[None]:
        """Make this the calling thread's device; what was current comes back after."""
        self.driver.call("cuCtxPushCurrent", self.context)
        try:
            yield
        finally:
            self.driver.call("cuCtxPopCurrent")

    def require(self, target: Architecture, shared_bytes: int = 0) -> None:
        """
        Raise `DeviceError` unless code for `target` runs on this device.

        `shared_bytes` is what a block asks for: later devices may have less than the
        target.
        """
        needed, has = target.compute_capability, self.compute_capability
        if not target.runs_on(has):
            at_least = "exactly" if target.exact else "at least"
            able = latest_for(has)
            hint = (
                "kernels run in the simulator: kernel.simulate"
                if able is None
                else f"target={able.name} is the latest that it runs"
            )
            raise DeviceError(
                f"target {target.name} needs a device of compute capability {at_least} "
                f"{needed[0]}.{needed[1]}, device {self.ordinal} ({self.name}) has "
                f"{has[0]}.{has[1]}\nhint: {hint}"
            )
        here = architecture_of(has)
        if here is not None and shared_bytes > here.shared_bytes_per_block:
            raise DeviceError(
                f"a block needs {shared_bytes} bytes of shared memory, device "
                f"{self.ordinal} ({self.name}) has {here.shared_bytes_per_block} "
                f"for a block; compile for target {here.name}"
            )


@functools.cache
def open_device(driver: Driver, ordinal: int) -> Device:
    """The device number `ordinal`, with its primary context kept for good."""
    count = device_count(driver)
    if not 0 <= ordinal < count:
        raise DeviceError(f"device must be in 0..{count - 1}, got {ordinal}")
    handle = driver.call("cuDeviceGet", ordinal)

    def attribute(member: str) -> int:
        kind = driver.enum("CUdevice_attribute", f"CU_DEVICE_ATTRIBUTE_{member}")
        return int(driver.call("cuDeviceGetAttribute", kind, handle))

    name = driver.call("cuDeviceGetName", 128, handle)
    return Device(
        driver=driver,
        ordinal=ordinal,
        handle=handle,
        context=driver.call("cuDevicePrimaryCtxRetain", handle),
        name=name.split(b"\0")[0].decode() if isinstance(name, bytes) else str(name),
        compute_capability=(
            attribute("COMPUTE_CAPABILITY_MAJOR"),
            attribute("COMPUTE_CAPABILITY_MINOR"),
        ),
        multiprocessors=attribute("MULTIPROCESSOR_COUNT"),
    )


def current_ordinal(driver: Driver) -> int:
    """The calling thread's current device; 0 where it has none."""
    context = driver.call("cuCtxGetCurrent")
    if not int(context):
        return 0
    return int(driver.call("cuCtxGetDevice"))
