"""
`--insert-barriers`: `croq.barrier` wherever the threads of a scope need to meet.

    croq.mma.store %acc => %o_s            croq.mma.store %acc => %o_s
    croq.copy %o_s => %o engine(tma)  ->   croq.barrier
                                           croq.copy %o_s => %o engine(tma)

Two accesses to shared memory by different threads of one scope, one of them a write,
need a barrier in between, unless TMA makes one of them and an event orders them: each
thread waits for what TMA has loaded. So do accesses by threads to a global tile that
threads of the block write and read, or fill. The analysis follows the accesses that no
barrier has ordered yet through loops and branches. Barriers go where all threads of the
scope come along: before, not into, what only some of them execute.

Where one thread arrives on an event for its scope, what the others have read or written
is not over for whoever waits for it: they meet before it, too.

Before this pass the ops of a scope are sequential for all its threads. After it only
barriers and events order threads; the kernel says so by the attribute
`explicit_barriers` (`analysis/grain.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.global_accesses import global_accesses_of, handed_on
from croqtile_mlir.analysis.grain import EXPLICIT_BARRIERS
from croqtile_mlir.analysis.insertion_flow import InsertionFlow
from croqtile_mlir.analysis.scopes import blocks_in, kernel_of
from croqtile_mlir.analysis.shared_accesses import Access, accesses_of
from croqtile_mlir.analysis.uniformity import controls, divergent_source
from croqtile_mlir.analysis.unordered_accesses import (
    State,
    after_barrier,
    after_op,
    after_regions,
    conflicts,
    next_iteration,
    with_accesses,
)
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    BarrierOp,
    ForeachOp,
    Level,
    ParallelOp,
    RoleOp,
)
from croqtile_mlir.lowering.lagging_waits import lagging_waits
from croqtile_mlir.lowering.rewriting import LocatedBuilder
from croqtile_mlir.lowering.single_arrivals import unpublished_accesses


def _is_divided(op: Operation) -> bool:
    """Whether an op with regions lets only some threads of its scope into them."""
    match op:
        case ParallelOp():
            return op.level.data is not Level.Block
        case ForeachOp() | scf.ForOp() | scf.IfOp() | scf.WhileOp():
            return any(divergent_source(value) for value in controls(op))
        case _:
            return bool(op.regions)


class _Barriers(InsertionFlow[Access]):
    """Facts are the accesses that no barrier has ordered yet."""

    def __init__(self, handed_on: frozenset[SSAValue]) -> None:
        super().__init__()
        self._handed_on = handed_on
        self._seen: dict[Operation, tuple[Access, ...]] = {}

    def settled(self, state: State) -> State:
        return after_barrier(state)

    def needs(self, op: Operation, state: State) -> bool:
        together = _roles_beside(op) if isinstance(op, RoleOp) else [op]
        return any(
            conflicts(old, new)
            for each in together
            for new in self._accesses(each)
            for old in state
        )

    def after(self, op: Operation, state: State) -> State:
        if isinstance(op, BarrierOp):
            return after_barrier(state)
        return after_op(op, with_accesses(state, self._accesses(op)))

    def next_iteration(self, op: Operation, state: State) -> State:
        return next_iteration(op, state)

    def leave(self, op: Operation, state: State) -> State:
        return after_regions(op, state)

    def regions(self, op: Operation, state: State) -> State:
        if isinstance(op, RoleOp):
            roles = _roles_beside(op)
            return self._roles(roles, state) if op is roles[0] else state
        if not _is_divided(op):
            return super().regions(op, state)
        # What some threads execute on their own: one barrier before all of it.
        state = self.before(op, state)
        for region in op.regions:
            for inner in (inner for block in region.blocks for inner in block.ops):
                if isinstance(inner, BarrierOp) and isinstance(op, ParallelOp):
                    state = after_barrier(state)
                state = with_accesses(state, self._accesses(inner))
        return self.leave(op, state)

    def _roles(self, roles: list[RoleOp], state: State) -> State:
        """Roles run side by side: a barrier for any of them is before all."""
        state = self.before(roles[0], state)
        op: Operation | None = roles[0]
        while op is not None and op is not roles[-1]:
            if not isinstance(op, RoleOp) and self._accesses(op):
                fail(
                    op,
                    "must come before the first or after the last role of the block",
                    notes=[(roles[0], "the first role is here")],
                )
            op = op.next_op
        for role in roles:
            state |= self.block(role.body.block, frozenset())
        return state

    def _accesses(self, op: Operation) -> tuple[Access, ...]:
        """The accesses of an op and of all inside it."""
        if op not in self._seen:
            self._seen[op] = tuple(
                access
                for inner in op.walk()
                for access in (
                    *accesses_of(inner),
                    *global_accesses_of(inner, self._handed_on),
                )
            )
        return self._seen[op]


def _roles_beside(role: RoleOp) -> list[RoleOp]:
    """The roles of the block of a role, in order."""
    ops = () if role.parent is None else role.parent.ops
    return [op for op in ops if isinstance(op, RoleOp)]


def barriers_of(block: ParallelOp) -> list[Operation]:
    """The ops of a block that need a barrier before them, in program order."""
    return _Barriers(handed_on(block)).places(block)


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
