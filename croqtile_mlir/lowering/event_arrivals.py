"""
How many arrivals complete a generation of an event.

A trigger contributes, on each generation that it serves,

- after TMA loads: 1, the elected thread, which also announces the bytes;
- in a role in which the elected thread does everything: 1, that thread;
- after copies by threads: 1 for each thread of its scope;
- otherwise: 1 for each warp of its scope.

A trigger that is `multicast` contributes that in each block that it reaches, so that
each block gets it from all of these: so many times as much.

Two triggers serve the same generations, so that their contributions add up, unless

- their orders are provably disjoint (`Orders.disjoint`), or
- they are in different branches of one condition, or
- both are executed by one role and one of them names its slot by `[slot]`: each time
  is a generation of its own.

All generations must come to one number, which is what the mbarrier is initialised with.

An event may state its arrivals. Where that is what each single trigger contributes,
each generation is one trigger's, though nothing above tells: `--verify-sync` holds the
orders to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from xdsl.dialects import scf
from xdsl.ir import Operation

from croqtile_mlir.analysis.elected_roles import is_elected_only
from croqtile_mlir.analysis.orders import Bound, Orders, depends_on, orders_of
from croqtile_mlir.analysis.program_order import loops_around
from croqtile_mlir.analysis.scopes import Scope, scope_of
from croqtile_mlir.analysis.uniformity import require_whole_scope
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    CopyAsyncOp,
    CopyOp,
    Engine,
    EventOp,
    ForeachOp,
    RoleOp,
    TriggerOp,
    WaitOp,
)
from croqtile_mlir.lowering.cluster_reach import reach_of
from croqtile_mlir.lowering.rewriting import constant_value

MAX_SLOTS = 1024
"""Most slots of an event: each is initialised by an instruction of its own."""


class Arrivers(Enum):
    """Who arrives for a trigger."""

    Elected = "one elected thread"
    Threads = "each thread"
    Warps = "each warp"


@dataclass(frozen=True)
class Arrival:
    """What a trigger contributes to each generation that it serves."""

    trigger: TriggerOp
    scope: Scope
    arrivers: Arrivers
    count: int
    orders: Orders | None
    """None for the form `[slot]`."""

    times: int = 1
    """How often the trigger comes at one order; `count` is for all times."""

    blocks: int = 1
    """How many blocks of the cluster the trigger comes from; `count` is for all."""

    def __str__(self) -> str:
        root = self.scope.root
        who = f'role "{root.role_name.data}"' if isinstance(root, RoleOp) else "block"
        if self.blocks > 1:
            who = f"{who} in {self.blocks} blocks"
        return f"{self.count} here ({self.arrivers.value} of the {who})"

    def disjoint(self, other: Arrival) -> bool:
        """Whether no generation is provably served by both triggers."""
        if _exclusive(self.trigger, other.trigger):
            return True
        if self.orders is None or other.orders is None:
            return self.scope.root is other.scope.root
        return self.orders.disjoint(other.orders)


def require_engine(copy: CopyOp | CopyAsyncOp, trigger: TriggerOp) -> None:
    """Refuse a copy that a trigger comes after and whose engine is open."""
    if copy.engine.data is Engine.Auto:
        fail(
            copy,
            "must have an engine to complete on an event, got auto",
            hint="run --select-engines first",
            notes=[(trigger, "the event is triggered here")],
        )


def copies_of(trigger: TriggerOp) -> list[CopyAsyncOp]:
    """The copies that a trigger comes after; a located error for what it can't be."""
    copies: list[CopyAsyncOp] = []
    for future in trigger.after:
        copy = future.owner
        if not isinstance(copy, CopyAsyncOp):
            fail(
                trigger,
                "must come after results of croq.copy_async, got a future that is "
                "carried by a loop or a condition",
            )
        if copy.parent_block() is not trigger.parent_block():
            fail(
                trigger,
                "must be in the block of the copies it comes after, got another region",
                notes=[(copy, "the copy is started here")],
            )
        require_engine(copy, trigger)
        copies.append(copy)
    return copies


def arrivers_of(trigger: TriggerOp) -> Arrivers:
    """Who arrives for a trigger."""
    engines = {copy.engine.data for copy in copies_of(trigger)}
    if not engines:
        root = scope_of(trigger).root
        alone = isinstance(root, RoleOp) and is_elected_only(root)
        return Arrivers.Elected if alone else Arrivers.Warps
    return Arrivers.Elected if engines == {Engine.Tma} else Arrivers.Threads


def arrival_of(trigger: TriggerOp) -> Arrival:
    """The contribution of a trigger; a located error where threads may stay away."""
    require_whole_scope(
        trigger,
        "trigger the event outside of parallel levels and of conditions on the thread",
    )
    scope = scope_of(trigger)
    arrivers = arrivers_of(trigger)
    blocks = reach_of(trigger).count
    count = (
        blocks
        * {
            Arrivers.Elected: 1,
            Arrivers.Threads: scope.num_threads,
            Arrivers.Warps: scope.num_warps,
        }[arrivers]
    )
    if trigger.position.by_slot:
        return Arrival(trigger, scope, arrivers, count, None, blocks=blocks)
    if isinstance(trigger.position.offset, str):
        fail(
            trigger,
            f"offset must be an integer, got {trigger.position.offset}",
            hint="run --bind-params first; a dim cannot be an offset",
        )
    times = _times(trigger, scope)
    orders = orders_of(trigger.position)
    return Arrival(trigger, scope, arrivers, count * times, orders, times, blocks)


