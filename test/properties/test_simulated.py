"""
The simulator says of random programs what exhaustive exploration says.

A run is one schedule, and still finds what is wrong in any: that is the claim tested
here, under every policy. A fixed sample runs by default; `CROQ_PROPERTY_EXAMPLES=1000`
takes that many new random programs.
"""

from __future__ import annotations

import numpy as np
import pytest

from croqtile_mlir import simulator
from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.simulator.loading import Loaded
from properties.agreement import STATES, grid, sample
from properties.kernels import model_of, with_arrivals_of, without_arrivals
from properties.oracle import TooLarge, explore
from properties.patterns import programs
from properties.programs import Program
from properties.to_croq import UNIT, to_croq

POLICIES = ("rr", "late", "early", "random:1")


def _faults(kernel: Loaded, counts: dict[str, int], policy: str) -> list[str]:
    """What a run reports."""
    random = np.random.default_rng(counts["n"])
    shape = UNIT * counts["n"], UNIT * max(1, counts["t"])
    report = simulator.run(
        kernel,
        np.zeros(shape, np.float16),
        random.random((64, 16)).astype(np.float16),
        options=simulator.Options(policy),
    )
    return [f"{fault.kind}: {fault.message}" for fault in report.faults]


@pytest.mark.parametrize("policy", POLICIES)
def test_runs(policy: str) -> None:
    """Programs of at most three roles and three steps; two counts of each."""
    seen = {True: 0, False: 0}

    def check(program: Program) -> None:
        found = model_of(program)
        if found is None:
            return
        program = with_arrivals_of(program, found)
        try:
            kernel = simulator.load(to_croq(program), level="croq")
        except CompileError as error:
            if not without_arrivals(error):
                raise
            return
        for counts in grid(program, 3):
            try:
                fault = explore(program, counts, STATES)
            except TooLarge:
                return
            if counts["t"] == 0 and "t" in program.counts:
                continue
            faults = _faults(kernel, counts, policy)
            if fault is None:
                assert not faults, f"at {counts} nothing is wrong, but {faults}"
            else:
                assert faults, f"at {counts} the run is clean, but {fault}"
            seen[fault is None] += 1
            if fault is not None:
                return

    sample(programs(roles=3, arrivals=False), 100, check)
    assert min(seen.values()) > 20
