"""A CUDA driver in host memory: what the runtime asks of it, checked and recorded."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from croqtile_mlir.runtime.driver import Driver

Status = tuple[Any, ...]


class Function(str):
    """A kernel of a module, called by its name; it belongs to a context."""

    context: int

    def __new__(cls, name: str, context: int) -> Function:
        made = super().__new__(cls, name)
        made.context = context
        return made


@dataclass(frozen=True)
class Launch:
    """One launch as the driver got it."""

    grid: tuple[int, int, int]
    block: int
    shared_bytes: int
    stream: int
    parameters: tuple[int, ...]
    """The addresses of the parameters."""

    def read(self, number: int, kind: type[Any]) -> Any:
        """The value of a parameter, as a ctypes type."""
        return kind.from_address(self.parameters[number]).value


@dataclass
class Descriptor:
    """A tensor map: what it was encoded from."""

    fields: dict[str, Any]
    bytes: Any = field(default_factory=lambda: (ctypes.c_ubyte * 128)())

    def getPtr(self) -> int:
        return ctypes.addressof(self.bytes)


@dataclass
class FakeApi:
    """The functions of `cuda.bindings.driver` that the runtime uses."""

    parameter_count: int = 0
    """How many parameters the kernel takes: the driver knows it from the code."""

    kernel: Callable[[Launch], None] = lambda launch: None
    devices: int = 1
    capability: tuple[int, int] = (9, 0)
    log: bytes = b""
    load_error: str | None = None
    launches: list[Launch] = field(default_factory=list[Launch])
    cooperative_launches: int = 0
    descriptors: list[Descriptor] = field(default_factory=list[Descriptor])
    attributes_set: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    synchronized: list[int] = field(default_factory=list[int])
    loads: list[bytes] = field(default_factory=list[bytes])
    waits: int = 0
    """How often a whole device was waited for."""

    contexts: list[int] = field(default_factory=list[int])
    """The stack of current contexts."""

    memory: dict[int, Any] = field(default_factory=dict[int, Any])
    failing: dict[str, str] = field(default_factory=dict[str, str])
    """Functions that fail, with the name of the status they return."""

    def __post_init__(self) -> None:
        self.real = importlib.import_module("cuda.bindings.driver")
        self.ok = self.real.CUresult.CUDA_SUCCESS

    def __getattr__(self, name: str) -> Any:
        # Enumerations and integer types are the binding's own.
        if name.startswith(("CU", "cuuint")):
            return getattr(self.real, name)
        raise AttributeError(name)

    def driver(self) -> Driver:
        """This driver, as the runtime takes one."""
        return Driver(self)

    __hash__ = object.__hash__

    def _done(self, function: str, *values: Any) -> Status:
        if function in self.failing:
            return (getattr(self.real.CUresult, self.failing[function]), None)
        return (self.ok, *values)

    def cuGetErrorName(self, status: Any) -> Status:
        return (self.ok, status.name.encode())

    def cuGetErrorString(self, status: Any) -> Status:
        return (self.ok, b"what went wrong")

    def cuDeviceGetCount(self) -> Status:
        return self._done("cuDeviceGetCount", self.devices)

    def cuDeviceGet(self, ordinal: int) -> Status:
        return self._done("cuDeviceGet", ordinal)

    def cuDeviceGetName(self, length: int, device: int) -> Status:
        return self._done("cuDeviceGetName", b"Fake %d\0\0\0" % device)

    def cuDeviceGetAttribute(self, attribute: Any, device: int) -> Status:
        values = {
            "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR": self.capability[0],
            "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR": self.capability[1],
            "CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT": 132,
        }
        return self._done("cuDeviceGetAttribute", values[attribute.name])

    def cuDevicePrimaryCtxRetain(self, device: int) -> Status:
        return self._done("cuDevicePrimaryCtxRetain", 100 + device)

    def cuCtxPushCurrent(self, context: int) -> Status:
        self.contexts.append(context)
        return self._done("cuCtxPushCurrent")

    def cuCtxPopCurrent(self) -> Status:
        return self._done("cuCtxPopCurrent", self.contexts.pop())

    def cuCtxGetCurrent(self) -> Status:
        return self._done("cuCtxGetCurrent", self.contexts[-1] if self.contexts else 0)

    def cuCtxGetDevice(self) -> Status:
        return self._done("cuCtxGetDevice", self.contexts[-1] - 100)

    def cuModuleLoadDataEx(
        self, image: bytes, count: int, options: Sequence[Any], values: Sequence[Any]
    ) -> Status:
        assert self.contexts, "a module is loaded into the current context"
        assert image.endswith(b"\0")
        assert count == len(options) == len(values)
        named = {
            option.name: value for option, value in zip(options, values, strict=True)
        }
        self.loads.append(image)
        which = "ERROR" if self.load_error else "INFO"
        named[f"CU_JIT_{which}_LOG_BUFFER"][: len(self.log)] = self.log
        if self.load_error:
            return (getattr(self.real.CUresult, self.load_error), None)
        return self._done("cuModuleLoadDataEx", 7)

    def cuModuleGetFunction(self, module: int, name: bytes) -> Status:
        return self._done(
            "cuModuleGetFunction", Function(name.decode(), self.contexts[-1])
        )

    def cuFuncSetAttribute(self, function: str, attribute: Any, value: int) -> Status:
        self.attributes_set.append((attribute.name, value))
        return self._done("cuFuncSetAttribute")

    def cuFuncGetAttribute(self, attribute: Any, function: str) -> Status:
        values = {
            "CU_FUNC_ATTRIBUTE_NUM_REGS": 90,
            "CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES": 8,
            "CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES": 0,
        }
        return self._done("cuFuncGetAttribute", values[attribute.name])

    def cuOccupancyMaxActiveBlocksPerMultiprocessor(
        self, function: str, block: int, shared_bytes: int
    ) -> Status:
        return self._done("cuOccupancyMaxActiveBlocksPerMultiprocessor", 1)

    def cuOccupancyMaxActiveClusters(self, function: str, config: Any) -> Status:
        assert self.contexts, "the occupancy is that of a device"
        assert config.numAttrs == 0, "the code says how large its clusters are"
        blocks = config.gridDimX * config.gridDimY * config.gridDimZ
        return self._done("cuOccupancyMaxActiveClusters", 132 // blocks)

    def cuPointerGetAttribute(self, attribute: Any, address: int) -> Status:
        assert attribute.name == "CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL"
        return self._done("cuPointerGetAttribute", 0)

    def cuMemAlloc(self, size: int) -> Status:
        # Aligned as the driver's allocations are, and dirty.
        block = (ctypes.c_ubyte * (size + 256))(*[0xAB] * (size + 256))
        address = -(-ctypes.addressof(block) // 256) * 256
        self.memory[address] = block
        return self._done("cuMemAlloc", address)

    def cuMemFree(self, address: int) -> Status:
        del self.memory[address]
        return self._done("cuMemFree")

    def cuMemcpyHtoD(self, target: int, source: int, size: int) -> Status:
        ctypes.memmove(target, source, size)
        return self._done("cuMemcpyHtoD")

    def cuMemcpyDtoH(self, target: int, source: int, size: int) -> Status:
        ctypes.memmove(target, source, size)
        return self._done("cuMemcpyDtoH")

    def cuMemsetD8Async(
        self, target: int, value: int, size: int, stream: int
    ) -> Status:
        ctypes.memset(target, value, size)
        return self._done("cuMemsetD8Async")

    def cuCtxSynchronize(self) -> Status:
        assert self.contexts, "what is waited for is the current context"
        self.waits += 1
        return self._done("cuCtxSynchronize")

    def cuStreamSynchronize(self, stream: int) -> Status:
        self.synchronized.append(stream)
        return self._done("cuStreamSynchronize")

    def cuEventCreate(self, flags: int) -> Status:
        return self._done("cuEventCreate", len(self.launches))

    def cuEventRecord(self, event: int, stream: int) -> Status:
        return self._done("cuEventRecord")

    def cuEventElapsedTime(self, start: int, end: int) -> Status:
        return self._done("cuEventElapsedTime", 0.5)

    def cuEventDestroy(self, event: int) -> Status:
        return self._done("cuEventDestroy")

    def cuTensorMapEncodeTiled(
        self,
        dtype: Any,
        rank: int,
        address: int,
        extents: Sequence[Any],
        pitches: Sequence[Any],
        box: Sequence[Any],
        steps: Sequence[Any],
        interleave: Any,
        swizzle: Any,
        promotion: Any,
        fill: Any,
    ) -> Status:
        assert rank == len(extents) == len(box) == len(steps)
        # The driver refuses a null pointer even where there are no pitches.
        assert len(pitches) == max(rank - 1, 1)
        descriptor = Descriptor(
            {
                "dtype": dtype.name,
                "address": address,
                "extents": [int(extent) for extent in extents],
                "pitches": [int(pitch) for pitch in pitches],
                "box": [int(extent) for extent in box],
                "swizzle": swizzle.name,
            }
        )
        legal = address % 16 == 0 and all(int(pitch) % 16 == 0 for pitch in pitches)
        if not (legal and all(1 <= int(extent) <= 2**32 for extent in extents)):
            return (self.real.CUresult.CUDA_ERROR_INVALID_VALUE, None)
        self.descriptors.append(descriptor)
        return self._done("cuTensorMapEncodeTiled", descriptor)

    def cuLaunchKernelEx(
        self, config: Any, function: Function, parameters: int, extra: int
    ) -> Status:
        # Seen on an H200: the default stream is that of the current context.
        if int(config.hStream) == 0 and self.contexts[-1:] != [function.context]:
            kind = "HANDLE" if self.contexts else "CONTEXT"
            return (getattr(self.real.CUresult, f"CUDA_ERROR_INVALID_{kind}"), None)
        assert (config.blockDimY, config.blockDimZ, extra) == (1, 1, 0)
        if config.numAttrs:
            (attribute,) = config.attrs
            kind = self.real.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
            assert attribute.id == kind
            assert attribute.value.cooperative == 1
            self.cooperative_launches += 1
        pointers = (ctypes.c_void_p * self.parameter_count).from_address(parameters)
        launch = Launch(
            (config.gridDimX, config.gridDimY, config.gridDimZ),
            config.blockDimX,
            config.sharedMemBytes,
            int(config.hStream),
            tuple(int(p or 0) for p in pointers),
        )
        self.launches.append(launch)
        if "cuLaunchKernelEx" not in self.failing:
            self.kernel(launch)
        return self._done("cuLaunchKernelEx")
