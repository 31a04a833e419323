"""
Barriers that keep the warps of a scope together where one thread goes on for all.

Every warp waits for a phase, and then the elected thread alone starts TMA loads. What
waits for these loads may complete two further phases before a slow warp has tested the
first: parities alias, and it waits for ever. A barrier between the wait and the loads
keeps this from happening. None is needed where each warp arrives on the event itself,
because then its next phase needs the slow one too.
"""

from __future__ import annotations

from xdsl.ir import Operation

from croqtile_mlir.analysis.elected_roles import is_elected_only
from croqtile_mlir.analysis.insertion_flow import InsertionFlow
from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.dialects.croq import (
    BarrierOp,
    ParallelOp,
    RoleOp,
    TriggerOp,
    WaitOp,
)
from croqtile_mlir.lowering.single_arrivals import first_load

State = frozenset[WaitOp]


class _LaggingWaits(InsertionFlow[WaitOp]):
    """Facts are the waits that some warps may not have passed yet."""

    def __init__(self, block: ParallelOp) -> None:
        super().__init__()
        self._starts = {
            start
            for op in block.walk()
            if isinstance(op, TriggerOp) and (start := first_load(op))
        }

    def settled(self, state: State) -> State:
        return frozenset()

    def needs(self, op: Operation, state: State) -> bool:
        return bool(state) and op in self._starts

    def after(self, op: Operation, state: State) -> State:
        match op:
            case BarrierOp():
                return frozenset()
            case WaitOp() if _may_lag(op):
                return state | {op}
            case _:
                return state

    def regions(self, op: Operation, state: State) -> State:
        if not isinstance(op, RoleOp):
            return super().regions(op, state)
        if not is_elected_only(op):
            self.block(op.body.block, frozenset())
        return state


def _may_lag(wait: WaitOp) -> bool:
    """Whether a phase can go on without every warp of the scope."""
    scope = scope_of(wait)
    if scope.num_warps == 1:
        return False
    for use in wait.event.uses:
        op = use.operation
        if isinstance(op, TriggerOp) and scope_of(op).root is scope.root:
            if first_load(op) is None:
                return False
    return True


def lagging_waits(block: ParallelOp) -> list[Operation]:
    """The TMA loads that need a barrier before them, in program order."""
    return _LaggingWaits(block).places(block)
