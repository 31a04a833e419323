"""Assertions: what launches refuse, and what ends a run, at every level."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import croqtile_mlir
from croqtile_mlir import ArgumentError, CompileError
from croqtile_mlir.analysis.sync.verdicts import Proved
from croqtile_mlir.compiler import source_of
from croqtile_mlir.kernel import Kernel
from croqtile_mlir.passes.verify_sync import verdicts
from croqtile_mlir.pipeline import Lowering
from croqtile_mlir.simulator.faults import FaultKind, SimulationError

LEVELS = ["croq", "nvvm", "ptx"]
TEXT = """
__co__ auto f(f32 [M, K] x, f32 [N, K] w, int n) {
  assert((M >= 4 && K % 3 != 1) || M == N, "shape");
  assert(N - 2 * M <= cdiv(K, 4), "not too many");
  assert(n > 0, "positive");
  f32 [M, 32] y;
  parallel b by M : block, t by 32 : thread {
    foreach i in [K] {
      assert(x.at(b, i) > 0.0f || t > 3, "above zero");
      assert(n * i < 70, "small");
    }
    y.at(b, t) = x.at(b, 0) + w.at(0, 0);
  }
  return y;
}
"""


@cache
def kernel() -> Kernel:
    return croqtile_mlir.compile(TEXT)


def run(m: int, k: int, n: int, level: str, scale: int = 2, bad: float = 1) -> None:
    rng = np.random.default_rng(m + 10 * k)
    x, w = (rng.uniform(0.5, 1, (each, k)).astype("f4") for each in (m, n))
    x[m - 1, k - 1] *= bad
    y = kernel().simulate(x, w, scale, level=level)
    np.testing.assert_array_equal(y, np.repeat(x[:, :1] + w[0, 0], 32, 1))


@pytest.mark.parametrize("level", LEVELS)
def test_rules_that_hold(level: str) -> None:
    for m, k, n in ((4, 6, 1), (1, 4, 1), (5, 5, 12), (3, 7, 3)):
        run(m, k, n, level)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("m", "k", "n", "found"),
    [
        (3, 6, 1, r"M >= 4 or M == N must hold \(shape\), got M = 3, N = 1"),
        (4, 7, 1, r"K % 3 != 1 or M == N must hold \(shape\), got M = 4, K = 7, N = 1"),
        (4, 5, 11, r"N - M \* 2 <= cdiv\(K, 4\) must hold \(not too many\)"),
    ],
)
def test_broken_rules(m: int, k: int, n: int, found: str, level: str) -> None:
    with pytest.raises(ArgumentError, match=found):
        run(m, k, n, level)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("scale", "bad", "message"), [(0, 1, "positive"), (2, -1, "zero"), (40, 1, "small")]
)
def test_what_threads_check(scale: int, bad: float, message: str, level: str) -> None:
    with pytest.raises(SimulationError) as error:
        run(4, 6, 2, level, scale, bad)
    (fault,) = error.value.faults
    assert fault.kind is FaultKind.ASSERTION
    if level == "croq":
        assert message in fault.message


def test_dims_that_are_bound_break_a_rule() -> None:
    with pytest.raises(CompileError, match="does not hold: shape, got 3 >= 4"):
        croqtile_mlir.compile(TEXT, dims={"M": 3, "N": 1})


def test_assertions_leave_proofs_as_they_are() -> None:
    lowering = Lowering(source_of(TEXT))
    lowering.run(until="select-engines")
    (verdict,) = verdicts(lowering.module)
    assert isinstance(verdict, Proved)


DIFFERENCE = """
__co__ void f(f32 [M, K] x) {
  assert((M - K) % 3 == 1 && (M - K) / 2 >= 0, "not far below");
  parallel b by M : block, t by 32 : thread {
    x.at(b, 0) = 1.0f;
  }
}
"""


@pytest.mark.parametrize("level", LEVELS)
def test_quotients_of_differences_are_checked_by_threads(level: str) -> None:
    """What may be negative is divided toward 0: no rule of a launch."""
    built = croqtile_mlir.compile(DIFFERENCE)
    assert not built.plan.checks
    for m, k, holds in ((3, 2, True), (4, 2, False), (2, 4, False), (1, 6, False)):
        x = np.zeros((m, k), "f4")
        if holds:
            built.simulate(x, level=level)
            np.testing.assert_array_equal(x[:, 0], 1)
            continue
        with pytest.raises(SimulationError, match=r"assertion|trap"):
            built.simulate(x, level=level)
