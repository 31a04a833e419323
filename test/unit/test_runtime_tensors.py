"""Reading tensors of other libraries, each by a stand-in with the same attributes."""

from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass, replace
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.fake_cupy import Array, FakeCupy
from support.fake_driver import FakeApi
from xdsl.ir.affine import AffineMap

from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.launch.plan import (
    LaunchPlan,
    PitchCheck,
    TensorMapParam,
    TileArg,
    TileValue,
)
from croqtile_mlir.runtime.device import open_device
from croqtile_mlir.runtime.dlpack import read_dlpack
from croqtile_mlir.runtime.driver import Driver
from croqtile_mlir.runtime.dtypes import DTYPES, pack_scalar
from croqtile_mlir.runtime.outputs import make_output
from croqtile_mlir.runtime.streams import current_stream, on_stream, stream_handle
from croqtile_mlir.runtime.tensor_maps import TensorMapCache, tma_pitches
from croqtile_mlir.runtime.tensors import check_strides, check_writeable, read_tensor

pytest.importorskip("cuda.bindings.driver")

ARG = TileArg("lhs", "f16", ("M", "N"))


def no_driver() -> Driver:
    raise AssertionError("must not ask for a driver")


@dataclass
class TorchTensor:
    """What the runtime asks of a torch tensor."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str = "torch.float16"
    device: Any = None
    layout: str = "torch.strided"
    negates: bool = False

    def __post_init__(self) -> None:
        self.device = self.device or SimpleNamespace(type="cuda", index=1)

    def stride(self) -> tuple[int, ...]:
        return self.strides

    def data_ptr(self) -> int:
        return 4096

    def is_neg(self) -> bool:
        return self.negates


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module: Any = ModuleType("torch")
    module.Tensor = TorchTensor
    monkeypatch.setitem(sys.modules, "torch", module)
    return module


@pytest.mark.usefixtures("torch")
def test_torch_tensors():
    tensor = read_tensor(ARG, TorchTensor((4, 8), (100, 1)), no_driver, 0)
    assert tensor.value == TileValue((4, 8), (100, 1), 4096, 16)
    assert (tensor.device, tensor.library) == (1, "torch")


@pytest.mark.usefixtures("torch")
def test_torch_tensors_that_are_refused():
    on_cpu = TorchTensor((4, 8), (8, 1), device=SimpleNamespace(type="cpu", index=None))
    with pytest.raises(ArgumentError, match=r"'lhs' must be on a CUDA.*\.simulate"):
        read_tensor(ARG, on_cpu, no_driver, 0)
    elsewhere = SimpleNamespace(type="meta", index=None)
    with pytest.raises(ArgumentError, match=r"it with \.cuda\(\)\)$"):
        read_tensor(ARG, replace(on_cpu, device=elsewhere), no_driver, 0)
    wrong = TorchTensor((4, 8), (8, 1), dtype="torch.bfloat16")
    with pytest.raises(ArgumentError, match=r"f16 \(float16\), got bfloat16"):
        read_tensor(ARG, wrong, no_driver, 0)
    sparse = TorchTensor((4, 8), (8, 1), layout="torch.sparse_coo")
    with pytest.raises(ArgumentError, match=r"strided, got torch\.sparse_coo"):
        read_tensor(ARG, sparse, no_driver, 0)
    negated = TorchTensor((4, 8), (8, 1), negates=True)
    with pytest.raises(ArgumentError, match=r"'lhs': .*negates them \(resolve_neg"):
        read_tensor(ARG, negated, no_driver, 0)


class Interface:
    """Something that exports the CUDA array interface."""

    def __init__(self, **fields: Any):
        self.__cuda_array_interface__ = {
            "shape": (4, 8),
            "typestr": "<f2",
            "data": (4096, False),
            "strides": None,
            "version": 3,
            **fields,
        }


def test_the_cuda_array_interface():
    driver = FakeApi().driver()
    tensor = read_tensor(ARG, Interface(stream=5), lambda: driver, 0)
    assert tensor.value == TileValue((4, 8), (8, 1), 4096, 16)
    assert (tensor.device, tensor.stream) == (0, 5)
    strided = read_tensor(ARG, Interface(strides=(200, 2)), lambda: driver, 0)
    assert strided.value.strides == (100, 1)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"typestr": "<f4"}, r"f16 \(float16\), got float32"),
        ({"typestr": ">f2"}, "got '>f2'"),
        ({"mask": object()}, "'lhs': every element must count, got .* a mask"),
        ({"strides": (17, 2)}, r"multiples of the element's 2 bytes, got \(17, 2\)"),
    ],
)
def test_the_cuda_array_interface_is_checked(fields: dict[str, Any], message: str):
    driver = FakeApi().driver()
    with pytest.raises(ArgumentError, match=message):
        read_tensor(ARG, Interface(**fields), lambda: driver, 0)


class Exporter:
    """Something that exports DLPack; its memory is in fact numpy's."""

    def __init__(self, source: np.ndarray[Any, Any], device: tuple[int, int]):
        self.source, self.device = source, device
        self.streams: list[int] = []

    def __dlpack__(self, stream: int) -> object:
        self.streams.append(stream)
        return self.source.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


