"""Elementary functions (`math`) at tile level, hardware level and in PTX text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from pipeline.lowering import TARGET, lower

from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.simulate import simulate

LEVELS = ("croq", "nvvm", "ptx")
COUNT = 64

DTYPES: dict[str, tuple[Any, float]] = {
    "f32": (np.float32, 2e-6),
    "f16": (np.float16, 6e-4),
    "bf16": (ml_dtypes.bfloat16, 5e-3),
}
"""The numpy type, and how much of the result the rounding to it may be off."""

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "absf": np.abs,
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sqrt": np.sqrt,
    "tanh": np.tanh,
}
OF_POSITIVE = ("log", "log2", "rsqrt", "sqrt")


def kernel(body: str, dtype: str) -> str:
    """A kernel that computes `%v` of `%x` in each thread."""
    return f"""
croq.kernel @k (%in: !croq.tile<{COUNT}x{dtype}, global>,
    %out: !croq.tile<{COUNT}x{dtype}, global>) {{
  croq.parallel (%b) in (1) : block threads {COUNT} {{
    croq.parallel (%t) in ({COUNT}) : thread {{
      %x = croq.load %in[%t]
      {body}
      croq.store %v, %out[%t]
    }}
  }}
}}
"""


def values(dtype: Any, *, positive: bool) -> Any:
    drawn = np.random.default_rng(8).standard_normal(COUNT) * 3
    return (np.abs(drawn) + 0.01 if positive else drawn).astype(dtype)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_function(function: str, dtype: str, level: str) -> None:
    kind, error = DTYPES[dtype]
    x = values(kind, positive=function in OF_POSITIVE)
    out = np.full(COUNT, np.nan, kind)
    simulate(kernel(f"%v = math.{function} %x : {dtype}", dtype), x, out, level=level)
    expected = FUNCTIONS[function](x.astype(np.float64))
    np.testing.assert_allclose(
        out.astype(np.float64), expected, rtol=error, atol=error / 2
    )
    # That the tolerance tells one function from another.
    others = [f(np.abs(x.astype(np.float64))) for f in FUNCTIONS.values()]
    found = out.astype(np.float64)
    assert sum(np.allclose(found, each, rtol=error, atol=error) for each in others) <= 1


@pytest.mark.parametrize("level", LEVELS)
def test_special_values(level: str) -> None:
    x = np.zeros(COUNT, np.float32)
    x[:8] = [np.inf, -np.inf, 0.0, -0.0, 88.0, -88.0, 200.0, -200.0]
    out = np.full(COUNT, np.nan, np.float32)
    simulate(kernel("%v = math.tanh %x : f32", "f32"), x, out, level=level)
    np.testing.assert_allclose(out, np.tanh(x.astype(np.float64)), atol=1e-7)
    simulate(kernel("%v = math.exp %x : f32", "f32"), x, out, level=level)
    with np.errstate(over="ignore"):
        expected = np.exp(x.astype(np.float64)).astype(np.float32)
    np.testing.assert_allclose(out, expected, rtol=2e-5)


FAST: dict[str, tuple[Callable[[Any], Any], str]] = {
    "%v = math.tanh %x fastmath<afn> : f32": (np.tanh, "tanh.approx.f32"),
    "%c = arith.constant 3.0 : f32\n%v = arith.divf %c, %x fastmath<arcp> : f32": (
        lambda x: 3 / x,
        "div.full.f32",
    ),
    "%c = arith.constant 3.0 : f32\n%v = math.fma %x, %c, %x : f32": (
        lambda x: 4 * x,
        "fma.rn.f32",
    ),
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("body", FAST)
def test_fast_forms(body: str, level: str) -> None:
    function, instruction = FAST[body]
    x = values(np.float32, positive=False)
    out = np.full(COUNT, np.nan, np.float32)
    simulate(kernel(body, "f32"), x, out, level=level)
    np.testing.assert_allclose(out, function(x.astype(np.float64)), rtol=1e-6)
    assert instruction in lower(kernel(body, "f32"))


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_assembles(function: str, dtype: str) -> None:
    text = lower(kernel(f"%v = math.{function} %x : {dtype}", dtype))
    result = assemble(text, TARGET)
    assert result.warnings == ()
    assert result.stack_bytes == result.spill_bytes == 0


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("predicate", ["olt", "ult", "une", "ord", "uno"])
def test_comparisons_of_what_is_no_number(predicate: str, level: str) -> None:
    x = values(np.float32, positive=False)
    x[::5] = np.nan
    one = np.float32(1)
    body = f"""%one = arith.constant 1.0 : f32
      %zero = arith.constant 0.0 : f32
      %p = arith.cmpf {predicate}, %x, %one : f32
      %m = arith.maxnumf %x, %one : f32
      %v = arith.select %p, %m, %zero : f32"""
    out = np.full(COUNT, np.nan, np.float32)
    simulate(kernel(body, "f32"), x, out, level=level)
    nan = np.isnan(x)
    holds = {
        "olt": x < one,
        "ult": (x < one) | nan,
        "une": (x != one) | nan,
        "ord": ~nan,
        "uno": nan,
    }[predicate]
    np.testing.assert_array_equal(out, np.where(holds, np.fmax(x, one), 0))
