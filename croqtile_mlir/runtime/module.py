"""PTX text to a kernel loaded on a device, with what the driver's assembler said."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from croqtile_mlir.errors import DeviceError
from croqtile_mlir.runtime.device import Device
from croqtile_mlir.runtime.driver import DriverCallError

_LOG_BYTES = 1 << 16
STATIC_LIMIT = 48 * 1024
"""Dynamic shared memory beyond this many bytes is an opt-in."""

_ADVICE = re.compile(r"warning|\bC75\d\d\b", re.IGNORECASE)
_SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")


class AssembleError(DeviceError):
    """The driver refused the PTX; `log` is what its assembler said."""

    def __init__(self, cause: DriverCallError, log: str):
        super().__init__(f"{cause}\n{log}" if log else str(cause))
        self.log = log


@dataclass(frozen=True)
class LoadedKernel:
    """A kernel on one device, ready to be launched."""

    device: Device
    function: Any
    module: Any
    """Kept alive as long as the function is in use."""

    log: str
    """The assembler's messages; empty when the driver's own cache had the code."""

    registers: int
    spill_bytes: int
    """Bytes spilled by a thread, or, where the driver's cache had the code, all of its
    local memory."""

    static_shared_bytes: int
    blocks_per_multiprocessor: int
    clusters: int | None = None
    """Clusters that the device holds at a time; None of a kernel without clusters."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings, and notes on serialised or mended WGMMA (`C75..`)."""
        return tuple(line for line in self.log.splitlines() if _ADVICE.search(line))


def load(
    device: Device,
    ptx: str,
    entry: str,
    block: int,
    shared_bytes: int,
    cluster: tuple[int, int, int] = (1, 1, 1),
) -> LoadedKernel:
    """
    Load `entry` of the PTX text on `device` and admit its dynamic shared memory.

    `cluster` is what the text requires: the blocks of a cluster along x, y and z.
    """
    driver = device.driver

    def option(member: str) -> Any:
        return driver.enum("CUjit_option", f"CU_JIT_{member}")

    errors, messages = bytearray(_LOG_BYTES), bytearray(_LOG_BYTES)
    options = [
        option("ERROR_LOG_BUFFER"),
        option("ERROR_LOG_BUFFER_SIZE_BYTES"),
        option("INFO_LOG_BUFFER"),
        option("INFO_LOG_BUFFER_SIZE_BYTES"),
        option("LOG_VERBOSE"),
    ]
    values = [errors, len(errors), messages, len(messages), 1]
    # The driver wants a NUL at the end.
    image = ptx.encode() + b"\0"
    with device.current():
        try:
            module = driver.call(
                "cuModuleLoadDataEx", image, len(options), options, values
            )
        except DriverCallError as error:
            log = "\n".join(filter(None, (_text(errors), _text(messages))))
            raise AssembleError(error, log) from error
        function = driver.call("cuModuleGetFunction", module, entry.encode())
        if shared_bytes > STATIC_LIMIT:
            driver.call(
                "cuFuncSetAttribute",
                function,
                _function_attribute(device, "MAX_DYNAMIC_SHARED_SIZE_BYTES"),
                shared_bytes,
            )

        def attribute(member: str) -> int:
            kind = _function_attribute(device, member)
            return int(driver.call("cuFuncGetAttribute", kind, function))

        return LoadedKernel(
            device=device,
            function=function,
            module=module,
            log=_text(messages),
            registers=attribute("NUM_REGS"),
            spill_bytes=_spills(_text(messages), attribute("LOCAL_SIZE_BYTES")),
            static_shared_bytes=attribute("SHARED_SIZE_BYTES"),
            blocks_per_multiprocessor=int(
                driver.call(
                    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
                    function,
                    block,
                    shared_bytes,
                )
            ),
            clusters=_clusters(device, function, block, shared_bytes, cluster),
        )


def _clusters(
    device: Device,
    function: Any,
    block: int,
    shared_bytes: int,
    cluster: tuple[int, int, int],
) -> int | None:
    """How many clusters the device holds: what its die and the kernel admit."""
    if cluster == (1, 1, 1):
        return None
    config = device.driver.make("CUlaunchConfig")
    config.gridDimX, config.gridDimY, config.gridDimZ = cluster
    config.blockDimX, config.blockDimY, config.blockDimZ = block, 1, 1
    config.sharedMemBytes = shared_bytes
    return int(device.driver.call("cuOccupancyMaxActiveClusters", function, config))


def _function_attribute(device: Device, member: str) -> Any:
    return device.driver.enum("CUfunction_attribute", f"CU_FUNC_ATTRIBUTE_{member}")


def _spills(log: str, local_bytes: int) -> int:
    found = [int(a) + int(b) for a, b in _SPILLS.findall(log)]
    return max(found, default=local_bytes)


def _text(buffer: bytearray) -> str:
    return bytes(buffer).split(b"\0")[0].decode(errors="replace").strip()