def test_dlpack():
    source = np.ones((6, 16), np.float16)[::2, :8]
    exporter = Exporter(source, (2, 1))
    tensor = read_tensor(ARG, exporter, no_driver, 0)
    assert tensor.value == TileValue((3, 8), (32, 1), source.ctypes.data, 16)
    assert tensor.device == 1
    assert exporter.streams == [1], "DLPack's name for the default stream"
    with pytest.raises(ArgumentError, match="DLPack device type 1"):
        read_tensor(ARG, Exporter(source, (1, 0)), no_driver, 0)


def test_an_exporter_that_refuses():
    class Refuses(Exporter):
        def __dlpack__(self, stream: int) -> object:
            raise BufferError("this one needs a gradient")

    source = np.ones((4, 8), np.float16)
    with pytest.raises(ArgumentError, match=r"'lhs' must export DLPack.*a gradient"):
        read_tensor(ARG, Refuses(source, (2, 0)), no_driver, 0)


def test_arrays_with_a_mask_are_refused():
    """What a mask hides would be read as if it were there."""
    masked = np.ma.masked_less(np.ones((4, 8), np.float16), 2)
    with pytest.raises(ArgumentError, match="'lhs': every element must count"):
        read_tensor(ARG, masked, no_driver, 0)


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> FakeCupy:
    fake = FakeCupy()
    monkeypatch.setitem(sys.modules, "cupy", fake.module())
    return fake


def test_cupy(cupy: FakeCupy):
    whole = Array(np.ones((6, 16), np.float16), 1)
    tensor = read_tensor(ARG, whole[::2, 3:11], no_driver, 0)
    assert tensor.value == TileValue((3, 8), (32, 1), whole.array.ctypes.data + 6, 16)
    assert (tensor.device, tensor.library, tensor.read_only) == (1, "cupy", False)
    with pytest.raises(ArgumentError, match=r"f16 \(float16\), got float32"):
        read_tensor(ARG, Array(np.ones((3, 8), np.float32)), no_driver, 0)
    with pytest.raises(ArgumentError, match="byte order must be native"):
        read_tensor(ARG, Array(np.ones((3, 8), ">f2")), no_driver, 0)
    assert current_stream("cupy", 1) == 100
    with on_stream("cupy", 1, 5):
        assert current_stream("cupy", 0) == 5


def test_what_a_kernel_returns_is_of_cupy(cupy: FakeCupy):
    """With rows as wide as the plan needs them, of which the result is a view."""
    plan = LaunchPlan(
        args=(
            replace(ARG, written=False),
            TileArg("out", "f16", ("M", 2), output=True),
        ),
        dims=("M", "N"),
        params=(),
        grid=AffineMap.from_callable(lambda m, n: (m, 1, 1)),
        block=32,
        checks=(PitchCheck("out", 0, 16),),
    )
    device = open_device(FakeApi().driver(), 0)
    made = make_output(plan, plan.outputs[0], {"M": 3, "N": 8}, "cupy", device)
    assert made.storage is made.result
    assert isinstance(made.result, Array)
    assert (made.result.shape, made.result.strides) == ((3, 2), (16, 2))


class JaxArray(Exporter):
    """What the runtime asks of an array of jax on a device."""

    waited = False

    def devices(self) -> tuple[Any, ...]:
        return (SimpleNamespace(platform="gpu"),)

    def block_until_ready(self) -> None:
        self.waited = True


def test_arrays_of_jax_are_waited_for_and_immutable(monkeypatch: pytest.MonkeyPatch):
    jax: Any = ModuleType("jax")
    jax.Array, jax.core = JaxArray, SimpleNamespace(Tracer=())
    monkeypatch.setitem(sys.modules, "jax", jax)
    array = JaxArray(np.ones((3, 8), np.float16), (2, 1))
    tensor = read_tensor(ARG, array, no_driver, 5)
    assert (tensor.device, tensor.library) == (1, "jax")
    assert (array.waited, array.streams) == (True, [5])
    with pytest.raises(ArgumentError, match=r"'lhs' must be writeable.*let the kernel"):
        check_writeable("lhs", tensor)


def test_a_capsule_is_not_consumed():
    source = np.arange(4, dtype=np.int32)
    capsule = source.__dlpack__()
    for _ in range(2):
        tensor = read_dlpack(capsule)
        assert (tensor.shape, tensor.dtype) == ((4,), "int32")


@pytest.mark.parametrize(
    ("shape", "strides", "message"),
    [
        ((4, 8), (1, 4), r"last dim must have stride 1 .*got strides \(1, 4\)"),
        ((4, 8), (16, 2), r"last dim must have stride 1"),
        ((4, 8), (-8, 1), r"strides must be positive, got strides \(-8, 1\)"),
        ((4, 8), (0, 1), r"strides must be positive, got strides \(0, 1\)"),
        ((4, 8), (7, 1), r"elements must not overlap"),
        ((4, 8), (8, 1), None),
        ((4, 8), (100, 1), None),
        ((1, 8), (0, 1), None),
        ((4, 1), (1, 9), None),
        ((0, 8), (1, 4), None),
        ((2, 3, 8), (8, 16, 1), None),
        ((2, 3, 8), (9, 16, 1), "overlap"),
    ],
)
def test_strides(shape: tuple[int, ...], strides: tuple[int, ...], message: str | None):
    value = TileValue(shape, strides, 0, 16)
    if message is None:
        check_strides(ARG, value)
    else:
        with pytest.raises(ArgumentError, match=f"'lhs': .*{message}"):
            check_strides(ARG, value)


