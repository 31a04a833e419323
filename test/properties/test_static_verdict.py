"""
The static verifier says of random programs what exhaustive exploration says.

Proved: nothing goes wrong for all counts that are explored. Refuted with counts:
something does at these counts, and at no smaller ones. Undecided: less than 1 %, each
with a reason.

A fixed sample runs by default. `CROQ_PROPERTY_EXAMPLES=20000 pytest test/properties`
takes that many new random programs for each test, other ones each time.
"""

from __future__ import annotations

from croqtile_mlir.analysis.sync.execution.decision import decide
from properties.agreement import Tally, check, sample
from properties.kernels import model_of, with_arrivals_of
from properties.patterns import programs
from properties.programs import Program
from properties.to_model import to_model


def _representative(tally: Tally) -> None:
    """Both verdicts are common in a sample, and few programs are undecided."""
    reasons = "\n".join(sorted(set(tally.undecided)))
    assert len(tally.undecided) <= tally.total // 100, reasons
    assert min(tally.proved, tally.refuted) > tally.total // 4


def test_models() -> None:
    """Programs as models, with arrivals stated, right or wrong."""
    tally = Tally()

    def judge(program: Program) -> None:
        verdict = decide(to_model(program))
        tally.add(verdict)
        check(program, verdict)

    sample(programs(), 800, judge)
    _representative(tally)


def test_kernels() -> None:
    """Programs by way of the text of a kernel; arrivals follow from the triggers."""
    tally = Tally()

    def judge(program: Program) -> None:
        found = model_of(program)
        if found is None:
            return
        verdict = decide(found)
        tally.add(verdict)
        check(with_arrivals_of(program, found), verdict)

    sample(programs(arrivals=False), 250, judge)
    _representative(tally)
