"""The memory that a launch provides for a kernel, against a driver in host memory."""

from __future__ import annotations

import ctypes
import threading
from dataclasses import replace
from typing import Any

import pytest
from support.fake_driver import FakeApi, Launch
from support.fake_torch import aligned
from support.launched_plan import install_torch, refusal_of_new_calls
from xdsl.ir.affine import AffineMap

from croqtile_mlir.exporting.c_header import Header
from croqtile_mlir.launch.plan import (
    LaunchPlan,
    LaunchPlanError,
    PointerParam,
    TileArg,
    WorkspaceParam,
)
from croqtile_mlir.runtime.launch import Launcher
from croqtile_mlir.storage.stored_kernels import Compiled, from_data, to_data

pytest.importorskip("cuda.bindings.driver")

PLAN = LaunchPlan(
    args=(TileArg("out", "f16", ("M", 8)),),
    dims=("M",),
    params=(PointerParam("out"), WorkspaceParam(4)),
    grid=AffineMap.from_callable(lambda m: (m, 1, 1)),
    block=32,
    cooperative=True,
)


class Counting:
    """A kernel that counts its launches in its workspace, and what it found there."""

    def __init__(self) -> None:
        self.found: list[tuple[int, int, int]] = []
        self.api = FakeApi(parameter_count=2, kernel=self.launched)

    def launched(self, launch: Launch) -> None:
        address = launch.read(1, ctypes.c_uint64)
        count = ctypes.c_uint32.from_address(address)
        self.found.append((launch.stream, address, count.value))
        count.value += 1

    def launcher(self, plan: LaunchPlan = PLAN) -> Launcher:
        return Launcher(plan, "ptx", "kernel", self.api.driver())


@pytest.fixture(autouse=True)
def torch(monkeypatch: pytest.MonkeyPatch) -> Any:
    return install_torch(monkeypatch)


def test_each_stream_has_its_own_and_later_launches_find_it_as_it_was():
    kernel = Counting()
    launcher = kernel.launcher()
    for stream in (5, 6, 5, 5, 6):
        launcher((aligned((3, 8)),), stream)
    assert [(s, n) for s, _, n in kernel.found] == [
        (5, 0),
        (6, 0),
        (5, 1),
        (5, 2),
        (6, 1),
    ]
    assert len({(s, a) for s, a, _ in kernel.found}) == 2
    assert len({a for _, a, _ in kernel.found}) == 2
    assert kernel.api.cooperative_launches == 5


def test_known_calls_pass_it(monkeypatch: pytest.MonkeyPatch):
    kernel = Counting()
    launcher, out = kernel.launcher(), aligned((3, 8))
    launcher((out,), 5)
    refusal_of_new_calls(monkeypatch)()
    for stream in (5, 7, 5, 7):
        launcher((out,), stream)
    assert [(s, n) for s, _, n in kernel.found] == [
        (5, 0),
        (5, 1),
        (7, 0),
        (5, 2),
        (7, 1),
    ]


def test_a_prepared_launch_keeps_it():
    kernel = Counting()
    prepared = kernel.launcher().prepare((aligned((3, 8)),), 5)
    # The launcher is gone: its memory must not be.
    for _ in range(3):
        prepared.launch()
    assert [n for _, _, n in kernel.found] == [0, 1, 2]
    assert kernel.found[0][1] in kernel.api.memory


def test_kernels_share_nothing():
    kernel = Counting()
    for launcher in (kernel.launcher(), kernel.launcher()):
        launcher((aligned((3, 8)),), 5)
    assert [n for _, _, n in kernel.found] == [0, 0]


def test_the_default_streams_of_threads_are_not_one():
    kernel = Counting()
    launcher = kernel.launcher()

    def launch() -> None:
        launcher((aligned((3, 8)),), 2)

    other = threading.Thread(target=launch)
    other.start()
    other.join()
    # A thread whose number is not the other's, which has ended.
    second = threading.Thread(target=lambda: (launch(), launch()))
    launch()
    second.start()
    second.join()
    assert len({address for _, address, _ in kernel.found}) >= 2
    assert kernel.found[-1][2] == kernel.found[-2][2] + 1


def test_a_kernel_without_one_allocates_none():
    api = FakeApi(parameter_count=1)
    plan = replace(PLAN, params=PLAN.params[:1])
    launcher = Launcher(plan, "ptx", "kernel", api.driver())
    launcher((aligned((3, 8)),), 5)
    before = len(api.memory)
    launcher((aligned((3, 8)),), 6)
    assert len(api.memory) == before


def test_it_is_written_and_read_back():
    assert LaunchPlan.from_attr(PLAN.to_attr()) == PLAN
    stored = from_data(to_data(Compiled("kernel", "ptx", PLAN, (), "croq")))
    assert stored.plan.params == PLAN.params
    assert stored.plan.cooperative
    with pytest.raises(LaunchPlanError, match="bytes of the workspace must be pos"):
        replace(PLAN, params=(WorkspaceParam(0),))


def test_the_header_asks_for_it():
    text = Header("k", "entry", PLAN).text()
    assert "CUdeviceptr workspace;" in text
    assert "4 bytes, aligned to 16, that the caller sets to 0" in text
    assert "CUdeviceptr p1 = args->workspace;" in text
    without = replace(PLAN, params=PLAN.params[:1])
    assert "workspace" not in Header("k", "entry", without).text()
