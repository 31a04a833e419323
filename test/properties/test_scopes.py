"""
Scopes that share buffers at random: the verifier and the simulator agree.

What is proved has no fault in a run, at tile level and after the lowering, whatever the
number of steps; what is refuted has one, but for futures, of which the rules are
stricter. `CROQ_PROPERTY_EXAMPLES=1000` takes that many kernels.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator

import numpy as np

from croqtile_mlir import simulator
from croqtile_mlir.analysis.sync.verdicts import Proved, Refuted, Rule
from croqtile_mlir.context import new_context
from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.passes.verify_sync import verdicts
from croqtile_mlir.simulator.loading import Loaded
from properties.agreement import EXAMPLES
from properties.scopes import random_scopes

_REFUSALS = ("arrivals", "starts over", "grow with every loop", "never is")
"""Of events that are triggered in a way that has no lowering, or not at all."""


def _faults(loaded: Loaded, steps: int, policy: str) -> Iterator[str]:
    given = np.random.default_rng(steps)
    report = simulator.run(
        loaded,
        np.zeros(steps, np.int32),
        *(given.random((64, 16), np.float32) for _ in range(4)),
        options=simulator.Options(policy),
    )
    for fault in report.faults:
        yield f"{fault.kind}: {fault.message}"


def _load(text: str, level: str) -> Loaded | None:
    try:
        return simulator.load(text, level=level)
    except CompileError as error:
        if not any(reason in str(error) for reason in _REFUSALS):
            raise
        return None


def _is_waited_for(text: str, fault: str) -> bool:
    """
    Whether a fault is one of an event that something waits for.

    Warps of a scope may arrive early for generations that nothing ever sees.
    """
    return "ambiguous arrival" not in fault or "croq.wait" in text


def test_scopes() -> None:
    seen: Counter[str] = Counter()
    for seed in range(int(os.environ.get(EXAMPLES, "16"))):
        text = random_scopes(seed)
        module = parse_text(new_context(), text, "scopes.mlir")
        try:
            (verdict,) = verdicts(module, 30_000)
        except CompileError as error:
            if not any(reason in str(error) for reason in _REFUSALS):
                raise
            continue
        seen[type(verdict).__name__] += 1
        match verdict:
            case Proved():
                _check_proved(seed, text)
            case Refuted() if verdict.rule is not Rule.FUTURE:
                loaded = _load(text, "croq")
                runs = [(n, p) for n in range(8) for p in ("late", "random:1")]
                assert loaded is None or any(
                    next(_faults(loaded, *each), None) for each in runs
                ), (seed, verdict.message)
            case _:
                pass
    assert min(seen["Proved"], seen["Refuted"]) > 1


def _check_proved(seed: int, text: str) -> None:
    for level, counts in (("croq", range(6)), ("nvvm", (0, 1, 3))):
        loaded = _load(text, level)
        if loaded is None:
            return
        for steps in counts:
            for fault in _faults(loaded, steps, "late"):
                assert not _is_waited_for(text, fault), (seed, level, steps, fault)
