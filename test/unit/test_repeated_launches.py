"""Calls of a kernel of tensors alone: what is launched again without being checked."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from support.fake_torch import FakeTorch, Tensor, aligned
from support.launched_plan import (
    PLAN,
    install_torch,
    kernel_of,
    out_of,
    parameters,
    refusal_of_longer_ways,
    refusal_of_new_calls,
)

from croqtile_mlir.errors import ArgumentError, DeviceError
from croqtile_mlir.runtime import torch_tensors
from croqtile_mlir.runtime.tensor_guards import guard_of

pytest.importorskip("cuda.bindings.driver")


@pytest.fixture(autouse=True)
def torch(monkeypatch: pytest.MonkeyPatch) -> FakeTorch:
    return install_torch(monkeypatch)


@pytest.fixture
def only_again(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From its call on nothing takes the longer way."""

    return refusal_of_longer_ways(monkeypatch)


@pytest.fixture
def only_known(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    return refusal_of_new_calls(monkeypatch)


def test_other_addresses_take_turns(only_again: Callable[[], None]):
    kernel, api = kernel_of()
    sets = [(aligned((40, 64)), aligned((40, 24))) for _ in range(5)]
    for lhs, out in sets * 2:
        kernel(lhs, out)
    only_again()
    for lhs, out in sets * 2 + sets[::-1]:
        kernel(lhs, out)
        assert out_of(api.launches[-1]) == out.data_ptr()
    assert len(api.descriptors) == 10


def test_scalars_are_packed_in_every_call(only_again: Callable[[], None]):
    kernel, api = kernel_of(PLAN)
    sets = [(aligned((40, 64)), aligned((40, 24))) for _ in range(3)]
    values = [(1.5, 7), (-0.0, 0), (0.0, 0), (2, -3)]
    calls = [(lhs, a, out, n) for lhs, out in sets for a, n in values]
    for args in calls * 2:
        kernel(*args)
    only_again()
    for lhs, alpha, out, n in calls[::-1]:
        kernel(lhs, alpha, out, n)
        found = parameters(api, api.launches[-1])
        assert (found[1], str(found[4]), found[6]) == (
            out.data_ptr(),
            str(float(alpha)),
            n,
        )
    for wrong in ("x", None, 1e39):
        with pytest.raises(ArgumentError, match="'alpha' must be"):
            kernel(sets[0][0], wrong, sets[0][1], 7)
    with pytest.raises(ArgumentError, match="'n' must be between"):
        kernel(sets[0][0], 1.5, sets[0][1], 1 << 16)


def test_a_tensor_that_changes(only_again: Callable[[], None]):
    """In place, as `set_` does: its address is read in every call."""
    kernel, api = kernel_of()
    lhs, out = aligned((40, 64)), aligned((40, 24))
    other = aligned((40, 24))
    for _ in range(2):
        kernel(lhs, out)
        kernel(lhs, other)
    only_again()
    out.array = other.array
    kernel(lhs, out)
    assert out_of(api.launches[-1]) == other.data_ptr()


def test_shapes_are_told_apart(only_known: Callable[[], None]):
    kernel, api = kernel_of()
    lhs, out = aligned((40, 64)), aligned((40, 24))
    rows = [40, 16, 8, 32, 24, 2]
    for number in rows:
        kernel(lhs[:number], out[:number])
    only_known()
    for number in rows * 2 + rows[::-1]:
        kernel(lhs[:number], out[:number])
        assert api.launches[-1].grid == (-(-number // 8), 3, 1)


def test_streams(torch: FakeTorch, only_again: Callable[[], None]):
    kernel, api = kernel_of()
    args = aligned((40, 64)), aligned((40, 24))

    class Stream:
        cuda_stream = 9

    calls = [(0, None), (5, None), (6, Stream()), (7, 5), (8, 0)]
    for known in (False, True):
        if known:
            only_again()
        for current, given in calls:
            torch.stream = current
            kernel(*args, stream=given)
            wanted = current if given is None else given
            assert api.launches[-1].stream == getattr(wanted, "cuda_stream", wanted)


@pytest.mark.parametrize("current", [[], [101]])
def test_another_context_is_current(current: list[int], only_again: Callable[[], None]):
    kernel, api = kernel_of(devices=2)
    args = aligned((40, 64)), aligned((40, 24))
    for _ in range(2):
        kernel(*args)
    only_again()
    api.contexts[:] = current
    kernel(*args)
    assert api.contexts == current
    assert len(api.launches) == 3


def test_what_is_refused(only_known: Callable[[], None]):
    kernel, api = kernel_of()
    args = aligned((40, 64)), aligned((40, 24))
    bad = aligned((40, 48))[:, 8:32]
    for _ in range(2):
        kernel(*args)
    for wrong in (
        args[:1],
        (*args, args[0]),
        (args[0], None),
        (args[0], bad),
        (args[0], args[1].array),
        (args[0], Tensor(args[1].array, 1)),
        (args[0], aligned((40, 24), "torch.bfloat16")),
    ):
        with pytest.raises(ArgumentError):
            kernel(*wrong)
    only_known()
    kernel(*args)
    assert len(api.launches) == 3


def test_a_failed_launch(only_again: Callable[[], None]):
    kernel, api = kernel_of()
    args = aligned((40, 64)), aligned((40, 24))
    for _ in range(2):
        kernel(*args)
    only_again()
    api.failing["cuLaunchKernelEx"] = "CUDA_ERROR_LAUNCH_FAILED"
    with pytest.raises(DeviceError, match=r"cuLaunchKernelEx failed .*LAUNCH_FAILED"):
        kernel(*args)


def test_threads():
    """More kinds of calls than are kept, from several threads at once."""
    kernel, api = kernel_of()
    wrong: list[int] = []
    seen: list[tuple[tuple[int, int, int], int]] = []
    # Parameters are read at once: those of a first call are gone after it.
    api.kernel = lambda launch: seen.append((launch.grid, out_of(launch)))
    lock = threading.Lock()

    def work(seed: int) -> None:
        lhs, out = aligned((40, 64)), aligned((40, 24))
        for turn in range(60):
            rows = 8 + 8 * ((turn + seed) % 3)
            # One at a time: the driver in memory writes down one list of launches.
            with lock:
                kernel(lhs[:rows], out[:rows])
                grid, address = seen[-1]
            if grid[0] != rows // 8 or address != out.data_ptr():
                wrong.append(turn)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_many_kinds_in_turn_make_no_new_guards(monkeypatch: pytest.MonkeyPatch):
    """More than are compared one by one: they are found by hash, with their guards."""
    made_guards: list[int] = []

    def counted(torch: Any, tensors: Any) -> Any:
        made_guards.append(len(tensors))
        return guard_of(torch, tensors)

    monkeypatch.setattr(torch_tensors, "guard_of", counted)
    kernel, api = kernel_of()
    lhs, out = aligned((40, 64)), aligned((40, 24))
    rows = [40, 32, 24, 16, 8, 2, 4]
    for _ in range(5):
        for number in rows:
            kernel(lhs[:number], out[:number])
            assert api.launches[-1].grid == (-(-number // 8), 3, 1)
    assert len(made_guards) == len(rows)


def test_threads_that_come_first_share_a_launcher():
    kernel, _ = kernel_of()
    del vars(kernel)["launcher"]
    begin = threading.Barrier(8)
    found: list[int] = []

    def work() -> None:
        begin.wait()
        found.append(id(kernel.launcher))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert set(found) == {id(kernel.launcher)}
