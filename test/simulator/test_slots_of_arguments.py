"""`croq.slot %x[%i]` of an argument whose number of slots a launch decides."""

from __future__ import annotations

import numpy as np
import pytest
from pipeline.lowering import TARGET, lower
from support.tile_runs import levels, run_at, told

from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.simulate import Options, run

BATCHES = """
croq.kernel @batches dims(B, M, N multiple_of 4) (
    %x: !croq.tile<[B]x[M]x[N]xf32, global>,
    %y: !croq.tile<[B]x[M]x[N]xf32, global>) {
  %m = croq.cdiv M, 16
  croq.parallel (%i, %b) in (%m, B) : block threads 64 {
    %t = croq.alloc : !croq.tile<16x32xf32, shared>
    %from = croq.slot %x[%b]
    %to = croq.slot %y[%b]
    %s = croq.subspan %from [16, 32] tile (%i, 0)
    %o = croq.subspan %to [16, 32] tile (%i, 0)
    croq.copy %s => %t engine(ENGINE)
    croq.copy %t => %o
  }
}
"""


@pytest.mark.parametrize("level", [*levels(), "nvvm", "ptx"])
@pytest.mark.parametrize("engine", ["threads", "tma"])
def test_any_number(engine: str, level: str) -> None:
    text = BATCHES.replace("ENGINE", engine)
    rng = np.random.default_rng(7)
    for count in (1, 3):
        x = rng.standard_normal((count, 19, 28)).astype(np.float32)
        y = np.full_like(x, 7)
        if level in ("nvvm", "ptx"):
            report = run(text, x, y, level=level, options=Options("rr"))
        else:
            report = run_at(text, level, x, y)
        assert not report.faults, told(report)
        np.testing.assert_array_equal(x, y)


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
def test_assembles() -> None:
    assert assemble(lower(BATCHES.replace("ENGINE", "tma")), TARGET).warnings == ()
