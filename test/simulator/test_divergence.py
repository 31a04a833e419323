"""Lanes that part and meet again: results at every level, with and without branches."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from gemm_bench.partial_lowering import PartialLowering
from numpy.typing import NDArray
from support.tile_runs import levels, run_at, told

from croqtile_mlir.compiler import source_of
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.loading import Loaded, load_module
from croqtile_mlir.simulator.ptx.kernel import executable
from croqtile_mlir.simulator.simulate import Options, run_loaded

SIZES = (1, 31, 96, 97, 300)


def kernel(body: str) -> str:
    """`%r` of each element `%v` and number `%c` of the inputs goes to the output."""
    return f"""
croq.kernel @k dims(N) (
    %x: !croq.tile<[N]xf32, global>,
    %counts: !croq.tile<[N]xi32, global>,
    %y: !croq.tile<[N]xf32, global>) {{
  %n = croq.cdiv N, 96
  croq.parallel (%b) in (%n) : block threads 96 {{
    croq.parallel (%t) in (96) : thread {{
      %c96 = arith.constant 96 : index
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %two = arith.constant 2 : index
      %half = arith.constant 0.5 : f32
      %unit = arith.constant 1.0 : f32
      %size = croq.dim N
      %base = arith.muli %b, %c96 : index
      %i = arith.addi %base, %t : index
      %inside = arith.cmpi ult, %i, %size : index
      scf.if %inside {{
        %v = croq.load %x[%i]
        %read = croq.load %counts[%i]
        %c = arith.index_cast %read : i32 to index
        {body}
        croq.store %r, %y[%i]
      }}
    }}
  }}
}}
"""


BODIES = {
    "short sides": """
        %bit = arith.andi %c, %one : index
        %odd = arith.cmpi ne, %bit, %zero : index
        %r = scf.if %odd -> (f32) {
          %m = arith.mulf %v, %half : f32
          scf.yield %m : f32
        } else {
          %s = arith.addf %v, %unit : f32
          scf.yield %s : f32
        }""",
    "loads and stores": """
        %bit = arith.andi %c, %one : index
        %odd = arith.cmpi ne, %bit, %zero : index
        scf.if %odd {
          %again = croq.load %x[%i]
          %m = arith.mulf %again, %half : f32
          croq.store %m, %y[%i]
        } else {
          %again = croq.load %x[%i]
          %s = arith.addf %again, %unit : f32
          croq.store %s, %y[%i]
        }
        %r = croq.load %y[%i]""",
    "nested": """
        %bit = arith.andi %c, %one : index
        %odd = arith.cmpi ne, %bit, %zero : index
        %few = arith.cmpi ult, %c, %two : index
        croq.store %v, %y[%i]
        scf.if %few {
          scf.if %odd {
            croq.store %unit, %y[%i]
          }
        } else {
          scf.if %odd {
            croq.store %half, %y[%i]
          }
        }
        %r = croq.load %y[%i]""",
    "trip counts": """
        %r = croq.foreach %k in %c iter(%s = %v) {
          %m = arith.mulf %s, %half : f32
          %a = arith.addf %m, %unit : f32
          croq.yield %a : f32
        }""",
    "nested trip counts": """
        %r = croq.foreach %k in %c iter(%s = %v) {
          %inner = croq.foreach %l in %k to %c step 2 iter(%u = %s) {
            %a = arith.addf %u, %unit : f32
            croq.yield %a : f32
          }
          %bit = arith.andi %k, %one : index
          %odd = arith.cmpi ne, %bit, %zero : index
          %next = scf.if %odd -> (f32) {
            %m = arith.mulf %inner, %half : f32
            scf.yield %m : f32
          } else {
            scf.yield %inner : f32
          }
          croq.yield %next : f32
        }""",
    "while": """
        %last, %r = scf.while (%k = %c, %s = %v) : (index, f32) -> (index, f32) {
          %more = arith.cmpi ugt, %k, %zero : index
          scf.condition(%more) %k, %s : index, f32
        } do {
        ^bb0(%k: index, %s: f32):
          %less = arith.subi %k, %one : index
          %m = arith.mulf %s, %half : f32
          %a = arith.addf %m, %unit : f32
          scf.yield %less, %a : index, f32
        }""",
}


def reference(name: str, x: NDArray[Any], counts: NDArray[Any]) -> NDArray[Any]:
    """What each element becomes, one after the other."""
    half, unit = np.float32(0.5), np.float32(1.0)
    out = np.empty_like(x)
    for index, (v, c) in enumerate(zip(x, counts.tolist(), strict=True)):
        match name:
            case "short sides" | "loads and stores":
                out[index] = v * half if c & 1 else v + unit
            case "nested":
                out[index] = v if not c & 1 else unit if c < 2 else half
            case "trip counts" | "while":
                for _ in range(c):
                    v = v * half + unit
                out[index] = v
            case _:
                for k in range(c):
                    for _ in range(k, c, 2):
                        v = v + unit
                    v = v * half if k & 1 else v
                out[index] = v
    return out


def arrays(size: int) -> tuple[NDArray[Any], ...]:
    rng = np.random.default_rng(size)
    x = rng.standard_normal(size).astype(np.float32)
    counts = rng.integers(0, 7, size).astype(np.int32)
    return x, counts, np.full(size, np.nan, np.float32)


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("level", levels())
def test_at_every_tile_level(name: str, level: str):
    text = kernel(BODIES[name])
    for size in SIZES[1:4] if level == "croq" else SIZES[3:4]:
        x, counts, y = arrays(size)
        report = run_at(text, level, x, counts, y)
        assert not report.faults, told(report)
        np.testing.assert_array_equal(y, reference(name, x, counts))


@lru_cache
def lowered(name: str, level: str, predicated: bool) -> tuple[Loaded, str]:
    """A kernel at hardware level, or as PTX text."""
    without = () if predicated else ("predicate-branches",)
    lowering = PartialLowering(source_of(kernel(BODIES[name])), without)
    if level == "nvvm":
        lowering.run(until="nvvm")
        return load_module(lowering.module, level), str(lowering.module)
    lowering.run()
    _, plan = lowering.launch()
    text = lowering.ptx()
    return Loaded(executable(text, plan), plan, level), text


@pytest.mark.parametrize("predicated", [False, True], ids=["branches", "predicated"])
@pytest.mark.parametrize("level", ["nvvm", "ptx"])
@pytest.mark.parametrize("name", BODIES)
def test_at_hardware_levels(name: str, level: str, predicated: bool):
    loaded, _ = lowered(name, level, predicated)
    for size in SIZES:
        x, counts, y = arrays(size)
        report = run_loaded(loaded, (x, counts, y), Options())
        assert not report.faults, told(report)
        np.testing.assert_array_equal(y, reference(name, x, counts))


@pytest.mark.parametrize("name", ["short sides", "loads and stores", "nested"])
def test_predication_takes_the_inner_branches_away(name: str):
    jumps = [lowered(name, "ptx", each)[1].count("bra ") for each in (False, True)]
    assert jumps[0] > jumps[1]
    # What is left is the test of the edge, which holds more than a few instructions.
    assert jumps[1] <= 1


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@pytest.mark.parametrize("name", BODIES)
def test_assembled(name: str):
    result = assemble(lowered(name, "ptx", True)[1], "sm_90a")
    assert result.warnings == ()
    assert result.spill_bytes == 0
