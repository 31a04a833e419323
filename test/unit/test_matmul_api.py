"""`croq.matmul`: results in the simulator, and what it asks of a driver."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.fake_driver import FakeApi
from support.fake_torch import FakeTorch, Tensor, aligned

import croqtile_mlir as croq
from croqtile_mlir.compiler import compile_source
from croqtile_mlir.errors import ArgumentError, DeviceError
from croqtile_mlir.kernels.matmul import PlainMatmul
from croqtile_mlir.kernels.matmul_call import choose_kernel, multiplier
from croqtile_mlir.kernels.matmul_operands import Operands
from croqtile_mlir.kernels.schedule import Schedule
from croqtile_mlir.runtime.device import Availability
from croqtile_mlir.simulator.simulate import Options, run

Array = np.ndarray[Any, Any]
SMALL = Schedule(bm=64, bn=16, consumers=1, stages=2, persistent=False)
"""Compiles and runs fast."""

PAIR: Any = [2, 1]


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = Availability(False, "no device: none here")
    monkeypatch.setattr("croqtile_mlir.kernels.matmul_call.available", lambda: absent)


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeApi]:
    api = FakeApi(parameter_count=3)
    driver = api.driver()
    for module in ("runtime.driver", "runtime.device", "runtime.launch"):
        monkeypatch.setattr(f"croqtile_mlir.{module}.load_driver", lambda: driver)
    for module in ("matmul_call", "matmul_results"):
        monkeypatch.setattr(
            f"croqtile_mlir.kernels.{module}.load_driver", lambda: driver
        )
    api.contexts.append(100)
    # What was compiled and launched before knows another driver.
    compile_source.cache_clear()
    multiplier.cache_clear()
    yield api
    compile_source.cache_clear()
    multiplier.cache_clear()


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> FakeTorch:
    fake = FakeTorch()
    monkeypatch.setitem(sys.modules, "torch", fake.module())
    return fake


def _random(shape: tuple[int, int], kind: Any = np.float16, seed: int = 0) -> Array:
    random = np.random.default_rng([*shape, seed])
    return random.standard_normal(shape).astype(kind)


def _error(out: Array, a: Array, b: Array) -> float:
    wanted = a.astype(np.float64) @ b.astype(np.float64)
    difference = np.linalg.norm(out.astype(np.float64) - wanted)
    return float(difference / np.linalg.norm(wanted))


@pytest.mark.usefixtures("nowhere")
@pytest.mark.parametrize(
    "shape",
    [(64, 64, 64), (200, 77, 93), (1, 1, 1), (1, 40, 1000), (129, 1, 7), (66, 264, 8)],
)
def test_ragged_shapes(shape: tuple[int, int, int]):
    m, n, k = shape
    a, b = _random((m, k)), _random((k, n))
    out = croq.matmul(a, b)
    assert (out.shape, out.dtype) == ((m, n), np.float16)
    assert _error(out, a, b) < 1e-3


@pytest.mark.usefixtures("nowhere")
@pytest.mark.parametrize(("lhs", "rhs"), [("T", "T"), ("T", ""), ("", "T")])
@pytest.mark.parametrize("kind", [np.float16, ml_dtypes.bfloat16])
def test_layouts_and_types(lhs: str, rhs: str, kind: Any):
    a = _random((88, 70), kind).T if lhs else _random((70, 88), kind)
    b = _random((50, 88), kind).T if rhs else _random((88, 50), kind)
    out = croq.matmul(a, b, schedule=SMALL)
    assert out.dtype == kind
    assert _error(out, a, b) < (1e-3 if kind is np.float16 else 8e-3)


@pytest.mark.usefixtures("nowhere")
@pytest.mark.parametrize("dtype", ["f32", "float32", np.float32, np.dtype("f4")])
def test_results_of_another_type(dtype: Any):
    a, b = _random((40, 72), ml_dtypes.bfloat16), _random((72, 24), ml_dtypes.bfloat16)
    out = croq.matmul(a, b, dtype=dtype, schedule=SMALL)
    assert out.dtype == np.float32
    assert _error(out, a, b) < 1e-5
    given = np.full((40, 24), np.nan, np.float32)
    assert croq.matmul(a, b, given, schedule=SMALL) is given
    np.testing.assert_array_equal(given, out)


@pytest.mark.usefixtures("nowhere")
def test_views_of_numpy_arrays():
    a, b = _random((90, 300))[::-2, 4:284:3], _random((188, 80))[::2, ::2]
    wide = np.full((45, 100), np.nan, np.float16)
    out = wide[:, 7:47]
    assert croq.matmul(a, b, out, schedule=SMALL) is out
    assert _error(out, a, b) < 1e-3
    assert np.isnan(wide[:, :7]).all()
    assert np.isnan(wide[:, 47:]).all()


@pytest.mark.usefixtures("nowhere")
@pytest.mark.parametrize("shape", [(0, 5, 6), (5, 0, 6), (5, 6, 0), (0, 0, 0)])
def test_extents_of_zero(shape: tuple[int, int, int]):
    m, n, k = shape
    a, b = np.zeros((m, k), np.float16), np.zeros((k, n), np.float16)
    np.testing.assert_array_equal(croq.matmul(a, b), a @ b)
    out = np.full((m, n), np.nan, np.float16)
    np.testing.assert_array_equal(croq.matmul(a, b, out), a @ b)


@pytest.mark.usefixtures("nowhere")
def test_large_products_are_not_simulated():
    a = np.zeros((1024, 1024), np.float16)
    with pytest.raises(DeviceError, match=r"no device: none here; the simulator takes"):
        croq.matmul(a, a)


@pytest.mark.usefixtures("nowhere")
@pytest.mark.parametrize(
    ("a", "b", "options", "message"),
    [
        ((4, 5), (6, 4), {}, "'b': extent of dim 0 must be 5 as dim 1 of argument 'a'"),
        ((4,), (4, 4), {}, "'a': rank must be 2, got shape"),
        ((4, 4), (2, 4, 4), {}, "'b': rank must be 2, got shape"),
        ((4, 4), (4, 4), {"dtype": "f64"}, "dtype must be f16, bf16 or f32, got 'f64'"),
        ((4, 4), (4, 4), {"out": (4, 5)}, "'out': shape must be (4, 4), got (4, 5)"),
        ((4, 4), (4, 4), {"schedule": Schedule(bn=100)}, "in steps of 16"),
    ],
)
def test_what_is_refused(
    a: tuple[int, ...], b: tuple[int, ...], options: dict[str, Any], message: str
):
    if "out" in options:
        options = {"out": np.zeros(options["out"], np.float16)}
    with pytest.raises(ArgumentError) as error:
        croq.matmul(np.ones(a, np.float16), np.ones(b, np.float16), **options)
    assert message in str(error.value)


@pytest.mark.usefixtures("nowhere")
def test_types_that_are_refused():
    half, bhalf = _random((8, 8)), _random((8, 8), ml_dtypes.bfloat16)
    single = _random((8, 8), np.float32)
    with pytest.raises(ArgumentError, match="both be f16 or both bf16, got f16 and bf"):
        croq.matmul(half, bhalf)
    with pytest.raises(ArgumentError, match="both be f16 or both bf16, got f32 and f3"):
        croq.matmul(single, single)
    with pytest.raises(ArgumentError, match="'b' must be a tensor of f16, bf16 or f32"):
        croq.matmul(half, half.astype(np.int8))
    with pytest.raises(ArgumentError, match=r"'a' must be a tensor of .*, got list"):
        croq.matmul([[1.0]], half)
    with pytest.raises(ArgumentError, match="element type must be f16, got f32"):
        croq.matmul(half, half, single, dtype="f16")
    frozen = np.zeros((8, 8), np.float16)
    frozen.flags.writeable = False
    with pytest.raises(ArgumentError, match="'out' must be writeable"):
        croq.matmul(half, half, frozen)
    with pytest.raises(ArgumentError, match=r"must not share .* addresses with 'b'"):
        croq.matmul(
            half, single.view(np.float16)[:, :8], single.view(np.float16)[:, 4:12]
        )


@pytest.mark.parametrize(
    ("lhs_by_k", "rhs_by_k", "lhs", "rhs"),
    [
        (True, True, "threads", "tma"),
        (True, False, "tma", "threads"),
        (False, True, "threads", "threads"),
    ],
)
def test_rows_that_tma_cannot_address(
    lhs_by_k: bool, rhs_by_k: bool, lhs: Any, rhs: Any
):
    """Operands and result in memory of odd pitches, as on a device."""
    m, n, k = 70, 37, 43
    plain = PlainMatmul("f16", "f16", lhs_by_k, rhs_by_k, lhs, rhs, "threads", 1)
    kernel = choose_kernel(Operands(m, n, k, plain, 0), None, 132)

    def strided(shape: tuple[int, int], engine: str) -> Array:
        return _random((shape[0], 104 if engine == "tma" else 101))[:, : shape[1]]

    a = strided((m, k) if lhs_by_k else (k, m), lhs)
    b = strided((n, k) if rhs_by_k else (k, n), rhs)
    wide = np.full((m, 51), np.nan, np.float16)
    out = wide[:, 3 : 3 + n]
    options = Options(keep_strides=True)
    report = run(kernel.source, a, b, out, level="nvvm", options=options)
    assert report.faults == ()
    assert _error(out, a if lhs_by_k else a.T, b.T if rhs_by_k else b) < 1e-3
    assert np.isnan(wide[:, :3]).all()
    assert np.isnan(wide[:, 3 + n :]).all()


def _filled(shape: tuple[int, int], dtype: str = "torch.float16") -> Tensor:
    made = aligned(shape, dtype)
    made.array[...] = _random(shape)
    return made


def test_a_call_again_only_launches(device: FakeApi, torch: FakeTorch):
    a, b, out = _filled((64, 64)), _filled((64, 72)), aligned((64, 72))
    assert croq.matmul(a, b, out) is out
    assert len(device.loads) == 1
    assert [d.fields["address"] for d in device.descriptors] == [
        a.data_ptr(),
        b.data_ptr(),
        out.data_ptr(),
    ]
    encoded = len(device.descriptors)
    torch.stream = 5
    assert croq.matmul(a, b, out) is out
    assert croq.matmul(a, b, out, stream=9) is out
    assert len(device.descriptors) == encoded
    assert len(device.loads) == 1
    assert [launch.stream for launch in device.launches] == [0, 5, 9]
    first = device.launches[0]
    for launch in device.launches[1:]:
        assert replace(launch, stream=0, parameters=()) == replace(first, parameters=())


@pytest.mark.parametrize("swapped", [False, True])
def test_a_call_with_other_memory_encodes_what_is_new(
    device: FakeApi, torch: FakeTorch, swapped: bool
):
    a, b, out = _filled((64, 64)), _filled((64, 72)), aligned((64, 72))
    if swapped:
        out = aligned((72, 64)).T
    croq.matmul(a, b, out)
    for fresh in (_filled((64, 72)), _filled((64, 72))):
        encoded = len(device.descriptors)
        croq.matmul(a, fresh, out)
        new = [d.fields["address"] for d in device.descriptors[encoded:]]
        assert fresh.data_ptr() in new
    assert new == [fresh.data_ptr()]
    assert len(device.loads) == 1
    assert len(device.launches) == 3
    first, *_, last = device.launches
    assert replace(last, parameters=()) == replace(first, parameters=())


@pytest.mark.usefixtures("torch")
def test_memory_that_is_shared_is_seen_in_every_call(device: FakeApi):
    a, b, out = _filled((64, 64)), _filled((64, 72)), aligned((64, 72))
    croq.matmul(a, b, out)
    both = aligned((96, 72))
    with pytest.raises(ArgumentError, match=r"must not share .* addresses with 'b'"):
        croq.matmul(a, Tensor(both.array[:64]), Tensor(both.array[32:]))
    assert len(device.launches) == 1
    square = aligned((64, 64))
    with pytest.raises(ArgumentError, match=r"must not share .* addresses with 'a'"):
        croq.matmul(square, _filled((64, 64)), square)


def test_results_are_made_by_torch(device: FakeApi, torch: FakeTorch):
    a, b = _filled((64, 64)), _filled((72, 64))
    for number in range(1, 4):
        out = croq.matmul(a, b.T)
        assert out is torch.made[-1]
        assert out.shape == (64, 72)
        assert len(device.launches) == number
        assert device.descriptors[-1].fields["address"] == out.data_ptr()
    assert str(croq.matmul(a, b.T, dtype="f32").dtype) == "torch.float32"
    assert len(device.loads) == 2


def test_layouts_choose_the_kernel(device: FakeApi, torch: FakeTorch):
    a, b = _filled((64, 64)), _filled((64, 64))
    for x, y, form in ((a, b, "10"), (a, b.T, "00"), (a.T, b, "11")):
        croq.matmul(x, y, aligned((64, 64)))
        text = device.loads[-1].decode()
        line = next(t for t in text.splitlines() if "wgmma.mma_async" in t)
        assert line.rstrip().endswith(f", {form[1]}, {form[0]};")
    assert len(device.loads) == 3


def test_what_tma_cannot_address_goes_by_threads(device: FakeApi, torch: FakeTorch):
    a = Tensor(_filled((64, 88)).array[:, :77])
    odd = Tensor(_filled((77, 75)).array[:, :73])
    device.parameter_count = 5
    out = croq.matmul(a, odd)
    assert len(device.descriptors) == 1
    assert device.descriptors[0].fields["address"] == a.data_ptr()
    assert device.descriptors[0].fields["pitches"] == [176]
    assert out.shape == (64, 73)


def test_a_transposed_result(device: FakeApi, torch: FakeTorch):
    a, b, out = _filled((64, 72)), _filled((72, 80)), aligned((80, 64))
    result = out.T
    assert croq.matmul(a, b, result) is result
    assert device.descriptors[0].fields["address"] == b.data_ptr()
    assert device.descriptors[-1].fields["extents"] == [64, 80]
    encoded = len(device.descriptors)
    croq.matmul(a, b, result)
    assert len(device.launches) == 2
    assert len(device.descriptors) == encoded


@pytest.mark.usefixtures("torch")
def test_tensors_without_a_contiguous_dim(device: FakeApi):
    a = Tensor(_filled((64, 128)).array[:, ::2])
    with pytest.raises(
        ArgumentError, match="argument 'a': the last dim must have stri"
    ):
        croq.matmul(a, _filled((64, 64)))
    with pytest.raises(ArgumentError, match="must all be on one device, got device"):
        croq.matmul(_filled((64, 64)), Tensor(_filled((64, 64)).array, 1))
    assert device.launches == []


@pytest.mark.usefixtures("torch")
def test_a_depth_of_zero_is_zeros(device: FakeApi, monkeypatch: pytest.MonkeyPatch):
    sets: list[tuple[int, ...]] = []

    def fill(*args: int) -> tuple[Any, ...]:
        sets.append(args)
        return (device.ok,)

    monkeypatch.setattr(FakeApi, "cuMemsetD2D8Async", staticmethod(fill), raising=False)
    out = Tensor(_filled((64, 80)).array[:, :72])
    croq.matmul(aligned((64, 0)), aligned((0, 72)), out)
    assert sets == [(out.data_ptr(), 160, 0, 144, 64, 0)]
    assert device.launches == []


@pytest.mark.usefixtures("torch")
def test_a_launch_that_fails(device: FakeApi):
    a, b, out = _filled((64, 64)), _filled((64, 72)), aligned((64, 72))
    croq.matmul(a, b, out)
    device.failing["cuLaunchKernelEx"] = "CUDA_ERROR_LAUNCH_FAILED"
    with pytest.raises(
        DeviceError, match="cuLaunchKernelEx failed with CUDA_ERROR_LAUNCH"
    ):
        croq.matmul(a, b, out)


def test_another_current_context(device: FakeApi, torch: FakeTorch):
    a, b, out = _filled((64, 64)), _filled((64, 72)), aligned((64, 72))
    croq.matmul(a, b, out)
    device.contexts[:] = []
    croq.matmul(a, b, out)
    assert device.contexts == []
    assert len(device.launches) == 2


def test_numpy_arrays_are_copied(device: FakeApi):
    a, b = _random((64, 64)), _random((64, 72))
    out = croq.matmul(a, b)
    assert out.shape == (64, 72)
    assert len(device.launches) == 1
    assert device.synchronized


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize(
    ("schedule", "reason"),
    [
        ("persist", "must be a croq.Schedule, got 'persist'"),
        ([SMALL], "must be a croq.Schedule"),
        (replace(SMALL, consumers=0), "consumers must be in 1..7, got 0"),
        (replace(SMALL, epilogue_cols=0), "epilogue_cols must be in 16.."),
        (replace(SMALL, bm=0), "bm must be in 64.."),
        (replace(SMALL, stages=1), "stages must be at least 2"),
        (replace(SMALL, cluster=(16, 1)), "at most 8 blocks"),
        (Schedule(cluster=PAIR), "a tuple of two positive integers"),
    ],
)
def test_schedules_that_cannot_be(device: FakeApi, schedule: Any, reason: str):
    tensors = aligned((64, 64)), aligned((64, 72))
    arrays = _random((64, 64)), _random((64, 72))
    for a, b in (tensors, arrays):
        with pytest.raises(ArgumentError, match=re.escape(reason)):
            croq.matmul(a, b, schedule=schedule)
    assert device.launches == []
