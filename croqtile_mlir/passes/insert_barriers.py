"""
`--insert-barriers`: `croq.barrier` wherever the threads of a scope need to meet.

    croq.mma.store %acc => %o_s            croq.mma.store %acc => %o_s
    croq.copy %o_s => %o engine(tma)  ->   croq.barrier
                                           croq.copy %o_s => %o engine(tma)

Two accesses to shared memory by different threads of one scope, one of them a write,
need a barrier in between, unless TMA makes one of them and an event orders them: each
thread waits for what TMA has loaded. So do accesses to a global tile, unless each
element is surely one thread's (`analysis/global_meetings.py`). The analysis
follows the accesses that no barrier has ordered yet through loops and branches.
Barriers go where all threads of the scope come along: before, not into, what only some
of them execute.

Where one thread arrives on an event for its scope, what the others have read or written
is not over for whoever waits for it: they meet before it, too.

Before this pass the ops of a scope are sequential for all its threads. After it only
barriers and events order threads; the kernel says so by the attribute
`explicit_barriers` (`analysis/grain.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.barrier_places import barriers_of
from croqtile_mlir.analysis.grain import EXPLICIT_BARRIERS
from croqtile_mlir.analysis.scopes import blocks_in, kernel_of
from croqtile_mlir.dialects.croq import BarrierOp
from croqtile_mlir.lowering.lagging_waits import lagging_waits
from croqtile_mlir.lowering.rewriting import LocatedBuilder
from croqtile_mlir.lowering.single_arrivals import unpublished_accesses


@dataclass(frozen=True)
class InsertBarriersPass(ModulePass):
    """
    Insert `croq.barrier` where threads of a scope conflict on a shared buffer, where
    one thread would leave warps behind that wait (`lowering/lagging_waits.py`), and
    where one arrives for all that others have done (`lowering/single_arrivals.py`).
    """

    name = "insert-barriers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for block in blocks_in(op):
            for find in (barriers_of, lagging_waits, unpublished_accesses):
                for place in find(block):
                    LocatedBuilder.before(place).insert(BarrierOp())
            kernel_of(block).attributes[EXPLICIT_BARRIERS] = UnitAttr()
