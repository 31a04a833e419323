"""Barriers between ops of threads that divide a tile alike, or not."""

from __future__ import annotations

import numpy as np
from pipeline.lowering import parse, passes, printed, run

from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.loading import load_module
from croqtile_mlir.simulator.simulate import Options, run_loaded

SAME_VECTORS = """
croq.kernel @k dims(M) (
    %x: !croq.tile<[M]x64xf32, global>, %y: !croq.tile<[M]x64xf32, global>,
    %h: !croq.tile<[M]x64xf16, global>) {
  %n = croq.cdiv M, 32
  croq.parallel (%b) in (%n) : block {
    %s = croq.alloc : !croq.tile<32x64xf32, shared>
    %q = croq.alloc : !croq.tile<32x64xf16, shared>
    %xt = croq.subspan %x [32, 64] tile (%b, 0)
    %yt = croq.subspan %y [32, 64] tile (%b, 0)
    %ht = croq.subspan %h [32, 64] tile (%b, 0)
    croq.fill %s, 1.0
    croq.copy %xt => %s engine(threads)
    croq.elementwise (%a = %s) => %s {
      %d = arith.addf %a, %a : f32
      croq.yield %d : f32
    }
    croq.copy %s => %yt engine(threads)
    croq.elementwise (%a = %s) => %q {
      %d = arith.truncf %a : f32 to f16
      croq.yield %d : f16
    }
    croq.copy %q => %ht engine(threads)
  }
}
"""


def test_ops_that_divide_a_tile_alike_need_no_barrier() -> None:
    """
    A fill, copies and computations give each vector of a tile to the same thread; the
    last copy has longer vectors, so that without its barrier threads race.
    """
    module = parse(SAME_VECTORS)
    names = passes()
    first, last = names.index("lower-events"), names.index("lower-views")
    run(module, ",".join(names[:first]))
    lines = printed(module).splitlines()
    (place,) = [n for n, line in enumerate(lines) if "croq.barrier" in line]
    assert "croq.copy %q" in lines[place + 1]
    x = np.random.default_rng(4).standard_normal((45, 64)).astype(np.float32)
    for skipped in (None, place):
        left = "\n".join(line for n, line in enumerate(lines) if n != skipped)
        for lowered in (False, True):
            module = parse(left)
            if lowered:
                run(module, ",".join(names[first:last]))
            y, h = np.zeros_like(x), np.zeros(x.shape, np.float16)
            report = run_loaded(load_module(module), (x, y, h), Options())
            kinds = {fault.kind for fault in report.faults}
            assert (FaultKind.RACE in kinds) == (skipped is not None)
            if skipped is None:
                assert not kinds
                np.testing.assert_array_equal(y, x + x)
                np.testing.assert_array_equal(h, (x + x).astype(np.float16))
