"""Whether an op does anything besides computing its results."""

from __future__ import annotations

from xdsl.dialects.arith import Arith
from xdsl.ir import Operation
from xdsl.traits import is_side_effect_free

_ARITHMETIC = frozenset(Arith.operations)
"""None of them has effects, though xDSL does not say so of all (`remui`, `extsi`)."""


def has_no_effect(op: Operation) -> bool:
    """Whether an op computes its results and nothing else."""
    return is_side_effect_free(op) or type(op) in _ARITHMETIC
