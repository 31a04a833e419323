"""
Order that rests on values in memory: what acquires find.

The model has no values of memory. It leaves out the order that an acquire makes, so
that what it proves holds; what it finds unordered may be ordered by one.
"""

from __future__ import annotations

from xdsl.ir import Operation

from croqtile_mlir.analysis.flags import acquires
from croqtile_mlir.analysis.sync.verdicts import (
    Refuted,
    Rule,
    Undecided,
    Verdict,
)

_RACES = frozenset({Rule.READ_BEFORE_WRITE, Rule.OVERWRITE, Rule.WRITE_CONFLICT})


def with_acquires(verdict: Verdict, root: Operation) -> Verdict:
    """The verdict of the model of an op, which leaves out what acquires order."""
    if not isinstance(verdict, Refuted) or verdict.rule not in _RACES:
        return verdict
    acquire = next((op for op in root.walk() if acquires(op)), None)
    if acquire is None:
        return verdict
    return Undecided(
        verdict.place,
        f"{verdict.message}; an acquire may order it, which depends on a value in "
        "memory",
        "barriers and events are followed, flags are not",
    )
