"""Launches in the simulator: arguments, results, order of blocks, faults, progress."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from croqtile_mlir import simulator
from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.runtime.dlpack import DLPackTensor
from croqtile_mlir.simulator import FaultKind, Options, SimulationError, arguments
from croqtile_mlir.simulator.actors import Agent, Progress
from croqtile_mlir.simulator.barriers import Mbarrier, PhaseWait
from croqtile_mlir.simulator.simulate import Position
from croqtile_mlir.simulator.state import BlockState
from simulator.fake_kernel import COPY, WAIT, FakeKernel, copy_row, loaded

Matrix = NDArray[np.float16]


def matrix(rows: int, columns: int, seed: int = 0) -> Matrix:
    random = np.random.default_rng(seed)
    return random.standard_normal((rows, columns)).astype(np.float16)


@pytest.mark.parametrize("policy", ["rr", "late", "early", "random:7"])
def test_results_are_written_in_place(policy: str):
    x, y = matrix(5, 12), matrix(5, 12, 1)
    kept = x.copy()
    report = simulator.run(loaded(), x, 2.0, y, options=Options(policy))
    report.check()
    np.testing.assert_array_equal(y, 2 * x)
    np.testing.assert_array_equal(x, kept)
    assert (report.grid, report.blocks, report.agents) == ((5, 1, 1), 5, 2)
    assert report.steps >= 5 * 4
    assert report.result is None


def test_a_returned_tile():
    x = matrix(3, 8)
    report = simulator.run(loaded(returned=True), x, 3, options=Options())
    report.check()
    np.testing.assert_array_equal(report.result, 3 * x)


@pytest.mark.parametrize("keep_strides", [False, True])
def test_views(keep_strides: bool):
    """Rows of a wider array: what is around them stays."""
    wide_x, wide_y = matrix(4, 32), matrix(4, 40, 1)
    expected = wide_y.copy()
    expected[:, 3:15] = 2 * wide_x[:, 8:20]
    options = Options(keep_strides=keep_strides)
    args = wide_x[:, 8:20], 2, wide_y[:, 3:15]
    simulator.run(loaded(), *args, options=options).check()
    np.testing.assert_array_equal(wide_y, expected)


def test_any_strides_will_do_for_copies():
    x, y = matrix(24, 6).T[:, ::2], np.zeros((6, 12), np.float16)[::-1]
    simulator.run(loaded(), x, 2, y).check()
    np.testing.assert_array_equal(y, 2 * x)


def test_a_tensor_that_exports_dlpack():
    class Tensor:
        def __init__(self, array: NDArray[Any]):
            self.array = array

        def __dlpack__(self, **_: object) -> object:
            return self.array.__dlpack__()

        def __dlpack_device__(self) -> tuple[int, int]:
            return self.array.__dlpack_device__()

    x, y = matrix(4, 8), matrix(8, 4, 1).T
    simulator.run(loaded(), Tensor(x), 2, Tensor(y)).check()
    np.testing.assert_array_equal(y, 2 * x)
    message = r"'x': element type must be f16 \(float16\), got float64"
    with pytest.raises(ArgumentError, match=message):
        simulator.run(loaded(), Tensor(x.astype(np.float64)), 2, y)


def test_empty_grids_run_nothing():
    kernel = FakeKernel()
    x, y = matrix(0, 8), matrix(0, 8)
    report = simulator.run(loaded(kernel), x, 2, y)
    assert (report.blocks, report.steps, kernel.order) == (0, 0, [])
    report.check()


def test_random_policies_permute_the_blocks():
    def order(policy: str) -> list[int]:
        kernel = FakeKernel()
        x = matrix(20, 4)
        simulator.run(loaded(kernel), x, 1, x.copy(), options=Options(policy)).check()
        return [x for x, _, _ in kernel.order]

    assert order("rr") == list(range(20))
    assert order("random:1") != order("random:2")
    assert order("random:1") == order("random:1")
    assert sorted(order("random:1")) == list(range(20))


class OnDevice:
    """A tensor in the memory of a device."""

    def __dlpack__(self) -> object:
        raise AssertionError("memory of a device is not read")

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0


class Refuses:
    """A tensor that does not say where it is: one of torch's device `meta`."""

    def __dlpack_device__(self) -> tuple[int, int]:
        raise ValueError("Unknown device type meta")

    def __dlpack__(self) -> object:
        raise AssertionError("it has no memory")


