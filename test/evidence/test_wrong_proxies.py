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
    "in_turns": """croq.copy %from => %s engine(threads)
    %two = arith.constant 2 : index
    %one = arith.constant 1 : index
    croq.foreach %i in 4 {
      %rest = arith.remui %i, %two : index
      %odd = arith.cmpi eq, %rest, %one : index
      scf.if %odd {
        croq.copy %s => %to engine(tma)
      } else {
        croq.copy %s => %to engine(threads)
      }
    }""",
}

OVERLAPPING = """
croq.kernel @k dims(N) (%x: !croq.tile<1x64xf32, global>,
    %y: !croq.tile<1x[N]xf32, global>) {
  croq.parallel (%b) in (1) : block threads 64 {
    %s = croq.alloc : !croq.tile<1x64xf32, shared>
    croq.copy %x => %s engine(threads)
    %one = arith.constant 1 : index
    croq.foreach %i in 2 {
      %back = arith.xori %i, %one : index
      %to = croq.subspan %y [1, 64] step [1, 32] tile (0, %back)
      croq.copy %s => %to engine(tma)
    }
  }
}
"""
"""Rows that end inside 16 bytes: threads store the last tile, TMA one that overlaps."""


def _run(
    module: ModuleOp,
    policy: str,
    source: tuple[int, ...] = (256,),
    target: tuple[int, ...] = (256,),
) -> Report:
    given = np.random.default_rng(11)
    x, y = (given.standard_normal(n).astype(np.float32) for n in (source, target))
    report = run_loaded(load_module(module, AS_GIVEN), (x, y), Options(policy=policy))
    assert report.faults or (x == y[..., : x.shape[-1]]).all()
    return report


def _fences(module: ModuleOp) -> list[nvvm.FenceProxyOp]:
    return [
        op
        for op in module.walk()
        if isinstance(op, nvvm.FenceProxyOp)
        and op.kind.data is nvvm.ProxyKind.AsyncGlobal
    ]


@pytest.mark.parametrize("name", KERNELS)
def test_fences_order_proxies(name: str) -> None:
    module = parse(_KERNEL.format(text=KERNELS[name]))
    run(module, pipeline_to(Level.TILE))
    assert verdict_of(module) == "proved"
    run(module, pipeline_to(Level.HARDWARE))
    for policy in ("late", "random:1"):
        assert not _run(module, policy).faults
    fences = _fences(module)
    assert len(fences) == (name != "reused")
    for fence in fences:
        fence.detach()
        fence.erase()
        kinds = {fault.kind for fault in _run(module, "late").faults}
        assert kinds == {FaultKind.STALE_READ}


@pytest.mark.parametrize("columns", [70, 97, 128])
def test_tiles_that_overlap(columns: int) -> None:
    module = parse(OVERLAPPING)
    run(module, pipeline_to(Level.TILE))
    assert verdict_of(module) == "proved"
    run(module, pipeline_to(Level.HARDWARE))
    shapes = (1, 64), (1, columns)
    for policy in ("late", "random:1"):
        assert not _run(module, policy, *shapes).faults
    (fence,) = _fences(module)
    fence.detach()
    fence.erase()
    # A row of 128 ends at 16 bytes: TMA makes all stores.
    assert bool(_run(module, "late", *shapes).faults) == (columns < 96)
