"""
Threads of a block that meet in global memory: barriers order them after the lowering.

At tile level the ops of a scope are sequential; each kernel here is proved there, and
must not have a race where only barriers order threads.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from croqtile_mlir.analysis.sync.verdicts import Proved
from croqtile_mlir.passes.verify_sync import verdicts
from croqtile_mlir.simulator.loading import AS_GIVEN, load_module
from croqtile_mlir.simulator.simulate import Options, run_loaded
from pipeline.lowering import parse, passes, run

_KERNEL = """
croq.kernel @k (%x: !croq.tile<64x4xf32, global>, %y: !croq.tile<64x4xf32, global>,
    %z: !croq.tile<64x4xf32, global>, %r: !croq.tile<64xf32, global>) {{
  croq.parallel (%b) in (1) : block threads 64 {{
    %a = croq.alloc : !croq.tile<64x4xf32, shared, row_major>
    %all = arith.constant 64 : index
    %last = arith.constant 63 : index
    {text}
  }}
}}
"""
_DOUBLE = (
    "croq.elementwise (%e = %x) => %y {\n%d = arith.addf %e, %e : f32\n"
    "croq.yield %d : f32\n}\n"
)
_THREADS = "croq.parallel (%t) in (64) : thread {\n"
_READ = f"{_THREADS}%v = croq.load %y[%t, 3]\ncroq.store %v, %z[%t, 0]\n}}\n"
_WRITE = f"{_THREADS}%v = croq.load %x[%t, 3]\ncroq.store %v, %y[%t, 0]\n}}\n"
_IN = "croq.copy %x => %a engine(tma)\n"
_OUT = "croq.copy %a => %y engine(tma)\n"
_OTHER = "%q = arith.subi %last, %t : index\n"

MEETINGS: Mapping[str, str] = {
    "computed_and_reduced": f"{_DOUBLE}croq.reduce add %y dim 1 => %r",
    "computed_and_loaded": f"{_DOUBLE}croq.copy %y => %a engine(tma)\n"
    "croq.copy %a => %z engine(tma)",
    "stored_by_tma_and_read": f"{_IN}{_OUT}{_READ}",
    "stored_by_tma_and_over": f"{_IN}{_OUT}{_WRITE}",
    "over_by_tma": f"{_IN}{_WRITE}{_OUT}",
    "read_and_over_by_tma": f"{_IN}{_READ}{_OUT}",
    "windows_that_overlap": f"{_IN}croq.copy %a => %y engine(threads)\n"
    "%v = croq.subspan %y [32, 4] step [1, 1] tile (1, 0)\n"
    "%w = croq.subspan %a [32, 4] tile (1, 0)\ncroq.copy %w => %v engine(threads)",
    "updated_twice": "croq.elementwise (%e = %y) => %y {\n"
    "%d = arith.addf %e, %e : f32\ncroq.yield %d : f32\n}\n"
    "%v = croq.subspan %y [16, 4] tile (1, 0)\ncroq.elementwise (%e = %v) => %v {\n"
    "%d = arith.addf %e, %e : f32\ncroq.yield %d : f32\n}",
    "another_thread_each_turn": "croq.foreach %k in 3 {\n"
    f"{_THREADS}%v = croq.load %x[%t, 3]\n%g = arith.addi %t, %k : index\n"
    "%q = arith.remui %g, %all : index\ncroq.store %v, %y[%q, 0]\n}\n}",
    "updated_and_loaded": "%one = arith.constant 1.0 : f32\n"
    f"{_THREADS}{_OTHER}croq.atomic add %one, %r[%q] order(relaxed) scope(gpu)\n}}\n"
    f"{_THREADS}%v = croq.load %r[%t]\ncroq.store %v, %z[%t, 0]\n}}",
}


@pytest.mark.parametrize("name", MEETINGS)
def test_are_ordered(name: str) -> None:
    module = parse(_KERNEL.format(text=MEETINGS[name]))
    names = passes()
    run(module, ",".join(names[: names.index("select-engines") + 1]))
    (verdict,) = verdicts(module)
    assert isinstance(verdict, Proved)
    rest = names[names.index("select-engines") + 1 :]
    until = next(n for n, p in enumerate(rest) if p.startswith("check-level"))
    run(module, ",".join(rest[: until + 1]))
    given = np.random.default_rng(11)
    arrays = [given.random(s, np.float32) for s in ((64, 4), (64, 4), (64, 4), (64,))]
    report = run_loaded(load_module(module, AS_GIVEN), arrays, Options(policy="late"))
    assert not report.faults, report.faults[0].message
