"""Arithmetic on elements of every type at every level, and in PTX."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pipeline.lowering import TARGET, lower
from support.tile_runs import told

from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.simulate import Options, run

KERNEL = """
croq.kernel @elements dims(N) (%x: !croq.tile<[N]xTYPE, global>,
    %y: !croq.tile<[N]xTYPE, global>) {
  %n = croq.cdiv N, 64
  croq.parallel (%b) in (%n) : block threads 64 {
    %a = croq.alloc : !croq.tile<64xTYPE, shared>
    %s = croq.subspan %x [64] tile (%b)
    %o = croq.subspan %y [64] tile (%b)
    croq.copy %s => %a
    croq.parallel (%t) in (64) : thread {
      %v = croq.load %a[%t]
      %three = arith.constant THREE : TYPE
      %p = arith.mulOP %v, %three : TYPE
      %q = arith.subOP %p, %three : TYPE
      %less = arith.cmpOP LESS, %q, %v : TYPE
      %w = arith.select %less, %q, %p : TYPE
      croq.store %w, %a[%t]
    }
    croq.copy %a => %o
  }
}
"""
TYPES: dict[str, Any] = {
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
}


def kernel(kind: str) -> str:
    """The kernel for elements of a type."""
    floating = kind.startswith("f")
    text = KERNEL.replace("THREE", "3.0" if floating else "3")
    text = text.replace("LESS", "olt" if floating else "slt")
    return text.replace("OP", "f" if floating else "i").replace("TYPE", kind)


@pytest.mark.parametrize("level", ["croq", "nvvm", "ptx"])
@pytest.mark.parametrize("kind", TYPES)
def test_arithmetic(kind: str, level: str) -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(-128, 128, 100).astype(TYPES[kind])
    y = np.zeros_like(x)
    report = run(kernel(kind), x, y, level=level, options=Options("rr"))
    assert not report.faults, told(report)
    three: Any = TYPES[kind](3)
    with np.errstate(over="ignore"):
        p: Any = x * three
        q: Any = p - three
    choose: Any = np.where
    expected: Any = choose(q < x, q, p)
    np.testing.assert_array_equal(y, expected)


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@pytest.mark.parametrize("kind", TYPES)
def test_assembles(kind: str) -> None:
    assert assemble(lower(kernel(kind)), TARGET).warnings == ()
