"""A barrier wherever threads of one scope conflict and nothing orders them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.accesses import Access, accesses_of, is_loop
from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.analysis.uniformity import divergence
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    BarrierOp,
    CopyAsyncOp,
    Engine,
    Level,
    ParallelOp,
    RoleOp,
    TriggerOp,
    WaitOp,
)
from croqtile_mlir.passes.rewriting import LocatedBuilder


@dataclass(frozen=True)
class Pending:
    """An access that no barrier has ended yet."""

    access: Access
    published: bool = False
    """Whether its threads have triggered an event since; the next wait then ends it."""


State = frozenset[Pending]


@dataclass
class _Scope:
    """The walk over the ops that one scope executes, in program order."""

    roles: State = frozenset()
    """What the roles of the block, which run beside each other, leave behind."""

    def block(self, block: Block, state: State) -> State:
        for op in tuple(block.ops):
            state = self.op(op, state)
        return state

    def op(self, op: Operation, state: State) -> State:
        match op:
            case BarrierOp():
                self.roles = frozenset()
                return frozenset()
            case TriggerOp():
                return frozenset(self._publish(op, state))
            case WaitOp():
                return frozenset(p for p in state if not p.published)
            case RoleOp():
                return self._role(op, state)
            case ParallelOp() if op.level.data is Level.Thread:
                inner = [a for each in op.walk() for a in accesses_of(each)]
                return self._access(op, inner, state)
            case _:
                state = self._access(op, accesses_of(op), state)
                return self._regions(op, state) if op.regions else state

    def _publish(self, op: TriggerOp, state: State) -> Iterable[Pending]:
        # With copies of the copy engine only the elected thread arrives.
        everyone = not any(_by_engine(future) for future in op.after)
        for pending in state:
            if everyone or pending.access.elected:
                pending = replace(pending, published=True)
            yield pending

    def _role(self, op: RoleOp, state: State) -> State:
        inner = [a for each in op.walk() for a in accesses_of(each)]
        for earlier, later in _conflicts(state, inner):
            self._insert_before(op, earlier, later)
            state = frozenset()
            break
        self.roles |= _Scope().block(op.body.block, frozenset())
        return state

    def _regions(self, op: Operation, state: State) -> State:
        out = frozenset[Pending]() if _covers(op) else state
        for region in op.regions:
            for block in region.blocks:
                after = self.block(block, state)
                while is_loop(op) and not after <= state:
                    state |= after
                    after = self.block(block, state)
                out |= after
        return out | state if is_loop(op) else out

    def _access(self, op: Operation, accesses: Iterable[Access], state: State) -> State:
        accesses = tuple(accesses)
        for earlier, later in _conflicts(state | self.roles, accesses):
            self._insert_before(op, earlier, later)
            state = self.roles = frozenset()
            break
        return state | {Pending(a) for a in accesses}

    def _insert_before(self, op: Operation, earlier: Access, later: Access) -> None:
        if scope_of(op).num_threads == 1:
            return
        if (cause := divergence(op)) is not None:
            fail(
                op,
                "must be executed by all threads of its scope together, because they "
                "must meet before it: it touches a shared buffer that other threads "
                f"{'write' if earlier.write else 'read'}",
                notes=[
                    (earlier.op, "they do it here"),
                    (cause, "what comes here is executed by some threads only"),
                ],
                hint="move the op out, or let one parallel : thread hold both",
            )
        LocatedBuilder.before(op).insert(BarrierOp())


def _conflicts(
    state: State, accesses: Iterable[Access]
) -> Iterator[tuple[Access, Access]]:
    for later in accesses:
        for pending in state:
            if pending.access.conflicts_with(later):
                yield pending.access, later


def _covers(op: Operation) -> bool:
    """Whether exactly one region of the op always runs."""
    return len(op.regions) > 1 and all(region.blocks for region in op.regions)


def _by_engine(future: SSAValue) -> bool:
    start = future.owner
    return isinstance(start, CopyAsyncOp) and start.engine.data is Engine.Tma


@dataclass(frozen=True)
class InsertBarriersPass(ModulePass):
    """
    Insert `croq.barrier` where two threads of one scope conflict on a shared buffer.

    Conflict: one writes what the other reads or writes, and neither a barrier nor an
    event that the one triggers and the other waits for comes between. That the event is
    the right one is for the verifier of synchronisation to prove.
    """

    name = "insert-barriers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for block in op.walk():
            if isinstance(block, ParallelOp) and block.level.data is Level.Block:
                _Scope().block(block.body.block, frozenset())
