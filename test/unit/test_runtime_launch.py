"""Launches against a driver in host memory: what the device would be told."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.fake_driver import FakeApi, Launch
from xdsl.ir.affine import AffineMap

from croqtile_mlir.errors import ArgumentError, DeviceError
from croqtile_mlir.launch.plan import (
    DimParam,
    LaunchPlan,
    MultipleCheck,
    PointerParam,
    ScalarArg,
    ScalarParam,
    StrideParam,
    TensorMapParam,
    TileArg,
)
from croqtile_mlir.runtime.advice import ADVICE, OTHERWISE, advice
from croqtile_mlir.runtime.arrays import DeviceArray
from croqtile_mlir.runtime.device import open_device
from croqtile_mlir.runtime.dtypes import DTYPES
from croqtile_mlir.runtime.launch import Launcher
from croqtile_mlir.runtime.module import AssembleError

pytest.importorskip("cuda.bindings.driver")

COPY = LaunchPlan(
    args=(
        TileArg("source", "f16", ("M", "N"), written=False),
        TileArg("target", "f16", ("M", "N")),
    ),
    dims=("M", "N"),
    params=(
        PointerParam("source"),
        StrideParam("source", 0),
        PointerParam("target"),
        StrideParam("target", 0),
        DimParam("M"),
        DimParam("N"),
    ),
    grid=AffineMap.from_callable(lambda m, n: (m.ceil_div(64), n.ceil_div(64), 1)),
    block=128,
)

PRODUCT = LaunchPlan(
    args=(
        TileArg("lhs", "f16", ("M", "K"), written=False),
        TileArg("out", "f16", ("M", "N")),
    ),
    dims=("M", "N", "K"),
    params=(TensorMapParam("lhs", (128, 64), 128), TensorMapParam("out", (64, 8), 0)),
    grid=AffineMap.from_callable(lambda m, n, k: (m.ceil_div(128), n, 1)),
    block=256,
    shared_bytes=131136,
)


def matrix(address: int, rows: int, columns: int, stride: int) -> Any:
    """A view of f16 elements at an address."""
    count = (rows - 1) * stride + columns
    data = (ctypes.c_uint16 * count).from_address(address)
    flat: Any = np.ctypeslib.as_array(data).view(np.float16)
    return np.lib.stride_tricks.as_strided(flat, (rows, columns), (2 * stride, 2))


def copy_kernel(launch: Launch) -> None:
    source, source_stride = (
        launch.read(0, ctypes.c_uint64),
        launch.read(1, ctypes.c_int64),
    )
    target, target_stride = (
        launch.read(2, ctypes.c_uint64),
        launch.read(3, ctypes.c_int64),
    )
    rows, columns = launch.read(4, ctypes.c_int32), launch.read(5, ctypes.c_int32)
    matrix(target, rows, columns, target_stride)[...] = matrix(
        source, rows, columns, source_stride
    )


def copier(plan: LaunchPlan = COPY, **fields: Any) -> tuple[Launcher, FakeApi]:
    api = FakeApi(parameter_count=len(plan.params), kernel=copy_kernel, **fields)
    return Launcher(plan, "ptx", "copy", api.driver()), api


def multiplier(**fields: Any) -> tuple[Launcher, FakeApi]:
    api = FakeApi(parameter_count=2, **fields)
    return Launcher(PRODUCT, "ptx", "product", api.driver()), api


def random(*shape: int) -> Any:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float16)


def test_numpy_arrays_go_to_the_device_and_back():
    launcher, api = copier()
    source, target = random(100, 63), np.zeros((100, 63), np.float16)
    strides: list[int] = []

    def copy(launch: Launch) -> None:
        strides.append(launch.read(1, ctypes.c_int64))
        copy_kernel(launch)

    api.kernel = copy
    assert launcher((source, target)) is None
    np.testing.assert_array_equal(target, source)
    launch = api.launches[0]
    assert (launch.grid, launch.block, launch.shared_bytes) == ((2, 1, 1), 128, 0)
    assert strides == [64], "rows start at multiples of 16 bytes"
    assert not api.contexts, "the caller's context is current again"


def test_a_grid_of_whole_clusters():
    launcher, api = copier(replace(COPY, cluster=(2, 1, 1)))
    source, target = random(100, 63), np.zeros((100, 63), np.float16)
    launcher((source, target))
    assert api.launches[0].grid == (2, 1, 1)
    device = open_device(api.driver(), 0)
    assert launcher.loaded(device).clusters == 66
    assert copier()[0].loaded(device).clusters is None
    with pytest.raises(ArgumentError, match="grid x must be a multiple of the 2 "):
        launcher((random(64, 63), random(64, 63)))


def test_numpy_strides_are_honoured():
    launcher, _ = copier()
    source = random(50, 100).T[::-1, ::2]
    target = np.zeros((25, 200), np.float16).T[::2]
    launcher((source, target))
    np.testing.assert_array_equal(target, source)


def test_device_arrays_are_not_waited_for():
    launcher, api = copier()
    device = open_device(api.driver(), 0)
    source = DeviceArray.of(device, random(4, 8), DTYPES["f16"])
    target = DeviceArray.empty(device, (4, 8), DTYPES["f16"])
    waits = len(api.synchronized)
    launcher((source, target), stream=77)
    assert api.launches[0].stream == 77
    assert len(api.synchronized) == waits
    back = np.empty((4, 8), np.float16)
    target.download(back)
    np.testing.assert_array_equal(back, random(4, 8))


def test_device_memory_is_freed_with_its_array():
    launcher, api = copier()
    launcher((random(4, 8), np.zeros((4, 8), np.float16)))
    kept = len(api.memory)
    launcher((random(4, 8), np.zeros((4, 8), np.float16)))
    assert len(api.memory) == kept, "one page of zeros"


def test_a_returned_tile_is_made_by_the_runtime():
    plan = replace(
        COPY, args=(COPY.args[0], TileArg("target", "f16", ("M", "N"), output=True))
    )
    launcher, _ = copier(plan)
    result = launcher((random(9, 31),))
    assert type(result) is np.ndarray
    np.testing.assert_array_equal(np.asarray(result), random(9, 31))


def test_several_returned_tiles_come_as_a_tuple():
    args = (
        COPY.args[0],
        TileArg("target", "f16", ("M", "N"), output=True),
        TileArg("more", "f32", ("N",), output=True),
    )
    launcher, _ = copier(replace(COPY, args=args))
    first, second = launcher((random(9, 31),))
    assert (first.shape, second.shape) == ((9, 31), (31,))
    assert second.dtype == np.float32


def test_bfloat16_and_unsigned_arrays():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for dtype, kind in (("bf16", ml_dtypes.bfloat16), ("i16", np.uint16)):
        args = tuple(
            TileArg(a.name, dtype, ("M", "N"), written=a.name == "target")
            for a in COPY.args
        )
        launcher, _ = copier(replace(COPY, args=args))
        source = np.arange(16, dtype=np.float32).reshape(2, 8).astype(kind)
        target = np.zeros((2, 8), kind)
        launcher((source, target))
        np.testing.assert_array_equal(
            target.astype(np.float32), source.astype(np.float32)
        )


@pytest.mark.parametrize("shape", [(0, 8), (8, 0), (0, 0)])
def test_empty_tensors_are_a_no_op(shape: tuple[int, int]):
    launcher, api = copier()
    for _ in range(2):
        launcher((random(*shape), np.zeros(shape, np.float16)))
    assert api.launches == []


def test_tensor_maps_are_encoded_from_the_plan():
    launcher, api = multiplier()
    launcher((random(200, 72), np.zeros((200, 16), np.float16)))
    lhs, out = (descriptor.fields for descriptor in api.descriptors)
    assert lhs["dtype"] == "CU_TENSOR_MAP_DATA_TYPE_FLOAT16"
    assert lhs["extents"] == [72, 200]
    assert lhs["pitches"] == [144]
    assert lhs["box"] == [64, 128]
    assert lhs["swizzle"] == "CU_TENSOR_MAP_SWIZZLE_128B"
    assert out["swizzle"] == "CU_TENSOR_MAP_SWIZZLE_NONE"
    launch = api.launches[0]
    assert launch.parameters == tuple(d.getPtr() for d in api.descriptors)
    assert launch.shared_bytes == 131136
    assert api.attributes_set == [
        ("CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES", 131136)
    ]


def test_a_tensor_map_of_rank_1():
    plan = replace(
        PRODUCT,
        args=(TileArg("line", "f32", ("M",)),),
        dims=("M",),
        params=(TensorMapParam("line", (64,), 0),),
        grid=AffineMap.from_callable(lambda m: (m.ceil_div(64), 1, 1)),
    )
    api = FakeApi(parameter_count=1)
    Launcher(plan, "ptx", "line", api.driver())((np.zeros(100, np.float32),))
    assert api.descriptors[0].fields["extents"] == [100]


def test_tensor_maps_are_kept_for_the_same_tensors():
    launcher, api = multiplier()
    device = open_device(api.driver(), 0)
    lhs = DeviceArray.of(device, random(128, 64), DTYPES["f16"])
    out = DeviceArray.empty(device, (128, 8), DTYPES["f16"])
    for _ in range(3):
        launcher((lhs, out))
    assert len(api.descriptors) == 2
    launcher((DeviceArray.empty(device, (128, 72), DTYPES["f16"]), out))
    assert len(api.descriptors) == 3


def test_an_operand_without_elements_reads_as_zeros():
    launcher, api = multiplier()
    launcher((random(128, 0), np.zeros((128, 8), np.float16)))
    assert len(api.launches) == 1, "the output must be written even if K is 0"
    fields = api.descriptors[0].fields
    assert fields["extents"] == [1, 1]
    assert bytes((ctypes.c_ubyte * 16).from_address(fields["address"])) == bytes(16)


def test_a_loaded_kernel_is_kept():
    launcher, api = copier(log=b"ptxas info : C7514 serialized\nother\0")
    for _ in range(2):
        launcher((random(4, 8), np.zeros((4, 8), np.float16)))
    assert api.loads == [b"ptx\0"]
    kernel = launcher.loaded(open_device(api.driver(), 0))
    assert kernel.warnings == ("ptxas info : C7514 serialized",)
    assert (kernel.registers, kernel.spill_bytes) == (90, 8)


def test_scalars_are_packed_in_their_type():
    plan = LaunchPlan(
        args=(ScalarArg("a", "f16"), ScalarArg("n", "i64"), ScalarArg("b", "bf16")),
        dims=(),
        params=(ScalarParam("n"), ScalarParam("a"), ScalarParam("b")),
        grid=AffineMap.point_map(1, 1, 1),
        block=32,
    )
    read: list[int] = []

    def look(launch: Launch) -> None:
        read.append(launch.read(0, ctypes.c_int64))
        read.append(launch.read(1, ctypes.c_uint16))
        read.append(launch.read(2, ctypes.c_uint16))

    api = FakeApi(parameter_count=3, kernel=look)
    Launcher(plan, "ptx", "k", api.driver())((1.5, -5, 1.5))
    assert read == [-5, 0x3E00, 0x3FC0]


A = random(4, 8)
B = np.zeros((4, 8), np.float16)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((A,), r"takes 2 arguments \(source, target\), got 1"),
        ((A, B, B), "takes 2 arguments"),
        ((A.astype(np.float32), B), "'source': element type must be f16 .*float32"),
        ((A, B[None]), r"'target': rank must be 2 \(MxN\), got 3 \(shape \(1, 4, 8\)"),
        ((A, B[:, :7]), "'target': extent of dim 1 must be N = 8 .*'source', got 7"),
        (([[1.0]], B), r"'source' must be a tensor .* got list \[\[1.0\]\]"),
        ((None, B), "'source' must be a tensor"),
        ((3, B), "'source' must be a tensor"),
        ((A.astype(">f2"), B), "'source': byte order must be native"),
        (
            (A, np.lib.stride_tricks.as_strided(B, (4, 8), (0, 2))),
            r"'target': elements must not overlap, got strides \(0, 1\)",
        ),
    ],
)
def test_wrong_arguments_are_named(args: tuple[Any, ...], message: str):
    """Wrong number, element type or rank, or no tensor at all: nothing is launched."""
    launcher, api = copier()
    with pytest.raises(ArgumentError, match=message):
        launcher(args)
    assert api.launches == []


def test_a_read_only_array_cannot_be_written():
    launcher, _ = copier()
    source, target = random(4, 8), np.zeros((4, 8), np.float16)
    source.flags.writeable = False
    launcher((source, target))
    target.flags.writeable = False
    with pytest.raises(ArgumentError, match="'target' must be writeable"):
        launcher((source, target))


def test_numpy_and_device_tensors_do_not_mix():
    launcher, api = copier()
    device = open_device(api.driver(), 0)
    source = DeviceArray.of(device, A, DTYPES["f16"])
    with pytest.raises(
        ArgumentError,
        match=r"'target' must be on the device of 'source' .device 0.*num",
    ):
        launcher((source, B))


def test_tensors_of_two_devices_do_not_mix():
    launcher, api = copier(devices=2)
    one, two = (
        DeviceArray.of(open_device(api.driver(), ordinal), A, DTYPES["f16"])
        for ordinal in (0, 1)
    )
    with pytest.raises(ArgumentError, match=r"\(device 0\), got device 1"):
        launcher((one, two))
    api.contexts.append(100)
    launcher((two, DeviceArray.of(open_device(api.driver(), 1), B, DTYPES["f16"])))
    assert api.contexts == [100], "device 0 is current again"


def test_too_many_blocks_are_refused_by_axis():
    launcher, api = multiplier()
    with pytest.raises(
        ArgumentError, match=r"grid y must be at most 65535 blocks, got 70000 \(M = 1,"
    ):
        launcher((random(1, 8), np.zeros((1, 70000), np.float16)))
    assert api.launches == []


def test_checks_of_the_plan_are_kept():
    plan = replace(COPY, checks=(MultipleCheck("N", 16, "copy.mlir:3:7"),))
    launcher, _ = copier(plan)
    with pytest.raises(
        ArgumentError, match=r"'N' must be a multiple of 16, got 8 \(needed at copy"
    ):
        launcher((A, B))


def test_refused_ptx_shows_the_assembler_log():
    launcher, _ = copier(
        load_error="CUDA_ERROR_INVALID_PTX", log=b"ptxas line 3; syntax error\0"
    )
    with pytest.raises(AssembleError, match=r"INVALID_PTX.*\nhint: .*\nptxas line 3"):
        launcher((A, B))


def test_a_failed_launch_names_the_status():
    launcher, api = copier(failing={"cuLaunchKernelEx": "CUDA_ERROR_INVALID_VALUE"})
    with pytest.raises(
        DeviceError,
        match=r"cuLaunchKernelEx failed with CUDA_ERROR_INVALID_VALUE \(1\)",
    ):
        launcher((A, B))
    assert not api.contexts


def test_the_device_must_suit_the_target():
    launcher, _ = copier(capability=(10, 0))
    with pytest.raises(
        DeviceError, match=r"sm_90a needs .* exactly 9\.0, device 0 \(Fake 0\) has 10"
    ) as caught:
        launcher((A, B))
    assert str(caught.value).endswith("\nhint: target=sm_89 is the latest that it runs")
    launcher, _ = copier(capability=(7, 5))
    with pytest.raises(DeviceError, match="hint: kernels run in the simulator"):
        launcher((A, B))


def test_a_stream_must_be_one():
    launcher, _ = copier()
    with pytest.raises(ArgumentError, match="stream must be a handle"):
        launcher((A, B), stream="default")


def test_statuses_of_the_driver_come_with_advice():
    real = pytest.importorskip("cuda.bindings.driver")
    assert all(hasattr(real.CUresult, f"CUDA_ERROR_{name}") for name in ADVICE)
    api = FakeApi(failing={"cuMemAlloc": "CUDA_ERROR_OUT_OF_MEMORY"})
    with pytest.raises(DeviceError) as caught:
        api.driver().call("cuMemAlloc", 16)
    assert str(caught.value) == (
        "cuMemAlloc failed with CUDA_ERROR_OUT_OF_MEMORY (2): what went wrong\n"
        f"hint: {ADVICE['OUT_OF_MEMORY']}"
    )
    assert advice("CUDA_ERROR_ALREADY_MAPPED") == OTHERWISE


def test_blocks_that_wait_for_each_other_are_launched_together():
    launcher, api = copier(replace(COPY, cooperative=True))
    source = random(64 * 132, 64)
    target = np.zeros_like(source)
    launcher((source, target))
    assert np.array_equal(source, target)
    assert api.cooperative_launches == len(api.launches) == 1


def test_blocks_that_wait_for_each_other_must_fit():
    launcher, api = copier(replace(COPY, cooperative=True))
    source = random(64 * 133, 64)
    with pytest.raises(
        ArgumentError,
        match=r"grid must be at most 132 blocks, .* got 133 blocks \(1 on each of 132",
    ):
        launcher((source, np.zeros_like(source)))
    assert not api.launches
