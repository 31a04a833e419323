"""Scalar arguments of every type arrive as the bits that they are, at every level."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from croqtile_mlir.simulator.simulate import Options, run

STORED = """
croq.kernel @stored (%o: !croq.tile<32xTYPE, global>, %v: TYPE) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (32) : thread {
      croq.store %v, %o[%t]
    }
  }
}
"""
CHOSEN = """
croq.kernel @chosen (%o: !croq.tile<32xi32, global>, %c: i1) {
  croq.parallel (%b) in (1) : block {
    croq.parallel (%t) in (32) : thread {
      %x = arith.constant 5 : i32
      %y = arith.constant -7 : i32
      %z = arith.select %c, %x, %y : i32
      croq.store %z, %o[%t]
    }
  }
}
"""
NUMBERS: dict[str, tuple[Any, Any]] = {
    "f16": (np.float16, 0.7),
    "bf16": (ml_dtypes.bfloat16, -0.7),
    "f32": (np.float32, -0.7),
    "f64": (np.float64, 0.7),
    "i8": (np.int8, -3),
    "i16": (np.int16, -300),
    "i32": (np.int32, -(2**31)),
    "i64": (np.int64, -(2**40) - 3),
}
LEVELS = ("croq", "nvvm", "ptx")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers(kind: str, level: str) -> None:
    dtype, number = NUMBERS[kind]
    out = np.ones(32, dtype)
    text = STORED.replace("TYPE", kind)
    run(text, out, dtype(number), level=level, options=Options("rr")).check()
    bits = f"u{out.dtype.itemsize}"
    np.testing.assert_array_equal(
        out.view(bits), np.full(32, number).astype(dtype).view(bits)
    )


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("condition", [True, False])
def test_conditions(condition: bool, level: str) -> None:
    out = np.zeros(32, np.int32)
    run(CHOSEN, out, condition, level=level, options=Options("rr")).check()
    np.testing.assert_array_equal(out, 5 if condition else -7)