class Negated:
    """A view of torch that negates what is in memory."""

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def __dlpack__(self) -> object:
        return GOOD.__dlpack__()

    def is_neg(self) -> bool:
        return True


GOOD = matrix(4, 8)


def test_views_that_negate_are_refused(monkeypatch: pytest.MonkeyPatch):
    torch: Any = SimpleNamespace(Tensor=Negated)
    monkeypatch.setitem(sys.modules, "torch", torch)
    with pytest.raises(ArgumentError, match=r"'x': .*negates them \(resolve_neg"):
        simulator.run(loaded(), Negated(), 1, GOOD.copy())


def test_tensors_without_memory_are_refused(monkeypatch: pytest.MonkeyPatch):
    """As torch's fake tensors, which say that they are in host memory at 0."""
    nowhere = DLPackTensor(0, (4, 8), None, "float16", None)

    def read(_: object) -> DLPackTensor:
        return nowhere

    monkeypatch.setattr(arguments, "read_dlpack", read)
    with pytest.raises(ArgumentError, match="'x': memory must hold the elements"):
        simulator.run(loaded(), Negated(), 1, GOOD.copy())


def read_only(array: Matrix) -> Matrix:
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((GOOD, 1), "the kernel takes 3 arguments (x, alpha, y), got 2"),
        ((GOOD, 1, GOOD, GOOD), "takes 3 arguments (x, alpha, y), got 4"),
        ((GOOD.astype(np.float32), 1, GOOD), "'x': element type must be f16 (float16)"),
        ((GOOD[0], 1, GOOD), "argument 'x': rank must be 2 (MxN), got 1"),
        ((GOOD, 1, GOOD[:3]), "'y': extent of dim 0 must be M = 4"),
        ((GOOD, "a", GOOD), "argument 'alpha' must be a number for f32"),
        ((GOOD[:, :6], 1, GOOD[:, :6]), "dim 'N' must be a multiple of 4, got 6"),
        ((GOOD, 1, read_only(GOOD.copy())), "argument 'y' must be writeable"),
        ((GOOD, 1, [[1.0]]), "argument 'y' must be a tensor"),
        ((Refuses(), 1, GOOD), "'x' must export DLPack, got"),
        (
            (GOOD, 1, as_strided(GOOD.copy(), (4, 8), (2, 2))),
            "'y': elements must not overlap, got strides (1, 1) for shape (4, 8)",
        ),
        ((OnDevice(), 1, GOOD), "argument 'x' must be in host memory for the simulat"),
    ],
)
def test_arguments_that_break_a_rule(args: tuple[object, ...], message: str):
    kernel = FakeKernel()
    with pytest.raises(ArgumentError) as caught:
        simulator.run(loaded(kernel), *args)
    assert message in str(caught.value)
    assert kernel.order == []


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (matrix(4, 12)[:, :8], "'x': pitch of dim 0 must be a multiple of 16 bytes"),
        (matrix(4, 16)[:, 1:9], "'x': address must be a multiple of 16 bytes"),
        (matrix(8, 4).T, "'x': the last dim must have stride 1"),
    ],
)
def test_strides_that_break_a_rule_when_they_are_kept(x: Matrix, message: str):
    y = matrix(4, 8)
    with pytest.raises(ArgumentError) as caught:
        simulator.run(loaded(), x, 1, y, options=Options(keep_strides=True))
    assert message in str(caught.value)
    simulator.run(loaded(), x, 1, y).check()
    np.testing.assert_array_equal(y, x)


