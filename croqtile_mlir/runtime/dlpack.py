"""Reading a DLPack capsule (`DLManagedTensor`, DLPack before version 1)."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field


class _Device(ctypes.Structure):
    _fields_ = [("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class _DataType(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
    ]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}


@dataclass(frozen=True)
class DLPackTensor:
    """What a capsule says of a tensor. It owns the capsule, hence the memory."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    """In elements; None: no gaps."""

    dtype: str
    """The name numpy or ml_dtypes has for it."""

    capsule: object = field(repr=False)


def read_dlpack(capsule: object) -> DLPackTensor:
    """Look into a capsule without consuming it: it frees the tensor when it dies."""
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype = ctypes.c_void_p
    pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
    tensor = _Tensor.from_address(pointer_of(capsule, b"dltensor"))
    rank = int(tensor.ndim)
    kind = _KINDS.get(int(tensor.dtype.code), f"dlpack{tensor.dtype.code}_")
    lanes = f"x{tensor.dtype.lanes}" if tensor.dtype.lanes != 1 else ""
    name = kind if kind == "bool" else f"{kind}{tensor.dtype.bits}{lanes}"
    return DLPackTensor(
        address=int(tensor.data or 0) + int(tensor.byte_offset),
        shape=tuple(int(tensor.shape[i]) for i in range(rank)),
        strides=tuple(int(tensor.strides[i]) for i in range(rank))
        if tensor.strides
        else None,
        dtype=name,
        capsule=capsule,
    )
