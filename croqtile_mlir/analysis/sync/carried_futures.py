"""
Kernels whose loops carry futures, in the form that is modelled: with slots.

Which buffer a future stands for is a number then, and its completion an event.
"""

from __future__ import annotations

from xdsl.ir import Operation

from croqtile_mlir.dialects.croq import CopyAsyncOp, Engine, EngineAttr, TriggerOp
from croqtile_mlir.lowering.future_completions import is_load
from croqtile_mlir.lowering.future_slots import carries_futures, futures_to_slots


def with_slots(root: Operation) -> Operation:
    """
    An op with slots of arrays in place of futures that are carried or permuted.

    Misuse of such futures is a located error, and so is what has no slots.
    """
    if carries_futures(root):
        root = root.clone()
        _assume_engines(root)
        futures_to_slots(root)
    return root


def _assume_engines(root: Operation) -> None:
    """Let TMA make the loads that are awaited: by threads they are over sooner."""
    for op in root.walk():
        if (
            isinstance(op, CopyAsyncOp)
            and op.engine.data is Engine.Auto
            and is_load(op)
            and not any(isinstance(u.operation, TriggerOp) for u in op.future.uses)
        ):
            op.properties["engine"] = EngineAttr(Engine.Tma)
