"""Streams: what the caller passed, or what its library has as the current one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.runtime.dtypes import describe
from croqtile_mlir.runtime.tensors import Library


def stream_handle(stream: Any) -> int:
    """The driver's handle of a stream given as a number or an object of any library."""
    if type(stream) is int:
        return stream
    # torch and cupy: an attribute is faster than the protocol, which they have, too.
    handle = getattr(stream, "cuda_stream", None)
    if handle is None:
        handle = getattr(stream, "ptr", None)
    if type(handle) is int:
        return handle
    if isinstance(stream, int) and not isinstance(stream, bool):
        return int(stream)
    protocol = getattr(stream, "__cuda_stream__", None)
    if callable(protocol):
        answer: Any = protocol()
        return int(answer[1])
    if type(stream).__name__ == "CUstream":
        return int(stream)
    raise ArgumentError(
        "stream must be a handle, or a stream of torch, cupy or cuda-python, got "
        f"{describe(stream)}"
    )


def current_stream_of(torch: Any) -> Callable[[int], int]:
    """What gives torch's current stream on a device."""
    # The public way makes an object, which takes longer than a launch.
    raw = getattr(getattr(torch, "_C", None), "_cuda_getCurrentRawStream", None)
    if raw is not None:
        return raw
    return lambda ordinal: int(torch.cuda.current_stream(ordinal).cuda_stream)


def current_stream_of_cupy(cupy: Any) -> Callable[[int], int]:
    """What gives cupy's current stream on a device."""
    current: Any = cupy.cuda.get_current_stream
    return lambda ordinal: int(current(ordinal).ptr)


def current_stream(library: Library, ordinal: int) -> int:
    """The stream that orders the caller's work on a device; 0 is the default stream."""
    if library == "torch":
        return current_stream_of(sys.modules["torch"])(ordinal)
    if library == "cupy":
        return current_stream_of_cupy(sys.modules["cupy"])(ordinal)
    return 0


def on_stream(
    library: Library, ordinal: int, handle: int
) -> AbstractContextManager[Any]:
    """Make a stream the library's current one, for allocations that belong to it."""
    if library == "torch":
        torch: Any = sys.modules["torch"]
        return torch.cuda.stream(
            torch.cuda.ExternalStream(handle, device=ordinal)
            if handle
            else torch.cuda.default_stream(ordinal)
        )
    if library == "cupy":
        cupy: Any = sys.modules["cupy"]
        return cupy.cuda.ExternalStream(handle, ordinal)
    return nullcontext()
