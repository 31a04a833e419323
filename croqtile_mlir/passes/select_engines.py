"""
`--select-engines`: decide what moves the bytes of every copy.

`engine(auto)` becomes TMA wherever that is legal and known to be so before the launch,
else threads; on a target without TMA, and in groups, loads become `cp.async`.
`report=true` tells why a copy is not by TMA. An engine that the user chose stays; one
that cannot make the copy is an error, and so is a multicast copy that TMA cannot make.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.counted_loads import commits_loads, is_grouped
from croqtile_mlir.analysis.cp_async_rules import is_worth_cp_async, why_not_cp_async
from croqtile_mlir.analysis.future_buffers import are_apart
from croqtile_mlir.analysis.shared_accesses import accesses_of
from croqtile_mlir.analysis.target import target_of
from croqtile_mlir.analysis.tma_rules import (
    why_not_known,
    why_not_tma,
    why_not_worth_tma,
)
from croqtile_mlir.diagnostics import fail, remark
from croqtile_mlir.dialects.croq import (
    CopyAsyncOp,
    CopyOp,
    Engine,
    EngineAttr,
    root_of,
)
from croqtile_mlir.targets.architecture import Architecture


def _check_overlap(copy: CopyOp | CopyAsyncOp) -> None:
    """Refuse a copy inside a buffer by which threads overwrite what others read."""
    if copy.engine.data is not Engine.Threads:
        return
    match accesses_of(copy):
        case (read, write) if (
            read.may_touch(write)
            and not (read.same_thread(write) and not copy.rearranges)
            and not are_apart(copy.source, copy.destination)
        ):
            fail(
                copy,
                "source and destination must not overlap, got parts of one buffer that "
                "may",
                hint="copy through another buffer",
                notes=[(root_of(copy.source), "the buffer is here")],
            )
        case _:
            pass


def select_engine(copy: CopyOp | CopyAsyncOp, target: Architecture) -> str | None:
    """
    Resolve the engine of a copy; the reason when TMA was open and is not chosen.

    An engine that the user chose and that cannot make the copy is a located error.
    """
    engine = copy.engine.data
    if engine is Engine.CpAsync:
        if (reason := why_not_cp_async(copy, target)) is not None:
            fail(copy, f"with engine cp_async: {reason}", hint="use engine(threads)")
        return None
    if engine is Engine.Threads:
        return None
    grouped = is_grouped(copy) and commits_loads(copy)
    reason = why_not_tma(copy, target)
    if grouped and reason is None:
        reason = "must complete on an event or be awaited, got a load of a group"
    if engine is Engine.Tma:
        if reason is not None:
            fail(
                copy,
                f"with engine tma: {reason}",
                hint="use engine(threads), or leave the choice to --select-engines",
            )
        return None
    reason = reason or why_not_known(copy) or why_not_worth_tma(copy)
    if reason is not None and isinstance(copy, CopyAsyncOp) and copy.multicast:
        fail(
            copy,
            f"with multicast must be made by TMA: {reason}",
            hint="copy to each block alone, or make the copy one that TMA can make",
        )
    chosen = Engine.Tma
    if reason is not None:
        by_cp_async = (
            (grouped or not target.has("tma"))
            and why_not_cp_async(copy, target) is None
            and is_worth_cp_async(copy)
        )
        chosen = Engine.CpAsync if by_cp_async else Engine.Threads
    copy.properties["engine"] = EngineAttr(chosen)
    return reason


@dataclass(frozen=True)
class SelectEnginesPass(ModulePass):
    """
    Resolve `engine(auto)`: TMA where it is legal, else threads.

    A load for a target without TMA, or of a group, is by `cp.async`. `report=true`
    prints a remark with the reason wherever it is not TMA.
    """

    name = "select-engines"

    report: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for copy in op.walk():
            if isinstance(copy, CopyOp | CopyAsyncOp):
                reason = select_engine(copy, target)
                _check_overlap(copy)
                if reason is not None and self.report:
                    engine = copy.engine.data.value
                    remark(ctx, copy, f"is made by {engine}: {reason}")
