"""
What becomes of a kernel, right or wrong: does the verifier refute it, does a pass
refuse it, does a run in the simulator fail or give other numbers?
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pipeline.lowering import run
from xdsl.dialects.builtin import ModuleOp

from croqtile_mlir.analysis.sync.verdicts import Proved, Refuted, Undecided
from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.dialects.croq import KernelOp
from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.passes.verify_sync import verdicts
from croqtile_mlir.simulator.loading import AS_GIVEN, load_module
from croqtile_mlir.simulator.simulate import Options, run_loaded
from evidence.arguments import Signature, random_arguments, wrong_tiles
from evidence.levels import Level, pipeline_to

POLICIES = ("rr", "late", "early", "random:1", "random:2")

MAX_STEPS = 20_000
"""Of a block; the kernels here take hundreds."""


class Fate(StrEnum):
    """What became of a mutant."""

    STATIC = "killed statically"
    REFUSED = "refused by a pass"
    DYNAMIC = "killed dynamically"
    EQUIVALENT = "equivalent"
    """Proved, and every run gives the results of the original."""

    SURVIVOR = "survivor"
    """Not proved, and no run shows anything."""


@dataclass(frozen=True)
class Judgement:
    """What became of a mutant, and how that was seen."""

    fate: Fate
    verdict: str
    """Of the verifier: `proved`, `undecided: why`, `refuted: rule`."""

    detail: str = ""
    """The first fault, wrong tile or refusal, and the run that showed it."""

    faults: bool = False
    """The simulator reported a fault, not only other numbers."""

    @property
    def confirmed(self) -> bool:
        """Refuted by the verifier, and a run shows it too."""
        return self.fate is Fate.STATIC and self.detail != ""

    @property
    def missed(self) -> bool:
        """Proved by the verifier, yet with a fault in a run: one of both is wrong."""
        return self.verdict == "proved" and self.faults


@dataclass(frozen=True)
class Run:
    """Extents of the dims, and the seed of the data."""

    dims: Mapping[str, int]
    seed: int = 1


def verdict_of(module: ModuleOp) -> str:
    """What the verifier says of the only kernel of a module."""
    try:
        found = [_text(verdict) for verdict in verdicts(module)]
    except CompileError as error:
        return f"refused: {error.message}"
    # A kernel may have several models, one for each way that a launch decides.
    for start in ("refuted", "undecided"):
        for text in found:
            if text.startswith(start):
                return text
    return "proved" if found else "undecided: there is no model"


def _text(verdict: Proved | Refuted | Undecided) -> str:
    match verdict:
        case Refuted():
            return f"refuted: {verdict.rule.value}"
        case Undecided():
            return f"undecided: {verdict.reason}"
        case Proved():
            return "proved"


def refusal(module: ModuleOp) -> str | None:
    """Why a pass of the lowering refuses a kernel of tile level, if one does."""
    if not any(isinstance(op, KernelOp) for op in module.walk()):
        return None
    try:
        run(module.clone(), pipeline_to(Level.HARDWARE))
    except CompileError as error:
        return error.message
    return None


def failures(
    module: ModuleOp,
    kernel: Signature,
    runs: Sequence[Run],
    policies: Sequence[str] = POLICIES,
    *,
    numbers: bool = True,
) -> Iterator[tuple[str, bool]]:
    """
    What goes wrong in runs of a module, each with whether the simulator reported it.

    Runs that share extents share the data; the first policy comes first for all.
    Without `numbers` results are not looked at, only what the simulator reports.
    """
    try:
        loaded = load_module(module, AS_GIVEN)
    except CompileError as error:
        yield f"not loaded: {error.message}", False
        return
    for policy in policies:
        for each in runs:
            where = f"{policy}, {', '.join(f'{n}={v}' for n, v in each.dims.items())}"
            given = random_arguments(kernel, each.dims, each.seed)
            after = {name: tile.copy() for name, tile in given.items()}
            options = Options(policy=policy, max_steps=MAX_STEPS)
            try:
                report = run_loaded(loaded, tuple(after.values()), options)
            except (CompileError, ArgumentError) as error:
                yield f"{where}: {str(error).splitlines()[0]}", False
                continue
            if report.faults:
                first = report.faults[0]
                yield f"{where}: {first.kind.value}: {first.message}", True
                # The run may have been stopped before its end.
                continue
            wrong = wrong_tiles(kernel, given, after) if numbers else {}
            for name, error in wrong.items():
                yield f"{where}: {name} is off by {error:.2g}", False


def judge(
    module: ModuleOp,
    kernel: Signature,
    runs: Sequence[Run],
    policies: Sequence[str] = POLICIES,
    *,
    confirm: bool = False,
) -> Judgement:
    """
    What becomes of a mutant; `kernel` and `runs` are those of the original.

    With `confirm` what the verifier refutes is run, too.
    """
    verdict = verdict_of(module)
    if verdict.startswith("refuted"):
        found = failures(module, kernel, runs, policies) if confirm else iter(())
        return Judgement(Fate.STATIC, verdict, *next(found, ("", False)))
    if verdict.startswith("refused"):
        return Judgement(Fate.REFUSED, verdict)
    if (reason := refusal(module)) is not None:
        return Judgement(Fate.REFUSED, verdict, reason)
    for detail, reported in failures(module, kernel, runs, policies):
        return Judgement(Fate.DYNAMIC, verdict, detail, reported)
    fate = Fate.EQUIVALENT if verdict == "proved" else Fate.SURVIVOR
    return Judgement(fate, verdict)
