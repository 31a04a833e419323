"""Rings of buffers at tile level, by every engine and form of position."""

from __future__ import annotations

import numpy as np
import pytest
from support.tile_runs import kinds, levels, run_at, told

from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.simulate import Report

RING = """
croq.kernel @ring dims(M) params(S = 3) (
    %x: !croq.tile<[M]x64xf32, global>, %y: !croq.tile<[M]x64xf32, global>) {
  %n = croq.cdiv M, 8
  croq.parallel (%b) in (1) : block {
    %full = croq.event : !croq.event<[S]>
    %empty = croq.event READY : !croq.event<[S]>
    %ring = croq.alloc : !croq.tile<[S]x8x64xf32, shared>
    croq.role "load" warps [0, 1) {
      croq.foreach %k in %n {
        croq.wait %empty WAIT
        %from = croq.subspan %x [8, 64] tile (%k, 0)
        %s = croq.slot %ring at %k
        %f = croq.copy_async %from => %s engine(IN)
        croq.trigger %full FULL after %f
      }
    }
    croq.role "store" warps [1, 3) {
      CREDITS
      croq.foreach %k in %n {
        croq.wait %full FULL
        %to = croq.subspan %y [8, 64] tile (%k, 0)
        %s = croq.slot %ring at %k
        croq.copy %s => %to engine(OUT)
        croq.trigger %empty RELEASE
      }
    }
  }
}
"""
CREDITS = "croq.foreach %s in S { croq.trigger %empty at %s }"
SLOT = """%three = arith.constant 3 : index
        %slot = arith.remui %k, %three : index
        croq.wait"""


def ring(into: str, out: str, form: str) -> str:
    ready = form != "credits"
    position = "[%slot]" if form == "slots" else "at %k"
    text = RING.replace("READY", "ready" if ready else "")
    text = text.replace("CREDITS", "" if ready else CREDITS)
    text = text.replace("RELEASE", position if ready else "at %k + S")
    text = text.replace("WAIT", position).replace("FULL", position)
    text = text.replace("IN)", f"{into})").replace("OUT)", f"{out})")
    return text.replace("croq.wait", SLOT) if form == "slots" else text


def run_ring(text: str, level: str, policy: str, rows: int) -> tuple[Report, bool]:
    rng = np.random.default_rng(rows)
    source = rng.standard_normal((rows, 64)).astype(np.float32)
    target = np.full_like(source, np.nan)
    report = run_at(text, level, source, target, policy=policy)
    return report, bool((source == target).all())


@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize("form", ["ready", "credits", "slots"])
@pytest.mark.parametrize("into", ["tma", "threads", "auto"])
@pytest.mark.parametrize("out", ["tma", "threads"])
def test_ring(into: str, out: str, form: str, level: str) -> None:
    text = ring(into, out, form)
    for policy in ("late", "random:4"):
        report, same = run_ring(text, level, policy, 59)
        assert not report.faults, told(report)
        assert same


@pytest.mark.parametrize("rows", [8, 16, 24, 32, 56])
@pytest.mark.parametrize("form", ["ready", "credits", "slots"])
def test_trip_counts(form: str, rows: int) -> None:
    for level in ("croq", "insert-barriers", "lower-views"):
        report, same = run_ring(ring("tma", "threads", form), level, "early", rows)
        assert not report.faults, told(report)
        assert same


@pytest.mark.parametrize("into", ["tma", "threads"])
@pytest.mark.parametrize("event", ["%empty", "%full"])
@pytest.mark.parametrize("level", ["croq", "unroll-loops", "lower-views"])
def test_missing_wait(event: str, into: str, level: str) -> None:
    text, old = ring(into, "threads", "ready"), f"croq.wait {event} at %k\n"
    assert text.count(old) == 1
    for policy in ("rr", "late", "early", "random:1"):
        report, _ = run_ring(text.replace(old, ""), level, policy, 59)
        # A reader that comes late learns of a later generation: no race, but overrun.
        assert kinds(report) & {FaultKind.RACE, FaultKind.PHASE_OVERRUN}, told(report)


def test_a_wait_that_skips_a_generation() -> None:
    """Hardware would take the parity of the generation two before for it."""
    text = ring("tma", "threads", "ready")
    text = text.replace("croq.wait %full at %k", "croq.wait %full at %k + 3")
    for policy in ("rr", "late", "early", "random:1"):
        report, _ = run_ring(text, "croq", policy, 59)
        assert FaultKind.PHASE_OVERRUN in kinds(report), told(report)
        assert "the parity of phase -1 is the same" in told(report)