@pytest.mark.parametrize(
    ("shape", "strides", "pitches"),
    [
        ((200, 72), (80, 1), (160,)),
        ((1, 63), (5, 1), (128,)),
        ((1, 1), (1, 1), (16,)),
        ((2, 1, 63), (64, 3, 1), (128, 128)),
        ((1, 3, 64), (1, 64, 1), (384, 128)),
        ((64,), (1,), ()),
    ],
)
def test_pitches_of_dims_of_extent_one_are_legal(
    shape: tuple[int, ...], strides: tuple[int, ...], pitches: tuple[int, ...]
):
    assert tma_pitches(shape, strides, 2) == pitches


def test_the_oldest_tensor_map_makes_room():
    api = FakeApi()
    cache = TensorMapCache(api.driver(), kept=2)
    param = TensorMapParam("lhs", (64, 64), 128)
    value = TileValue((8, 8), (8, 1), 0, 16)
    for address in (16, 32, 16, 48, 16, 32):
        # What is kept goes by contents: another encoder of the same finds it.
        cache.get(cache.encoder(param, value, DTYPES["f16"]), address)
    encoded = [descriptor.fields["address"] for descriptor in api.descriptors]
    assert encoded == [16, 32, 48, 16, 32]


def test_a_refused_tensor_map_is_explained():
    cache = TensorMapCache(FakeApi().driver())
    value = TileValue((8, 8), (9, 1), 16, 16)
    encoder = cache.encoder(TensorMapParam("lhs", (8, 8), 0), value, DTYPES["f16"])
    with pytest.raises(
        ArgumentError, match=r"'lhs': the driver refuses .* pitches \(18,\) bytes"
    ):
        cache.get(encoder, 16)


@pytest.mark.parametrize(
    ("dtype", "value", "packed"),
    [
        ("i32", -1, b"\xff\xff\xff\xff"),
        ("i32", 2**32 - 1, b"\xff\xff\xff\xff"),
        ("i8", np.int64(5), b"\x05"),
        ("i1", True, b"\x01"),
        ("f16", 1, b"\x00\x3c"),
        ("bf16", 1.00390625, b"\x80\x3f"),
        ("bf16", 1.01171875, b"\x82\x3f"),
        ("bf16", float("nan"), b"\xc0\x7f"),
        ("f64", np.float32(0.5), b"\0\0\0\0\0\0\xe0\x3f"),
    ],
)
def test_scalars(dtype: str, value: object, packed: bytes):
    assert pack_scalar("n", DTYPES[dtype], value) == packed


@pytest.mark.parametrize(
    ("dtype", "value", "message"),
    [
        ("i32", 1.5, "'n' must be an integer for i32, got float 1.5"),
        ("i8", 256, "'n' must be between -128 and 255 for i8, got 256"),
        ("i1", 2, "between 0 and 1"),
        ("f16", 1e6, "'n' must be finite in f16"),
        ("bf16", 1e39, "'n' must be finite in bf16"),
        ("f32", "1.0", "'n' must be a number for f32, got str '1.0'"),
        ("f32", [1.0], "'n' must be a number"),
        ("f32", None, "'n' must be a number"),
    ],
)
def test_scalars_that_do_not_fit(dtype: str, value: object, message: str):
    with pytest.raises(ArgumentError, match=message):
        pack_scalar("n", DTYPES[dtype], value)


def test_streams():
    class CUstream(int):
        pass

    class CudaCore:
        def __cuda_stream__(self) -> tuple[int, int]:
            return (0, 9)

    assert stream_handle(7) == 7
    assert stream_handle(CudaCore()) == 9
    assert stream_handle(SimpleNamespace(cuda_stream=11)) == 11
    assert stream_handle(SimpleNamespace(ptr=13)) == 13
    assert stream_handle(CUstream(15)) == 15
    assert current_stream("numpy", 0) == 0


def test_the_current_stream_of_torch(torch: Any):
    streams = {1: SimpleNamespace(cuda_stream=21)}
    torch.cuda = SimpleNamespace(
        current_stream=streams.__getitem__,
        default_stream="default {}".format,
        ExternalStream="external {} {device}".format,
        stream=str,
    )
    assert current_stream("torch", 1) == 21
    assert on_stream("torch", 1, 5) == "external 5 1"
    assert on_stream("torch", 1, 0) == "default 1"


def test_pointers_of_the_fake_are_real():
    """The stand-in driver must be as strict as the memory that it stands for."""
    api = FakeApi()
    _, address = api.cuMemAlloc(16)
    assert address % 256 == 0
    assert bytes((ctypes.c_ubyte * 16).from_address(address)) == b"\xab" * 16
