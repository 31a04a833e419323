"""Launching a kernel by its plan: check the arguments, pack the parameters, go."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from croqtile_mlir.launch_plan import LaunchPlan
from croqtile_mlir.runtime.arrays import DeviceArray, DeviceMemory
from croqtile_mlir.runtime.binding import Arguments, bind_arguments
from croqtile_mlir.runtime.device import Device, current_ordinal, open_device
from croqtile_mlir.runtime.driver import Driver, load_driver
from croqtile_mlir.runtime.module import LoadedKernel, load
from croqtile_mlir.runtime.outputs import make_output
from croqtile_mlir.runtime.parameters import Parameters, pack_parameters
from croqtile_mlir.runtime.streams import current_stream, on_stream, stream_handle
from croqtile_mlir.runtime.tensor_maps import TensorMapCache
from croqtile_mlir.runtime.tensors import Tensor, of_array, read_tensor
from croqtile_mlir.targets.architecture import architecture

_ZERO_BYTES = 256


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

    parameters: Parameters | None
    """None where the grid has no blocks."""

    staged: tuple[tuple[DeviceArray, Any], ...]
    """Device copies and the numpy arrays that they go back to."""

    tensors: Mapping[str, Tensor] = field(repr=False)

    def launch(self) -> None:
        """Put the kernel on its stream, without waiting. No blocks: nothing to do."""
        if self.parameters is None:
            return
        device = self.kernel.device
        with device.current():
            device.driver.call(
                "cuLaunchKernel",
                self.kernel.function,
                *self.grid,
                self.plan.block,
                1,
                1,
                self.plan.shared_bytes,
                self.stream,
                self.parameters.address,
                0,
            )

    def finish(self) -> None:
        """Where numpy arrays are written: wait for the stream and copy back to them."""
        if not self.staged:
            return
        device = self.kernel.device
        with device.current():
            device.driver.call("cuStreamSynchronize", self.stream)
        for array, target in self.staged:
            array.download(target)


@dataclass(frozen=True)
class _OnDevice:
    """What one device needs for a kernel."""

    kernel: LoadedKernel
    maps: TensorMapCache
    zeros: DeviceMemory


@dataclass(frozen=True)
class Launcher:
    """One compiled kernel on any number of devices. Safe to share between threads."""

    plan: LaunchPlan
    ptx: str
    entry: str
    given_driver: Driver | None = None
    """The driver to use instead of this machine's."""

    _loaded: dict[int, _OnDevice] = field(
        default_factory=dict[int, _OnDevice], init=False, repr=False
    )
    _lock: threading.Lock = field(
        default_factory=threading.Lock, init=False, repr=False
    )

    def driver(self) -> Driver:
        """The driver, loaded at its first use; `DeviceError` where there is none."""
        return self.given_driver or load_driver()

    def __call__(self, args: Sequence[Any], stream: Any = None) -> Any:
        """Check, launch, and return what the kernel returns: None, a tensor, a tuple.

        Tensors on a device are not waited for; numpy arrays are complete on return.
        """
        prepared = self.prepare(args, stream)
        prepared.launch()
        prepared.finish()
        results = prepared.results
        return (results[0] if len(results) == 1 else results) if results else None

    def loaded(self, device: Device) -> LoadedKernel:
        """The kernel on `device`, loaded at the first use."""
        return self._on_device(device).kernel

    def prepare(self, args: Sequence[Any], stream: Any = None) -> PreparedLaunch:
        """Check the arguments and pack the parameters; the kernel does not run yet.

        Raises `ArgumentError` for the first argument that breaks a rule, and
        `DeviceError` when there is no device for the kernel.
        """
        handle = None if stream is None else stream_handle(stream)
        arguments = bind_arguments(self.plan, args, handle, self.driver)
        driver = self.driver()
        ordinal = arguments.ordinal
        device = open_device(
            driver, current_ordinal(driver) if ordinal is None else ordinal
        )
        with device.current():
            return self._prepare_on(device, arguments, handle)

    def _prepare_on(
        self, device: Device, arguments: Arguments, handle: int | None
    ) -> PreparedLaunch:
        on_device = self._on_device(device)
        library = arguments.library
        stream = current_stream(library, device.ordinal) if handle is None else handle
        tensors = dict(arguments.tensors)
        _await_producers(device, tensors.values(), stream)
        staged = _to_device(self.plan, device, tensors)
        results: list[Any] = []
        # What a library allocates belongs to its current stream.
        given = handle is not None
        with on_stream(library, device.ordinal, stream) if given else nullcontext():
            for tile in self.plan.outputs:
                output = make_output(self.plan, tile, arguments.dims, library, device)
                results.append(output.result)
                tensors[tile.name] = read_tensor(
                    tile, output.storage, self.driver, stream
                )
                if output.storage is not output.result:
                    staged.append((output.storage, output.result))
        parameters = None
        if 0 not in arguments.grid:
            values = {name: tensor.value for name, tensor in tensors.items()}
            self.plan.check(arguments.dims, values)
            parameters = pack_parameters(
                self.plan,
                tensors,
                arguments.scalars,
                arguments.dims,
                on_device.maps,
                lambda: _fill_zeros(device, on_device.zeros, stream),
            )
        return PreparedLaunch(
            kernel=on_device.kernel,
            plan=self.plan,
            stream=stream,
            grid=arguments.grid,
            dims=arguments.dims,
            results=tuple(results),
            parameters=parameters,
            staged=tuple(staged),
            tensors=tensors,
        )

    def _on_device(self, device: Device) -> _OnDevice:
        with self._lock:
            found = self._loaded.get(device.ordinal)
            if found is None:
                plan = self.plan
                device.require(architecture(plan.target))
                kernel = load(
                    device,
                    self.ptx,
                    self.entry,
                    plan.block,
                    plan.shared_bytes,
                    plan.cluster,
                )
                found = _OnDevice(
                    kernel,
                    TensorMapCache(device.driver),
                    DeviceMemory.allocate(device, _ZERO_BYTES),
                )
                self._loaded[device.ordinal] = found
            return found


def _to_device(
    plan: LaunchPlan, device: Device, tensors: dict[str, Tensor]
) -> list[tuple[DeviceArray, Any]]:
    """Replace numpy arrays by copies on the device; the pairs that are copied back."""
    written: list[tuple[DeviceArray, Any]] = []
    for name, tensor in tensors.items():
        if tensor.device is not None:
            continue
        array = DeviceArray.of(device, tensor.source, tensor.dtype)
        tensors[name] = of_array(array)
        if plan.tiles[name].written:
            written.append((array, tensor.source))
    return written


def _await_producers(device: Device, tensors: Iterable[Tensor], stream: int) -> None:
    """Wait for streams that arguments name as the writers of their contents."""
    # The array interface calls the default stream 1.
    same = {stream, 1} if stream == 0 else {stream}
    for producer in {t.stream for t in tensors if t.stream is not None} - same:
        device.driver.call("cuStreamSynchronize", producer)


def _fill_zeros(device: Device, memory: DeviceMemory, stream: int) -> int:
    """The zero bytes, zeroed again: a kernel may have stored to them."""
    device.driver.call("cuMemsetD8Async", memory.address, 0, memory.size, stream)
    return memory.address
