"""Calls of torch tensors like earlier ones: launched, or refused, as the first was."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.fake_driver import Launch
from support.fake_torch import FakeTorch, Tensor, aligned
from support.launched_plan import (
    GOOD,
    install_torch,
    made,
    parameters,
    refusal_of_new_calls,
    watched,
)

from croqtile_mlir.errors import ArgumentError, DeviceError
from croqtile_mlir.runtime.bounded_cache import BoundedCache

pytest.importorskip("cuda.bindings.driver")


@pytest.fixture(autouse=True)
def torch(monkeypatch: pytest.MonkeyPatch) -> FakeTorch:
    return install_torch(monkeypatch)


@pytest.fixture
def only_known(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    return refusal_of_new_calls(monkeypatch)


def test_a_known_call_passes_what_the_first_one_did(only_known: Callable[[], None]):
    tensors = [(aligned((40, 64)), aligned((40, 24))) for _ in range(5)]
    launcher, _, seen = watched()
    launcher((tensors[0][0], 0.5, tensors[0][1], 3))
    only_known()
    calls = [(lhs, 0.25 * n, out, -n) for n, (lhs, out) in enumerate(tensors)]
    for lhs, alpha, out, n in calls + calls[::-1]:
        launcher((lhs, alpha, out, n))
        grid, _, values = seen[-1]
        assert grid == (5, 3, 1)
        assert values[0]["address"] == lhs.data_ptr()
        assert values[0]["extents"] == [64, 40]
        assert values[1:5] == [out.data_ptr(), 24, 64, alpha]
        assert values[5]["address"] == out.data_ptr()
        assert values[6] == n


def test_what_was_packed_is_found_again(only_known: Callable[[], None]):
    tensors = [(aligned((40, 64)), aligned((40, 24))) for _ in range(3)]
    launcher, api = made()
    for _ in range(4):
        for lhs, out in tensors:
            launcher((lhs, 1.0, out, 0))
        only_known()
    assert len(api.descriptors) == 6
    assert len({launch.parameters for launch in api.launches[3:]}) == 3


def test_shapes_and_strides_are_told_apart():
    """At the same addresses."""
    launcher, api, seen = watched()
    wide, out = aligned((40, 128)), aligned((40, 24))
    rows = [40, 16, 40, 16, 2, 40, 16]
    for number in rows:
        launcher((wide[:number, :64], 1.0, out[:number], 0))
        assert seen[-1][0] == (-(-number // 8), 3, 1)
        assert seen[-1][2][0]["extents"] == [64, number]
    flat: Any = wide.array.reshape(-1)
    for pitch in (128, 72, 64, 72, 128, 64):
        steps = 2 * pitch, 2
        view = np.lib.stride_tricks.as_strided(flat, (40, 64), steps)
        launcher((Tensor(view), 1.0, out, 0))
        assert seen[-1][2][0]["address"] == wide.data_ptr()
        assert seen[-1][2][0]["pitches"] == [2 * pitch]
    assert len(api.launches) == 13


WIDE = aligned((41, 104))
BAD: list[tuple[Any, ...]] = [
    GOOD[:3],
    (*GOOD, 1),
    (GOOD[0].array, *GOOD[1:]),
    (*GOOD[:2], GOOD[2].array, 7),
    (None, *GOOD[1:]),
    (aligned((40, 64), "torch.bfloat16"), *GOOD[1:]),
    (aligned((40, 63)), *GOOD[1:]),
    (aligned((48, 64)), *GOOD[1:]),
    (aligned((24, 40)).T, 1.5, aligned((40, 64)), 7),
    (WIDE[:40, 1:65], *GOOD[1:]),
    (WIDE[:40, :8:2], *GOOD[1:]),
    (aligned((40, 68))[:, :64], *GOOD[1:]),
    (aligned((40, 128))[:, ::2], *GOOD[1:]),
    (*GOOD[:2], WIDE[:40, 8:32], 7),
    (*GOOD[:2], Tensor(GOOD[2].array, 1), 7),
    (aligned((40, 60)), *GOOD[1:]),
    (aligned((1, 64)), 1.5, aligned((1, 24)), 7),
    (aligned((2008, 64)), 1.5, aligned((2008, 24)), 7),
    (aligned((8, 8)), 1.5, aligned((8, 65536 * 8)), 7),
    (replace(GOOD[0], layout="torch.sparse_csr"), *GOOD[1:]),
    (GOOD[0], 1.5, GOOD[2], 65536),
    (GOOD[0], 1.5, GOOD[2], 1.5),
    (GOOD[0], None, GOOD[2], 7),
    (GOOD[0], 1e39, GOOD[2], "x"),
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_what_is_refused_is_refused_after_a_good_call(number: int):
    with pytest.raises(ArgumentError) as first:
        made(devices=2)[0](BAD[number])
    launcher, api = made(devices=2)
    for _ in range(2):
        launcher(GOOD)
    with pytest.raises(ArgumentError) as after:
        launcher(BAD[number])
    assert str(after.value) == str(first.value)
    assert len(api.launches) == 2


def test_an_address_is_checked_in_every_call(only_known: Callable[[], None]):
    """16 bytes past a multiple of 32: TMA would take it, the plan does not."""
    wide = aligned((40, 48))
    good, bad = wide[:, :24], wide[:, 8:32]
    launcher, api = made()
    launcher((*GOOD[:2], good, 7))
    for _ in range(2):
        with pytest.raises(
            ArgumentError, match=r"'out': address must be a multiple of 32.*mlir:3:5"
        ):
            launcher((*GOOD[:2], bad, 7))
    only_known()
    launcher((*GOOD[:2], good, 7))
    assert len(api.launches) == 2


def test_streams(torch: FakeTorch):
    launcher, api = made()
    for current, given in ((0, None), (5, None), (6, 9), (7, None), (8, 0)):
        torch.stream = current
        launcher(GOOD, given)
        stream = current if given is None else given
        assert api.launches[-1].stream == stream
    launcher(GOOD, SimpleNamespace(cuda_stream=11))
    assert api.launches[-1].stream == 11
    with pytest.raises(ArgumentError, match="stream must be a handle"):
        launcher(GOOD, "default")


def test_devices_are_told_apart(only_known: Callable[[], None]):
    launcher, api = made(devices=2)
    there = tuple(
        Tensor(each.array, 1) if isinstance(each, Tensor) else each for each in GOOD
    )
    contexts: list[int] = []
    api.kernel = lambda launch: contexts.append(api.contexts[-1])
    launcher(GOOD)
    launcher(there)
    only_known()
    for current in ([], [100], [101]):
        api.contexts[:] = current
        for args in (GOOD, there):
            launcher(args)
        assert api.contexts == current, "the caller's context is current again"
    assert contexts == [100, 101] * 4
    assert len(api.loads) == 2


def test_a_failed_launch_names_the_status():
    launcher, api = made()
    launcher(GOOD)
    api.failing["cuLaunchKernelEx"] = "CUDA_ERROR_INVALID_VALUE"
    with pytest.raises(DeviceError, match=r"cuLaunchKernelEx failed .*INVALID_VALUE"):
        launcher(GOOD)
    assert not api.contexts


@pytest.mark.parametrize("shape", [(0, 24), (40, 0)])
def test_no_blocks(shape: tuple[int, int], only_known: Callable[[], None]):
    """Nothing is launched; addresses do not matter."""
    launcher, api = made()
    lhs = aligned((shape[0], 64))
    launcher((lhs, 1.0, aligned(shape), 7))
    only_known()
    launcher((lhs, 1.0, aligned(shape), 7))
    assert api.launches == []
    with pytest.raises(ArgumentError, match="'n' must be between"):
        launcher((lhs, 1.0, aligned(shape), 1 << 16))


def test_zeros_for_a_tensor_without_elements_are_written_every_time():
    launcher, api, seen = watched()
    read: list[bytes] = []

    def spoil(launch: Launch) -> None:
        address = parameters(api, launch)[0]["address"]
        zeros = (ctypes.c_ubyte * 16).from_address(address)
        read.append(bytes(zeros))
        zeros[3] = 9

    api.kernel = spoil
    for _ in range(3):
        launcher((aligned((40, 0)), *GOOD[1:]))
    assert read == [bytes(16)] * 3
    assert not seen


def test_parameters_of_modules_are_tensors(only_known: Callable[[], None]):
    class Parameter(Tensor):
        pass

    class Other(Tensor):
        def data_ptr(self) -> int:
            return 4096

    module: Any = sys.modules["torch"]
    module.nn = SimpleNamespace(Parameter=Parameter)
    launcher, _, seen = watched()
    launcher(GOOD)
    other = Other(GOOD[0].array)
    launcher((other, *GOOD[1:]))
    assert seen[-1][2][0]["address"] == 4096
    only_known()
    launcher((Parameter(GOOD[0].array), *GOOD[1:]))
    with pytest.raises(AssertionError, match="must be known"):
        launcher((other, *GOOD[1:]))


def test_threads():
    """Each launch gets the addresses and scalars of its own call."""
    launcher, api = made()
    api.contexts.append(100)
    got: dict[int, list[tuple[Any, ...]]] = {}

    def look(launch: Launch) -> None:
        values = parameters(api, launch)
        place = values[0]["address"], values[1], values[4], values[5]["address"]
        got[threading.get_ident()].append(place)

    api.kernel = look
    failures: list[object] = []
    together = threading.Barrier(6, timeout=60)

    def work(seed: int) -> None:
        together.wait()
        mine = got[threading.get_ident()] = []
        random = np.random.default_rng(seed)
        tensors = [(aligned((40, 64)), aligned((40, 24))) for _ in range(6)]
        for number in range(60):
            lhs, out = tensors[random.integers(6)]
            launcher((lhs, seed + number % 5, out, 7))
            wanted = lhs.data_ptr(), out.data_ptr(), seed + number % 5, out.data_ptr()
            if mine[-1] != wanted:
                failures.append((mine[-1], wanted))
        together.wait()

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    finally:
        sys.setswitchinterval(interval)
    assert [len(each) for each in got.values()] == [60] * 6
    assert not failures


def test_kinds_of_calls_are_forgotten():
    """Many shapes: each is right, whether known or forgotten."""
    launcher, api, seen = watched()
    lhs, out = aligned((400, 64)), aligned((400, 24))
    for rows in [*range(2, 400), 2, 3]:
        launcher((lhs[:rows], 1.0, out[:rows], 7))
        assert seen[-1][2][0]["extents"] == [64, rows]
    assert len(api.launches) == 400


def test_a_bounded_cache():
    cache = BoundedCache[int, str](16)
    for number in range(100):
        cache.put(number, str(number))
        assert len(cache) <= 16
        assert cache.get(number) == str(number)
    assert cache.get(83) is None
    assert all(cache.get(number) == str(number) for number in range(86, 100))
    small = BoundedCache[int, str](1)
    small.put(1, "one")
    small.put(2, "two")
    assert (small.get(1), small.get(2)) == (None, "two")
