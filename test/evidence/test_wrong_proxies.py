"""TMA where threads have written before: fences order the two, and are all needed."""

from __future__ import annotations

import numpy as np
import pytest
from pipeline.lowering import parse, run
from xdsl.dialects.builtin import ModuleOp

from croqtile_mlir.dialects import nvvm
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.loading import AS_GIVEN, load_module
from croqtile_mlir.simulator.simulate import Options, Report, run_loaded
from evidence.judge import verdict_of
from evidence.levels import Level, pipeline_to

_KERNEL = """
croq.kernel @k (%x: !croq.tile<256xf32, global>, %y: !croq.tile<256xf32, global>) {{
  croq.parallel (%b) in (4) : block threads 64 {{
    %s = croq.alloc : !croq.tile<64xf32, shared>
    %r = croq.alloc : !croq.tile<64xf32, shared>
    %from = croq.subspan %x [64] tile (%b)
    %to = croq.subspan %y [64] tile (%b)
    {text}
  }}
}}
"""
_FIRST = "croq.copy %from => %s engine(threads)\ncroq.copy %s => %to engine(threads)\n"

KERNELS = {
    "stored_over": f"{_FIRST}croq.copy %to => %r engine(threads)\n"
    "croq.copy %r => %to engine(tma)",
    "loaded": f"{_FIRST}croq.copy %to => %r engine(tma)\n"
    "croq.copy %r => %to engine(threads)",
    "reused": f"{_FIRST}croq.barrier grid\ncroq.copy %from => %r engine(tma)\n"
    "croq.copy %r => %to engine(threads)",
}


def _run(module: ModuleOp, policy: str) -> Report:
    given = np.random.default_rng(11)
    x, y = (given.standard_normal(256).astype(np.float32) for _ in range(2))
    report = run_loaded(load_module(module, AS_GIVEN), (x, y), Options(policy=policy))
    assert report.faults or (x == y).all()
    return report


@pytest.mark.parametrize("name", KERNELS)
def test_fences_order_proxies(name: str) -> None:
    module = parse(_KERNEL.format(text=KERNELS[name]))
    run(module, pipeline_to(Level.TILE))
    assert verdict_of(module) == "proved"
    run(module, pipeline_to(Level.HARDWARE))
    for policy in ("late", "random:1"):
        assert not _run(module, policy).faults
    fences = [
        op
        for op in module.walk()
        if isinstance(op, nvvm.FenceProxyOp)
        and op.kind.data is nvvm.ProxyKind.AsyncGlobal
    ]
    assert len(fences) == (name != "reused")
    for fence in fences:
        fence.detach()
        fence.erase()
        kinds = {fault.kind for fault in _run(module, "late").faults}
        assert kinds == {FaultKind.STALE_READ}
