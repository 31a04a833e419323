"""
Threads that meet in random bodies: the verifier and the simulator agree.

What is proved has no fault in a run, at tile level and after the lowering; what is
refuted has one. `CROQ_PROPERTY_EXAMPLES=1000` takes that many bodies.
"""

from __future__ import annotations

import os
from collections import Counter

import numpy as np
import pytest

from croqtile_mlir import simulator
from croqtile_mlir.analysis.sync.verdicts import Proved, Refuted
from croqtile_mlir.context import new_context
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.passes.verify_sync import verdicts
from properties.agreement import EXAMPLES
from properties.bodies import COLS, ROWS, Writer, random_body
from properties.integers import Integers


def _faults(text: str, level: str) -> list[str]:
    """Of runs with a shared number that is negative, small, and large."""
    loaded = simulator.load(text, level=level)
    given = np.random.default_rng(5)
    found: list[str] = []
    for steps, shared in ((3, -2), (0, 7), (2, (1 << 31) - 3)):
        table = given.integers(0, 99, (ROWS, COLS)).astype(np.int32)
        table[0, 0] = shared
        report = simulator.run(
            loaded,
            np.zeros(steps, np.int32),
            table,
            np.zeros((ROWS, COLS), np.int32),
            options=simulator.Options("random:1"),
        )
        found += [f"{fault.kind}: {fault.message}" for fault in report.faults]
    return found


@pytest.mark.parametrize(("kind", "examples"), [(Writer, "40"), (Integers, "20")])
def test_bodies(kind: type[Writer], examples: str) -> None:
    seen: Counter[str] = Counter()
    for seed in range(int(os.environ.get(EXAMPLES, examples))):
        text = random_body(seed, kind)
        module = parse_text(new_context(), text, "body.mlir")
        (verdict,) = verdicts(module)
        seen[type(verdict).__name__] += 1
        match verdict:
            case Proved():
                for level in ("croq", "nvvm"):
                    assert not (found := _faults(text, level)), (seed, level, found[0])
            case Refuted():
                assert _faults(text, "croq"), (seed, verdict.message)
            case _:
                pass
    assert min(seen["Proved"], seen["Refuted"]) > sum(seen.values()) // 12
