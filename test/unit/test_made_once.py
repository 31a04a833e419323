"""What threads ask for at once is made once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import croqtile_mlir as croq
from croqtile_mlir.compiler import compile_source
from croqtile_mlir.pipeline import Lowering
from croqtile_mlir.storage.made_once import MadeOnce

ADD = Path(__file__).parents[2] / "examples" / "add.mlir"


def test_threads_get_one_kernel(monkeypatch: pytest.MonkeyPatch):
    compile_source.cache_clear()
    together = threading.Barrier(4)
    compiled: list[Lowering] = []
    ptx = Lowering.ptx

    def counted(lowering: Lowering) -> str:
        compiled.append(lowering)
        return ptx(lowering)

    def get(_: int) -> croq.Kernel:
        together.wait(60)
        return croq.compile(ADD)

    monkeypatch.setattr(Lowering, "ptx", counted)
    with ThreadPoolExecutor(4) as pool:
        kernels = list(pool.map(get, range(4)))
    assert len(compiled) == 1
    assert all(kernel is kernels[0] for kernel in kernels)


def test_other_keys_do_not_wait():
    asked, go_on = threading.Event(), threading.Event()

    def make(key: str) -> str:
        if key == "slow":
            asked.set()
            assert go_on.wait(60)
        return key * 2

    made = MadeOnce(make, 8)
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(made, "slow")
        assert asked.wait(60)
        assert made("fast") == "fastfast"
        go_on.set()
        assert slow.result(60) == "slowslow"


def test_a_failure_is_tried_again():
    tries: list[int] = []

    def make(key: int) -> int:
        tries.append(key)
        if len(tries) == 1:
            raise ValueError("the first time")
        return key

    made = MadeOnce(make, 8)
    with pytest.raises(ValueError, match="the first time"):
        made(3)
    assert [made(3), made(3), tries] == [3, 3, [3, 3]]


def test_the_longest_unused_goes():
    tries: list[int] = []

    def make(key: int) -> int:
        tries.append(key)
        return -key

    made = MadeOnce(make, 2)
    for key in (1, 2, 1, 3, 1, 2):
        assert made(key) == -key
    assert tries == [1, 2, 3, 2]
    made.cache_clear()
    made(2)
    assert tries[-1] == 2
    assert len(tries) == 5
