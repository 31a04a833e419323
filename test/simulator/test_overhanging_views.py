"""Views of arguments that start before them or end beyond: the same at every level."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.tile_runs import levels, run_at, told

from croqtile_mlir.compiler import compile
from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.simulator.simulate import Options, Report, run

LEVELS = ("croq", "insert-barriers", "nvvm", "ptx")

_INDICES = """
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %up = arith.constant UP : index
    %left = arith.constant LEFT : index
    %r16 = arith.muli %i, %c16 : index
    %c32i = arith.muli %j, %c32 : index
    %r = arith.subi %r16, %up : index
    %c = arith.subi %c32i, %left : index
"""

# out[m, n] = in[m - UP, n - LEFT]
LOADS = """
croq.kernel @halo dims(M, N multiple_of 4) (%in: !croq.tile<[M]x[N]xf32, global>,
    %out: !croq.tile<[M]x[N]xf32, global>) {
  %mt = croq.cdiv M, 16
  %nt = croq.cdiv N, 32
  croq.parallel (%i, %j) in (%mt, %nt) : block threads 64 {
    %a = croq.alloc : !croq.tile<18x40xf32, shared>
    %b = croq.alloc : !croq.tile<16x32xf32, shared>INDICES
    %s = croq.view %in [18, 40] from (%r, %c)
    croq.copy %s => %a engine(ENGINE)
    %part = croq.view %a [16, 32] from (0, 0)
    croq.copy %part => %b
    %o = croq.subspan %out [16, 32] tile (%i, %j)
    croq.copy %b => %o engine(threads)
  }
}
"""

# out[m - UP, n - LEFT] = in[m, n], where that is in range
STORES = """
croq.kernel @shifted dims(M, N multiple_of 4) (%in: !croq.tile<[M]x[N]xf32, global>,
    %out: !croq.tile<[M]x[N]xf32, global>) {
  %mt = croq.cdiv M, 16
  %nt = croq.cdiv N, 32
  croq.parallel (%i, %j) in (%mt, %nt) : block threads 64 {
    %b = croq.alloc : !croq.tile<16x32xf32, shared>INDICES
    %s = croq.subspan %in [16, 32] tile (%i, %j)
    croq.copy %s => %b engine(threads)
    %o = croq.view %out [16, 32] from (%r, COL)
    croq.copy %b => %o engine(ENGINE)
  }
}
"""

TMA_LOADS = ((1, 0), (2, 4), (17, 0), (-1, -4), (0, 8))
"""Rows up and columns to the left that TMA can load from."""


def kernel(text: str, up: int, left: int, engine: str) -> str:
    """A kernel that moves by so many rows and columns."""
    indices = _INDICES.replace("UP", str(up)).replace("LEFT", str(left))
    column = "%c" if left else "%c32i"
    text = text.replace("INDICES", indices.rstrip("\n")).replace("COL", column)
    return text.replace("ENGINE", engine)


def execute(text: str, level: str, args: list[NDArray[Any]]) -> Report:
    """Run a kernel at a level."""
    if level in ("nvvm", "ptx"):
        return run(text, *args, level=level, options=Options("late"))
    return run_at(text, level, *args, policy="late")


def moved(source: NDArray[Any], up: int, left: int, rest: float) -> NDArray[Any]:
    """`source` further down and to the right, in the same extents."""
    rows, cols = source.shape
    result = np.full_like(source, rest)
    low = max(up, 0), max(left, 0)
    high = rows + min(up, 0), cols + min(left, 0)
    result[low[0] : high[0], low[1] : high[1]] = source[
        low[0] - up : high[0] - up, low[1] - left : high[1] - left
    ]
    return result


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("engine", ["threads", "cp_async", "auto"])
def test_loads(engine: str, level: str) -> None:
    rng = np.random.default_rng(3)
    for up, left in ((1, 3), (2, 4), (0, 1), (-1, -2), (17, 5)):
        x = rng.standard_normal((37, 44)).astype(np.float32)
        y = np.full_like(x, 7)
        report = execute(kernel(LOADS, up, left, engine), level, [x, y])
        assert not report.faults, told(report)
        np.testing.assert_array_equal(y, moved(x, up, left, 0))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("engine", "up", "left"),
    [("threads", 1, 3), ("threads", 2, 4), ("auto", 3, 5), ("auto", -2, 0)],
)
def test_stores(engine: str, up: int, left: int, level: str) -> None:
    rng = np.random.default_rng(4)
    x = rng.standard_normal((32, 64)).astype(np.float32)
    y = np.full_like(x, 7)
    report = execute(kernel(STORES, up, left, engine), level, [x, y])
    assert not report.faults, told(report)
    np.testing.assert_array_equal(y, moved(x, -up, -left, 7))


@pytest.mark.parametrize("level", levels())
def test_between_all_passes(level: str) -> None:
    x = np.random.default_rng(5).standard_normal((19, 36)).astype(np.float32)
    y = np.full_like(x, 7)
    report = run_at(kernel(LOADS, 1, 1, "auto"), level, x, y, policy="random:1")
    assert not report.faults, told(report)
    np.testing.assert_array_equal(y, moved(x, 1, 1, 0))


@pytest.mark.parametrize("level", LEVELS)
def test_tma_loads_what_starts_before_its_argument(level: str) -> None:
    x = np.random.default_rng(6).standard_normal((37, 44)).astype(np.float32)
    for up, left in TMA_LOADS:
        y = np.full_like(x, 7)
        report = execute(kernel(LOADS, up, left, "tma"), level, [x, y])
        assert not report.faults, told(report)
        np.testing.assert_array_equal(y, moved(x, up, left, 0))


@pytest.mark.parametrize(("up", "left"), [(2, 0), (1, 0), (0, 4)])
def test_tma_stores_no_tile_that_starts_before_its_argument(up: int, left: int) -> None:
    with pytest.raises(CompileError, match="must be known to start inside"):
        compile(kernel(STORES, up, left, "tma"))


@pytest.mark.parametrize("text", [LOADS, STORES])
@pytest.mark.parametrize("left", [-1, -2])
def test_tma_takes_rows_at_multiples_of_16_bytes(text: str, left: int) -> None:
    with pytest.raises(CompileError, match="must be known to start"):
        compile(kernel(text, 0, left, "tma"))
