"""
`--insert-barriers`: `croq.barrier` wherever the threads of a scope need to meet.

    croq.mma.store %acc => %o_s            croq.mma.store %acc => %o_s
    croq.copy %o_s => %o engine(tma)  ->   croq.barrier
                                           croq.copy %o_s => %o engine(tma)

Two accesses to shared memory by different threads of one scope, one of them a write,
need a barrier in between, unless TMA makes one of them and an event orders them: each
thread waits for what TMA has loaded. The analysis follows the accesses that no barrier
has ordered yet through loops and branches. Barriers go where all threads of the scope
come along: before, not into, what only some of them execute.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.shared_accesses import Access, accesses_of
from croqtile_mlir.analysis.uniformity import divergent_source
from croqtile_mlir.analysis.unordered_accesses import (
    NOTHING,
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
from croqtile_mlir.passes.rewriting import LocatedBuilder


def _is_divided(op: Operation) -> bool:
    """Whether an op with regions lets only some threads of its scope into them."""
    match op:
        case ParallelOp():
            return op.level.data is not Level.Block
        case ForeachOp():
            return any(divergent_source(bound) for bound in op.bounds)
        case scf.ForOp():
            return any(divergent_source(bound) for bound in (op.lb, op.ub, op.step))
        case scf.IfOp():
            return bool(divergent_source(op.cond))
        case scf.WhileOp():
            condition = op.before_region.block.last_op
            return condition is None or bool(divergent_source(condition.operands[0]))
        case _:
            return bool(op.regions)


@dataclass
class _Flow:
    """One walk of the accesses through a scope."""

    needed: set[Operation] = field(default_factory=set[Operation])
    """Ops that have a barrier before them."""

    only_check: bool = False
    """Whether to note a missing barrier in `found` instead of adding it."""

    found: bool = False

    seen: dict[Operation, tuple[Access, ...]] = field(
        default_factory=dict[Operation, tuple[Access, ...]]
    )
    """The accesses of ops and of all inside, as far as they were asked for."""

    @contextmanager
    def checking(self) -> Generator[None]:
        """Only look for missing barriers, starting with none found."""
        saved = self.only_check, self.found
        self.only_check, self.found = True, False
        yield
        self.only_check, self.found = saved

    def block(self, block: Block, state: State) -> State:
        """The state after the ops of a block."""
        roles = [op for op in block.ops if isinstance(op, RoleOp)]
        for op in block.ops:
            if isinstance(op, RoleOp):
                if op is roles[0]:
                    state = self._roles(roles, state)
            elif isinstance(op, BarrierOp):
                state = after_barrier(state)
            elif op.regions:
                state = self._regions(op, state)
            else:
                accesses = self._accesses(op)
                state = self._before(op, accesses, state)
                state = after_op(op, with_accesses(state, accesses))
        return state

    def _accesses(self, op: Operation) -> tuple[Access, ...]:
        if op not in self.seen:
            self.seen[op] = tuple(
                access for inner in op.walk() for access in accesses_of(inner)
            )
        return self.seen[op]

    def _before(
        self, op: Operation, accesses: tuple[Access, ...], state: State
    ) -> State:
        """Put a barrier before an op if one of its accesses needs one."""
        if op in self.needed:
            state = after_barrier(state)
        if not any(conflicts(old, new) for old in state for new in accesses):
            return state
        if self.only_check:
            self.found = True
        else:
            self.needed.add(op)
        return after_barrier(state)

    def _regions(self, op: Operation, state: State) -> State:
        if _is_divided(op):
            return after_regions(op, self._divided(op, state))
        if isinstance(op, scf.IfOp):
            after = self.block(op.true_region.block, state)
            if op.false_region.blocks:
                return after_regions(
                    op, after | self.block(op.false_region.block, state)
                )
            return after_regions(op, after | state)
        return self._loop(op, state)

    def _divided(self, op: Operation, state: State) -> State:
        """What some threads execute on their own: one barrier before all of it."""
        state = self._before(op, self._accesses(op), state)
        for region in op.regions:
            for inner in (inner for block in region.blocks for inner in block.ops):
                if isinstance(inner, BarrierOp) and isinstance(op, ParallelOp):
                    state = after_barrier(state)
                state = with_accesses(state, self._accesses(inner))
        return state

    def _loop(self, op: Operation, state: State) -> State:
        """
        A loop, which may run zero times.

        Barriers that its own iterations need go inside; what only the first needs, for
        what was before the loop, goes before the loop.
        """
        if not self.only_check:
            self._iterate(op, NOTHING)
            with self.checking():
                self._iterate(op, self._before(op, (), state))
                late = self.found
            if late:
                self.needed.add(op)
        return after_regions(op, self._iterate(op, self._before(op, (), state)))

    def _iterate(self, op: Operation, state: State) -> State:
        """The state at the head of a loop, in any of its iterations."""
        while True:
            after = state
            for region in op.regions:
                after = self.block(region.block, after)
            joined = state | next_iteration(op, after)
            if joined == state:
                return state
            state = joined

    def _roles(self, roles: list[RoleOp], state: State) -> State:
        """Roles run side by side: a barrier for any of them is before all."""
        first, last = roles[0], roles[-1]
        inner = tuple(access for role in roles for access in self._accesses(role))
        state = self._before(first, inner, state)
        op = first.next_op
        while op is not None and op is not last and first is not last:
            if not isinstance(op, RoleOp) and self._accesses(op):
                fail(
                    op,
                    "must come before the first or after the last role of the block",
                    notes=[(first, "the first role is here")],
                )
            op = op.next_op
        for role in roles:
            state |= self.block(role.body.block, NOTHING)
        return state


def _depth(op: Operation) -> int:
    parent = op.parent_op()
    return 0 if parent is None else 1 + _depth(parent)


def barriers_of(block: ParallelOp) -> list[Operation]:
    """The ops of a block that need a barrier before them, in program order."""
    flow = _Flow()
    flow.block(block.body.block, NOTHING)
    # One barrier may do for what another was put in: drop those, inner ones first.
    order = [op for op in block.walk() if op in flow.needed]
    for op in sorted(order, key=_depth, reverse=True):
        flow.needed.discard(op)
        with flow.checking():
            flow.block(block.body.block, NOTHING)
            spare = not flow.found
        if not spare:
            flow.needed.add(op)
    return [op for op in order if op in flow.needed]


@dataclass(frozen=True)
class InsertBarriersPass(ModulePass):
    """Insert `croq.barrier` where threads of a scope conflict on a shared buffer."""

    name = "insert-barriers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for block in [
            inner
            for inner in op.walk()
            if isinstance(inner, ParallelOp) and inner.level.data is Level.Block
        ]:
            for place in barriers_of(block):
                LocatedBuilder.before(place).insert(BarrierOp())
