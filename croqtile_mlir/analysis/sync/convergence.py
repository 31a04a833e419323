"""
What threads must execute together, where a condition or a loop makes them part.

At tile level that is decided here: an op of a scope is executed by all of its threads
or refused. At hardware level the model decides with the lanes of each warp, as far as
their conditions follow from the number of the thread. What follows from data that each
lane loads may differ between lanes, and is refused here; and where the model refuses,
it is said why lanes part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects import scf
from xdsl.ir import Operation

from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.analysis.sync.verdicts import Refuted, Rule, Undecided, Verdict
from croqtile_mlir.analysis.uniformity import Uniformity, divergent_control
from croqtile_mlir.dialects import croq, nvvm
from croqtile_mlir.lowering.rewriting import constant_value

_OF_SCOPES = (
    croq.AwaitOp,
    croq.AwaitStoresOp,
    croq.BarrierArriveOp,
    croq.BarrierOp,
    croq.BarrierWaitOp,
    croq.MmaCommitOp,
    croq.MmaExecOp,
    croq.MmaFillOp,
    croq.MmaStoreOp,
    croq.MmaWaitOp,
    croq.WaitOp,
)
"""Executed by all threads of a scope; other ops of scopes are refused when lowered."""

_OF_WARPS = frozenset(
    {
        "nvvm.bar.warp.sync",
        "nvvm.barrier",
        "nvvm.barrier.arrive",
        "nvvm.barrier0",
        "nvvm.cluster.arrive",
        "nvvm.cluster.arrive.relaxed",
        "nvvm.cluster.wait",
        "nvvm.elect.sync",
        "nvvm.ldmatrix",
        "nvvm.match.sync",
        "nvvm.mma.sync",
        "nvvm.redux.sync",
        "nvvm.shfl.sync",
        "nvvm.stmatrix",
        "nvvm.vote.sync",
        "nvvm.wgmma.commit.group.sync.aligned",
        "nvvm.wgmma.fence.aligned",
        "nvvm.wgmma.mma_async",
        "nvvm.wgmma.wait.group.sync.aligned",
    }
)
"""
Executed by all lanes of a warp (PTX ISA: `.aligned`), or of a mask, which is known
where the model decides.
"""

_LOADS = ("llvm.load", "llvm.atomicrmw", "llvm.cmpxchg")
_MOST_NOTES = 6


def parted(block: Operation) -> Refuted | None:
    """The first op of a scope, at tile level, that not all of its threads execute."""
    for op in block.walk():
        level, of = _together(op)
        if level is not None:
            chain = divergent_control(op, scope_of(op).root, level)
            if chain:
                return Refuted(
                    Rule.BARRIER_PARTICIPATION,
                    op,
                    f"{Rule.BARRIER_PARTICIPATION}: must be executed by all threads of "
                    f"its {of}, got it {_where(chain[0])}",
                    notes=_notes(chain, "threads"),
                    hint="take it out, or use a condition that all of them share",
                )
    return None


def _together(op: Operation) -> tuple[Uniformity | None, str]:
    """Which threads have to execute an op together."""
    if isinstance(op, _OF_SCOPES):
        return Uniformity.BLOCK, "scope"
    if isinstance(op, croq.WarpgroupBarrierOp):
        return Uniformity.WARPGROUP, "warpgroup"
    return None, ""


def explained(verdict: Verdict, function: Operation) -> Verdict:
    """A verdict on a kernel of hardware level, with the reasons why lanes part."""
    if isinstance(verdict, Refuted) and verdict.rule is Rule.BARRIER_PARTICIPATION:
        chain = divergent_control(verdict.place, function, Uniformity.WARP)
        return replace(verdict, notes=(*verdict.notes, *_notes(chain, "lanes")))
    if isinstance(verdict, Undecided):
        return _by_data(function) or verdict
    return verdict


def _by_data(function: Operation) -> Refuted | None:
    for op in function.walk():
        if op.name in _OF_WARPS and _is_of_all_lanes(op):
            chain = divergent_control(op, function, Uniformity.WARP)
            if any(each.name in _LOADS for each in chain):
                return Refuted(
                    Rule.BARRIER_PARTICIPATION,
                    op,
                    f"{Rule.BARRIER_PARTICIPATION}: must be executed by all lanes of a "
                    f"warp, got it {_where(chain[0])}",
                    notes=_notes(chain, "lanes"),
                    hint="take it out, or vote on a condition that all lanes share",
                )
    return None


def _is_of_all_lanes(op: Operation) -> bool:
    """Whether an op has no mask, or one that names all lanes."""
    match op:
        case (
            nvvm.BarWarpSyncOp()
            | nvvm.ElectSyncOp()
            | nvvm.MatchSyncOp()
            | nvvm.ReduxSyncOp()
            | nvvm.ShflSyncOp()
            | nvvm.VoteSyncOp()
        ):
            mask = op.mask
        case _:
            return True
    named = None if mask is None else constant_value(mask)
    return mask is None or (named is not None and named & 0xFFFFFFFF == 0xFFFFFFFF)


def _where(control: Operation) -> str:
    if isinstance(control, scf.IfOp):
        return "under a condition that may differ between them"
    return "in a loop whose end may differ between them"


def _notes(chain: Sequence[Operation], who: str) -> tuple[tuple[Operation, str], ...]:
    """From the branch to what each thread has of its own, the middle left out."""
    if not chain:
        return ()
    control, *values, source = chain
    notes = [(control, f"{who} part here")]
    notes += [(op, "because of this") for op in values[: _MOST_NOTES - 2]]
    if len(values) > _MOST_NOTES - 2:
        notes[-1] = (notes[-1][0], f"because of this, and {len(values) - 4} more ops")
    return (*notes, (source, f"which differs between {who}"))
