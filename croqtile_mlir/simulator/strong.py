"""
Accesses that synchronise: atomic ones, and loads and stores with an order and a scope.

What a release writes carries what its thread knew; whoever acquires it learns that (PTX
ISA, memory model: release and acquire patterns). An update hands on what it found, so
that a chain of them releases for all. Relaxed accesses carry what the thread knew at
its last fence, and tell it what they found at its next. All that only if the scopes of
both include the other thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation

from croqtile_mlir.simulator.actor_lanes import EVERY_WARP
from croqtile_mlir.simulator.actors import Actor, Agent, Found, Reach
from croqtile_mlir.simulator.clocks import Clock
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.granules import each_of

if TYPE_CHECKING:
    from croqtile_mlir.simulator.engine import Engine
    from croqtile_mlir.simulator.memory import Memory


@dataclass(frozen=True)
class Ordering:
    """What an access does, and what it orders."""

    reads: bool
    writes: bool
    acquires: bool
    releases: bool
    reach: Reach


@dataclass
class _Access:
    """The last synchronising access of a slot to a granule."""

    epoch: int
    engine: Engine
    reach: Reach
    writes: bool
    lane: int
    """Or a code of several (`actor_lanes`)."""


class StrongShadow:
    """The synchronising accesses to one memory."""

    def __init__(self, memory: Memory):
        self._memory = memory
        self._accesses: dict[int, dict[int, _Access]] = {}
        """By granule and slot."""

        self._released: dict[int, list[Found]] = {}
        """By byte offset: what its value carries."""

    def __bool__(self) -> bool:
        return bool(self._accesses)

    # Plain accesses

    def check_plain(
        self,
        actor: Actor,
        op: Operation,
        where: slice | NDArray[np.int64],
        write: bool,
        lanes: NDArray[np.int64] | None = None,
    ) -> None:
        """
        A plain access to granules must be ordered after those that synchronise.

        `lanes` make equal parts of it, each with what it knows.
        """
        for granule in self._hit(where):
            accesses = self._accesses[granule]
            clock = _known(actor, granule, where, lanes)
            for slot, access in accesses.items():
                if not (write or access.writes):
                    continue
                if clock.saw(slot, access.epoch, access.lane):
                    continue
                place, who = actor.engine.history.at(slot, access.epoch)
                other = "atomic write" if access.writes else "atomic read"
                self._race(actor, op, granule, write, f"an {other} by {who}", place)
                break
            if write:
                del self._accesses[granule]
                first = granule * self._memory.granule
                for offset in range(first, first + self._memory.granule):
                    self._released.pop(offset, None)

    def check_lanes(
        self,
        agent: Agent,
        op: Operation,
        where: NDArray[np.int64],
        lanes: NDArray[np.int64],
        write: bool,
    ) -> None:
        """Plain accesses of single lanes, and what other lanes of the agent did."""
        each = len(where) // max(1, len(lanes))
        for index, granule in enumerate(where.tolist()):
            access = self._accesses.get(granule, {}).get(agent.slot)
            if access is None or not (write or access.writes):
                continue
            if _is_unordered(agent, access, int(lanes[index // each])):
                what = f"an atomic access by another lane of {agent.name}"
                self._race(agent, op, granule, write, what, None)

    def _hit(self, where: slice | NDArray[np.int64]) -> list[int]:
        if isinstance(where, slice):
            return [g for g in self._accesses if where.start <= g < where.stop]
        return [g for g in np.unique(where).tolist() if g in self._accesses]

    def _race(
        self,
        actor: Actor,
        op: Operation,
        granule: int,
        write: bool,
        other: str,
        place: Operation | None,
    ) -> None:
        at = self._memory.place(granule * self._memory.granule)
        actor.engine.fault(
            FaultKind.RACE,
            op,
            f"{actor.name} {'writes' if write else 'reads'} {at}, not ordered after "
            f"{other}",
            notes=[] if place is None else [(place, "it is here")],
        )

    # Synchronising accesses

    def note(
        self,
        agent: Agent,
        op: Operation,
        offset: int,
        width: int,
        lane: int | None,
        ordering: Ordering,
    ) -> None:
        """
        One access by a lane of an agent, or (None) by all of its threads as one.

        Checks it against others, and hands on what it acquires and releases. The caller
        has checked the bounds, and moves the bytes.
        """
        memory = self._memory
        step = memory.granule
        known = agent.known_to(lane)
        epoch = agent.act(op)
        if memory.checked:
            where = slice(offset // step, -(-(offset + width) // step))
            with agent.as_lanes(None if lane is None else [lane]):
                memory.check_strong(agent, op, where, ordering.reads, ordering.writes)
            if lane is not None:
                self._check_plain_lanes(agent, op, where, lane, ordering.writes)
        for granule in range(offset // step, -(-(offset + width) // step)):
            accesses = self._accesses.setdefault(granule, {})
            if memory.checked:
                self._check_scopes(agent, op, accesses, known, granule, ordering)
            self._remember(agent, accesses, epoch, lane, ordering)
        if ordering.reads:
            self._acquire(agent, offset, lane, ordering)
        if ordering.writes:
            lanes = range(agent.threads) if lane is None else [lane]
            self._release(agent, offset, lanes, ordering)

    def _check_plain_lanes(
        self, agent: Agent, op: Operation, where: slice, lane: int, write: bool
    ) -> None:
        """An access that synchronises, and plain ones by other lanes before."""
        granules = each_of(where)
        if self._memory.lanes.conflicts(agent, granules, lane, write):
            what = f"an access by another lane of {agent.name}"
            self._race(agent, op, where.start, write, what, None)

    def _check_scopes(
        self,
        agent: Agent,
        op: Operation,
        accesses: dict[int, _Access],
        known: Clock,
        granule: int,
        ordering: Ordering,
    ) -> None:
        for slot, access in accesses.items():
            if not (ordering.writes or access.writes):
                continue
            if known.saw(slot, access.epoch, access.lane):
                continue
            mine, other = agent.engine, access.engine
            if ordering.reach.includes(mine, other) and access.reach.includes(
                other, mine
            ):
                continue
            place, who = mine.history.at(slot, access.epoch)
            narrow = min(ordering.reach, access.reach).name.lower()
            at = self._memory.place(granule * self._memory.granule)
            mine.fault(
                FaultKind.SCOPE,
                op,
                f"{agent.name} accesses {at} at the same time as {who}, with scope "
                f"{narrow}, which does not include both",
                notes=[(place, "the other access is here")],
                hint="the scope of both must include the other thread",
            )

    def _remember(
        self,
        agent: Agent,
        accesses: dict[int, _Access],
        epoch: int,
        lane: int | None,
        ordering: Ordering,
    ) -> None:
        before = accesses.get(agent.slot)
        at = EVERY_WARP if lane is None else lane
        writes = ordering.writes
        if before is not None and _is_unordered(agent, before, at):
            at = at if before.lane == at else EVERY_WARP
            writes |= before.writes
        accesses[agent.slot] = _Access(epoch, agent.engine, ordering.reach, writes, at)

    def _acquire(
        self, agent: Agent, offset: int, lane: int | None, o: Ordering
    ) -> None:
        for found in self._released.get(offset, ()):
            if not _reach_each_other(agent, o.reach, found):
                continue
            if o.acquires:
                agent.learn(found.clock, lane)
            else:
                reach = min(found.reach, o.reach)
                agent.fences.found.append(Found(found.clock, reach, found.engine))

    def _release(
        self, agent: Agent, offset: int, lanes: Sequence[int], o: Ordering
    ) -> None:
        carried = list(self._released.get(offset, ())) if o.reads else []
        if o.releases:
            own = agent.released_by(lanes)
            carried.append(Found(own.copy(), o.reach, agent.engine))
        else:
            carried += [
                Found(clock, min(reach, o.reach), agent.engine)
                for clock, reach in agent.fences.released
            ]
        self._released[offset] = _joined(carried)


def _known(
    actor: Actor,
    granule: int,
    where: slice | NDArray[np.int64],
    lanes: NDArray[np.int64] | None,
) -> Clock:
    """What is known to who accesses a granule: to one lane of an agent, or to all."""
    if lanes is None or isinstance(where, slice) or not isinstance(actor, Agent):
        return actor.clock
    each = len(where) // max(1, len(lanes))
    return actor.known_to(int(lanes[int(np.nonzero(where == granule)[0][0]) // each]))


def _is_unordered(agent: Agent, access: _Access, lane: int) -> bool:
    """Whether a lane of the agent does not know that its access is over."""
    code, by = np.array([access.lane], np.int16), np.array([lane], np.int16)
    epoch = np.array([access.epoch])
    return bool(agent.order.unordered(code, epoch, by)[0])


def fence(agent: Agent, lanes: Sequence[int], reach: Reach) -> None:
    """A fence of some lanes: what they found is acquired, what they know released."""
    single = lanes[0] if len(lanes) == 1 else None
    for found in agent.fences.found:
        if _reach_each_other(agent, reach, found):
            agent.learn(found.clock, single)
    agent.fences.found.clear()
    known = agent.released_by(lanes).copy()
    kept = [(clock, other) for clock, other in agent.fences.released if other > reach]
    agent.fences.released = [*kept, (known, reach)]


def _reach_each_other(agent: Agent, reach: Reach, found: Found) -> bool:
    mine, other = agent.engine, found.engine
    return reach.includes(mine, other) and found.reach.includes(other, mine)


def _joined(carried: list[Found]) -> list[Found]:
    """One of each block and scope."""
    made: dict[tuple[int, Reach], Found] = {}
    for each in carried:
        key = id(each.engine), each.reach
        known = made.get(key)
        if known is None:
            made[key] = each
            continue
        clock = known.clock.copy()
        clock.join(each.clock)
        made[key] = Found(clock, each.reach, each.engine)
    return list(made.values())
