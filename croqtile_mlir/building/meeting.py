"""Events, barriers and fences."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from croqtile_mlir.building.checks import (
    check_extents,
    check_integer_lists,
    check_integers,
    check_operands,
    check_texts,
    check_values,
    named,
    position,
)
from croqtile_mlir.building.core import Building
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import (
    Dim,
    EventType,
    MemoryOrder,
    MemoryScope,
)
from croqtile_mlir.dialects.croq.index import Index


class Meeting(Building):
    """Where roles, threads and blocks wait for each other."""

    def event(
        self, slots: Dim = 1, *, ready: bool = False, arrivals: int | None = None
    ) -> SSAValue:
        """A ring of generation counters, one for each slot."""
        check_integers(arrivals=arrivals)
        check_extents((slots,))
        made = croq.EventOp(EventType(slots), ready=ready, arrivals=arrivals)
        return self.add(made).event

    def wait_for(
        self,
        event: SSAValue,
        at: Index = 0,
        offset: int | str = 0,
        *,
        by_slot: bool = False,
    ) -> None:
        """Wait until the generation of an order, `at + offset`, is complete.

        `by_slot`: the next generation of slot `at`.
        """
        check_values(event)
        place = position(at, offset, by_slot)
        self.made(lambda: croq.WaitOp(event, place))

    def trigger(
        self,
        event: SSAValue,
        at: Index = 0,
        offset: int | str = 0,
        *,
        by_slot: bool = False,
        after: Sequence[SSAValue] = (),
        multicast: Sequence[int] = (),
    ) -> None:
        """Arrive on the generation of an order, when the copies `after` have landed.

        With `multicast`, in all blocks of the cluster along these indices of the block.
        """
        check_operands(after, "after")
        check_values(event)
        check_integer_lists(multicast=multicast)
        place = position(at, offset, by_slot)
        self.made(lambda: croq.TriggerOp(event, place, after, multicast))

    def barrier(self, *, cluster: bool = False) -> None:
        """All threads of the role, else of the block (or of its cluster), meet."""
        self.add(croq.BarrierOp(cluster=cluster))

    def grid_barrier(self, count: SSAValue | None = None) -> None:
        """All blocks of the grid meet; they count in `count`, else in a workspace."""
        check_values(optional=count)
        self.made(lambda: croq.BarrierOp(grid=True, count=count))

    def barrier_arrive(self, name: str, threads: int) -> None:
        """Arrive at a named barrier, and go on."""
        check_texts(name=name)
        check_integers(threads=threads)
        self.add(croq.BarrierArriveOp(name, threads))

    def barrier_wait(self, name: str, threads: int) -> None:
        """Arrive at a named barrier, and wait until so many threads have."""
        check_texts(name=name)
        check_integers(threads=threads)
        self.add(croq.BarrierWaitOp(name, threads))

    def require(self, condition: SSAValue, message: str) -> None:
        """State that a condition holds: a rule of launches, or a check in threads."""
        check_values(condition)
        check_texts(message=message)
        self.made(lambda: croq.AssertOp(condition, message))

    def fence(self, order: MemoryOrder | str, scope: MemoryScope | str) -> None:
        """Order what each thread did before with what it does after."""
        o, s = named(MemoryOrder, order, "order"), named(MemoryScope, scope, "scope")
        self.add(croq.FenceOp(o, s))
