"""Proved, refuted or undecided: the entry point of the verifier."""

from __future__ import annotations

from croqtile_mlir.analysis.sync.model import Program
from croqtile_mlir.analysis.sync.verdicts import Verdict


def decide(program: Program) -> Verdict:
    """Whether some execution of the program goes wrong, for all counts."""
    raise NotImplementedError
