"""
`--verify-sync`: refuse kernels whose synchronisation goes wrong in some execution.

    croq.wait %empty at %k   // nobody triggers generation 0: a deadlock

Deadlocks, lost arrivals, slots that are filled while they are read, reads before the
data is there, and every misuse of a future are errors, whatever the extents, with a
shortest execution that gets there. Proved kernels pass without a word. Where the
verifier cannot tell it warns, or fails with `undecided=error`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.sync.acquired import with_acquires
from croqtile_mlir.analysis.sync.convergence import explained, parted
from croqtile_mlir.analysis.sync.execution.decision import LARGEST_WORK, decide
from croqtile_mlir.analysis.sync.model import Program
from croqtile_mlir.analysis.sync.places.body_races import body_race
from croqtile_mlir.analysis.sync.tiles.carried_futures import Modelled, modelled_blocks
from croqtile_mlir.analysis.sync.tiles.futures import misuse
from croqtile_mlir.analysis.sync.tiles.kernel import programs_of
from croqtile_mlir.analysis.sync.trace_text import trace_text
from croqtile_mlir.analysis.sync.verdicts import Proved, Refuted, Undecided, Verdict
from croqtile_mlir.diagnostics import fail, warn
from croqtile_mlir.dialects.croq import KernelOp, ParallelOp
from croqtile_mlir.lowering.bind_names import require_bound

_WARN, _ERROR = "warning", "error"


def verdicts(module: ModuleOp, events: int = LARGEST_WORK) -> Iterator[Verdict]:
    """
    What the verifier says of each kernel of a module, in order.

    `events` is how many events of executions it looks at before it gives up.
    """
    for op in module.walk():
        if isinstance(op, KernelOp):
            require_bound(op)
    for modelled in modelled_blocks(module):
        if not isinstance(modelled, Modelled):
            yield modelled
        elif isinstance(found := _broken_rule(modelled.block), Refuted):
            yield found
        else:
            verdict = modelled.told(together(programs_of(modelled.block), events))
            verdict = with_acquires(verdict, modelled.block)
            # What the model has no part in is said where it has nothing to say.
            yield found if found and isinstance(verdict, Proved) else verdict
    for op in module.walk():
        if op.name == "llvm.func":
            # Imported here: most modules have no kernels of hardware level.
            from croqtile_mlir.analysis.sync.hardware import kernel as hardware

            if models := hardware.programs(op):
                yield explained(with_acquires(together(models, events), op), op)


def _broken_rule(block: ParallelOp) -> Refuted | Undecided | None:
    """What is wrong with a block, or may be, whatever its executions are."""
    return parted(block) or misuse(block) or body_race(block)


def together(
    models: Iterable[Program | Verdict], events: int = LARGEST_WORK
) -> Verdict:
    """The verdict of models that are cases of one kernel: of the worst."""
    found: list[Verdict] = []
    for model in models:
        verdict = decide(model, events) if isinstance(model, Program) else model
        if isinstance(verdict, Refuted):
            return verdict
        found.append(verdict)
    return next((v for v in found if isinstance(v, Undecided)), found[0])


def refuse(verdict: Refuted) -> None:
    """Raise what is wrong, with the execution that gets there as the last note."""
    notes: list[tuple[Operation, str]] = list(verdict.notes)
    if (trace := trace_text(verdict)) is not None:
        notes.append((verdict.place, trace))
    fail(verdict.place, verdict.message, hint=verdict.hint, notes=notes)


@dataclass(frozen=True)
class VerifySyncPass(ModulePass):
    """
    Refuse kernels whose synchronisation goes wrong in some execution.

    `undecided` says what becomes of a kernel of which the verifier cannot tell:
    `warning`, or `error`. `events` is how many events of executions it looks at before
    it gives up.
    """

    name = "verify-sync"

    undecided: str = _WARN
    events: int = LARGEST_WORK

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.undecided not in (_WARN, _ERROR):
            fail(None, f"undecided must be {_WARN} or {_ERROR}, got '{self.undecided}'")
        if self.events < 1:
            fail(None, f"events must be at least 1, got {self.events}")
        for verdict in verdicts(op, self.events):
            match verdict:
                case Refuted():
                    refuse(verdict)
                case Undecided():
                    message = f"synchronisation is not decided: {verdict.reason}"
                    if self.undecided == _ERROR:
                        fail(verdict.place, message, hint=verdict.hint)
                    warn(ctx, verdict.place, message, hint=verdict.hint)
                case Proved():
                    pass
