"""
Where the threads of a scope must meet: the flow of `--insert-barriers` over a block.

Facts are the accesses that no barrier has ordered yet; see `unordered_accesses`.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.global_accesses import GlobalAccesses
from croqtile_mlir.analysis.insertion_flow import InsertionFlow
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

    def __init__(
        self,
        in_global: GlobalAccesses,
        only: frozenset[SSAValue] | None = None,
    ) -> None:
        super().__init__()
        self._in_global = in_global
        self._only = only
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
                    *self._in_global.of(inner),
                )
                if self._only is None or access.root in self._only
            )
        return self._seen[op]


def _roles_beside(role: RoleOp) -> list[RoleOp]:
    """The roles of the block of a role, in order."""
    ops = () if role.parent is None else role.parent.ops
    return [op for op in ops if isinstance(op, RoleOp)]


def barriers_of(block: ParallelOp) -> list[Operation]:
    """The ops of a block that need a barrier before them, in program order."""
    return _Barriers(GlobalAccesses.of_block(block)).places(block)


def barriers_between(
    block: ParallelOp, buffers: frozenset[SSAValue]
) -> list[Operation]:
    """The same, as far as accesses to some buffers need them."""
    return _Barriers(GlobalAccesses.none(), buffers).places(block)
