"""Arrays of jax, which nobody may write to: what they say as arguments, and results."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, cast

from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.runtime.arrays import DeviceArray, numpy_dtype
from croqtile_mlir.runtime.dtypes import describe

IMMUTABLE = (
    "arrays of jax never change: let the kernel return the tile, or pass a numpy array "
    "or a torch or cupy tensor"
)


def is_jax(source: object) -> bool:
    """Whether it is an array of jax, or stands for one while jax traces."""
    kind = getattr(sys.modules.get("jax"), "Array", None)
    return isinstance(kind, type) and isinstance(source, kind)


def ready(name: str, source: Any) -> Any:
    """An argument as an array whose contents are there: in host memory a numpy array.

    Raises:
        ArgumentError: it has no memory, or that of several devices.
    """
    jax: Any = sys.modules["jax"]
    if isinstance(source, jax.core.Tracer):
        raise ArgumentError(
            f"argument '{name}' must be an array with values, got one that jax traces: "
            f"{describe(source)} (call it outside of jax.jit, or by jax.pure_callback)"
        )
    try:
        return _with_values(name, source)
    except (RuntimeError, TypeError) as error:
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError(
            f"argument '{name}' must be an array with values: {error}"
        ) from error


def _with_values(name: str, source: Any) -> Any:
    devices = list(source.devices())
    if len(devices) > 1:
        raise ArgumentError(
            f"argument '{name}' must be on one device, got an array of jax on "
            f"{len(devices)} ({', '.join(map(str, devices))})"
        )
    # What computes it runs on a stream of jax's own.
    source.block_until_ready()
    if devices[0].platform != "cpu":
        return source
    import numpy as np

    return np.asarray(source)


def is_on_host(source: Any) -> bool:
    """Whether it is an array of jax with values in host memory."""
    return is_jax(source) and {d.platform for d in source.devices()} == {"cpu"}


def in_kind(result: Any, arguments: Sequence[object]) -> Any:
    """What was returned; of jax if an argument was of jax.

    An array of ours becomes jax's where it is, unless it has gaps between its rows, or
    elements that jax or DLPack has not: then it goes by way of host memory.
    """
    if not any(map(is_jax, arguments)):
        return result
    if isinstance(result, tuple):
        return tuple(
            in_kind(each, arguments) for each in cast("tuple[Any, ...]", result)
        )
    numpy: Any = sys.modules["numpy"]
    jax: Any = sys.modules["jax"]
    if isinstance(result, DeviceArray):
        array, kind = result, numpy_dtype(result.dtype)
        if array.is_contiguous and jax.dtypes.canonicalize_dtype(kind) == kind:
            with suppress(BufferError):
                return jax.dlpack.from_dlpack(array)
        array.wait()
        result = numpy.empty(array.shape, kind)
        array.download(result)
    if not isinstance(result, numpy.ndarray):
        return result
    where = next(each for each in arguments if is_jax(each))
    device = next(iter(getattr(where, "devices")()))
    return jax.device_put(result, device)
