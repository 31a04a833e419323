"""
Kernels whose loops carry futures, in the form that is modelled: with slots.

Which buffer a future stands for is a number then, and its completion an event. Where
conditions decide whether a copy is in flight, the execution of that form tells misuse.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.future_lives import misuse_of_lives
from croqtile_mlir.analysis.future_states import Misuse
from croqtile_mlir.analysis.future_webs import Webs, webs_of
from croqtile_mlir.analysis.grain import has_explicit_barriers
from croqtile_mlir.analysis.scopes import blocks_in, kernel_of, scope_of
from croqtile_mlir.analysis.sync.model import Touch
from croqtile_mlir.analysis.sync.verdicts import (
    Refuted,
    Rule,
    Step,
    Undecided,
    Verdict,
)
from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.dialects.croq import (
    Engine,
    EngineAttr,
    ParallelOp,
    RoleOp,
    TriggerOp,
    WaitOp,
)
from croqtile_mlir.lowering.bounded_indices import with_plain_indices
from croqtile_mlir.lowering.future_completions import is_load
from croqtile_mlir.lowering.future_slots import carries_futures, webs_to_slots
from croqtile_mlir.lowering.inner_tiles import with_inner_tiles_expanded


@dataclass(frozen=True)
class Modelled:
    """A block in the form that is modelled."""

    block: ParallelOp
    completions: frozenset[SSAValue] = frozenset()
    """The events on which the copies of carried futures complete."""

    def told(self, verdict: Verdict) -> Verdict:
        """A verdict in terms of futures, where it is of a wait that an await became."""
        if not isinstance(verdict, Refuted) or verdict.rule not in _BLOCKED:
            return verdict
        wait = verdict.place
        if not isinstance(wait, WaitOp) or wait.event not in self.completions:
            return verdict
        why = verdict.message.removeprefix(f"{verdict.rule}: ")
        return replace(
            verdict,
            rule=Rule.FUTURE,
            message=f"{Rule.FUTURE}: must await a copy that is in flight, got a future "
            f"without one: {why}",
            hint="await each copy once, under the name that its future has; croq.any "
            "has none",
        )


_BLOCKED = (Rule.DEADLOCK, Rule.MISSING_CREDIT, Rule.LOST_ARRIVAL)


def modelled_blocks(root: Operation) -> list[Modelled | Refuted | Undecided]:
    """
    The blocks of the kernels in an op, with slots of arrays in place of futures that
    are carried or permuted; or what is wrong with these futures.
    """
    root = with_inner_tiles_expanded(with_plain_indices(root))
    if carries_futures(root):
        root = root.clone()
        return [_with_slots(block) for block in blocks_in(root)]
    return [Modelled(block) for block in blocks_in(root)]


def _with_slots(block: ParallelOp) -> Modelled | Refuted | Undecided:
    try:
        webs = webs_of(block)
    except CompileError as error:
        return Undecided(block, error.message, error.hint)
    if (found := misuse_of_lives(block, webs)) is not None:
        return _refuted(found)
    _assume_engines(webs, only_open=has_explicit_barriers(kernel_of(block)))
    return Modelled(block, webs_to_slots(block, webs))


def _assume_engines(webs: Webs, *, only_open: bool) -> None:
    """
    Let TMA make the loads that are awaited: by threads they are over sooner, but where
    the ops of a scope are sequential nothing may rest on that.
    """
    for web in dict.fromkeys(webs.of.values()):
        for op in web.copies:
            bound = any(isinstance(u.operation, TriggerOp) for u in op.future.uses)
            if bound or not is_load(op):
                continue
            if op.engine.data is Engine.Auto or not only_open:
                op.properties["engine"] = EngineAttr(Engine.Tma)


def _refuted(found: Misuse) -> Refuted:
    root = scope_of(found.op).root
    agent = f'role "{root.role_name.data}"' if isinstance(root, RoleOp) else "block"
    last = (found.op, _what(found.op))
    story = found.story if last in found.story else (*found.story, last)
    return Refuted(
        Rule.FUTURE,
        found.op,
        f"{Rule.FUTURE}: {found.message}",
        found.notes,
        found.hint,
        trace=tuple(Step(agent, Touch(op, ()), text) for op, text in story),
    )


def _what(op: Operation) -> str:
    """What an op does, for a trace."""
    match op.name:
        case "croq.await":
            return "wait for it"
        case "croq.copy_async":
            return "start a copy"
        case "croq.yield":
            return "go on with the next iteration"
        case name:
            return name
