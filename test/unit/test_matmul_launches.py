"""Launches of products that are kept: shared between threads, and never too many."""

from __future__ import annotations

import ctypes
import sys
import threading
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.fake_driver import FakeApi
from support.fake_torch import FakeTorch, Tensor, aligned
from xdsl.ir.affine import AffineMap

from croqtile_mlir.kernels import matmul_launches
from croqtile_mlir.kernels.matmul_launches import Call, Launches
from croqtile_mlir.kernels.memory_ranges import memory_range, overlap
from croqtile_mlir.launch.plan import LaunchPlan, PointerParam, TileArg, TileValue
from croqtile_mlir.runtime.launch import Launcher
from croqtile_mlir.runtime.replay import Replay

pytest.importorskip("cuda.bindings.driver")

PLAN = LaunchPlan(
    args=(
        TileArg("lhs", "f16", ("M", "K"), written=False),
        TileArg("rhs", "f16", ("K", "N"), written=False),
        TileArg("out", "f16", ("M", "N")),
    ),
    dims=("M", "N", "K"),
    params=(PointerParam("lhs"), PointerParam("rhs"), PointerParam("out")),
    grid=AffineMap.from_callable(lambda m, n, k: (m.ceil_div(8), n.ceil_div(8), 1)),
    block=128,
)


@pytest.fixture(autouse=True)
def torch(monkeypatch: pytest.MonkeyPatch) -> Any:
    module: Any = FakeTorch().module()
    monkeypatch.setitem(sys.modules, "torch", module)
    return module


def _pointers(replay: Replay) -> tuple[int, ...]:
    """What the kernel of a launch gets."""
    assert replay.parameters is not None
    where = (ctypes.c_void_p * 3).from_address(replay.parameters.address)
    return tuple(ctypes.c_uint64.from_address(each or 0).value for each in where)


def test_threads(monkeypatch: pytest.MonkeyPatch):
    """Launches are added, found and forgotten at once; each has its own addresses."""
    monkeypatch.setattr(matmul_launches, "_KEPT", 8)
    launches = Launches()
    tensors = aligned((40, 64)), aligned((64, 24)), aligned((40, 24))
    api = FakeApi(parameter_count=3)
    prepared = Launcher(PLAN, "ptx", "kernel", api.driver()).prepare(tensors)
    failures: list[object] = []
    together = threading.Barrier(6, timeout=60)

    def work(seed: int) -> None:
        random = np.random.default_rng(seed)
        together.wait()
        try:
            for number in range(1500):
                like = seed % 2, int(random.integers(20))
                base = (1 + seed + 6 * number) << 20
                addresses = base, base + (1 << 17), base + (1 << 18)
                launches.add(Call(None, like, addresses, 0), prepared, (0, 1, 2))
                near = base + 64, base + (1 << 17), base + (1 << 18)
                found = launches.find(Call(None, like, near, 0))
                # Another thread may have made the launches forget it.
                if found is not None and _pointers(found) != near:
                    failures.append((seed, near, _pointers(found)))
                launches.know(aligned((1, 1 + number)), tensors[1], seed, tensors[2])
        except Exception as error:
            failures.append(error)

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    finally:
        sys.setswitchinterval(interval)
    assert not failures
    for kept in (launches.entries, launches.replays, launches.results):
        assert 0 < len(kept) <= 8


def test_results_are_forgotten(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(matmul_launches, "_KEPT", 16)
    launches = Launches()
    b, out = aligned((64, 24)), aligned((40, 24))
    for rows in range(1, 60):
        a = aligned((rows, 64))
        launches.know(a, b, None, out)
        assert len(launches.results) <= 16
        call = launches.call(a, b, None, None, allocate=True)
        assert call is not None
        assert call.out.shape == (rows, 24)
    assert launches.call(aligned((1, 64)), b, None, None, allocate=True) is None


class Other(Tensor):
    """May say what it likes of its memory."""


def test_only_plain_tensors_are_known(torch: Any):
    good = aligned((40, 64)), aligned((64, 24)), aligned((40, 24))
    launches = Launches()

    def is_known(a: Any, b: Any, out: Any) -> bool:
        return launches.call(a, b, out, None, allocate=False) is not None

    assert is_known(*good)
    for number, tensor in enumerate(good):
        for bad in (
            Other(tensor.array),
            replace(tensor, layout="torch.sparse_csr"),
            tensor.array,
        ):
            given = [bad if n == number else each for n, each in enumerate(good)]
            assert not is_known(given[0], given[1], given[2])
    torch.nn = SimpleNamespace(Parameter=Other)
    assert is_known(good[0], Other(good[1].array), good[2])
    # While it is being imported.
    del torch.Tensor
    assert not is_known(*good)


@pytest.mark.parametrize(
    ("shape", "strides", "first", "end"),
    [
        ((3, 4), (4, 1), 1000, 1024),
        ((3, 4), (1, 5), 1000, 1036),
        ((3, 4), (-4, 1), 984, 1008),
        ((3, 4), (4, -1), 994, 1018),
        ((3, 0), (4, 1), 1000, 1000),
        ((1, 1), (77, 99), 1000, 1002),
    ],
)
def test_ranges(shape: Any, strides: Any, first: int, end: int):
    assert memory_range(TileValue(shape, strides, 1000, 16)) == (first, end)


def test_overlap():
    assert overlap((10, 20), (19, 30))
    assert overlap((10, 20), (12, 13))
    assert not overlap((10, 20), (20, 30))
    # Nothing, wherever it is.
    assert not overlap((15, 15), (10, 20))
    assert not overlap((15, 15), (15, 15))
