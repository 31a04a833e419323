"""The parameters of a kernel as the driver takes them: an array of pointers."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from croqtile_mlir.launch_plan import (
    DimParam,
    LaunchPlan,
    PointerParam,
    ScalarParam,
    StrideParam,
    TensorMapParam,
)
from croqtile_mlir.runtime.tensor_maps import TensorMapCache
from croqtile_mlir.runtime.tensors import Tensor


@dataclass(frozen=True)
class Parameters:
    """Packed parameters; valid as long as the object lives."""

    address: int
    """Of the array of pointers; 0 for a kernel without parameters."""

    values: tuple[Any, ...] = field(repr=False)
    """What the pointers point into."""


def pack_parameters(
    plan: LaunchPlan,
    tensors: Mapping[str, Tensor],
    scalars: Mapping[str, bytes],
    dims: Mapping[str, int],
    maps: TensorMapCache,
    zeros: Callable[[], int],
) -> Parameters:
    """The kernel's parameters, in the plan's order.

    `zeros` gives the address of zero bytes for descriptors of tiles without elements.
    """
    pointers: list[int] = []
    values: list[Any] = []
    for param in plan.params:
        match param:
            case TensorMapParam():
                tensor = tensors[param.arg]
                made = maps.get(param, tensor.value, tensor.dtype, zeros)
                values.append(made)
                pointers.append(made.address)
                continue
            case PointerParam():
                value = ctypes.c_uint64(tensors[param.arg].value.address)
            case StrideParam():
                value = ctypes.c_int64(tensors[param.arg].value.strides[param.dim])
            case DimParam():
                value = ctypes.c_int32(dims[param.dim])
            case ScalarParam():
                data = scalars[param.arg]
                value = (ctypes.c_ubyte * len(data)).from_buffer_copy(data)
        values.append(value)
        pointers.append(ctypes.addressof(value))
    if not pointers:
        return Parameters(0, ())
    array = (ctypes.c_void_p * len(pointers))(*pointers)
    return Parameters(ctypes.addressof(array), (array, *values))