def test_there_is_no_such_policy():
    with pytest.raises(ArgumentError, match=r"policy must be one of rr.*, got 'fast'"):
        simulator.run(loaded(), GOOD, 1, GOOD.copy(), options=Options("fast"))


# Faults


def wait_for_nothing(block: BlockState, agent: Agent, done: Mbarrier) -> Progress:
    wait = PhaseWait(done, agent, 1, WAIT, exact=True)
    while not wait.ready():
        yield wait


def write_past_the_row(block: BlockState, agent: Agent, done: Mbarrier) -> Progress:
    tile = block.launch.tiles["y"]
    at = tile.offset + block.index[0] * tile.strides[0] + tile.shape[1]
    data = np.full((1, 2), 7, np.uint8)
    yield None
    tile.buffer.store(agent, COPY, np.array([at * tile.dtype.itemsize]), data)


def read_past_the_row(block: BlockState, agent: Agent, done: Mbarrier) -> Progress:
    tile = block.launch.tiles["x"]
    at = tile.offset + block.index[0] * tile.strides[0] + tile.shape[1]
    yield None
    tile.buffer.load(agent, COPY, np.array([at * tile.dtype.itemsize]), 2)


def test_a_deadlock_stops_the_run():
    kernel = FakeKernel((copy_row, wait_for_nothing))
    report = simulator.run(loaded(kernel), GOOD, 1, GOOD.copy())
    (fault,) = report.faults
    assert fault.kind is FaultKind.DEADLOCK
    assert fault.op is WAIT
    assert report.blocks == 0
    with pytest.raises(SimulationError) as caught:
        report.check()
    text = str(caught.value)
    assert text.startswith("fake.mlir:12:3: error: 'test.op' op deadlock in block 0, 0")
    assert "warp 1 waits for phase 1 of done" in text


def test_what_lies_between_rows():
    """Writing there is a fault where the bytes are the caller's."""
    kernel = FakeKernel((copy_row, write_past_the_row))
    wide = matrix(4, 16)
    args = GOOD, 1, wide[:, :8]
    report = simulator.run(loaded(kernel), *args, options=Options(keep_strides=True))
    assert {fault.kind for fault in report.faults} == {FaultKind.OUT_OF_BOUNDS}
    assert "writes byte 16 of y, which is not one of its elements" in str(
        report.faults[0].message
    )


def test_reading_between_rows():
    kernel = FakeKernel((copy_row, read_past_the_row))
    x = matrix(4, 12)
    report = simulator.run(loaded(kernel), x, 1, x.copy())
    assert {fault.kind for fault in report.faults} == {FaultKind.UNINITIALISED}


def test_without_checks_only_the_data_counts():
    kernel = FakeKernel((copy_row, read_past_the_row))
    x = matrix(4, 12)
    y = np.zeros_like(x)
    simulator.run(loaded(kernel), x, 2, y, options=Options(checks=False)).check()
    np.testing.assert_array_equal(y, 2 * x)


def chatter(block: BlockState, agent: Agent, done: Mbarrier) -> Progress:
    for _ in range(3000):
        yield None


def test_an_endless_run_is_stopped():
    kernel = FakeKernel((chatter, chatter))
    report = simulator.run(
        loaded(kernel), GOOD, 1, GOOD.copy(), options=Options(max_steps=500)
    )
    assert "has not ended after 500 steps" in report.faults[0].message


def test_progress_is_told():
    told: list[Position] = []
    kernel = FakeKernel((chatter,))
    simulator.run(
        loaded(kernel), GOOD, 1, GOOD.copy(), options=Options(progress=told.append)
    ).check()
    assert told[-1] == Position(4, 4, 4 * 3001)
    assert [p.blocks_done for p in told] == sorted(p.blocks_done for p in told)
    assert [p.steps for p in told if p.blocks_done == 0] == [1024 - 1, 2047]
