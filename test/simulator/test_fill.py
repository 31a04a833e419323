"""`croq.fill` of shared and global tiles at every level, and who sees it."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from pipeline.lowering import TARGET, lower
from support.tile_runs import kinds, levels, run_at, told

from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.simulate import Options, run

TYPES: dict[str, tuple[Any, str]] = {
    "i8": (np.int8, "200"),
    "i16": (np.int16, "-3"),
    "i32": (np.int32, "123456"),
    "i64": (np.int64, "-7"),
    "f16": (np.float16, "-inf"),
    "bf16": (ml_dtypes.bfloat16, "1.1"),
    "f32": (np.float32, "0.1"),
    "f64": (np.float64, "0.1"),
}

# The output starts filled; a part of a filled buffer is stored in a part of it.
FILLS = """
croq.kernel @fills dims(M, N) (%x: !croq.tile<[M]x[N]xTYPE, global>) {
  %y = croq.alloc : !croq.tile<[M]x[N]xTYPE, global>
  %m = croq.cdiv M, 16
  %n = croq.cdiv N, 32
  croq.parallel (%i, %j) in (%m, %n) : block threads 64 {
    %a = croq.alloc : !croq.tile<2x16x32xTYPE, shared>
    %a1 = croq.slot %a[1]
    %from = croq.subspan %x [16, 32] tile (%i, %j)
    %to = croq.subspan %y [16, 32] tile (%i, %j)
    croq.fill %to, VALUE
    croq.copy %from => %a1
    %part = croq.view %a1 [16, 8] from (0, 4)
    croq.fill %part, VALUE
    %left = croq.view %a1 [16, 16] from (0, 0)
    %out = croq.subspan %to [16, 16] tile (0, 0)
    croq.copy %left => %out
  }
  croq.return %y : !croq.tile<[M]x[N]xTYPE, global>
}
"""


def check_fills(kind: str, level: str, cols: int, policy: str) -> None:
    dtype, value = TYPES[kind]
    text = FILLS.replace("TYPE", kind).replace("VALUE", value)
    rng = np.random.default_rng(cols)
    x = rng.integers(-99, 99, (37, cols)).astype(dtype)
    if level in ("nvvm", "ptx"):
        report = run(text, x, level=level, options=Options(policy))
    else:
        report = run_at(text, level, x, policy=policy)
    assert not report.faults, told(report)
    filling = np.asarray(float(value) if "f" in kind else int(value)).astype(dtype)
    columns = np.arange(cols) % 32
    kept = (columns < 4) | ((columns >= 12) & (columns < 16))
    np.testing.assert_array_equal(report.result, np.where(kept, x, filling))


@pytest.mark.parametrize("level", levels())
def test_every_level(level: str) -> None:
    for cols, policy in ((64, "rr"), (41, "random:3")):
        check_fills("f32", level, cols, policy)


@pytest.mark.parametrize("level", ["nvvm", "ptx"])
@pytest.mark.parametrize("kind", TYPES)
def test_every_type(kind: str, level: str) -> None:
    check_fills(kind, level, 45, "late")


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@pytest.mark.parametrize("kind", TYPES)
def test_assembles(kind: str) -> None:
    text = FILLS.replace("TYPE", kind).replace("VALUE", TYPES[kind][1])
    result = assemble(lower(text), TARGET)
    assert result.warnings == ()
    assert result.spill_bytes == 0


# Sums in the output itself: other threads than those that filled an element add to it.
SUMS = """
croq.kernel @sums dims(M) (%x: !croq.tile<[M]x16x8xf32, global>) {
  %y = croq.alloc : !croq.tile<16x8xf32, global>
  croq.parallel (%b) in (1) : block threads 128 {
    croq.fill %y, 0.0
    croq.foreach %k in M {
      croq.parallel (%r, %c) in (16, 8) : thread {
        %last = arith.constant 15 : index
        %up = arith.subi %last, %r : index
        %old = croq.load %y[%up, %c]
        %new = croq.load %x[%k, %up, %c]
        %sum = arith.addf %old, %new : f32
        croq.store %sum, %y[%up, %c]
      }
    }
  }
  croq.return %y : !croq.tile<16x8xf32, global>
}
"""


@pytest.mark.parametrize("level", levels())
def test_threads_meet_after_a_fill(level: str) -> None:
    rng = np.random.default_rng(8)
    for steps in (1, 2, 5):
        x: NDArray[Any] = rng.standard_normal((steps, 16, 8)).astype(np.float32)
        report = run_at(SUMS, level, x, policy="random:2")
        assert not report.faults, told(report)
        np.testing.assert_allclose(report.result, x.sum(0), rtol=1e-5, atol=1e-5)


def test_without_a_barrier_it_is_a_race() -> None:
    text = SUMS.replace("global>) {", "global>) attributes {explicit_barriers} {")
    x = np.ones((1, 16, 8), np.float32)
    report = run(text, x, level="croq", options=Options("rr"))
    assert FaultKind.RACE in kinds(report), told(report)
