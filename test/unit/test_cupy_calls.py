"""Calls of cupy's arrays like earlier ones, as `test_repeated_launches` of torch's."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.fake_cupy import Array, FakeCupy, array_of, placed
from support.fake_driver import FakeApi
from support.fake_torch import aligned
from support.launched_plan import (
    PLAN,
    TILES,
    install_torch,
    kernel_of,
    out_of,
    parameters,
    refusal_of_longer_ways,
    refusal_of_new_calls,
)
from xdsl.ir.affine import AffineMap

from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.kernel import Kernel
from croqtile_mlir.launch.plan import PitchCheck, PointerParam, StrideParam, TileArg
from croqtile_mlir.runtime.array_library import arrays_of

pytest.importorskip("cuda.bindings.driver")


@pytest.fixture(autouse=True)
def cupy(monkeypatch: pytest.MonkeyPatch) -> FakeCupy:
    fake = FakeCupy()
    monkeypatch.setitem(sys.modules, "cupy", fake.module())
    return fake


@pytest.fixture
def only_again(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    return refusal_of_longer_ways(monkeypatch)


@pytest.fixture
def only_known(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    return refusal_of_new_calls(monkeypatch)


def test_arrays_take_turns(only_again: Callable[[], None]):
    kernel, api = kernel_of()
    sets = [(array_of(40, 64), array_of(40, 24)) for _ in range(5)]
    for lhs, out in sets * 2:
        kernel(lhs, out)
    only_again()
    for lhs, out in sets * 2 + sets[::-1]:
        kernel(lhs, out)
        assert out_of(api.launches[-1]) == out.address
    assert len(api.descriptors) == 10


def test_scalars(only_again: Callable[[], None]):
    kernel, api = kernel_of(PLAN)
    lhs, out = array_of(40, 64), array_of(40, 24)
    for _ in range(2):
        kernel(lhs, 1.5, out, 7)
        kernel(lhs, -2.0, out, 3)
    only_again()
    for alpha, n in ((1.5, 7), (-2.0, 3)):
        kernel(lhs, alpha, out, n)
        found = parameters(api, api.launches[-1])
        assert (found[1], found[4], found[6]) == (out.address, alpha, n)


def test_addresses_never_seen(only_known: Callable[[], None]):
    kernel, api = kernel_of()
    kernel(array_of(40, 64), array_of(40, 24))
    only_known()
    room = placed((60, 24), np.dtype(np.float16))
    for start in (0, 4, 16):
        out = Array(room[start : start + 40])
        kernel(array_of(40, 64), out)
        assert out_of(api.launches[-1]) == out.address


def test_shapes_are_told_apart(only_known: Callable[[], None]):
    kernel, api = kernel_of()
    lhs, out = array_of(40, 64), array_of(40, 24)
    rows = [40, 16, 8, 32, 24, 2]
    for number in rows:
        kernel(lhs[:number], out[:number])
    only_known()
    for number in rows * 2 + rows[::-1]:
        kernel(lhs[:number], out[:number])
        assert api.launches[-1].grid == (-(-number // 8), 3, 1)


CHANGES: dict[str, Callable[[Array], Any]] = {
    "another element type": lambda array: array.array.view(np.int16),
    "the other byte order": lambda array: array.array.view(">f2"),
    "another shape": lambda array: array.array.reshape(24, 40),
    "transposed": lambda array: array.array.reshape(24, 40).T,
    "fewer columns": lambda array: array.array[:, :16],
    "more columns between rows": lambda array: np.lib.stride_tricks.as_strided(
        array.array, (20, 24), (96, 2)
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_changed_in_place_is_seen(name: str):
    """A call of it is refused, or launched, as a first one is."""
    kernel, api = kernel_of()
    lhs, out = array_of(40, 64), array_of(40, 24)
    for _ in range(2):
        kernel(lhs, out)
    out.array = CHANGES[name](out)
    fresh, fresh_api = kernel_of()
    assert outcome(kernel, api, lhs, out) == outcome(fresh, fresh_api, lhs, out)


def outcome(kernel: Kernel, api: FakeApi, lhs: Array, out: Array) -> object:
    """What a call is refused with, or the grid and the rows of its launch."""
    try:
        kernel(lhs, out)
    except ArgumentError as error:
        return str(error)
    launch = api.launches[-1]
    return launch.grid, out_of(launch), launch.read(2, ctypes.c_int64)


def test_another_device():
    kernel, _ = kernel_of()
    lhs, out = array_of(40, 64), array_of(40, 24)
    for _ in range(2):
        kernel(lhs, out)
    out.ordinal = 1
    with pytest.raises(ArgumentError, match="'out' must be on the device of 'lhs'"):
        kernel(lhs, out)


def test_the_current_stream_is_asked_for(cupy: FakeCupy, only_known: Any):
    kernel, api = kernel_of()
    lhs, out = array_of(40, 64), array_of(40, 24)
    kernel(lhs, out)
    only_known()
    for stream in (7, 9, 0, 9):
        cupy.stream = stream
        kernel(lhs, out)
        assert api.launches[-1].stream == stream
    kernel(lhs, out, stream=5)
    assert api.launches[-1].stream == 5


def test_results_are_made_anew(cupy: FakeCupy, only_known: Callable[[], None]):
    """On the given stream; rows of 24 start at multiples of 64 bytes."""
    lhs = TILES.args[0]
    plan = replace(
        TILES,
        args=(lhs, TileArg("out", "f16", ("M", 24), output=True)),
        dims=("M", "K"),
        params=(StrideParam("out", 0), PointerParam("out")),
        grid=AffineMap.from_callable(lambda m, k: (m.ceil_div(8), 1, 1)),
        checks=(PitchCheck("out", 0, 64),),
    )
    kernel, api = kernel_of(plan)
    first = kernel(array_of(40, 64))
    only_known()
    for stream in (None, 5, None):
        result = kernel(array_of(40, 64), stream=stream)
        made, where = cupy.made[-1]
        assert where == (stream or 0)
        assert result is not first
        assert (result.shape, result.strides, made.shape) == (
            (40, 24),
            (64, 2),
            (40, 32),
        )
        assert out_of(api.launches[-1]) == result.address == made.address


class Derived(Array):
    """Might say of its memory what it likes."""


def test_only_plain_arrays_of_one_library(monkeypatch: pytest.MonkeyPatch):
    install_torch(monkeypatch)
    one, other = array_of(4, 6), aligned((4, 6))
    assert arrays_of([one, array_of(3)]) is not None
    assert arrays_of([other]) is not None
    assert arrays_of([one, other]) is None
    assert arrays_of([other, one]) is None
    assert arrays_of([one, Derived(one.array)]) is None
    assert arrays_of([one, one.array]) is None
    assert arrays_of([]) is None
