"""Whether an op does anything besides computing its results."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Operation
from xdsl.traits import is_side_effect_free

_REMAINDERS = (arith.RemUIOp, arith.RemSIOp)
"""They have no effects either, though xDSL does not say so."""


def has_no_effect(op: Operation) -> bool:
    """Whether an op computes its results and nothing else."""
    return is_side_effect_free(op) or isinstance(op, _REMAINDERS)
