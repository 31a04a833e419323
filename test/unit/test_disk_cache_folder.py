"""The folder of compiled kernels: whose files are used, and what is kept in it."""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir.affine import AffineMap

import croqtile_mlir as croq
from croqtile_mlir.compiler import compile_source, source_of
from croqtile_mlir.kernels.matmul import PlainMatmul
from croqtile_mlir.launch.plan import LaunchPlan, PointerParam, TileArg
from croqtile_mlir.storage import disk_cache
from croqtile_mlir.storage.disk_cache import DiskCache, key_of
from croqtile_mlir.storage.stored_kernels import Compiled

SOURCE = source_of("croq.kernel @k () {}")
"""Never compiled."""

COMPILED = Compiled(
    "k",
    "// text",
    LaunchPlan(
        args=(TileArg("x", "f16", ("M", 64)),),
        dims=("M",),
        params=(PointerParam("x"),),
        grid=AffineMap.from_callable(lambda m: (m.ceil_div(64), 1, 1)),
        block=128,
    ),
    (),
    "croq",
)


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> DiskCache:
    monkeypatch.delenv("CROQ_CACHE")
    monkeypatch.setenv("CROQ_CACHE_DIR", str(tmp_path / "kernels"))
    compile_source.cache_clear()
    return DiskCache(tmp_path / "kernels")


def _entries(cache: DiskCache) -> list[Path]:
    return sorted(cache.folder.iterdir())


def test_other_files_are_left_alone(cache: DiskCache, monkeypatch: pytest.MonkeyPatch):
    """They count for nothing, neither: the entries stay beside them."""
    monkeypatch.setattr(disk_cache, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(disk_cache, "MOST_ENTRIES", 4)
    cache.folder.mkdir()
    names = ["thesis.tex", "my.kernel", "0" * 64, "1-2.part", "x-1-2-3.part"]
    for name in names:
        (cache.folder / name).write_bytes(bytes(1 << 20))
        os.utime(cache.folder / name, (1, 1))
    link = cache.folder / f"{'1' * 64}.kernel"
    link.symlink_to(cache.folder / names[0])
    (cache.folder / f"{'2' * 64}.kernel").mkdir()
    before = _entries(cache)
    cache.store(SOURCE, COMPILED)
    assert _entries(cache) == sorted([*before, cache.path(SOURCE)])
    assert cache.load(SOURCE) is not None


def test_files_of_writers_that_died_go(cache: DiskCache):
    cache.folder.mkdir()
    old, new = cache.folder / "12-34-56.part", cache.folder / "12-34-57.part"
    for part in (old, new):
        part.write_bytes(b"half")
    os.utime(old, (1, 1))
    cache.store(SOURCE, COMPILED)
    assert not old.exists()
    assert new.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no users")
def test_entries_of_other_users_are_neither_read_nor_deleted(
    cache: DiskCache, monkeypatch: pytest.MonkeyPatch
):
    cache.store(SOURCE, COMPILED)
    entry = cache.path(SOURCE)
    assert entry.stat().st_mode & 0o777 == 0o600
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    assert cache.load(SOURCE) is None
    monkeypatch.setattr(disk_cache, "MOST_BYTES", 1)
    cache.store(replace(SOURCE, file="other.mlir"), COMPILED)
    assert entry.exists()
    monkeypatch.setattr(os, "geteuid", lambda: me)
    assert cache.load(SOURCE) is not None


def test_an_entry_of_another_name_is_none(cache: DiskCache):
    """Who may rename files does not make one kernel stand for another."""
    other = replace(SOURCE, file="other.mlir")
    cache.store(SOURCE, COMPILED)
    cache.path(SOURCE).rename(cache.path(other))
    assert cache.load(other) is None
    cache.path(other).rename(cache.path(SOURCE))
    assert cache.load(SOURCE) is not None


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes in folders")
def test_nobody_waits_for_a_pipe(cache: DiskCache):
    cache.folder.mkdir()
    os.mkfifo(cache.path(SOURCE))
    found: list[Compiled | None] = []
    reader = threading.Thread(target=lambda: found.append(cache.load(SOURCE)))
    reader.daemon = True
    reader.start()
    reader.join(20)
    assert found == [None]
    cache.store(SOURCE, COMPILED)
    assert cache.load(SOURCE) is not None


def test_links_are_not_written_through(
    cache: DiskCache, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    """Neither one in the place of an entry, nor of a file that is being written."""
    mine = tmp_path / "mine"
    mine.write_text("precious")
    cache.folder.mkdir()
    cache.path(SOURCE).symlink_to(mine)
    cache.store(SOURCE, COMPILED)
    assert not cache.path(SOURCE).is_symlink()
    monkeypatch.setattr(disk_cache, "monotonic_ns", lambda: 7)
    part = cache.folder / f"{os.getpid()}-{threading.get_ident()}-7.part"
    part.symlink_to(mine)
    with pytest.warns(RuntimeWarning, match="not kept in .*: File exists"):
        cache.store(replace(SOURCE, file="other.mlir"), COMPILED)
    assert mine.read_text() == "precious"


class Rows:
    """Builds what its owner says, under a key that says nothing of it."""

    key = "rows"

    def __init__(self, rows: int) -> None:
        self.rows = rows

    def build(self) -> ModuleOp:
        return PlainMatmul(multiple=self.rows).build()


class Derived(PlainMatmul):
    """Of the package in part."""


@pytest.mark.parametrize("builders", [(Rows(8), Rows(16)), (Derived(), Derived())])
def test_what_users_build_is_not_kept(cache: DiskCache, builders: tuple[Any, Any]):
    dims, params = {"M": 256}, {"BN": 64}
    plans: list[str] = []
    for builder in builders:
        compile_source.cache_clear()
        kernel = croq.compile(builder, dims=dims, params=params)
        plans.append(str(kernel.plan.checks))
    assert not cache.folder.exists()
    assert (plans[0] != plans[1]) == isinstance(builders[0], Rows)


def test_classes_of_builders_are_part_of_the_key():
    assert key_of(source_of(Derived())) != key_of(source_of(PlainMatmul()))


def test_integers_of_other_types(cache: DiskCache):
    one = croq.compile(PlainMatmul(), dims={"M": np.int64(64)}, params={"BN": 64})
    other = croq.compile(PlainMatmul(), dims={"M": 64}, params={"BN": np.uint8(64)})
    assert one is other
    assert len(_entries(cache)) == 1


@pytest.mark.parametrize("value", [64.0, "64", True, None, np.float32(64), [64]])
def test_what_is_no_integer(cache: DiskCache, value: Any):
    with pytest.raises(croq.CompileError, match="dim M must be a positive integer"):
        croq.compile(PlainMatmul(), dims={"M": value})
    with pytest.raises(croq.CompileError, match="parameter BN must be a positive int"):
        croq.compile(PlainMatmul(), params={"BN": value})
