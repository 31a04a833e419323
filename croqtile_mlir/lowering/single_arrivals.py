"""
Barriers before a trigger for which one thread arrives, and that speaks for all.

When nothing but TMA loads come before a trigger in its `after`, the elected thread
arrives for its scope. What other threads of the scope have read or written until then
other scopes learn by that arrival, so that these threads must have met before it.
Where each thread or warp arrives, each speaks for itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from croqtile_mlir.analysis.effects import has_no_effect
from croqtile_mlir.analysis.insertion_flow import InsertionFlow
from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.analysis.shared_accesses import Access, Kind, accesses_of
from croqtile_mlir.analysis.sync.tiles.regions import tiles_of
from croqtile_mlir.analysis.unordered_accesses import (
    State,
    after_barrier,
    after_op,
    after_regions,
    next_iteration,
)
from croqtile_mlir.dialects.croq import (
    BarrierOp,
    CopyAsyncOp,
    CopyOp,
    Engine,
    ParallelOp,
    RoleOp,
    Space,
    TriggerOp,
    WaitOp,
    root_of,
    tile_type,
)


def first_load(trigger: TriggerOp) -> CopyAsyncOp | None:
    """The first of the copies that a trigger comes after, if TMA makes them all."""
    copies = [
        future.owner
        for future in trigger.after
        if isinstance(future.owner, CopyAsyncOp)
    ]
    block = trigger.parent
    if not copies or block is None:
        return None
    if any(copy.engine.data is not Engine.Tma for copy in copies):
        return None
    if any(copy.parent is not block for copy in copies):
        # `--lower-events` refuses it.
        return None
    return min(copies, key=block.get_operation_index)


def place_of_arrival(trigger: TriggerOp, first: Operation) -> Operation:
    """
    Before which op the elected thread arrives, and announces the bytes of the loads.

    Before the first of them, so that it issues everything in one go, unless the scope
    does something in between that the arrival has to publish. The mbarrier cannot
    complete before this arrival, so that bytes may come first.
    """
    loads = {future.owner for future in trigger.after}
    op: Operation | None = first
    while op is not None and op is not trigger:
        if op not in loads and not has_no_effect(op):
            return trigger
        op = op.next_op
    return first


class _Unpublished(InsertionFlow[Access]):
    """Facts are the accesses of threads of a scope that have not met since."""

    def __init__(self, block: ParallelOp) -> None:
        super().__init__()
        self._arrivals: dict[Operation, TriggerOp] = {}
        self._accesses: dict[Operation, list[Access]] = {}
        for op in block.walk():
            for access in _accesses(op):
                self._accesses.setdefault(access.scope, []).append(access)
            if isinstance(op, TriggerOp) and (first := first_load(op)) is not None:
                self._arrivals[place_of_arrival(op, first)] = op

    def settled(self, state: State) -> State:
        return after_barrier(state)

    def needs(self, op: Operation, state: State) -> bool:
        trigger = self._arrivals.get(op)
        if trigger is None or not state:
            return False
        return any(
            mine.flight is None
            and mine.may_touch(its)
            and (mine.kind.is_write or its.kind.is_write)
            for its in self._of_listeners(trigger)
            for mine in state
        )

    def _of_listeners(self, trigger: TriggerOp) -> Iterator[Access]:
        """The accesses of scopes that learn of a trigger, and of whom they may tell."""
        own = scope_of(trigger).root
        waits = [u.operation for u in trigger.event.uses]
        to_peers = any(
            isinstance(future.owner, CopyAsyncOp) and future.owner.multicast is not None
            for future in trigger.after
        )
        if not to_peers and all(
            scope_of(op).root is own for op in waits if isinstance(op, WaitOp)
        ):
            return
        for scope, accesses in self._accesses.items():
            if scope is not own:
                yield from accesses
            elif to_peers:
                # Peers run the same scope.
                yield from (a for a in accesses if a.kind is Kind.ELECTED_WRITE)

    def after(self, op: Operation, state: State) -> State:
        if isinstance(op, BarrierOp):
            return after_barrier(state)
        own = (a for a in _accesses(op) if not a.kind.is_elected)
        return after_op(op, state | frozenset(own))

    def next_iteration(self, op: Operation, state: State) -> State:
        return next_iteration(op, state)

    def leave(self, op: Operation, state: State) -> State:
        return after_regions(op, state)

    def regions(self, op: Operation, state: State) -> State:
        if not isinstance(op, RoleOp):
            return super().regions(op, state)
        self.block(op.body.block, frozenset())
        return state


def _accesses(op: Operation) -> tuple[Access, ...]:
    """The accesses of an op, in shared and in global memory."""
    by_tma = isinstance(op, CopyOp | CopyAsyncOp) and op.engine.data is Engine.Tma
    own = (
        {True: Kind.ELECTED_WRITE, False: Kind.ELECTED_READ}
        if by_tma
        else {True: Kind.WRITE, False: Kind.READ}
    )
    return (
        *accesses_of(op),
        *(
            Access(own[write], scope_of(op).root, root_of(tile), None)
            for tile, write in tiles_of(op)
            if tile_type(tile).memory_space is Space.Global
        ),
    )


def unpublished_accesses(block: ParallelOp) -> list[Operation]:
    """The arrivals of one thread that need a barrier before them, in program order."""
    return _Unpublished(block).places(block)