def _times(trigger: TriggerOp, scope: Scope) -> int:
    """How often a trigger comes at one order: the loops that the order ignores."""
    times = 1
    for loop in loops_around(trigger, scope.root):
        if depends_on(trigger.position.base, loop):
            continue
        trips = _trip_count(loop)
        if trips is None:
            fail(
                trigger,
                "order must grow with every loop around it, got one that starts over",
                hint="carry a running count through the outer loop, or use [slot]",
                notes=[(loop, "this loop repeats the orders")],
            )
        times *= trips
    return times


def _trip_count(loop: Operation) -> int | None:
    if isinstance(loop, ForeachOp):
        return loop.trip_count
    if isinstance(loop, scf.ForOp):
        lower, upper, step = map(constant_value, (loop.lb, loop.ub, loop.step))
        if lower is not None and upper is not None and step:
            return max(0, -(-(upper - lower) // step))
    return None


def _exclusive(a: TriggerOp, b: TriggerOp) -> bool:
    """Whether two triggers are in different branches of one condition."""
    branches: dict[Operation, object] = {}
    for trigger, seen in ((a, False), (b, True)):
        region = trigger.parent_region()
        while region is not None and (parent := region.parent_op()) is not None:
            if isinstance(parent, scf.IfOp):
                if seen and branches.get(parent, region) is not region:
                    return True
                branches[parent] = region
            region = parent.parent_region()
    return False


def _cliques(arrivals: Sequence[Arrival]) -> list[frozenset[int]]:
    """The largest sets of triggers that may serve one generation, as indices."""
    together = [
        {j for j, b in enumerate(arrivals) if i != j and not a.disjoint(b)}
        for i, a in enumerate(arrivals)
    ]
    found: list[frozenset[int]] = []

    def grow(clique: frozenset[int], candidates: set[int], done: set[int]) -> None:
        if not candidates and not done:
            found.append(clique)
            return
        pivot = max(candidates | done, key=lambda i: len(together[i] & candidates))
        for i in sorted(candidates - together[pivot]):
            grow(clique | {i}, candidates & together[i], done & together[i])
            candidates = candidates - {i}
            done = done | {i}

    grow(frozenset(), set(range(len(arrivals))), set())
    return sorted(found, key=min)


def generation_groups(arrivals: Sequence[Arrival]) -> list[list[Arrival]]:
    """
    For each kind of generation, the triggers that serve it.

    The cliques of triggers that may meet, and what provably meets at the ends of
    their orders.
    """
    groups = [[arrivals[i] for i in sorted(c)] for c in _cliques(arrivals)]
    ends: set[Bound] = set()
    for arrival in arrivals:
        if arrival.orders is not None:
            ends.add(arrival.orders.lower)
            if arrival.orders.upper is not None:
                ends.add(arrival.orders.upper)
    ordered = [(arrival, arrival.orders) for arrival in arrivals]
    for end in ends:
        surely = [a for a, orders in ordered if orders and orders.surely_has(end)]
        maybe = [
            a for a, orders in ordered if not orders or not orders.surely_lacks(end)
        ]
        if surely and surely == maybe:
            groups.append(surely)
    return groups


def arrival_count(event: EventOp) -> int:
    """
    The arrivals that complete each generation of an event.

    A located error when generations differ, when `arrivals` says another number, or
    when the event is waited for and never triggered.
    """
    users = [use.operation for use in event.event.uses]
    for user in users:
        if not isinstance(user, TriggerOp | WaitOp):
            fail(
                user,
                "must not carry an event, got one",
                hint="wait for it and trigger it by its own name",
                notes=[(event, "the event is here")],
            )
    place = {op: number for number, op in enumerate(_around(event).walk())}
    users.sort(key=lambda user: place.get(user, 0))
    arrivals = [arrival_of(op) for op in users if isinstance(op, TriggerOp)]
    waits = [op for op in users if isinstance(op, WaitOp)]
    if not arrivals:
        if waits:
            fail(
                waits[0],
                "must wait for an event that is triggered, got one that never is",
                notes=[(event, "the event is here")],
            )
        return event.arrivals.data if event.arrivals is not None else 1
    stated = None if event.arrivals is None else event.arrivals.data
    if all(a.count == stated for a in arrivals):
        return arrivals[0].count
    groups = generation_groups(arrivals)
    first = groups[0]
    count = sum(a.count for a in first)
    for group in groups[1:]:
        total = sum(a.count for a in group)
        if total != count:
            fail(
                group[0].trigger,
                "must make as many arrivals as the other generations of its event get, "
                f"got {total} and {count}",
                hint="a generation completes after one fixed number of arrivals: let "
                "the same scopes, with copies alike, trigger every generation",
                notes=[
                    *((a.trigger, f"of these {total}: {a}") for a in group),
                    *((a.trigger, f"of the other {count}: {a}") for a in first),
                    (event, "the event is here"),
                ],
            )
    if stated is not None and stated != count:
        fail(
            event,
            f"arrivals must be what the triggers make, {count}, got {stated}",
            notes=[(a.trigger, str(a)) for a in first],
        )
    return count


def _around(op: Operation) -> Operation:
    parent = op.parent_op()
    return op if parent is None else parent
