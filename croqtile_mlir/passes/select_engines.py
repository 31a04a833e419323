"""
`--select-engines`: decide what moves the bytes of every copy.

`engine(auto)` becomes TMA wherever that is legal and known to be so before the launch,
else threads. `report=true` tells why a copy is left to the threads. An engine that the
user chose stays; one that cannot make the copy is an error, and so is a multicast copy
that TMA cannot make.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.target import target_of
from croqtile_mlir.analysis.tma_rules import why_not_known, why_not_tma
from croqtile_mlir.diagnostics import fail, remark
from croqtile_mlir.dialects.croq import CopyAsyncOp, CopyOp, Engine, EngineAttr
from croqtile_mlir.targets.architecture import Architecture


def select_engine(copy: CopyOp | CopyAsyncOp, target: Architecture) -> str | None:
    """
    Resolve the engine of a copy; the reason when TMA was open and is not chosen.

    An engine that the user chose and that cannot make the copy is a located error.
    """
    engine = copy.engine.data
    if engine is Engine.CpAsync:
        fail(
            copy,
            "engine must be auto, tma or threads, got cp_async, which no pass lowers "
            "yet",
            hint="use engine(threads)",
        )
    if engine is Engine.Threads:
        return None
    reason = why_not_tma(copy, target)
    if engine is Engine.Tma:
        if reason is not None:
            fail(
                copy,
                f"with engine tma: {reason}",
                hint="use engine(threads), or leave the choice to --select-engines",
            )
        return None
    reason = reason or why_not_known(copy)
    if reason is not None and isinstance(copy, CopyAsyncOp) and copy.multicast:
        fail(
            copy,
            f"with multicast must be made by TMA: {reason}",
            hint="copy to each block alone, or make the copy one that TMA can make",
        )
    copy.properties["engine"] = EngineAttr(
        Engine.Tma if reason is None else Engine.Threads
    )
    return reason


@dataclass(frozen=True)
class SelectEnginesPass(ModulePass):
    """
    Resolve `engine(auto)`: TMA where it is legal, else threads.

    `report=true` prints a remark with the reason wherever it is threads.
    """

    name = "select-engines"

    report: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        for copy in op.walk():
            if isinstance(copy, CopyOp | CopyAsyncOp):
                reason = select_engine(copy, target)
                if reason is not None and self.report:
                    remark(ctx, copy, f"is made by threads: {reason}")
