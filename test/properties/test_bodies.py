"""
Threads that meet in random bodies: the verifier and the simulator agree.

What is proved has no fault in a run, at tile level and after the lowering; what is
refuted has one. `CROQ_PROPERTY_EXAMPLES=1000` takes that many bodies.
"""

from __future__ import annotations

import os
from collections import Counter

import numpy as np

from croqtile_mlir import simulator
from croqtile_mlir.analysis.sync.verdicts import Proved, Refuted
from croqtile_mlir.context import new_context
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.passes.verify_sync import verdicts
from properties.agreement import EXAMPLES
from properties.bodies import COLS, ROWS, random_body


def _faults(text: str, level: str) -> list[str]:
    given = np.random.default_rng(5)
    table = given.integers(0, 99, (ROWS, COLS)).astype(np.int32)
    report = simulator.run(
        simulator.load(text, level=level),
        np.zeros(3, np.int32),
        table,
        np.zeros((ROWS, COLS), np.int32),
        options=simulator.Options("random:1"),
    )
    return [f"{fault.kind}: {fault.message}" for fault in report.faults]


def test_bodies() -> None:
    seen: Counter[str] = Counter()
    for seed in range(int(os.environ.get(EXAMPLES, "40"))):
        text = random_body(seed)
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
    assert min(seen["Proved"], seen["Refuted"]) > sum(seen.values()) // 6
