"""TMA descriptors, encoded by the driver and kept for arguments that come again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.launch_plan import TMA_ALIGNMENT, TensorMapParam, TileValue
from croqtile_mlir.runtime.driver import Driver, DriverCallError
from croqtile_mlir.runtime.dtypes import DType

_MAX_PITCH = 2**40
_KEPT = 256

Key = tuple[int, tuple[int, ...], tuple[int, ...], tuple[int, ...], int, str]


@dataclass(frozen=True)
class TensorMap:
    """128 opaque bytes at `address`, alive as long as this object."""

    descriptor: Any = field(repr=False)
    address: int


@dataclass(frozen=True)
class TensorMapCache:
    """The latest descriptors, by everything that goes into one. Safe to share."""

    driver: Driver
    kept: int = _KEPT
    _maps: OrderedDict[Key, TensorMap] = field(
        default_factory=OrderedDict[Key, TensorMap], init=False, repr=False
    )
    _lock: threading.Lock = field(
        default_factory=threading.Lock, init=False, repr=False
    )

    def get(
        self,
        param: TensorMapParam,
        value: TileValue,
        dtype: DType,
        zeros: Callable[[], int],
    ) -> TensorMap:
        """The descriptor of a tile; a tile without elements reads as `zeros()`.

        `zeros` gives the address of at least 16 zero bytes in device memory.
        """
        shape, address = value.shape, value.address
        if 0 in shape:
            # The hardware knows no extent 0. One zero element is what an access out of
            # bounds reads anyway.
            shape, address = (1,) * len(shape), zeros()
        pitches = tma_pitches(shape, value.strides, dtype.bytes)
        key: Key = (address, shape, pitches, param.box, param.swizzle, dtype.name)
        with self._lock:
            found = self._maps.get(key)
            if found is not None:
                self._maps.move_to_end(key)
                return found
        made = self._encode(param, address, shape, pitches, dtype)
        with self._lock:
            self._maps[key] = made
            while len(self._maps) > self.kept:
                self._maps.popitem(last=False)
        return made

    def _encode(
        self,
        param: TensorMapParam,
        address: int,
        shape: tuple[int, ...],
        pitches: tuple[int, ...],
        dtype: DType,
    ) -> TensorMap:
        api, enum = self.driver.api, self.driver.enum
        if dtype.tensor_map is None:
            raise ArgumentError(
                f"argument '{param.arg}': TMA does not move {dtype.name}"
            )
        swizzle = f"{param.swizzle}B" if param.swizzle else "NONE"
        rank = len(shape)
        # A tensor of rank 1 has no pitches, but the driver refuses a null pointer for
        # them (seen with CUDA 13.0); it does not read what the pointer is to.
        strides = pitches or (TMA_ALIGNMENT,)
        try:
            descriptor = self.driver.call(
                "cuTensorMapEncodeTiled",
                enum(
                    "CUtensorMapDataType", f"CU_TENSOR_MAP_DATA_TYPE_{dtype.tensor_map}"
                ),
                rank,
                address,
                [api.cuuint64_t(extent) for extent in reversed(shape)],
                [api.cuuint64_t(pitch) for pitch in reversed(strides)],
                [api.cuuint32_t(extent) for extent in reversed(param.box)],
                [api.cuuint32_t(1)] * rank,
                enum("CUtensorMapInterleave", "CU_TENSOR_MAP_INTERLEAVE_NONE"),
                enum("CUtensorMapSwizzle", f"CU_TENSOR_MAP_SWIZZLE_{swizzle}"),
                enum("CUtensorMapL2promotion", "CU_TENSOR_MAP_L2_PROMOTION_L2_256B"),
                enum("CUtensorMapFloatOOBfill", "CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE"),
            )
        except DriverCallError as error:
            raise ArgumentError(
                f"argument '{param.arg}': the driver refuses a tensor map of shape "
                f"{shape}, pitches {pitches} bytes, address {address:#x}, "
                f"{dtype.name}, box {param.box}, swizzle {param.swizzle}: {error}"
            ) from error
        return TensorMap(descriptor, int(descriptor.getPtr()))


def tma_pitches(
    shape: tuple[int, ...], strides: tuple[int, ...], element_bytes: int
) -> tuple[int, ...]:
    """The pitches in bytes of all dims but the last, outermost first.

    The stride of a dim of extent 1 is free, and what a library reports for it is
    arbitrary: such a dim gets the smallest legal pitch beyond the dims inside it.
    """
    pitches: list[int] = []
    inside = shape[-1] * element_bytes
    for extent, stride in zip(shape[-2::-1], strides[-2::-1], strict=True):
        pitch = stride * element_bytes
        if extent == 1:
            pitch = -(-inside // TMA_ALIGNMENT) * TMA_ALIGNMENT
            pitch = min(pitch, _MAX_PITCH - TMA_ALIGNMENT)
        pitches.append(pitch)
        inside = max(inside, pitch * extent)
    return tuple(reversed(pitches))
