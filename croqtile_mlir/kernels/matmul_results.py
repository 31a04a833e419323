"""Results of a product: made in the library of the operands, or filled with zeros."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Any

from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.runtime.arrays import DeviceArray, numpy_dtype
from croqtile_mlir.runtime.device import open_device
from croqtile_mlir.runtime.driver import load_driver
from croqtile_mlir.runtime.dtypes import dtype_named
from croqtile_mlir.runtime.streams import current_stream, on_stream
from croqtile_mlir.runtime.tensors import Tensor


def empty(like: Tensor, shape: tuple[int, int], dtype: str, stream: int | None) -> Any:
    """An uninitialised matrix of the library, and on the device, of an operand.

    What will be an array of jax is one of ours first: nobody else writes to jax's.
    """
    if like.device is None:
        import numpy as np

        return np.empty(shape, numpy_dtype(dtype_named(dtype)))
    ordinal = like.device
    with nullcontext() if stream is None else on_stream(like.library, ordinal, stream):
        match like.library:
            case "torch":
                torch: Any = sys.modules["torch"]
                kind = getattr(torch, dtype_named(dtype).libraries[0])
                return torch.empty(shape, dtype=kind, device=f"cuda:{ordinal}")
            case "cupy":
                cupy: Any = sys.modules["cupy"]
                with cupy.cuda.Device(ordinal):
                    return cupy.empty(shape, dtype=numpy_dtype(dtype_named(dtype)))
            case "croqtile" | "jax":
                device = open_device(load_driver(), ordinal)
                return DeviceArray.empty(device, shape, dtype_named(dtype))
            case _:
                raise ArgumentError(
                    "argument 'out' must be given for tensors of a library that is "
                    "none of torch, cupy, jax and numpy"
                )


def zero(out: Tensor, stream: int | None) -> None:
    """Fill a row-major matrix with zeros."""
    if out.device is None:
        out.source[...] = 0
        return
    (rows, cols), size = out.value.shape, out.dtype.bytes
    if not rows * cols:
        return
    device = open_device(load_driver(), out.device)
    if stream is None:
        stream = current_stream(out.library, out.device)
    with device.current():
        device.driver.call(
            "cuMemsetD2D8Async",
            out.value.address,
            max(out.value.strides[0], cols) * size,
            0,
            cols * size,
            rows,
            stream,
        )
