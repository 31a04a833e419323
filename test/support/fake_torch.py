"""The part of torch that the runtime looks at, over numpy arrays in host memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, Any]

_KINDS = {
    "torch.float16": np.float16,
    "torch.bfloat16": ml_dtypes.bfloat16,
    "torch.float32": np.float32,
    "torch.float64": np.float64,
}


@dataclass(frozen=True)
class DType:
    """An element type; equal and hashed by identity, as torch's."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Device:
    """A device; equal and hashed by its parts, as torch's."""

    type: str
    index: int | None


DTYPES = {name: DType(name) for name in _KINDS}
_BY_KIND = {np.dtype(kind).name: DTYPES[name] for name, kind in _KINDS.items()}


class Layout:
    """`torch.strided`."""

    def __str__(self) -> str:
        return "torch.strided"


_STRIDED = Layout()


@dataclass(eq=False)
class Tensor:
    """A tensor on a device: its memory is an array's."""

    array: Array
    ordinal: int = 0
    layout: Layout = field(default=_STRIDED)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def dtype(self) -> DType:
        return _BY_KIND[self.array.dtype.name]

    @property
    def device(self) -> Device:
        return Device("cuda", self.ordinal)

    @property
    def T(self) -> Tensor:
        return Tensor(self.array.T, self.ordinal)

    def __getitem__(self, index: Any) -> Tensor:
        return Tensor(self.array[index], self.ordinal)

    def stride(self) -> tuple[int, ...]:
        return tuple(step // self.array.itemsize for step in self.array.strides)

    def data_ptr(self) -> int:
        return int(self.array.ctypes.data)

    def is_neg(self) -> bool:
        return False

    def get_device(self) -> int:
        return self.ordinal


@dataclass
class FakeTorch:
    """A module `torch`."""

    stream: int = 0
    made: list[Tensor] = field(default_factory=list[Tensor])
    """What `torch.empty` gave."""

    def module(self) -> ModuleType:
        """The module, to be put in `sys.modules`."""
        module: Any = ModuleType("torch")
        module.Tensor = Tensor
        module.strided = _STRIDED
        module.empty = self.empty
        module._C = SimpleNamespace(_cuda_getCurrentRawStream=self.current)
        for name, dtype in DTYPES.items():
            setattr(module, name.removeprefix("torch."), dtype)
        return module

    def current(self, ordinal: int) -> int:
        return self.stream

    def empty(self, shape: tuple[int, int], *, dtype: DType, device: Any) -> Tensor:
        made = aligned(shape, dtype.name)
        self.made.append(made)
        return made


def aligned(shape: tuple[int, int], dtype: str = "torch.float16") -> Tensor:
    """A contiguous tensor at a multiple of 256 bytes, filled with NaN."""
    kind = np.dtype(_KINDS[dtype])
    size = shape[0] * shape[1] * kind.itemsize
    memory = np.full(size + 512, 0xFF, np.uint8)
    start = -memory.ctypes.data % 256
    return Tensor(memory[start : start + size].view(kind).reshape(shape))
