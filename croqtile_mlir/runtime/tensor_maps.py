"""TMA descriptors, encoded by the driver and kept for arguments that come again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.launch.plan import TMA_ALIGNMENT, TensorMapParam, TileValue
from croqtile_mlir.runtime.bounded_cache import BoundedCache
from croqtile_mlir.runtime.driver import Driver
from croqtile_mlir.runtime.dtypes import DType

_MAX_PITCH = 2**40
_KEPT = 1024

Content = tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...], int, str]
"""Argument, shape, pitches in bytes, box, swizzle and element type."""


class TensorMap(NamedTuple):
    """128 opaque bytes at `address`, alive as long as this object."""

    descriptor: Any
    address: int


@dataclass(frozen=True, eq=False)
class TensorMapEncoder:
    """Encodes descriptors that differ in nothing but the address of the tensor."""

    driver: Driver
    param: TensorMapParam
    shape: tuple[int, ...]
    pitches: tuple[int, ...]
    dtype: DType

    def encode(self, address: int) -> TensorMap:
        """The descriptor of a tensor at this address."""
        encode, after = self._call
        status, descriptor = encode(address, *after)
        if status:
            error = self.driver.error("cuTensorMapEncodeTiled", status)
            param = self.param
            raise ArgumentError(
                f"argument '{param.arg}': the driver refuses a tensor map of shape "
                f"{self.shape}, pitches {self.pitches} bytes, address {address:#x}, "
                f"{self.dtype.name}, box {param.box}, swizzle {param.swizzle}: {error}"
            ) from error
        return TensorMap(descriptor, int(descriptor.getPtr()))

    @cached_property
    def _call(self) -> tuple[Any, tuple[Any, ...]]:
        """The driver's function up to the address, and what it takes after it."""
        api, enum = self.driver.api, self.driver.enum
        param, dtype = self.param, self.dtype
        if dtype.tensor_map is None:
            raise ArgumentError(
                f"argument '{param.arg}': TMA does not move {dtype.name}"
            )
        swizzle = f"{param.swizzle}B" if param.swizzle else "NONE"
        rank = len(self.shape)
        # A tensor of rank 1 has no pitches, but the driver refuses a null pointer for
        # them (seen with CUDA 13.0); it does not read what the pointer is to.
        strides = self.pitches or (TMA_ALIGNMENT,)
        kind = f"CU_TENSOR_MAP_DATA_TYPE_{dtype.tensor_map}"
        before = enum("CUtensorMapDataType", kind), rank
        return partial(api.cuTensorMapEncodeTiled, *before), (
            [api.cuuint64_t(extent) for extent in reversed(self.shape)],
            [api.cuuint64_t(pitch) for pitch in reversed(strides)],
            [api.cuuint32_t(extent) for extent in reversed(param.box)],
            [api.cuuint32_t(1)] * rank,
            enum("CUtensorMapInterleave", "CU_TENSOR_MAP_INTERLEAVE_NONE"),
            enum("CUtensorMapSwizzle", f"CU_TENSOR_MAP_SWIZZLE_{swizzle}"),
            enum("CUtensorMapL2promotion", "CU_TENSOR_MAP_L2_PROMOTION_L2_256B"),
            enum("CUtensorMapFloatOOBfill", "CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE"),
        )


@dataclass(frozen=True, eq=False)
class TensorMapCache:
    """The latest descriptors, by everything that goes into one. Safe to share."""

    driver: Driver
    kept: int = _KEPT

    @cached_property
    def _maps(self) -> BoundedCache[tuple[int, TensorMapEncoder], TensorMap]:
        return BoundedCache(self.kept)

    @cached_property
    def _encoders(self) -> BoundedCache[Content, TensorMapEncoder]:
        return BoundedCache(self.kept)

    def encoder(
        self, param: TensorMapParam, value: TileValue, dtype: DType
    ) -> TensorMapEncoder:
        """What encodes the descriptors of tiles with a tile's shape and strides.

        The hardware knows no extent 0. A tile without elements gets the descriptor of
        one element, which must be zero: what an access out of bounds reads anyway.
        """
        shape = (1,) * len(value.shape) if 0 in value.shape else value.shape
        pitches = tma_pitches(shape, value.strides, dtype.bytes)
        content = param.arg, shape, pitches, param.box, param.swizzle, dtype.name
        # Descriptors go by their encoder: the same object for the same contents.
        found = self._encoders.get(content)
        if found is None:
            found = TensorMapEncoder(self.driver, param, shape, pitches, dtype)
            self._encoders.put(content, found)
        return found

    def get(self, encoder: TensorMapEncoder, address: int) -> TensorMap:
        """The descriptor of a tensor at an address, encoded if it is not there."""
        key = (address, encoder)
        found = self._maps.get(key)
        if found is None:
            found = encoder.encode(address)
            self._maps.put(key, found)
        return found


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
