"""Compiled kernels on disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from xdsl.ir.affine import AffineMap

import croqtile_mlir as croq
from croqtile_mlir.compiler import Source, compile_source, source_of
from croqtile_mlir.kernel import Kernel
from croqtile_mlir.kernels.matmul import PlainMatmul
from croqtile_mlir.launch.dim_maps import read_expression, stored_map
from croqtile_mlir.launch.plan import (
    AlignmentCheck,
    ConditionCheck,
    DivisibleCheck,
    LaunchPlan,
    MultipleCheck,
    PitchCheck,
    PointerParam,
    RangeCheck,
    ScalarArg,
    ScalarParam,
    StrideParam,
    TensorMapParam,
    TileArg,
)
from croqtile_mlir.messages import Diagnostic, Location, Note, Severity
from croqtile_mlir.storage import disk_cache
from croqtile_mlir.storage.disk_cache import DiskCache, key_of
from croqtile_mlir.storage.stored_kernels import Compiled, from_data, to_data

EXAMPLES = Path(__file__).parents[2] / "examples"
COPY = (EXAMPLES / "copy.mlir").read_text()

PLAN = LaunchPlan(
    args=(
        TileArg("lhs", "f16", ("M", "K"), written=False),
        TileArg("out", "f32", ("M", 128), output=True),
        ScalarArg("alpha", "f32"),
    ),
    dims=("M", "K"),
    params=(
        TensorMapParam("lhs", (64, 32), 128),
        PointerParam("out"),
        StrideParam("out", 0),
        ScalarParam("alpha"),
    ),
    grid=AffineMap.from_callable(
        lambda m, k: ((m.ceil_div(64) + k // 3) * 2, k % 7 + 1, 1)
    ),
    block=256,
    cluster=(2, 1, 1),
    shared_bytes=4096,
    checks=(
        MultipleCheck("K", 8, "a.mlir:1:2"),
        PitchCheck("lhs", 0, 16),
        AlignmentCheck("lhs", 16),
        RangeCheck("rows", AffineMap.from_callable(lambda m, k: (m * 3 + k,)), 1, 9),
        DivisibleCheck(
            "dim M",
            AffineMap.from_callable(lambda m, k: (m,)),
            AffineMap.from_callable(lambda m, k: (k.ceil_div(64),)),
        ),
        ConditionCheck(
            "M < 100 or K == 0",
            "not both",
            AffineMap.from_callable(lambda m, k: (m - 100, k)),
            ("lt", "eq"),
        ),
    ),
    reference="out[m, n] += lhs[m, k]",
)
WARNING = Diagnostic(
    Severity.Warning,
    Location("a.mlir", 3, 4),
    "is slow",
    (Note(Location("b.mlir", 5, 6), "here"),),
    "do not",
)


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> DiskCache:
    monkeypatch.delenv("CROQ_CACHE")
    monkeypatch.setenv("CROQ_CACHE_DIR", str(tmp_path / "kernels"))
    compile_source.cache_clear()
    return DiskCache(tmp_path / "kernels")


def _again(source: Source) -> Kernel:
    """The kernel as the next process compiles it."""
    compile_source.cache_clear()
    return compile_source(source)


def _entries(cache: DiskCache) -> list[Path]:
    return sorted(cache.folder.iterdir())


def _no_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("nothing must be compiled")

    monkeypatch.setattr("croqtile_mlir.pipeline.Lowering.__init__", refuse)


def test_plans_and_diagnostics_survive():
    compiled = Compiled("k", "// text\n", PLAN, (WARNING,), "croq")
    found = from_data(json.loads(json.dumps(to_data(compiled))))
    assert found.plan.to_attr() == PLAN.to_attr()
    stored = replace(found.plan, grid=PLAN.grid, checks=PLAN.checks)
    assert stored == PLAN
    assert replace(found, plan=PLAN) == compiled
    for dims in ({"M": 1, "K": 1}, {"M": 129, "K": 1001}, {"M": 64, "K": 0}):
        assert found.plan.grid_extents(dims) == PLAN.grid_extents(dims)
        for read, given in zip(found.plan.checks, PLAN.checks, strict=True):
            if isinstance(given, RangeCheck | DivisibleCheck | ConditionCheck):
                assert read.broken(dims, {}) == given.broken(dims, {})


@pytest.mark.parametrize("data", [True, "x0", "d", ["-", 1, 2], ["+", 1], None, 1.5])
def test_expressions_that_are_none(data: object):
    with pytest.raises(ValueError, match="not an expression"):
        read_expression(data)


def test_maps_of_symbols_are_not_stored():
    with pytest.raises(ValueError, match="a map of dims alone"):
        stored_map(
            AffineMap.from_callable(lambda d, s: (d + s,), dim_symbol_split=(1, 1))
        )


def test_a_kernel_is_compiled_once(cache: DiskCache, monkeypatch: pytest.MonkeyPatch):
    source = source_of(EXAMPLES / "matmul_1p1c.mlir", params={"S": 3})
    first = _again(source)
    assert len(_entries(cache)) == 1
    _no_passes(monkeypatch)
    second = _again(source)
    assert second is not first
    assert (second.ptx, second.name, second.level) == (first.ptx, first.name, "croq")
    assert second.plan.to_attr() == first.plan.to_attr()
    assert second.diagnostics == first.diagnostics
    assert second.source == source


def test_warnings_are_said_again(cache: DiskCache, monkeypatch: pytest.MonkeyPatch):
    source = source_of(COPY)
    cache.store(source, Compiled("k", "text", PLAN, (WARNING,), "croq"))
    _no_passes(monkeypatch)
    assert compile_source(source).diagnostics == (WARNING,)


def test_builders_have_entries(cache: DiskCache, monkeypatch: pytest.MonkeyPatch):
    first = croq.compile(PlainMatmul(), dims={"M": 64})
    assert len(_entries(cache)) == 1
    _no_passes(monkeypatch)
    assert _again(first.source).ptx == first.ptx


def test_every_choice_is_part_of_the_key():
    source = source_of(COPY)
    builders = [PlainMatmul(), PlainMatmul("bf16"), PlainMatmul(rhs_by_k=False)]
    changed = [
        source,
        replace(source, text=COPY + "\n"),
        replace(source, file="other.mlir"),
        replace(source, target="sm_90a"),
        replace(source, params=(("S", 3),)),
        replace(source, dims=(("S", 3),)),
        replace(source, schedule="persist"),
        replace(source, kernel="copy"),
        *(source_of(builder) for builder in builders),
    ]
    assert len({key_of(each) for each in changed}) == len(changed)
    assert key_of(source) == key_of(source_of(COPY))


def test_the_compiler_is_part_of_the_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    (tmp_path / "passes").mkdir()
    monkeypatch.setattr(
        disk_cache, "__file__", str(tmp_path / "storage" / "disk_cache.py")
    )
    states: set[str] = set()
    for text in ("x = 1", "x = 10"):
        (tmp_path / "passes" / "one.py").write_text(text)
        disk_cache.compiler_state.cache_clear()
        states |= {disk_cache.compiler_state(), key_of(source_of(COPY))}
    disk_cache.compiler_state.cache_clear()
    assert len(states) == 4


@pytest.mark.parametrize(
    "damage", ["cut", "flipped", "empty", "other", "deep", "folder"]
)
def test_damaged_entries_are_compiled_again(cache: DiskCache, damage: str):
    source = source_of(COPY)
    first = compile_source(source)
    (entry,) = _entries(cache)
    data = entry.read_bytes()
    match damage:
        case "cut":
            entry.write_bytes(data[: len(data) // 2])
        case "flipped":
            at = data.index(b"ld.global")
            entry.write_bytes(data[:at] + b"st" + data[at + 2 :])
        case "empty":
            entry.write_bytes(b"")
        case "other":
            entry.write_bytes(disk_cache.digest_of(entry, b"{}") + b"\n{}")
        case "deep":
            text = b"[" * 100_000
            entry.write_bytes(disk_cache.digest_of(entry, text) + b"\n" + text)
        case _:
            entry.unlink()
            entry.mkdir()
    if damage == "folder":
        with pytest.warns(RuntimeWarning, match="not kept"):
            assert _again(source).ptx == first.ptx
        return
    assert _again(source).ptx == first.ptx
    assert _entries(cache)[0].read_bytes() == data


def test_a_cache_that_cannot_be_written(
    cache: DiskCache, monkeypatch: pytest.MonkeyPatch
):
    cache.folder.write_text("in the way")
    with pytest.warns(RuntimeWarning, match=r"not kept in .*: .*\(CROQ_CACHE_DIR"):
        assert compile_source(source_of(COPY)).ptx
    assert cache.folder.read_text() == "in the way"


def test_no_home_is_told_once(monkeypatch: pytest.MonkeyPatch):
    """At the line of the caller; nothing is said where the cache is off."""

    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("CROQ_CACHE", "CROQ_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    compile_source.cache_clear()
    with pytest.warns(RuntimeWarning, match="there is no home folder") as said:
        kernels = [croq.compile(EXAMPLES / f"{name}.mlir") for name in ("copy", "add")]
    assert all(kernel.ptx for kernel in kernels)
    assert [each.filename for each in said] == [__file__]
    compile_source.cache_clear()
    monkeypatch.setenv("CROQ_CACHE", "0")
    assert croq.compile(EXAMPLES / "copy.mlir").ptx


def test_refused_input_is_not_kept(cache: DiskCache):
    with pytest.raises(croq.CompileError):
        croq.compile(COPY, params={"Q": 3})
    assert not cache.folder.exists()


def test_the_oldest_entries_go(cache: DiskCache, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(disk_cache, "MOST_ENTRIES", 3)
    compiled = Compiled("k", "text", PLAN, (), "croq")
    sources = [replace(source_of(COPY), file=f"{n}.mlir") for n in range(5)]
    for age, source in enumerate(sources[:3]):
        cache.store(source, compiled)
        os.utime(cache.path(source), (1000 + age, 1000 + age))
    # Reading makes it young.
    assert cache.load(sources[0]) is not None
    cache.store(sources[3], compiled)
    assert [cache.load(each) is not None for each in sources[:4]] == [
        True,
        False,
        True,
        True,
    ]
    monkeypatch.setattr(disk_cache, "MOST_BYTES", 1)
    cache.store(sources[4], compiled)
    assert _entries(cache) == []


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.delenv("CROQ_CACHE")
    monkeypatch.delenv("CROQ_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert disk_cache.disk_cache() == DiskCache(tmp_path / "croqtile_mlir")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / ".cache" / "croqtile_mlir"
    assert disk_cache.disk_cache() == DiskCache(folder)
    monkeypatch.setenv("CROQ_CACHE_DIR", str(tmp_path / "here"))
    assert disk_cache.disk_cache() == DiskCache(tmp_path / "here")
    monkeypatch.delenv("CROQ_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert disk_cache.disk_cache() == DiskCache(folder)
    for off in ("0", "off", "FALSE"):
        monkeypatch.setenv("CROQ_CACHE", off)
        assert disk_cache.disk_cache() is None


_CHILD = """
import sys
import croqtile_mlir as croq
from croqtile_mlir.kernels.matmul import PlainMatmul
from croqtile_mlir.kernels.matmul_model import Problem
from croqtile_mlir.kernels.matmul_schedules import choose_schedule
kernel = croq.compile(
    PlainMatmul(),
    dims={"M": 256, "N": 256, "K": 256},
    schedule=choose_schedule(Problem(256, 256, 256)),
)
import croqtile_mlir.kernels.matmul_call, croqtile_mlir.runtime.launch
loaded = {name.partition(".")[0] for name in sys.modules}
print(len(kernel.ptx), "xdsl" in loaded, "numpy" in loaded)
"""


def test_the_next_process_loads_no_xdsl(cache: DiskCache):
    environment = os.environ | {"CROQ_CACHE_DIR": str(cache.folder)}

    def child() -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", _CHILD],
            env=environment,
            check=True,
            capture_output=True,
            text=True,
            timeout=100,
        )
        return done.stdout.split()

    size, loads_xdsl, _ = child()
    assert loads_xdsl == "True"
    again, *loads = child()
    # Somebody may edit the compiler meanwhile, which empties the cache.
    for _ in range(3):
        if loads == ["False", "False"]:
            break
        again, *loads = child()
    assert loads == ["False", "False"]
    assert size == again
