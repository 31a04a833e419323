"""
The static verifier says of random programs what exhaustive exploration says.

Proved: nothing goes wrong for all counts that are explored. Refuted with counts:
something does at these counts, and at no smaller ones. Undecided: less than 1 %, each
with a reason.

A fixed sample runs by default. `CROQ_PROPERTY_EXAMPLES=20000 pytest test/properties`
takes that many new random programs for each test, other ones each time.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import reject

from croqtile_mlir.analysis.sync import model
from croqtile_mlir.analysis.sync.decision import decide
from croqtile_mlir.analysis.sync.from_tiles import programs as models_of
from croqtile_mlir.analysis.sync.verdicts import Proved, Undecided, Verdict
from croqtile_mlir.context import new_context
from croqtile_mlir.errors import CompileError
from croqtile_mlir.frontends.located import parse_text
from properties.agreement import Tally, check, first_fault, run
from properties.patterns import patterns, programs
from properties.pipelines import networks
from properties.programs import Program
from properties.to_croq import to_croq
from properties.to_model import to_model


def _few_undecided(tally: Tally) -> None:
    reasons = "\n".join(sorted(set(tally.undecided)))
    assert len(tally.undecided) <= tally.total // 100, reasons


def test_models() -> None:
    """Programs as models, with arrivals stated, right or wrong."""
    tally = run(programs(), 1500, lambda program: decide(to_model(program)))
    _few_undecided(tally)
    # The sample says something only if both verdicts are common in it.
    assert min(tally.proved, tally.refuted) > tally.total // 4
