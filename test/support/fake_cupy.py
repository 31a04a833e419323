"""The part of cupy that the runtime looks at, over numpy arrays in host memory."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

Memory = np.ndarray[Any, Any]


@dataclass(eq=False)
class Array:
    """An array on a device: its memory is numpy's."""

    array: Memory
    ordinal: int = 0

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def strides(self) -> tuple[int, ...]:
        """In bytes."""
        return self.array.strides

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.array.dtype

    @property
    def data(self) -> Any:
        return SimpleNamespace(ptr=self.address, device_id=self.ordinal)

    @property
    def device(self) -> Any:
        return SimpleNamespace(id=self.ordinal)

    @property
    def address(self) -> int:
        """Not cupy's: what tests compare."""
        return int(self.array.ctypes.data)

    @property
    def T(self) -> Array:
        return Array(self.array.T, self.ordinal)

    def __getitem__(self, index: Any) -> Array:
        return Array(self.array[index], self.ordinal)


@dataclass
class FakeCupy:
    """A module `cupy`."""

    stream: int = 0
    """The current one of device 0; those of others have numbers a hundred higher."""

    device: int = 0
    made: list[tuple[Array, int]] = field(default_factory=list[tuple[Array, int]])
    """What `cupy.empty` gave, and on what stream."""

    def module(self) -> ModuleType:
        """The module, to be put in `sys.modules`."""
        module: Any = ModuleType("cupy")
        module.ndarray = Array
        module.empty = self.empty
        module.cuda = SimpleNamespace(
            get_current_stream=self.current,
            Device=self.with_device,
            ExternalStream=self.with_stream,
        )
        return module

    def current(self, ordinal: int) -> Any:
        return SimpleNamespace(ptr=self.stream + 100 * ordinal)

    @contextmanager
    def with_device(self, ordinal: int) -> Generator[None]:
        before, self.device = self.device, ordinal
        yield
        self.device = before

    @contextmanager
    def with_stream(self, handle: int, ordinal: int) -> Generator[None]:
        before, self.stream = self.stream, handle
        yield
        self.stream = before

    def empty(self, shape: tuple[int, ...], *, dtype: Any) -> Array:
        made = Array(placed(shape, np.dtype(dtype)), self.device)
        self.made.append((made, self.stream))
        return made


def placed(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Memory:
    """Contiguous memory at a multiple of 256 bytes."""
    size = int(np.prod(shape)) * dtype.itemsize
    memory = np.full(size + 512, 0xFF, np.uint8)
    start = -memory.ctypes.data % 256
    return memory[start : start + size].view(dtype).reshape(shape)


def array_of(*shape: int) -> Array:
    """An array of f16 on device 0."""
    return Array(placed(shape, np.dtype(np.float16)))
