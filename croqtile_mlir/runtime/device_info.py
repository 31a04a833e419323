"""What a device is, as its driver tells."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from croqtile_mlir.runtime.device import Device
from croqtile_mlir.runtime.driver import DriverCallError


@dataclass(frozen=True)
class DeviceInfo:
    """Sizes in bytes, clocks in kHz; None is what the driver did not tell."""

    name: str
    ordinal: int
    compute_capability: tuple[int, int]
    driver_version: tuple[int, int]
    """The version of CUDA that the driver supports."""

    slice: str | None
    """The profile of the MIG slice that it is (`1g.18gb`); None of a whole device."""

    multiprocessors: int
    threads_per_multiprocessor: int
    blocks_per_multiprocessor: int
    registers_per_multiprocessor: int
    shared_per_multiprocessor: int
    shared_per_block: int
    """With the opt-in for dynamic shared memory."""

    shared_reserved: int
    """What the driver takes besides of each block."""

    memory: int
    memory_bus_bits: int
    l2: int
    ecc: bool
    clock: int
    """Highest clock of the multiprocessors."""

    memory_clock: int
    """Highest clock of the memory."""

    power_limit: float | None
    """Watts that the device is held to, the whole device's of a slice; from NVML."""


def device_info(device: Device) -> DeviceInfo:
    """Ask the driver, and NVML for the power limit where it can be loaded."""
    driver = device.driver

    def attribute(member: str) -> int:
        kind = driver.enum("CUdevice_attribute", f"CU_DEVICE_ATTRIBUTE_{member}")
        return int(driver.call("cuDeviceGetAttribute", kind, device.handle))

    version = int(driver.call("cuDriverGetVersion"))
    return DeviceInfo(
        name=device.name,
        ordinal=device.ordinal,
        compute_capability=device.compute_capability,
        driver_version=(version // 1000, version % 1000 // 10),
        slice=slice_profile(device.name),
        multiprocessors=device.multiprocessors,
        threads_per_multiprocessor=attribute("MAX_THREADS_PER_MULTIPROCESSOR"),
        blocks_per_multiprocessor=attribute("MAX_BLOCKS_PER_MULTIPROCESSOR"),
        registers_per_multiprocessor=attribute("MAX_REGISTERS_PER_MULTIPROCESSOR"),
        shared_per_multiprocessor=attribute("MAX_SHARED_MEMORY_PER_MULTIPROCESSOR"),
        shared_per_block=attribute("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"),
        shared_reserved=attribute("RESERVED_SHARED_MEMORY_PER_BLOCK"),
        memory=int(driver.call("cuDeviceTotalMem", device.handle)),
        memory_bus_bits=attribute("GLOBAL_MEMORY_BUS_WIDTH"),
        l2=attribute("L2_CACHE_SIZE"),
        ecc=bool(attribute("ECC_ENABLED")),
        clock=attribute("CLOCK_RATE"),
        memory_clock=attribute("MEMORY_CLOCK_RATE"),
        power_limit=_power_limit(device),
    )


def slice_profile(name: str) -> str | None:
    """`1g.18gb` of `NVIDIA H200 MIG 1g.18gb`: the driver names slices so."""
    _, mark, profile = f"{name} ".partition(" MIG ")
    return profile.strip() or "of unknown size" if mark else None


def _power_limit(device: Device) -> float | None:
    """In watts; None where NVML, which belongs to the driver, does not tell."""
    try:
        # cuda-python before 13 has no NVML.
        nvml: Any = importlib.import_module("cuda.bindings.nvml")
        bus = device.driver.call("cuDeviceGetPCIBusId", 32, device.handle)
    except (ImportError, DriverCallError):
        return None
    try:
        nvml.init_v2()
    except (nvml.NvmlError, OSError, RuntimeError):
        # A container may lack the library.
        return None
    try:
        text = bus.split(b"\0")[0].decode() if isinstance(bus, bytes) else str(bus)
        handle = nvml.device_get_handle_by_pci_bus_id_v2(text)
        return int(nvml.device_get_enforced_power_limit(handle)) / 1000
    except nvml.NvmlError:
        return None
    finally:
        nvml.shutdown()
