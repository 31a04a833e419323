"""
No false alarm on kernels that are right, and no silence on those that are wrong.

What the verifier says of the files themselves is in their own RUN lines.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pipeline.lowering import parse

from croqtile_mlir.diagnostics import CompileError
from evidence.arguments import Signature, signature
from evidence.corpus import CASES, FAULTY, Case
from evidence.field_runs import FIELD_RUNS, FieldRun
from evidence.judge import Run, failures, verdict_of
from evidence.levels import Level, module_at

EVERY = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
LEVELS = pytest.mark.parametrize("level", Level)
WRONG = sorted(FAULTY.glob("*.mlir"))

ONLY_SEEN_STATICALLY = {"too_few_arrivals", "too_many_arrivals"}
"""Refused before they could be lowered."""

MENDED_BY_LOWERING = {"one_arrives_alone"}
"""They lack a barrier that `--insert-barriers` puts in, whoever wrote the others."""


@LEVELS
@EVERY
def test_runs_are_right(case: Case, level: Level):
    module = module_at(level, case.text)
    steps = case.default_stages + 2
    runs = [Run(case.sizes(steps, ragged=True)), Run(case.sizes(0))]
    policy = "late" if level is Level.TILE else "rr"
    assert list(failures(module, signature(module), runs, [policy])) == []


@LEVELS
def test_phases_that_an_agent_does_not_wait_for(level: Level):
    """Each consumer waits for every other phase of a slot, and knows of the others."""
    case = CASES["pingpong"]
    module = module_at(level, case.text)
    runs = [Run(case.sizes(9))]
    assert list(failures(module, signature(module), runs, ["rr"])) == []


@pytest.mark.parametrize("run", FIELD_RUNS, ids=str)
def test_field_runs(run: FieldRun):
    module = module_at(Level.TILE, CASES[run.name].text, run.params)
    found = failures(module, signature(module), [Run(run.dims)], ["late"])
    assert list(found) == []


DECIDED = [
    (name, stages)
    for name in ("ready_ring", "credits_late", "in_flight_lagging", "wait_ahead")
    for stages in CASES[name].stages
]


@pytest.mark.parametrize(("name", "stages"), DECIDED)
def test_proved_for_other_numbers_of_slots(name: str, stages: int):
    case = CASES[name]
    module = module_at(Level.TILE, case.text, case.params_of(stages))
    assert verdict_of(module) == "proved"


@pytest.mark.parametrize(
    ("name", "stages"),
    [("pingpong", 1), ("released_by_turns", 3), ("split_sums", 3), ("wait_ahead", 1)],
)
def test_refuted_where_the_slots_do_not_suffice(name: str, stages: int):
    case = CASES[name]
    assert stages not in case.stages
    module = module_at(Level.TILE, case.text, case.params_of(stages))
    assert verdict_of(module).startswith("refuted")


def wrong_runs(kernel: Signature) -> list[Run]:
    """Sizes that show what is wrong, for kernels whose dims have the usual names."""
    dims = set(kernel.plan.dims)
    runs: list[Run] = []
    for steps in (4, 1, 9, 2, 0):
        if "K" in dims:
            runs.append(Run({"M": 40, "N": 104, "K": 64 * steps}))
        elif "N" in dims:
            runs.append(Run({"M": 24, "N": 32 * steps}))
        else:
            runs.append(Run({"M": 64 * steps}))
    return runs


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_wrong_kernels_go_wrong(path: Path):
    """The simulator reports them at every level, in some run of these sizes."""
    text = path.read_text()
    seen = 0
    for level in Level:
        if "llvm.func" in text:
            module = parse(text)
        else:
            try:
                module = module_at(level, text)
            except CompileError:
                continue
        kernel = signature(module)
        found = failures(module, kernel, wrong_runs(kernel), ["rr"], numbers=False)
        mended = level is Level.HARDWARE and path.stem in MENDED_BY_LOWERING
        assert next(found, ("no fault", False))[1] is not mended, level
        seen += 1
    assert seen or path.stem in ONLY_SEEN_STATICALLY
