"""Reading and making DLPack capsules (`DLManagedTensor`, DLPack before version 1)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


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


class _Managed(ctypes.Structure):
    """`DLManagedTensor`: the consumer calls the deleter when it is done with it."""


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)

_Managed._fields_ = [
    ("tensor", _Tensor),
    ("owner", ctypes.c_void_p),
    ("deleter", _Deleter),
]

_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}
_CUDA = 2
_NAME = b"dltensor"
"""Of a capsule that was not consumed yet."""


def _function(name: str, result: Any, *arguments: Any) -> Any:
    """A function of Python's own interface."""
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_pointer_of = _function(
    "PyCapsule_GetPointer", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p
)
_has_name = _function(
    "PyCapsule_IsValid", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p
)
_keep = _function("Py_IncRef", None, ctypes.py_object)
_give_up = _function("Py_DecRef", None, ctypes.c_void_p)


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
    tensor = _Tensor.from_address(_pointer_of(id(capsule), _NAME))
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


@dataclass(frozen=True, eq=False)
class _Exported:
    """What a capsule points to, and the tensor's memory."""

    managed: _Managed
    shape: Any
    strides: Any
    owner: object


@_Deleter
def _delete(managed: Any) -> None:
    _give_up(managed.contents.owner)


@_Destructor
def _delete_unused(capsule: int) -> None:
    """A capsule dies; one that was consumed has another name, and another owner."""
    if _has_name(capsule, _NAME):
        _delete(ctypes.cast(_pointer_of(capsule, _NAME), ctypes.POINTER(_Managed)))


_new_capsule = _function(
    "PyCapsule_New",
    ctypes.py_object,
    ctypes.c_void_p,
    ctypes.c_char_p,
    _Destructor,
)


def make_capsule(
    owner: object,
    address: int,
    device: int,
    dtype: str,
    shape: Sequence[int],
    strides: Sequence[int],
) -> Any:
    """A capsule of device memory, which `owner` keeps until the consumer is done.

    `dtype` is the name that numpy or ml_dtypes has for it; `strides` are in elements.

    Raises:
        BufferError: elements are none that a capsule describes.
    """
    kinds = {name: code for code, name in _KINDS.items()}
    kind = dtype.rstrip("0123456789")
    if kind not in kinds:
        raise BufferError(f"DLPack capsules of {dtype} are not made")
    bits = int(dtype.removeprefix(kind) or 8)
    extents = (ctypes.c_int64 * len(shape))(*shape)
    steps = (ctypes.c_int64 * len(shape))(*strides)
    tensor = _Tensor(
        data=address,
        device=_Device(_CUDA, device),
        ndim=len(shape),
        dtype=_DataType(kinds[kind], bits, 1),
        shape=extents,
        strides=steps,
        byte_offset=0,
    )
    managed = _Managed(tensor=tensor, deleter=_delete)
    exported = _Exported(managed, extents, steps, owner)
    managed.owner = id(exported)
    _keep(exported)
    return _new_capsule(ctypes.addressof(managed), _NAME, _delete_unused)
