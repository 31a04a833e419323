"""Reductions of accumulators along their columns: sums and maxima over rows."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from pipeline.lowering import TARGET, parse, passes, printed, run
from support.acc_columns import column_sums

from croqtile_mlir.compiler import source_of
from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.passes.verify_sync import verdicts
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.loading import Loaded, load_module, load_source
from croqtile_mlir.simulator.simulate import Options, run_loaded
from croqtile_mlir.targets.ptx import ptx_text

LEVELS = ("croq", "insert-barriers", "lower-mma", "nvvm", "ptx")
SHAPES = {
    "wgmma": column_sums(64, 24),
    "two blocks of rows": column_sums(128, 16),
    "two warpgroups": column_sums(128, 40, threads=256),
    "warps": column_sums(32, 64, by_warps=True),
    "warps of one row": column_sums(16, 64, by_warps=True),
}


@lru_cache(maxsize=64)
def loaded(text: str, level: str) -> Loaded:
    return load_source(source_of(text), level)


def arguments(text: str, steps: int, cols: int | None = None) -> list[Any]:
    """Operands of as many rows and columns as a kernel has."""
    m, n = (int(text.split(f"%{name}: !croq.tile<")[1].split("x")[1]) for name in "ab")
    rng = np.random.default_rng(m + n + steps)
    a = rng.standard_normal((steps, m, 16)).astype(np.float16)
    # One term for each element, which no order of sums changes.
    only = np.arange(16) == np.arange(n)[:, None] % 16
    b = (rng.standard_normal((steps, n, 16)) * only).astype(np.float16)
    c = rng.standard_normal((steps, m, n)).astype(np.float32)
    sums, most = rng.standard_normal((2, steps, cols or n)).astype(np.float32)
    return [a, b, c, sums, most]


def check(text: str, level: str, steps: int, cols: int | None = None) -> Any:
    a, b, c, sums, most = args = arguments(text, steps, cols)
    report = run_loaded(loaded(text, level), args, Options())
    assert not report.faults, [str(fault.diagnostic()) for fault in report.faults]
    product = np.einsum("smk,snk->smn", a.astype(np.float64), b.astype(np.float64))
    np.testing.assert_allclose(c, product, atol=1e-4)
    np.testing.assert_array_equal(most, c.max(axis=1)[:, : most.shape[1]])
    np.testing.assert_allclose(
        sums, c.astype(np.float64).sum(axis=1)[:, : sums.shape[1]], atol=1e-4
    )
    return sums


@pytest.mark.parametrize("name", SHAPES)
def test_column_sums(name: str):
    """Three tiles in turn, with the same sums to the bit at every level."""
    found = [check(SHAPES[name], level, 3) for level in LEVELS]
    for each in found[1:]:
        np.testing.assert_array_equal(each, found[0])


@pytest.mark.parametrize("level", LEVELS)
def test_columns_that_are_out_of_range(level: str):
    for steps in (0, 1):
        check(column_sums(64, 24, extent="N"), level, steps, 19)


@pytest.mark.parametrize("name", SHAPES)
def test_they_are_proved(name: str):
    """As they are written, with barriers in place, and at hardware level."""
    module, done = parse(SHAPES[name]), 0
    for stop in ("bind-params", "insert-barriers", "check-level{level=nvvm}"):
        end = passes().index(stop) + 1
        run(module, ",".join(passes()[done:end]))
        done = end
        assert [type(v).__name__ for v in verdicts(module)] == ["Proved"], stop


@pytest.mark.parametrize("by_warps", [False, True])
def test_warps_meet(by_warps: bool):
    """Before they read what others have left, and before they leave it anew."""
    text = column_sums(64, 16, by_warps=by_warps, once=True)
    text = text.replace("croq.reduce max %acc dim 0 => %top", "")
    module = parse(text)
    run(module, ",".join(passes()[: passes().index("lower-mma")]))
    run(module, "lower-mma")
    lines = printed(module).splitlines()
    places = [n for n, line in enumerate(lines) if "croq.barrier" in line]
    raced = 0
    for place in places:
        left = parse("\n".join(line for n, line in enumerate(lines) if n != place))
        report = run_loaded(load_module(left), arguments(text, 3), Options())
        raced += FaultKind.RACE in {fault.kind for fault in report.faults}
    # The first is that before the product.
    assert raced == len(places) == 3


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@pytest.mark.parametrize("name", SHAPES)
def test_they_are_assembled(name: str):
    module = parse(SHAPES[name])
    run(module, ",".join(passes()))
    result = assemble(ptx_text(module), TARGET)
    assert result.warnings == ()
    assert result.spill_bytes == 0


def test_rows_that_warps_divide_are_refused():
    """As the lowering does, where the simulator takes warps one by one."""
    text = column_sums(32, 64, by_warps=True)
    text = text.replace("croq.reduce max %acc dim 0 => %top", "")
    text = text.replace(
        "reduce add %acc dim 0 => %sum", "reduce add %acc dim 1 => %row"
    )
    text = text.replace(
        "%a_s = croq.alloc",
        "%row = croq.alloc : !croq.tile<32xf32, shared>\n%a_s = croq.alloc",
    )
    with pytest.raises(CompileError, match="rows are each in one warp"):
        run_loaded(loaded(text, "insert-barriers"), arguments(text, 1), Options())
