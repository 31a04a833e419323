"""PTX text whose threads wait for ever: a deadlock that names its lines."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from croqtile_mlir.compiler import source_of
from croqtile_mlir.simulator import Options, Report, run
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.loading import Loaded, load_source

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MATMUL = (EXAMPLES / "matmul_1p1c.mlir").read_text()


@lru_cache(maxsize=8)
def loaded(text: str) -> Loaded:
    return load_source(source_of(text), "ptx")


def deadlock(report: Report) -> list[str]:
    """What is said of each block."""
    (fault,) = report.faults
    assert fault.kind is FaultKind.DEADLOCK
    return [text for _, text in fault.notes]


@pytest.mark.parametrize("policy", ["rr", "random:1"])
def test_an_mbarrier_that_nobody_completes(policy: str) -> None:
    """The producer fills all slots, and waits for one to be released."""
    text = MATMUL.replace("croq.trigger %empty at %k + S", "// ")
    rng = np.random.default_rng(0)
    a = rng.standard_normal((64, 320)).astype("f2")
    b = rng.standard_normal((64, 320)).astype("f2")
    out = np.zeros((64, 64), "f2")
    report = run(loaded(text), a, b, out, options=Options(policy))
    (said,) = deadlock(report)
    waits = re.findall(
        r"PTX line \d+: mbarrier\.try_wait\.parity\.shared\.b64 \(the mbarrier at "
        r"\d+ misses (\d+) arrivals and 0 bytes in phase (\d)\)",
        said,
    )
    # The producer at the ring of releases, the consumer at that of loads.
    assert sorted(waits) == [("1", "1"), ("4", "1")]


def test_enough_slots_need_no_release() -> None:
    text = MATMUL.replace("croq.trigger %empty at %k + S", "// ")
    rng = np.random.default_rng(0)
    a = rng.standard_normal((64, 192)).astype("f2")
    b = rng.standard_normal((64, 192)).astype("f2")
    out = np.zeros((64, 64), "f2")
    assert not run(loaded(text), a, b, out).faults
    expected = a.astype("f4") @ b.astype("f4").T
    np.testing.assert_allclose(out, expected, rtol=1e-2, atol=1e-1)


FLAGS = """
croq.kernel @flags dims(B) (
    %x: !croq.tile<[B]xi32, global>, %y: !croq.tile<[B]xi32, global>,
    %flag: !croq.tile<[B]xi32, global>, %count: !croq.tile<1xi32, global>) {
  %blocks = croq.dim B
  croq.parallel (%b) in (%blocks) : block threads 64 {
    croq.barrier grid count %count : !croq.tile<1xi32, global>
    croq.parallel (%t) in (1) : thread {
      %one = arith.constant 1 : i32
      %next = arith.constant 1 : index
      %v = croq.load %x[%b]
      SIGNAL
      %after = arith.addi %b, %next : index
      %peer = arith.remui %after, %blocks : index
      scf.while () : () -> () {
        %seen = croq.load %flag[%peer] order(acquire) scope(gpu)
        %waits = arith.cmpi ne, %seen, %one : i32
        scf.condition(%waits)
      } do {
        scf.yield
      }
      croq.store %v, %y[%b]
      LATER
    }
  }
}
"""
SIGNAL = "croq.store %one, %flag[%b] order(release) scope(gpu)"


@pytest.mark.parametrize("policy", ["rr", "random:1", "random:2"])
def test_flags_in_global_memory(policy: str) -> None:
    x = np.random.default_rng(3).integers(-99, 99, 5, np.int32)
    y, flag, count = np.zeros(5, "i4"), np.zeros(5, "i4"), np.zeros(1, "i4")
    kernel = loaded(FLAGS.replace("SIGNAL", SIGNAL).replace("LATER", ""))
    report = run(kernel, x, y, flag, count, options=Options(policy))
    assert not report.faults
    assert (y == x).all()


@pytest.mark.parametrize("policy", ["rr", "random:1"])
def test_flags_that_come_too_late(policy: str) -> None:
    """Each block waits for its neighbour before it signals."""
    x = np.random.default_rng(3).integers(-99, 99, 3, np.int32)
    y, flag, count = np.zeros(3, "i4"), np.zeros(3, "i4"), np.zeros(1, "i4")
    kernel = loaded(FLAGS.replace("SIGNAL", "").replace("LATER", SIGNAL))
    report = run(kernel, x, y, flag, count, options=Options(policy))
    said = deadlock(report)
    assert len(said) == 3
    for block, text in enumerate(said):
        assert f"of block {block}, 0, 0 tests in vain at PTX line" in text
        assert "ld.acquire.gpu.global.b32" in text


def test_a_flag_of_a_block_that_has_ended_in_time() -> None:
    """Only one block signals: all but the one that waits for it are stuck."""
    x = np.random.default_rng(3).integers(-99, 99, 3, np.int32)
    y, flag, count = np.zeros(3, "i4"), np.array([1, 0, 0], "i4"), np.zeros(1, "i4")
    kernel = loaded(FLAGS.replace("SIGNAL", "").replace("LATER", ""))
    report = run(kernel, x, y, flag, count)
    assert len(deadlock(report)) == 2
    assert y.tolist() == [0, 0, x[2]]


NAMED = """
croq.kernel @named dims(N) (
    %x: !croq.tile<[N]x32xi32, global>, %y: !croq.tile<[N]x32xi32, global>) {
  croq.parallel (%b) in (1) : block {
    croq.role "writer" warps [0, 1) {
      croq.foreach %i in N {
        croq.barrier_wait "turn" threads 64
      }
    }
    croq.role "reader" warps [1, 2) {
      croq.foreach %i in 2 {
        croq.barrier_wait "turn" threads 64
      }
    }
    croq.parallel (%t) in (32) : thread {
      croq.foreach %i in N {
        %v = croq.load %x[%i, %t]
        croq.store %v, %y[%i, %t]
      }
    }
  }
}
"""


@pytest.mark.parametrize("n", [1, 2, 3])
def test_named_barriers(n: int) -> None:
    x = np.random.default_rng(n).integers(-99, 99, (n, 32), np.int32)
    y = np.zeros_like(x)
    report = run(loaded(NAMED), x, y)
    if n == 2:
        assert not report.faults
        assert (y == x).all()
        return
    (said,) = deadlock(report)
    assert re.search(r"has 32 threads that wait for ever at PTX lines \d+$", said)
