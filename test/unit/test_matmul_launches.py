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
from croqtile_mlir.kernels.matmul_launches import Launches
from croqtile_mlir.kernels.memory_ranges import memory_range, overlap
from croqtile_mlir.launch.plan import LaunchPlan, PointerParam, TileArg, TileValue
from croqtile_mlir.runtime.launch import Launcher, PreparedLaunch
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


def _pointers(found: tuple[Replay, Any]) -> tuple[int, ...]:
    """What the kernel of a launch gets."""
    replay, _ = found
    where = (ctypes.c_void_p * 3).from_address(replay.address)
    return tuple(ctypes.c_uint64.from_address(each or 0).value for each in where)


GOOD = aligned((40, 64)), aligned((64, 24)), aligned((40, 24))


def _launcher() -> Launcher:
    return Launcher(PLAN, "ptx", "kernel", FakeApi(parameter_count=3).driver())


def _prepared(tensors: Any = GOOD) -> PreparedLaunch:
    return _launcher().prepare(tensors)


def test_threads(monkeypatch: pytest.MonkeyPatch):
    """Launches are added, found and forgotten at once; each has its own addresses."""
    monkeypatch.setattr(matmul_launches, "_KEPT", 8)
    launches = Launches()
    failures: list[object] = []
    together = threading.Barrier(6, timeout=60)

    def work(seed: int) -> None:
        random = np.random.default_rng(seed)
        launcher, b = _launcher(), aligned((64, 24))
        wide = aligned((200, 64)), aligned((200, 24))
        together.wait()
        try:
            for number in range(200):
                rows = 1 + int(random.integers(20))
                near, far = (random.integers(16, size=2) * 8).tolist()
                a, out = (each[near : near + rows] for each in wide)
                prepared = launcher.prepare((a, b, out))
                launches.add(a, b, out, prepared, swapped=False)
                a, out = (each[far : far + rows] for each in wide)
                found = launches.find(a, b, out)
                wanted = a.data_ptr(), b.data_ptr(), out.data_ptr()
                # Another thread may have made the launches forget it.
                if found is not None and _pointers(found) != wanted:
                    failures.append((seed, wanted, _pointers(found)))
                launches.know(aligned((1, 1 + number)), GOOD[1], GOOD[2])
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


def test_the_latest_launches_are_kept(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(matmul_launches, "_KEPT", 8)
    launches = Launches()
    a, b, _ = GOOD
    wide = aligned((400, 24))
    first = a, b, wide[:40]
    launches.add(*first, _prepared(first), swapped=False)
    found = launches.products.find(first)
    assert found is not None
    for start in range(360):
        replay = launches.find(a, b, wide[start : start + 40])
        assert replay is not None
        assert _pointers(replay)[2] == wide[start:].data_ptr()
        assert len(found[0].replays) <= 8
    # Its memory would be that of an operand.
    assert (
        launches.find(a, b, Tensor(a.array.reshape(-1)[:960].reshape(40, 24))) is None
    )


def test_a_swapped_product():
    """The kernel's operands are the transposed ones of the call, in turn."""
    launches = Launches()
    (a, b, out), near = (
        (aligned((64, 40)).T, aligned((24, 64)).T, aligned((24, 40)).T)
        for _ in range(2)
    )
    launches.add(a, b, out, _prepared((b.T, a.T, out.T)), swapped=True)
    found = launches.find(*near)
    assert found is not None
    assert _pointers(found) == tuple(near[n].data_ptr() for n in (1, 0, 2))


def test_results_are_known():
    launches = Launches()
    b = aligned((64, 24))
    assert launches.new_result(aligned((7, 64)), b) is None
    for rows in (7, 9):
        launches.know(aligned((rows, 64)), b, aligned((rows, 24)))
    for rows in (9, 7):
        result = launches.new_result(aligned((rows, 64)), b)
        assert result.shape == (rows, 24)
        assert result is not launches.new_result(aligned((rows, 64)), b)
    assert launches.new_result(aligned((8, 64)), b) is None


class Other(Tensor):
    """May say what it likes of its memory."""


def test_only_plain_tensors_are_known(torch: Any):
    good = GOOD

    def is_known(a: Any, b: Any, out: Any) -> bool:
        launches = Launches()
        launches.add(a, b, out, prepared, swapped=False)
        return launches.find(a, b, out) is not None

    prepared = _prepared()

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
