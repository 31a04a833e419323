"""Arrays of the runtime as DLPack capsules: what they say, and how long they live."""

from __future__ import annotations

import ctypes
import sys
import weakref
from types import ModuleType, SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.fake_driver import FakeApi

from croqtile_mlir.runtime.arrays import DeviceArray
from croqtile_mlir.runtime.device import open_device
from croqtile_mlir.runtime.dlpack import make_capsule, read_dlpack
from croqtile_mlir.runtime.dtypes import dtype_named
from croqtile_mlir.runtime.jax_arrays import in_kind

pytest.importorskip("cuda.bindings.driver")


class Owner:
    """Keeps some memory."""


NAMES = ("float16", "bfloat16", "float32", "float64", "bool", "int8", "uint16", "int64")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_made_reads_back(name: str):
    capsule = make_capsule(Owner(), 4096, 1, name, (3, 5, 7), (80, 16, 1))
    tensor = read_dlpack(capsule)
    assert (tensor.address, tensor.dtype) == (4096, name)
    assert (tensor.shape, tensor.strides) == ((3, 5, 7), (80, 16, 1))


def test_elements_that_no_capsule_has():
    with pytest.raises(BufferError, match="float8_e4m3fn"):
        make_capsule(Owner(), 4096, 0, "float8_e4m3fn", (3,), (1,))


def test_a_capsule_that_nobody_takes():
    owner = Owner()
    reference = weakref.ref(owner)
    capsule = make_capsule(owner, 4096, 0, "int8", (3,), (1,))
    del owner
    assert reference() is not None
    del capsule
    assert reference() is None


def test_a_capsule_that_is_taken():
    """Its consumer gives it another name, and calls the deleter in the end."""
    owner = Owner()
    reference = weakref.ref(owner)
    capsule = make_capsule(owner, 4096, 0, "int8", (3,), (1,))
    del owner
    api = ctypes.pythonapi
    pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", api)
    )
    rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_SetName", api)
    )
    used = b"used_dltensor"
    at = pointer_of(capsule, b"dltensor")
    assert rename(capsule, used) == 0
    del capsule
    assert reference() is not None
    # Behind the tensor, of 48 bytes, are the manager's context and the deleter.
    words = ctypes.c_void_p * 8
    deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(words.from_address(at)[7] or 0)
    deleter(at)
    assert reference() is None


def array_of(
    values: np.ndarray[Any, Any], dtype: str, ordinal: int = 0
) -> tuple[DeviceArray, FakeApi]:
    api = FakeApi(devices=2)
    device = open_device(api.driver(), ordinal)
    return DeviceArray.of(device, values, dtype_named(dtype)), api


def test_an_array_waits_and_lives():
    array, api = array_of(np.arange(24, dtype=np.float32).reshape(3, 8), "f32", 1)
    assert array.__dlpack_device__() == (2, 1)
    for stream, waits in ((None, 1), (1, 2), (-1, 2), (7, 3)):
        array.__dlpack__(stream=stream, max_version=(1, 0))
        assert api.waits == waits
    capsule = array.__dlpack__()
    address = array.memory.address
    del array
    assert address in api.memory
    tensor = read_dlpack(capsule)
    assert (tensor.address, tensor.shape, tensor.strides) == (address, (3, 8), (8, 1))
    del tensor, capsule
    assert address not in api.memory


class JaxArray:
    """An array of jax, made by its `device_put` or of a capsule."""

    def __init__(self, values: Any, way: str):
        self.values, self.way = values, way

    def devices(self) -> set[str]:
        return {"cuda:0"}


@pytest.fixture
def jax(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module `jax` without elements of 64 bits."""

    def taken(array: DeviceArray) -> JaxArray:
        return JaxArray(read_dlpack(array.__dlpack__(stream=1)), "capsule")

    def put(values: np.ndarray[Any, Any], device: str) -> JaxArray:
        return JaxArray(values, f"put on {device}")

    def canonical(kind: np.dtype[Any]) -> np.dtype[Any]:
        return np.dtype(np.float32) if kind == np.float64 else kind

    module: Any = ModuleType("jax")
    module.Array = JaxArray
    module.device_put = put
    module.dlpack = SimpleNamespace(from_dlpack=taken)
    module.dtypes = SimpleNamespace(canonicalize_dtype=canonical)
    monkeypatch.setitem(sys.modules, "jax", module)
    return module


@pytest.mark.parametrize(
    ("dtype", "kind", "shape", "way"),
    [
        ("f32", np.float32, (3, 8), "capsule"),
        ("f32", np.float32, (1, 3), "capsule"),
        ("f32", np.float32, (3, 5), "put on cuda:0"),
        ("bf16", ml_dtypes.bfloat16, (3, 8), "capsule"),
        ("f64", np.float64, (3, 8), "put on cuda:0"),
        ("f8E5M2", ml_dtypes.float8_e5m2, (2, 16), "put on cuda:0"),
    ],
)
def test_results_for_jax(
    jax: Any, dtype: str, kind: Any, shape: tuple[int, ...], way: str
):
    """Where they are, unless there are gaps, or jax or DLPack has no such elements."""
    random = np.random.default_rng(3).standard_normal(shape)
    values: np.ndarray[Any, Any] = random.astype(kind)
    array, api = array_of(values, dtype)
    made = in_kind((array,), (JaxArray(None, ""), 1.5))[0]
    assert made.way == way
    assert api.waits == 1
    if way == "capsule":
        assert made.values.address == array.memory.address
    else:
        np.testing.assert_array_equal(made.values, values)
    assert in_kind((array,), (1.5,)) == (array,)
