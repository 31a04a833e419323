"""The parameters of a kernel as the driver takes them: an array of pointers."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, NoReturn

from croqtile_mlir.launch.plan import (
    DimParam,
    LaunchPlan,
    PointerParam,
    ScalarArg,
    ScalarParam,
    StrideParam,
    TensorMapParam,
    WorkspaceParam,
)
from croqtile_mlir.runtime.arrays import DeviceMemory
from croqtile_mlir.runtime.tensor_maps import TensorMapCache, TensorMapEncoder
from croqtile_mlir.runtime.tensors import Tensor

_SLOT = 8
"""Bytes of a pointer, and of a value: no parameter but a descriptor has more."""


class Parameters(NamedTuple):
    """Packed parameters; valid as long as the object lives."""

    address: int
    """Of the array of pointers; 0 for a kernel without parameters."""

    values: tuple[Any, ...]
    """What the pointers point into."""


@dataclass(frozen=True)
class _Map:
    """A parameter that is a descriptor."""

    number: int
    tile: int
    encoder: TensorMapEncoder
    is_empty: bool
    """The tile has no elements: its descriptor is of zeros."""


@dataclass(frozen=True, eq=False)
class ParameterLayout:
    """The parameters of launches that differ in addresses and scalars alone."""

    tiles: tuple[str, ...]
    """In the order in which their addresses are given."""

    maps: tuple[_Map, ...]
    pointers: tuple[tuple[int, int], ...]
    """The parameters that are addresses, and of which tiles."""

    scalars: tuple[tuple[int, int], ...]
    """The parameters that are scalars, and which of the plan's scalars."""

    workspaces: tuple[int, ...]
    """The parameters that are the address of the workspace."""

    constants: tuple[int, ...]
    """What every parameter is, 0 where launches differ."""

    @staticmethod
    def of(
        plan: LaunchPlan,
        tensors: Mapping[str, Tensor],
        dims: Mapping[str, int],
        maps: TensorMapCache,
    ) -> ParameterLayout:
        """For launches with tensors of these shapes and strides."""
        tiles = list(tensors)
        numbers = [arg.name for arg in plan.inputs if isinstance(arg, ScalarArg)]
        described: list[_Map] = []
        pointers: list[tuple[int, int]] = []
        scalars: list[tuple[int, int]] = []
        workspaces: list[int] = []
        constants = [0] * len(plan.params)
        for number, param in enumerate(plan.params):
            match param:
                case TensorMapParam():
                    tensor = tensors[param.arg]
                    encoder = maps.encoder(param, tensor.value, tensor.dtype)
                    is_empty = 0 in tensor.value.shape
                    place = tiles.index(param.arg)
                    described.append(_Map(number, place, encoder, is_empty))
                case PointerParam():
                    pointers.append((number, tiles.index(param.arg)))
                case StrideParam():
                    stride = tensors[param.arg].value.strides[param.dim]
                    # A stride that means nothing may be negative.
                    constants[number] = stride % (1 << 64)
                case DimParam():
                    constants[number] = dims[param.dim]
                case ScalarParam():
                    scalars.append((number, numbers.index(param.arg)))
                case WorkspaceParam():
                    workspaces.append(number)
        return ParameterLayout(
            tuple(tiles),
            tuple(described),
            tuple(pointers),
            tuple(scalars),
            tuple(workspaces),
            tuple(constants),
        )

    def pack(
        self,
        addresses: Sequence[int],
        scalars: Sequence[bytes],
        maps: TensorMapCache,
        zeros: Callable[[], int],
        workspace: DeviceMemory | None = None,
    ) -> Parameters:
        """The parameters, in the plan's order, with tiles at these addresses.

        `zeros` gives the address of at least 16 zero bytes in device memory; `no_zeros`
        where no tile is empty. `workspace` is that of the stream; the parameters keep
        it.
        """
        count = len(self.constants)
        if not count:
            return Parameters(0, ())
        block = _block(count)()
        start = ctypes.addressof(block)
        first = start + _SLOT * count
        where = [*range(first, first + _SLOT * count, _SLOT)]
        values = list(self.constants)
        for number, tile in self.pointers:
            values[number] = addresses[tile]
        for number, scalar in self.scalars:
            values[number] = int.from_bytes(scalars[scalar], "little")
        kept: list[Any] = [block, workspace]
        if workspace is not None:
            for number in self.workspaces:
                values[number] = workspace.address
        for each in self.maps:
            address = zeros() if each.is_empty else addresses[each.tile]
            made = maps.get(each.encoder, address)
            where[each.number] = made.address
            kept.append(made)
        _format(count).pack_into(block, 0, *where, *values)
        return Parameters(start, tuple(kept))


def no_zeros() -> NoReturn:
    """Stands for the zeros of a launch whose tiles all have elements."""
    raise AssertionError("a tile without elements is packed anew in every call")


@cache
def _format(count: int) -> struct.Struct:
    """Pointers, then what they point to, each in 8 bytes."""
    return struct.Struct(f"={2 * count}Q")


@cache
def _block(count: int) -> type[ctypes.Array[ctypes.c_uint64]]:
    return ctypes.c_uint64 * (2 * count)
