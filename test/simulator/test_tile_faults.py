"""Bugs planted in kernels of tile level: reported, of the right kind, every time."""

from __future__ import annotations

import numpy as np
import pytest
from support.covering import in_turn
from support.tile_runs import example, kinds, told

from croqtile_mlir.diagnostics import Severity
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.simulate import Options, Report, run

POLICIES = ("rr", "late", "early", "random:1", "random:7")
MATMUL = example("matmul_1p1c")

CREDITS = """      croq.foreach %s in S {
        croq.trigger %empty at %s
      }
"""
WAIT_EMPTY = "        croq.wait %empty at %k\n"
WAIT_FULL = "        croq.wait %full at %k\n"
WAIT_MMA = "        %c3 = croq.mma.wait %c2 in_flight 0\n"
RELEASE = "        croq.trigger %empty at %k + S\n"
FULL = "croq.trigger %full at %k after"
SLOTS = """        %as = croq.slot %a_s at %k
        %bs = croq.slot %b_s at %k
        %c1"""
STORE = "      croq.copy %o_s => %o engine(tma)\n"

Changes = tuple[tuple[str, str], ...]

PLANTED: dict[str, tuple[Changes, FaultKind]] = {
    "no credits": (((CREDITS, ""),), FaultKind.DEADLOCK),
    "no wait for empty": (((WAIT_EMPTY, ""),), FaultKind.RACE),
    "no wait for full": (((WAIT_FULL, ""),), FaultKind.RACE),
    "release before the products are done": (
        ((WAIT_MMA, ""), (RELEASE, RELEASE + WAIT_MMA)),
        FaultKind.RACE,
    ),
    "release before the wait for full": (
        ((RELEASE, ""), (WAIT_FULL, RELEASE + WAIT_FULL)),
        FaultKind.RACE,
    ),
    "releases that count with the credits": (
        ((RELEASE, RELEASE.replace(" + S", "")),),
        FaultKind.DEADLOCK,
    ),
    "releases a ring ahead": (
        ((RELEASE, RELEASE.replace("+ S", "+ 8")),),
        FaultKind.AMBIGUOUS_ARRIVAL,
    ),
    "full one order ahead": (
        ((FULL, FULL.replace("%k", "%k + 1")),),
        FaultKind.DEADLOCK,
    ),
    "full one ring ahead": (
        ((FULL, FULL.replace("%k", "%k + S")),),
        FaultKind.AMBIGUOUS_ARRIVAL,
    ),
    "full at the first slot": (
        ((FULL, FULL.replace("%k", "0")),),
        FaultKind.PHASE_OVERRUN,
    ),
    "an accumulator in flight": (
        ((WAIT_MMA, ""), ("%c3 : !croq.acc", "%c2 : !croq.acc")),
        FaultKind.ACCUMULATOR,
    ),
    "the next slot": (
        ((SLOTS, SLOTS.replace("%a_s at %k", "%a_s at %k + 1")),),
        FaultKind.RACE,
    ),
    "no step between the slots of a wait": (
        ((WAIT_FULL, WAIT_FULL.replace("%k", "0")),),
        FaultKind.RACE,
    ),
    "a store that nobody waits for": (
        ((STORE, STORE.replace("croq.copy", "%f = croq.copy_async")),),
        FaultKind.UNFINISHED,
    ),
}


def planted(changes: Changes) -> str:
    text = MATMUL
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def run_matmul(text: str, policy: str) -> Report:
    rng = np.random.default_rng(3)
    lhs = rng.standard_normal((128, 64 * 9)).astype(np.float16)
    rhs = rng.standard_normal((128, 64 * 9)).astype(np.float16)
    out = np.zeros((128, 128), np.float16)
    return run(text, lhs, rhs, out, level="croq", options=Options(policy))


@pytest.mark.parametrize("policy", POLICIES)
def test_the_kernel_without_bugs(policy: str) -> None:
    report = run_matmul(MATMUL, policy)
    assert not report.faults, told(report)


@pytest.mark.parametrize(("name", "policy"), in_turn(list(PLANTED), POLICIES, each=2))
def test_planted_bug(name: str, policy: str) -> None:
    changes, kind = PLANTED[name]
    report = run_matmul(planted(changes), policy)
    assert kind in kinds(report), told(report)
    for fault in report.faults:
        diagnostic = fault.diagnostic()
        assert diagnostic.severity is Severity.Error
        assert diagnostic.location.is_known


ELEMENT = """
croq.kernel @element (%in: !croq.tile<3xf32, global>, %out: !croq.tile<4xf32, global>) {
  croq.parallel (%c) in (2) : cluster {
    croq.parallel (%i) in (2) : block threads 32 {
      %two = arith.constant 2 : index
      %first = arith.muli %c, %two : index
      %m = arith.addi %first, %i : index
      <body>
    }
  }
}
"""

ACCESSES = {
    "by all threads": """
      %x = croq.load %in[%m]
      croq.store %x, %out[%m]""",
    "by some threads": """
      %thread = croq.thread_id
      %few = arith.cmpi ult, %thread, %two : index
      scf.if %few {
        %x = croq.load %in[%m]
        croq.store %x, %out[%m]
      }""",
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("body", ACCESSES)
def test_element_of_a_block_beyond_the_end(body: str, policy: str) -> None:
    """The last block of the last cluster reads the fourth of three elements."""
    text = ELEMENT.replace("      <body>", ACCESSES[body])
    values = np.random.default_rng(5).standard_normal(3).astype(np.float32)
    out = np.zeros(4, np.float32)
    report = run(text, values, out, level="croq", options=Options(policy))
    assert kinds(report) == {FaultKind.OUT_OF_BOUNDS}, told(report)
    (fault,) = report.faults
    assert "'croq.load' op out of bounds in block 3, 0, 0" in str(fault.diagnostic())
    assert "uses elements [3, 4) of dim 0 of in, which has 3" in told(report)
    np.testing.assert_array_equal(out[:3], values)
