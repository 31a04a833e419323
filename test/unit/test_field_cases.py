"""Cases from the field that no other test shows whole (docs/field-cases.md)."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import croqtile_mlir as croq
from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.simulator.simulate import Options, run

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
TABLE = ROOT / "docs" / "field-cases.md"

RNG = np.random.default_rng(12)


def halves(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype("f2")


def guarded(rows: int, cols: int) -> tuple[Any, Any]:
    """A matrix of nan in a larger one of ones, and the larger one."""
    around = np.ones((rows + 8, cols + 16), "f2")
    inside = around[4 : 4 + rows, 8 : 8 + cols]
    inside[...] = np.nan
    return inside, around


def check_product(m: int, n: int, k: int) -> None:
    """A product by the library: right, and nothing written around the result."""
    a, b = halves(m, k), halves(k, n)
    out, around = guarded(m, n)
    croq.matmul(a, b, out)
    wanted = a.astype("f8") @ b.astype("f8")
    error = np.linalg.norm(out.astype("f8") - wanted)
    assert error <= 1e-3 * np.linalg.norm(wanted)
    out[...] = 1
    assert (around == 1).all()


@pytest.mark.parametrize("rows", [1, 3])
def test_f12_few_rows(rows: int):
    check_product(rows, 264, 136)


def test_f13_nothing_to_sum():
    """Zeros, not what was there, by the library and by a kernel as it is written."""
    out, around = guarded(128, 128)
    croq.matmul(halves(128, 0), halves(0, 128), out)
    assert not out.any()
    out[...] = np.nan
    kernel = croq.compile(EXAMPLES / "matmul_1p1c.mlir")
    kernel.simulate(halves(128, 0), halves(128, 0), out)
    assert not out.any()
    out[...] = 1
    assert (around == 1).all()


def test_f14_no_multiples_of_the_tile():
    check_product(127, 129, 65)


def test_f15_a_pitch_that_tma_does_not_take():
    """Refused with the bytes and the rule; the library copies by threads instead."""
    kernel = croq.compile(EXAMPLES / "matmul_1p1c.mlir")
    a, b, out = halves(8, 1733), halves(8, 1733), np.zeros((8, 8), "f2")
    options = Options(keep_strides=True)
    rule = r"pitch of dim 0 must be a multiple of 16 bytes, got 3466 bytes \(1733"
    with pytest.raises(ArgumentError, match=f"'lhs': {rule}"):
        run(kernel.source, a, b, out, options=options)
    check_product(8, 8, 1733)


def test_f16_a_view_that_starts_one_element_later():
    kernel = croq.compile(EXAMPLES / "matmul_1p1c.mlir")
    whole, b, out = halves(8, 72), halves(8, 64), np.zeros((8, 8), "f2")
    options = Options(keep_strides=True)
    with pytest.raises(ArgumentError, match="'lhs': address must be a multiple of 16"):
        run(kernel.source, whole[:, 1:65], b, out, options=options)
    croq.matmul(whole[:, 1:65], b.T, out)
    wanted = whole[:, 1:65].astype("f4") @ b.T.astype("f4")
    np.testing.assert_allclose(out, wanted, rtol=1e-2, atol=1e-2)


STAGES = """
croq.kernel @line dims(N multiple_of 8) (
    %x: !croq.tile<[N]xf16, global>, %y: !croq.tile<[N]xf16, global>) {
  %steps = croq.cdiv N, 32
  croq.parallel (%i) in (1) : block {
    %full = croq.event : !croq.event<3>
    %empty = croq.event : !croq.event<3>
    %odd = croq.alloc : !croq.tile<8xf16, shared>
    %ring = croq.alloc : !croq.tile<3x32xf16, shared>
    croq.role "loader" warps [0, 1) {
      croq.foreach %k in %steps {
        croq.wait %empty at %k
        %t = croq.subspan %x [32] tile (%k)
        %s = croq.slot %ring at %k
        %f = croq.copy_async %t => %s engine(tma)
        croq.trigger %full at %k after %f
      }
    }
    croq.role "writer" warps [1, 2) {
      croq.foreach %k in 3 {
        croq.trigger %empty at %k
      }
      croq.foreach %k in %steps {
        croq.wait %full at %k
        %s = croq.slot %ring at %k
        %t = croq.subspan %y [32] tile (%k)
        croq.copy %s => %t engine(threads)
        croq.trigger %empty at %k + 3
      }
    }
  }
}
"""


def test_f17_stages_of_64_bytes():
    """Stages of a ring that TMA fills are 128 bytes apart, or it is refused."""
    rule = "'croq.copy_async' op with engine tma: box must start at a multiple of 128 "
    with pytest.raises(croq.CompileError, match=f"{rule}bytes of its buffer, got 64"):
        croq.compile(STAGES)
    kernel = croq.compile(
        STAGES.replace("3x32xf16", "3x64xf16").replace("[32]", "[64]")
    )
    x, y = halves(7 * 64), np.zeros(7 * 64, "f2")
    kernel.simulate(x, y)
    np.testing.assert_array_equal(y, x)


def test_f18_strides():
    """Honoured, or refused with the strides: never taken for those without gaps."""
    kernel = croq.compile(EXAMPLES / "copy.mlir")
    base = RNG.standard_normal((96, 64)).astype("f4")
    views = {"rows": base[::2, :32], "turned": base.T, "spread": base[:, ::2]}
    for view in views.values():
        out = np.zeros((2 * view.shape[0], view.shape[1]), "f4")[::2]
        kernel.simulate(view, out)
        np.testing.assert_array_equal(out, view)
    options = Options(keep_strides=True)
    spread = np.broadcast_to(base[:1], (96, 64))
    for view, message in (
        (views["turned"], r"stride 1.*got strides \(1, 64\) for shape \(64, 96\)"),
        (views["spread"], r"stride 1.*got strides \(64, 2\)"),
        (spread, r"strides must be positive, got strides \(0, 1\)"),
    ):
        out = np.zeros(view.shape, "f4")
        with pytest.raises(ArgumentError, match=message):
            run(kernel.source, view, out, options=options)
        assert not out.any()
    out = np.zeros((48, 32), "f4")
    run(kernel.source, views["rows"], out, options=options).check()
    np.testing.assert_array_equal(out, views["rows"])


@pytest.mark.parametrize("shape", [(0, 64), (64, 0), (0, 0)])
def test_f19_nothing_to_do(shape: tuple[int, int]):
    kernel = croq.compile(EXAMPLES / "copy.mlir")
    for _ in range(2):
        out = np.zeros(shape, "f4")
        assert kernel.simulate(np.ones(shape, "f4"), out) is None
    returned = croq.compile(EXAMPLES / "matmul_returned.mlir")
    made = returned.simulate(halves(shape[0], 64), halves(shape[1], 64))
    assert made.shape == shape


def test_f20_too_many_blocks():
    kernel = croq.compile(EXAMPLES / "copy.mlir")
    row = np.zeros((1, 32 * 70000), "f4")
    message = "grid y must be at most 65535 blocks, got 70000"
    with pytest.raises(ArgumentError, match=message):
        kernel.simulate(row, row.copy())


LAST_ROW = """
croq.kernel @last_row dims(M) (
    %x: !croq.tile<[M]x4xbf16, global>, %y: !croq.tile<[M]x4xbf16, global>) {
  croq.parallel (%i) in (1) : block threads 32 {
    %m = croq.dim M
    %one = arith.constant 1 : index
    %last = arith.subi %m, %one : index
    %from = croq.subspan %x [1, 4] tile (%last, 0)
    %to = croq.subspan %y [1, 4] tile (%last, 0)
    %row = croq.alloc : !croq.tile<1x4xbf16, shared>
    croq.copy %from => %row
    croq.copy %row => %to
  }
}
"""


def test_f21_offsets_have_64_bits():
    """Row times pitch is past 2^31 elements; the device test writes such a row."""
    ptx = croq.compile(LAST_ROW).ptx
    products = re.findall(r"\b(?:mul|mad)\.(\S+)", ptx)
    assert len(products) > 1
    assert all(kind.startswith(("lo.s64", "lo.u64", "wide")) for kind in products)
    for line in re.findall(r"(?m)^.*\b(?:ld|st)\.global.*$", ptx):
        address = re.search(r"\[(%\w+)", line)
        assert address is not None
        assert address[1].startswith("%rd"), line


def test_f28_arguments_of_the_wrong_kind():
    kernel = croq.compile(EXAMPLES / "copy.mlir")
    good: Any = np.zeros((8, 16), "f4")
    for args, message in (
        ((good,), r"takes 2 arguments \(src, dst\), got 1"),
        ((good.astype("f2"), good), r"'src': element type must be f32.*got float16"),
        ((good[None], good), r"'src': rank must be 2 \(MxN\), got 3"),
        ((good.tolist(), good), "'src' must be a tensor .* got list"),
        ((good, None), "'dst' must be a tensor .* got None"),
    ):
        with pytest.raises(ArgumentError, match=message):
            kernel.simulate(*args)


_COMPILE = """
import os, resource, sys, warnings
import croqtile_mlir as croq
if "FILE_BYTES" in os.environ:
    # As on a full disk, writing fails half-way.
    most = int(os.environ["FILE_BYTES"])
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
warnings.simplefilter("always")
kernel = croq.compile("examples/copy.mlir", dims={"M": 64, "N": 32})
print(len(kernel.ptx))
"""


def _children(count: int, **environment: str | None) -> list[subprocess.Popen[str]]:
    given = os.environ | {"PYTHONPATH": str(ROOT), "CROQ_CACHE": ""}
    for name, value in environment.items():
        given.pop(name, None)
        if value is not None:
            given[name] = value
    return [
        subprocess.Popen(
            [sys.executable, "-c", _COMPILE],
            env=given,
            cwd=ROOT,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(count)
    ]


def _said(child: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = child.communicate(timeout=100)
    return child.returncode, out, err


def test_f32_processes_with_one_cold_cache(tmp_path: Path):
    """Eight of them, one killed on the way; nothing is left that stops the next."""
    children = _children(8, CROQ_CACHE_DIR=str(tmp_path / "cache"))
    time.sleep(0.5)
    children[0].send_signal(signal.SIGKILL)
    children[0].communicate()
    sizes = {_said(child)[:2] for child in children[1:]}
    (again,) = _children(1, CROQ_CACHE_DIR=str(tmp_path / "cache"))
    assert {*sizes, _said(again)[:2]} == {(0, next(iter(sizes))[1])}
    kinds = sorted(path.suffix for path in (tmp_path / "cache").iterdir())
    # What the one that was killed was writing may be there, too.
    assert kinds in ([".kernel"], [".kernel", ".part"])


@pytest.mark.parametrize(
    "what", ["unset", "read-only", "file", "link", "nowhere", "full"]
)
def test_f33_no_place_for_a_cache(what: str, tmp_path: Path):
    """Compiled all the same, whatever the home and the folder are."""
    home = tmp_path / "home"
    home.mkdir()
    cache: Path | None = None
    match what:
        case "read-only":
            home.chmod(0o500)
        case "file":
            cache = tmp_path / "file"
            cache.write_text("in the way")
        case "link":
            (tmp_path / "there").mkdir()
            cache = tmp_path / "link"
            cache.symlink_to(tmp_path / "there")
        case "full":
            cache = tmp_path / "full"
        case "nowhere":
            cache = Path("/proc/nowhere/cache")
        case _:
            pass
    (child,) = _children(
        1,
        HOME=None if what == "unset" else str(home),
        XDG_CACHE_HOME=str(tmp_path / "xdg") if what == "unset" else None,
        CROQ_CACHE_DIR=None if cache is None else str(cache),
        FILE_BYTES="100" if what == "full" else None,
    )
    code, out, err = _said(child)
    assert (code, "Traceback" in err) == (0, False), err
    assert int(out) > 100
    warned = err.count("RuntimeWarning: compiled kernels are not kept in ")
    # Nothing is read-only for the superuser.
    if what != "read-only" or os.geteuid():
        refused = ("read-only", "file", "nowhere", "full")
        assert warned == (what in refused), err
    if what == "file":
        assert cache is not None
        assert cache.read_text() == "in the way"
    if what == "full":
        assert cache is not None
        assert not list(cache.iterdir())


def test_every_case_names_tests_that_there_are():
    """Each line of the table has a number, and tests by file and name."""
    rows = re.findall(r"(?m)^\| (F\d\d) \|.*\|(.*)\|.*\|$", TABLE.read_text())
    assert [number for number, _ in rows] == [
        f"F{number:02}" for number in (*range(12, 22), *range(28, 34))
    ]
    for number, tests in rows:
        named = re.findall(r"`([\w/.-]+)::(\w+)`", tests)
        assert named, number
        for file, name in named:
            text = (ROOT / "test" / file).read_text()
            assert f"def {name}(" in text, f"{number}: {file}::{name}"
