"""Roles, events and rings for targets before Hopper: values, proofs, assembled text."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from support.ampere_kernels import COLS, RINGS, ROWS, Ring, arrays
from support.tile_runs import kinds, levels, run_at, told

import croqtile_mlir as croq
from croqtile_mlir.analysis.sync.execution.decision import decide
from croqtile_mlir.analysis.sync.hardware.kernel import programs
from croqtile_mlir.analysis.sync.model import Program
from croqtile_mlir.analysis.sync.verdicts import Proved, Refuted, Rule, Verdict
from croqtile_mlir.compiler import source_of
from croqtile_mlir.context import new_context
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.pipeline import Lowering
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.loading import Loaded, load_module
from croqtile_mlir.simulator.simulate import Options, run, run_loaded
from croqtile_mlir.targets.architecture import ARCHITECTURES
from pipeline.lowering import instructions, printed

POLICIES = ("rr", "late", "early", "random:5")
AMPERE = ("sm_80", "sm_86", "sm_89")


@cache
def hardware(text: str) -> str:
    """The hardware-level IR of a kernel, not verified before."""
    lowering = Lowering(source_of(text), verify_sync=False)
    lowering.run(until="nvvm")
    return printed(lowering.module)


def verdicts(text: str) -> list[Verdict]:
    """What the verifier says of hardware-level IR."""
    module = parse_text(new_context(), text, "ring.mlir")
    return [
        decide(model) if isinstance(model, Program) else model
        for model in programs(module)
    ]


@cache
def loaded(text: str) -> Loaded:
    """Hardware-level IR, ready to run."""
    return load_module(parse_text(new_context(), text, "ring.mlir"), "nvvm")


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@pytest.mark.parametrize("target", ARCHITECTURES)
@pytest.mark.parametrize("ring", RINGS, ids=str)
def test_assembled(ring: Ring, target: str):
    """By what the target has; text for the first one is for those after it, too."""
    ptx = croq.compile(ring.text(target)).ptx
    result = assemble(ptx, target)
    assert result.warnings == ()
    assert result.spill_bytes == 0
    counts = instructions(ptx)
    older = target in AMPERE
    for name, is_older in (
        ("mbarrier.test_wait.parity.shared.b64", True),
        ("nanosleep.u32", True),
        ("mbarrier.try_wait.parity.shared.b64", False),
        ("elect.sync", False),
        ("fence.mbarrier_init.release.cluster", False),
    ):
        assert bool(counts[name]) == (is_older == older), name
    assert ("%laneid" in ptx) == older
    assert ("setmaxnreg" in ptx) == (not older and ring.budgets is not None)
    if target == "sm_80":
        for later in ("sm_86", "sm_89", "sm_90"):
            assert assemble(ptx, later).warnings == ()


@pytest.mark.parametrize("ring", RINGS, ids=str)
def test_proved(ring: Ring):
    found = verdicts(hardware(ring.text("sm_80")))
    assert found
    assert all(isinstance(verdict, Proved) for verdict in found), found


@pytest.mark.parametrize("level", ["nvvm", "ptx"])
@pytest.mark.parametrize("ring", RINGS, ids=str)
def test_values(ring: Ring, level: str):
    """No step, fewer and more than there are stages; whole tiles and parts of them."""
    stages = ring.stages
    steps = sorted({0, 1, max(stages - 1, 0), stages, stages + 1, 2 * stages + 1})
    for number, count in enumerate(steps):
        cols = max(count * COLS - 5 * (number % 3), 0)
        values, sums = arrays(ROWS + 3, cols)
        options = Options(POLICIES[number % len(POLICIES)])
        report = run(ring.text("sm_80"), values, sums, level=level, options=options)
        assert not report.faults, told(report)
        expected = values.astype(float).sum(1)
        np.testing.assert_allclose(sums, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("level", levels())
def test_values_between_passes(level: str):
    values, sums = arrays(ROWS + 1, 4 * COLS - 3)
    report = run_at(RINGS[0].text("sm_86"), level, values, sums, policy="late")
    assert not report.faults, told(report)
    expected = values.astype(float).sum(1)
    np.testing.assert_allclose(sums, expected, rtol=1e-5, atol=1e-5)


# What is wrong is found in the program and in its runs.

_WAIT_FULL = "        croq.wait %full at %k\n"
_WAIT_EMPTY = "        croq.wait %empty at %k\n"
WRONG = [
    (_WAIT_FULL, Rule.READ_BEFORE_WRITE, FaultKind.RACE),
    (_WAIT_EMPTY, Rule.OVERWRITE, FaultKind.RACE),
]


@cache
def reported(text: str) -> set[FaultKind]:
    """What the simulator finds in hardware-level IR, under any policy."""
    found: set[FaultKind] = set()
    for policy in POLICIES:
        values, sums = arrays(ROWS, 7 * COLS)
        found |= kinds(run_loaded(loaded(text), (values, sums), Options(policy)))
    return found


@pytest.mark.parametrize(("line", "rule", "fault"), WRONG)
def test_a_line_left_out(line: str, rule: Rule, fault: FaultKind):
    text = RINGS[0].text("sm_80")
    assert text.count(line) == 1
    wrong = hardware(text.replace(line, ""))
    found = [v.rule for v in verdicts(wrong) if isinstance(v, Refuted)]
    assert found == [rule]
    assert fault in reported(wrong), reported(wrong)


def test_one_arrival_too_few():
    text = hardware(RINGS[0].text("sm_80"))
    more = "%more = arith.constant 3 : i32\nnvvm.mbarrier.init %empty, %more"
    wrong, count = re.subn(r"nvvm.mbarrier.init %empty, %\w+", more, text)
    assert count == 1
    found = [v.rule for v in verdicts(wrong) if isinstance(v, Refuted)]
    assert found == [Rule.ARRIVAL_COUNT]
    assert FaultKind.DEADLOCK in reported(wrong), reported(wrong)
