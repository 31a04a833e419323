"""Tiles of warpgroups: right at every level, proved, refuted where none meet."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from pipeline.lowering import TARGET, lower, parse, passes, printed, run
from support.register_kernels import warpgroup_rows

from croqtile_mlir.compiler import source_of
from croqtile_mlir.passes.verify_sync import verdicts
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.loading import Loaded, load_module, load_source
from croqtile_mlir.simulator.simulate import Options, run_loaded
from croqtile_mlir.targets.ptx import ptx_text

LEVELS = ("lower-indices", "insert-barriers", "nvvm", "ptx")
SHAPES = [(2, 100), (3, 40)]
"""Rows and columns of a warpgroup: sums across two warps, and in one."""


@lru_cache(maxsize=32)
def loaded(text: str, level: str) -> Loaded:
    return load_source(source_of(text), level)


def arguments(m: int, n: int) -> list[Any]:
    rng = np.random.default_rng(12)
    x, y, c = rng.uniform(0.5, 2, (3, m, n)).astype(np.float32)
    return [x, y, rng.standard_normal(m).astype(np.float32), c]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("in_role", [False, True], ids=["block", "role"])
@pytest.mark.parametrize(("rows", "cols"), SHAPES)
def test_ops_of_warpgroups(rows: int, cols: int, in_role: bool, level: str):
    text = warpgroup_rows(rows, cols, in_role=in_role)
    for m, n in ((4 * rows, cols), (4 * rows + 1, cols - 29)):
        x, y, z, c = args = arguments(m, n)
        tiles = -(-m // rows)
        made = -(-tiles // 4) * 4
        untouched = c[made:].copy()
        report = run_loaded(loaded(text, level), args, Options())
        assert not report.faults, [str(fault.diagnostic()) for fault in report.faults]
        expected = x / (x.max(axis=1, keepdims=True) + 1)
        np.testing.assert_array_equal(y, expected)
        np.testing.assert_allclose(z, expected.sum(axis=1), rtol=1e-6)
        for tile in range(tiles):
            part = expected[tile * rows : (tile + 1) * rows]
            np.testing.assert_allclose(c[tile], part.sum(axis=0), rtol=1e-6)
        np.testing.assert_array_equal(c[tiles:made], 0)
        np.testing.assert_array_equal(c[made:], untouched)


@pytest.mark.parametrize("in_role", [False, True], ids=["block", "role"])
@pytest.mark.parametrize(("rows", "cols"), SHAPES)
def test_they_are_proved(rows: int, cols: int, in_role: bool):
    """As they are written, with barriers in place, and at hardware level."""
    module = parse(warpgroup_rows(rows, cols, in_role=in_role))
    done = 0
    for stop in ("bind-params", "insert-barriers", "check-level{level=nvvm}"):
        end = passes().index(stop) + 1
        run(module, ",".join(passes()[done:end]))
        done = end
        assert [type(v).__name__ for v in verdicts(module)] == ["Proved"], stop


MEET = "croq.warpgroup_barrier"


@pytest.mark.parametrize(("rows", "cols"), SHAPES)
@pytest.mark.parametrize("stop", ["expand-inner-tiles", "insert-barriers"])
def test_every_meeting_is_needed(stop: str, rows: int, cols: int):
    """Without it threads race in the simulator, and there is no proof."""
    module = parse(warpgroup_rows(rows, cols))
    run(module, ",".join(passes()[: passes().index(stop) + 1]))
    lines = printed(module).splitlines()
    places = [n for n, line in enumerate(lines) if MEET in line]
    assert len(places) == (7 if rows == 2 else 5)
    for number, place in enumerate(places):
        left = parse("\n".join(line for n, line in enumerate(lines) if n != place))
        report = run_loaded(load_module(left), arguments(4 * rows, cols), Options())
        assert FaultKind.RACE in {fault.kind for fault in report.faults}, number
        assert [type(v).__name__ for v in verdicts(left)] != ["Proved"], number


PARTED = """
croq.kernel @k (%n: i32, %y: !croq.tile<256xi32, global>) {
  croq.parallel (%b) in (1) : block threads 256 {
    %s = croq.alloc : !croq.tile<256xi32, shared>
    croq.parallel (%g) in (2) : warpgroup {
      %zero = arith.constant 0 : index
      %first = arith.cmpi eq, %g, %zero : index
      scf.if %first {
        croq.parallel (%t) in (128) : thread {
          croq.store %n, %s[%t]
          croq.warpgroup_barrier
          %last = arith.constant 127 : index
          %u = arith.subi %last, %t : index
          %v = croq.load %s[%u]
          croq.store %v, %y[%t]
        }
      }
    }
  }
}
"""
"""Only the first of two warpgroups comes to its barrier."""


@pytest.mark.parametrize("level", LEVELS)
def test_a_warpgroup_alone(level: str):
    y = np.random.default_rng(5).integers(0, 99, 256).astype(np.int32)
    rest = y[128:].copy()
    report = run_loaded(loaded(PARTED, level), (7, y), Options())
    assert not report.faults, [str(fault.diagnostic()) for fault in report.faults]
    np.testing.assert_array_equal(y[:128], 7)
    np.testing.assert_array_equal(y[128:], rest)


@pytest.mark.parametrize("level", ["croq", "insert-barriers"])
def test_half_a_warpgroup_is_a_fault(level: str):
    text = PARTED.replace("in (128) : thread", "in (64) : thread")
    y = np.random.default_rng(5).integers(0, 99, 256).astype(np.int32)
    report = run_loaded(loaded(text, level), (7, y), Options())
    kinds = {fault.kind for fault in report.faults}
    assert kinds & {FaultKind.PARTICIPATION, FaultKind.DEADLOCK}


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@pytest.mark.parametrize("target", [TARGET, "sm_80"])
def test_they_are_assembled(target: str):
    """Each of two warpgroups has a barrier of its own; one alone that of the block."""
    text = warpgroup_rows()
    module = parse(text, target)
    run(module, ",".join(passes()))
    ptx = ptx_text(module)
    assert ptx.count("bar.sync %r") == 7
    result = assemble(ptx, target)
    assert result.warnings == ()
    assert result.spill_bytes == 0
    one = text.replace("in (2) : warpgroup", "in (1) : warpgroup")
    alone = lower(one.replace("threads 256", "threads 128"))
    assert "bar.sync %r" not in alone
    assert alone.count("bar.sync 0;") == 7
