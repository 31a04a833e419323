"""Bugs planted in kernels of tile level: reported, of the right kind, every time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from croqtile_mlir.diagnostics import Severity
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.simulate import Options, Report, run

POLICIES = ("rr", "late", "early", "random:1", "random:7")
EXAMPLES = Path(__file__).parents[2] / "examples"
MATMUL = (EXAMPLES / "matmul_1p1c.mlir").read_text(encoding="utf-8")


def run_matmul(text: str, policy: str, size: tuple[int, int, int]) -> Report:
    rows, cols, depth = size
    rng = np.random.default_rng(3)
    lhs = rng.standard_normal((rows, depth)).astype(np.float16)
    rhs = rng.standard_normal((cols, depth)).astype(np.float16)
    out = np.zeros((rows, cols), np.float16)
    return run(text, lhs, rhs, out, level="croq", options=Options(policy))


def replaced(*changes: tuple[str, str]) -> str:
    text = MATMUL
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


CREDITS = """      croq.foreach %s in S {
        croq.trigger %empty at %s
      }
"""
WAIT_MMA = "        %c3 = croq.mma.wait %c2 in_flight 0\n"
RELEASE = "        croq.trigger %empty at %k + S\n"

PLANTED = {
    "no credits": ([(CREDITS, "")], {FaultKind.DEADLOCK}),
    "no wait for empty": ([("        croq.wait %empty at %k\n", "")], {FaultKind.RACE}),
    "no wait for full": ([("        croq.wait %full at %k\n", "")], {FaultKind.RACE}),
    "release before the products are done": (
        [(WAIT_MMA, ""), (RELEASE, RELEASE + WAIT_MMA)],
        {FaultKind.RACE},
    ),
    "release of the wrong order": (
        [("%empty at %k + S", "%empty at %k")],
        {FaultKind.PHASE_OVERRUN},
    ),
    "full triggered one order late": (
        [("croq.trigger %full at %k after", "croq.trigger %full at %k + 1 after")],
        {FaultKind.DEADLOCK},
    ),
    "full triggered one ring late": (
        [("croq.trigger %full at %k after", "croq.trigger %full at %k + S after")],
        {FaultKind.AMBIGUOUS_ARRIVAL},
    ),
    "accumulator in flight": (
        [(WAIT_MMA, ""), ("%c3 : !croq.acc", "%c2 : !croq.acc")],
        {FaultKind.ACCUMULATOR},
    ),
    "the wrong slot": (
        [
            (
                "%as = croq.slot %a_s at %k\n        %bs = croq.slot %b_s at %k\n"
                "        %c1",
                "%as = croq.slot %a_s at %k + 1\n        %bs = croq.slot %b_s at %k\n"
                "        %c1",
            )
        ],
        {FaultKind.RACE},
    ),
    "one wait short": (
        [("croq.wait %full at %k", "croq.wait %full at %k + 1")],
        {FaultKind.DEADLOCK},
    ),
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", PLANTED)
def test_planted_bug(name: str, policy: str) -> None:
    changes, kinds = PLANTED[name]
    report = run_matmul(replaced(*changes), policy, (128, 128, 64 * 9))
    found = {fault.kind for fault in report.faults}
    assert kinds <= found
    for fault in report.faults:
        diagnostic = fault.diagnostic()
        assert diagnostic.severity is Severity.Error
        assert fault.op is None or diagnostic.location.is_known
