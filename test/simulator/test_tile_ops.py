"""Single ops of tile level: views, elements, threads, products, scopes."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from support.tile_runs import kinds, levels, run_at, told

from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.simulate import Options, Report, run

POLICIES = ("rr", "late", "early", "random:1")

THREADS = """
croq.kernel @threads dims(N) (%x: !croq.tile<[N]xf32, global>,
    %out: !croq.tile<[N]xf32, global>) {
  croq.parallel (%b) in (1) : block {
    %a = croq.alloc : !croq.tile<128xf32, shared>
    croq.parallel (%t) in (128) : thread {
      %v = croq.load %x[%t]
      croq.store %v, %a[%t]
      BETWEEN
      %last = arith.constant 127 : index
      %other = arith.subi %last, %t : index
      %w = croq.load %a[%other]
      croq.store %w, %out[%t]
    }
  }
}
"""
SPLIT = "} croq.parallel (%t) in (128) : thread {"


def run_threads(between: str, level: str, policy: str) -> tuple[Report, bool]:
    rng = np.random.default_rng(5)
    x, out = rng.standard_normal(128).astype(np.float32), np.zeros(128, np.float32)
    report = run_at(THREADS.replace("BETWEEN", between), level, x, out, policy=policy)
    return report, bool((out == x[::-1]).all())


@pytest.mark.parametrize("level", ["croq", "insert-barriers", "lower-views"])
def test_lanes_of_one_body_are_not_ordered(level: str) -> None:
    for policy in POLICIES:
        report, _ = run_threads("", level, policy)
        assert FaultKind.RACE in kinds(report), told(report)


@pytest.mark.parametrize("between", ["croq.barrier", SPLIT])
@pytest.mark.parametrize("level", levels())
def test_lanes_that_meet(between: str, level: str) -> None:
    for policy in ("rr", "random:1"):
        report, same = run_threads(between, level, policy)
        assert not report.faults, told(report)
        assert same


def test_warps_are_not_ordered_where_barriers_are_explicit() -> None:
    text = THREADS.replace("BETWEEN", SPLIT).replace(
        "global>) {", "global>) attributes {explicit_barriers} {"
    )
    x, out = np.arange(128, dtype=np.float32), np.zeros(128, np.float32)
    for policy in POLICIES:
        report = run(text, x, out, level="croq", options=Options(policy))
        assert FaultKind.RACE in kinds(report), told(report)


def test_lanes_of_a_warp_are_not_ordered_where_barriers_are_explicit() -> None:
    text = THREADS.replace("BETWEEN", SPLIT).replace("128", "32").replace("127", "31")
    x, out = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    report = run_at(text, "croq", x, out)
    assert not report.faults, told(report)
    text = text.replace("global>) {", "global>) attributes {explicit_barriers} {")
    report = run_at(text, "croq", x, out)
    assert kinds(report) == {FaultKind.RACE}


LEVELS_BELOW = """
croq.kernel @inner dims(N) (%out: !croq.tile<[N]x4x8xi32, global>) {
  croq.parallel (%b) in (2) : block threads 256 {
    croq.parallel (%g) in (2) : warpgroup {
      croq.parallel (%w) in (3) : warp {
        croq.parallel (%i, %j) in (2, 8) : thread {
          %c2 = arith.constant 2 : index
          %c10 = arith.constant 10 : index
          %c100 = arith.constant 100 : index
          %b2 = arith.muli %b, %c2 : index
          %n = arith.addi %b2, %g : index
          %m1 = arith.muli %w, %c10 : index
          %m2 = arith.muli %i, %c100 : index
          %m3 = arith.addi %m1, %m2 : index
          %m4 = arith.addi %m3, %j : index
          %v = arith.index_cast %m4 : index to i32
          %same = arith.cmpi eq, %i, %c2 : index
          %one = arith.constant 1 : index
          %first = arith.cmpi ult, %i, %one : index
          scf.if %first {
            croq.store %v, %out[%n, %w, %j]
          }
        }
      }
    }
  }
}
"""


@pytest.mark.parametrize("level", ["croq", "insert-barriers", "lower-views", "nvvm"])
def test_levels_inside_levels(level: str) -> None:
    out: NDArray[np.int32] = np.full((4, 4, 8), -1, np.int32)
    report = run(LEVELS_BELOW, out, level=level)
    assert not report.faults, told(report)
    expected = np.full((4, 4, 8), -1)
    expected[:, :3] = np.arange(3)[:, None] * 10 + np.arange(8)
    assert (out == expected).all()


PRODUCT = """
croq.kernel @product (%x: !croq.tile<XSHAPExTYPE, global>,
    %y: !croq.tile<YSHAPExTYPE, global>, %out: !croq.tile<128x32xf32, global>) {
  croq.parallel (%b) in (1) : block {
    %xs = croq.alloc : !croq.tile<XSHAPExTYPE, shared>
    %ys = croq.alloc : !croq.tile<YSHAPExTYPE, shared>
    %os = croq.alloc : !croq.tile<128x32xf32, shared>
    croq.role "all" warpgroups [0, 2) {
      croq.copy %x => %xs engine(tma)
      croq.copy %y => %ys engine(tma)
      %zero = croq.mma.fill 0.5 : !croq.acc<128x32xf32>
      %c1 = croq.mma.exec FORM %zero, %xs, %ys
      %c2 = croq.mma.commit %c1
      %c3 = croq.mma.wait %c2 in_flight 0
      croq.mma.store %c3 => %os
      croq.copy %os => %out engine(threads)
    }
  }
}
"""


@pytest.mark.parametrize(
    "level", ["croq", "insert-barriers", "lower-mma", "lower-views"]
)
@pytest.mark.parametrize("kind", ["f16", "bf16"])
@pytest.mark.parametrize("form", ["row.row", "row.col", "col.row", "col.col"])
def test_forms_of_products(form: str, kind: str, level: str) -> None:
    a_row, b_row = (word == "row" for word in form.split("."))
    text = PRODUCT.replace("FORM", form).replace("TYPE", kind)
    text = text.replace("XSHAPE", "128x64" if a_row else "64x128")
    text = text.replace("YSHAPE", "32x64" if b_row else "64x32")
    rng = np.random.default_rng(11)
    dtype: Any = np.float16 if kind == "f16" else ml_dtypes.bfloat16
    a = rng.standard_normal((128, 64)).astype(dtype)
    b = rng.standard_normal((32, 64)).astype(dtype)
    x = a if a_row else np.ascontiguousarray(a.T)
    y = b if b_row else np.ascontiguousarray(b.T)
    out = np.zeros((128, 32), np.float32)
    report = run_at(text, level, x, y, out, policy="late")
    assert not report.faults, told(report)
    exact = a.astype(np.float64) @ b.astype(np.float64).T + 0.5
    assert np.abs(out - exact).max() < 1e-4


VIEWS = """
croq.kernel @views dims(M, N) (%x: !croq.tile<[M]x[N]xf32, global>,
    %i: index, %out: !croq.tile<4x8xf32, global>) {
  croq.parallel (%b) in (1) : block {
    %s = croq.alloc : !croq.tile<3x16x32xf32, shared>
    %o = croq.alloc : !croq.tile<4x8xf32, shared>
    %slot = croq.slot %s at %i
    %part = croq.subspan %x [40, 48] tile (0, 0)
    %from = VIEW
    croq.copy %from => %slot
    %half = croq.chunkat %slot [2, _] at (ROW, _)
    %sub = croq.subspan %half [4, 8] tile (1, COL)
    croq.parallel (%r, %c) in (4, 8) : thread {
      %v = croq.load %sub[%r, %c]
      croq.store %v, %o[%r, %c]
    }
    croq.copy %o => %out
  }
}
"""


def views(view: str, row: str = "1", col: str = "2") -> str:
    return VIEWS.replace("VIEW", view).replace("ROW", row).replace("COL", col)


@pytest.mark.parametrize(
    "level", ["croq", "insert-barriers", "lower-dma", "lower-views"]
)
@pytest.mark.parametrize(
    ("view", "row", "col"),
    [
        ("croq.subspan %x [16, 32] tile (1, 1)", 16, 32),
        ("croq.view %x [16, 32] from (3, 5)", 3, 5),
        ("croq.subspan %x [16, 32] tile (%i, 0)", 32, 0),
    ],
)
def test_views(view: str, row: int, col: int, level: str) -> None:
    rng = np.random.default_rng(2)
    x = rng.standard_normal((40, 53)).astype(np.float32)
    out = np.zeros((4, 8), np.float32)
    report = run_at(views(view), level, x, 2, out, policy="rr")
    assert not report.faults, told(report)
    padded = np.zeros((80, 80), np.float32)
    padded[:40, :53] = x
    tile = padded[row : row + 16, col : col + 32]
    assert (out == tile[8:][4:8, 16:24]).all()


@pytest.mark.parametrize(
    ("view", "row", "col", "text"),
    [
        (
            "croq.view %part [16, 32] from (%i, 0)",
            *("1", "2", "[30, 46) of dim 0 of x"),
        ),
        (
            "croq.view %part [16, 32] from (0, %i)",
            *("1", "2", "[30, 62) of dim 1 of x"),
        ),
        ("croq.subspan %x [16, 32] tile (0, 0)", "%i", "2", "[240, 248) of dim 0"),
        ("croq.subspan %x [16, 32] tile (0, 0)", "1", "%i", "[240, 248) of dim 1"),
    ],
)
def test_views_out_of_bounds(view: str, row: str, col: str, text: str) -> None:
    x, out = np.ones((40, 53), np.float32), np.zeros((4, 8), np.float32)
    report = run_at(views(view, row, col), "croq", x, 30, out)
    assert FaultKind.OUT_OF_BOUNDS in kinds(report)
    assert any(text in fault.message for fault in report.faults), told(report)
    assert all(fault.diagnostic().location.is_known for fault in report.faults)


ELEMENT = """
croq.kernel @element dims(N) (%x: !croq.tile<[N]xf32, global>, %i: index) {
  croq.parallel (%b) in (1) : block threads 32 {
    %s = croq.alloc : !croq.tile<64xf32, shared>
    %part = croq.subspan %WHAT [32] tile (1)
    croq.parallel (%t) in (32) : thread {
      %v = arith.constant 2.5 : f32
      %at = arith.addi %t, %i : index
      croq.store %v, %part[%at]
    }
  }
}
"""


@pytest.mark.parametrize(
    ("what", "index", "length", "faulty"),
    [
        ("s", 0, 64, False),
        ("s", 1, 64, True),
        ("s", -1, 64, True),
        ("x", 0, 64, False),
        ("x", 1, 70, True),
        ("x", 0, 63, True),
    ],
)
def test_elements_out_of_bounds(
    what: str, index: int, length: int, faulty: bool
) -> None:
    report = run_at(
        ELEMENT.replace("WHAT", what), "croq", np.ones(length, np.float32), index
    )
    assert kinds(report) == ({FaultKind.OUT_OF_BOUNDS} if faulty else set()), told(
        report
    )


UNINITIALISED = """
croq.kernel @uninitialised (%out: !croq.tile<16x16xf32, global>) {
  croq.parallel (%b) in (1) : block {
    %s = croq.alloc : !croq.tile<16x16xf32, shared>
    croq.copy %s => %out
  }
}
"""


def test_uninitialised_buffer() -> None:
    report = run_at(UNINITIALISED, "croq", np.zeros((16, 16), np.float32))
    assert FaultKind.UNINITIALISED in kinds(report)
    assert "%s" in report.faults[0].message


BLOCK_AND_ROLES = """
croq.kernel @mixed dims(M) (%x: !croq.tile<[M]x64xf32, global>,
    %y: !croq.tile<[M]x64xf32, global>) {
  croq.parallel (%b) in (1) : block threads 160 {
    %s = croq.alloc : !croq.tile<16x64xf32, shared>
    %t = croq.alloc : !croq.tile<16x64xf32, shared>
    %from = croq.subspan %x [16, 64] tile (0, 0)
    %to = croq.subspan %y [16, 64] tile (0, 0)
    croq.copy %from => %s engine(ENGINE)
    croq.role "a" warpgroups [0, 1) {
      %low = croq.chunkat %s [2, _] at (0, _)
      %low_t = croq.chunkat %t [2, _] at (0, _)
      croq.copy %low => %low_t engine(threads)
    }
    croq.role "b" warps [4, 5) {
      %high = croq.chunkat %s [2, _] at (1, _)
      %high_t = croq.chunkat %t [2, _] at (1, _)
      croq.copy %high => %high_t engine(threads)
    }
    croq.copy %t => %to engine(threads)
  }
}
"""


@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize("engine", ["tma", "threads"])
def test_ops_of_the_block_beside_roles(engine: str, level: str) -> None:
    rng = np.random.default_rng(4)
    x = rng.standard_normal((13, 64)).astype(np.float32)
    for policy in ("late", "random:1"):
        y = np.full_like(x, np.nan)
        text = BLOCK_AND_ROLES.replace("ENGINE", engine)
        report = run_at(text, level, x, y, policy=policy)
        assert not report.faults, told(report)
        assert (x == y).all()
