"""Launching a kernel by its plan: check the arguments, pack the parameters, go."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.launch.plan import LaunchPlan
from croqtile_mlir.runtime.arrays import DeviceArray, DeviceMemory
from croqtile_mlir.runtime.binding import Arguments, bind_arguments
from croqtile_mlir.runtime.call_kinds import CallKinds
from croqtile_mlir.runtime.device import Device, current_ordinal, open_device
from croqtile_mlir.runtime.driver import Driver, load_driver
from croqtile_mlir.runtime.enqueue import Enqueue
from croqtile_mlir.runtime.jax_arrays import in_kind
from croqtile_mlir.runtime.known_calls import KnownCall, calls_of
from croqtile_mlir.runtime.module import LoadedKernel, load
from croqtile_mlir.runtime.outputs import make_output
from croqtile_mlir.runtime.parameters import ParameterLayout
from croqtile_mlir.runtime.prepared import PreparedLaunch
from croqtile_mlir.runtime.repeated_calls import Again
from croqtile_mlir.runtime.streams import current_stream, on_stream, stream_handle
from croqtile_mlir.runtime.tensor_maps import TensorMapCache
from croqtile_mlir.runtime.tensors import Tensor, of_array, read_tensor
from croqtile_mlir.runtime.workspaces import Workspaces
from croqtile_mlir.targets.architecture import architecture

__all__ = ["Launcher", "PreparedLaunch"]

_ZERO_BYTES = 256


@dataclass(frozen=True)
class _OnDevice:
    """What one device needs for a kernel."""

    kernel: LoadedKernel
    maps: TensorMapCache
    zeros: DeviceMemory
    workspaces: Workspaces


@dataclass(frozen=True)
class Launcher:
    """One compiled kernel on any number of devices. Safe to share between threads."""

    plan: LaunchPlan
    ptx: str
    entry: str
    given_driver: Driver | None = None
    """The driver to use instead of this machine's."""

    again: list[Again] = field(default_factory=list[Again], repr=False)
    """What launches calls like the latest ones: asked one by one before `__call__`.

    The list stays the same, what is in it changes.
    """

    _loaded: dict[int, _OnDevice] = field(
        default_factory=dict[int, _OnDevice], init=False, repr=False
    )
    _lock: threading.Lock = field(
        default_factory=threading.Lock, init=False, repr=False
    )

    stream_handle = staticmethod(stream_handle)
    """What `stream` of a call stands for."""

    def driver(self) -> Driver:
        """The driver, loaded at its first use; `DeviceError` where there is none."""
        return self.given_driver or load_driver()

    def __call__(self, args: Sequence[Any], stream: Any = None) -> Any:
        """Check, launch, and return what the kernel returns: None, a tensor, a tuple.

        Tensors on a device are not waited for; numpy arrays are complete on return.
        """
        handle = None if stream is None else stream_handle(stream)
        results = None
        if (found := self._calls.find(args)) is not None:
            known, addresses = found
            results = known.launch(addresses, args, handle)
        if results is None:
            prepared = self.prepare(args, handle)
            prepared.launch()
            prepared.finish()
            results = in_kind(prepared.results, args)
            self._remember(args, prepared)
        return (results[0] if len(results) == 1 else results) if results else None

    def _remember(self, args: Sequence[Any], prepared: PreparedLaunch) -> None:
        """Keep what was found out about a call, for others of plain tensors."""
        arrays = self._calls.plain(args)
        if arrays is None:
            return
        found = self._on_device(prepared.kernel.device)
        known = KnownCall.of(prepared, arrays.library, found.maps, found.workspaces)
        if known is not None:
            self._calls.add(arrays, known, known.repeats)

    @cached_property
    def _calls(self) -> CallKinds[KnownCall]:
        return calls_of(self.plan, self.again)

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
        if self.plan.cooperative:
            _check_room(on_device.kernel, arguments.grid)
        library = arguments.library
        stream = current_stream(library, device.ordinal) if handle is None else handle
        tensors = dict(arguments.tensors)
        _await_producers(device, tensors.values(), stream)
        staged = _to_device(self.plan, device, tensors)
        results: list[Any] = []
        # What a library allocates belongs to its current stream.
        given = handle is not None and bool(self.plan.outputs)
        with on_stream(library, device.ordinal, stream) if given else nullcontext():
            for tile in self.plan.outputs:
                output = make_output(self.plan, tile, arguments.dims, library, device)
                results.append(output.result)
                tensors[tile.name] = read_tensor(
                    tile, output.storage, self.driver, stream
                )
                if output.storage is not output.result:
                    staged.append((output.storage, output.result))
        layout = parameters = None
        if 0 not in arguments.grid:
            values = {name: tensor.value for name, tensor in tensors.items()}
            self.plan.check(arguments.dims, values)
            maps = on_device.maps
            layout = ParameterLayout.of(self.plan, tensors, arguments.dims, maps)
            parameters = layout.pack(
                [tensors[name].value.address for name in layout.tiles],
                list(arguments.scalars.values()),
                maps,
                lambda: _fill_zeros(device, on_device.zeros, stream),
                on_device.workspaces.of(stream),
            )
        return PreparedLaunch(
            kernel=on_device.kernel,
            plan=self.plan,
            stream=stream,
            grid=arguments.grid,
            dims=arguments.dims,
            results=tuple(results),
            enqueue=Enqueue.of(on_device.kernel, self.plan, arguments.grid),
            layout=layout,
            parameters=parameters,
            staged=tuple(staged),
            tensors=tensors,
        )

    def _on_device(self, device: Device) -> _OnDevice:
        with self._lock:
            found = self._loaded.get(device.ordinal)
            if found is None:
                plan = self.plan
                device.require(architecture(plan.target), plan.shared_bytes)
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
                    Workspaces(device, plan.workspace_bytes),
                )
                self._loaded[device.ordinal] = found
            return found


def _check_room(kernel: LoadedKernel, grid: Sequence[int]) -> None:
    """Refuse a grid whose blocks wait for each other and cannot all run at once."""
    blocks, device = prod(grid), kernel.device
    room = kernel.blocks_per_multiprocessor * device.multiprocessors
    if blocks > room:
        raise ArgumentError(
            f"grid must be at most {room} blocks, which {device.name} runs at once: "
            f"its blocks wait for each other, got {blocks} blocks "
            f"({kernel.blocks_per_multiprocessor} on each of "
            f"{device.multiprocessors} multiprocessors)"
        )


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
