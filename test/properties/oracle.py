"""
Every execution of a program for given counts, one by one.

The oracle knows nothing of the verifier's theory: no happens-before relation, no vector
clocks, no periodicity. It enumerates all interleavings of the steps of the roles and of
the landings of TMA loads, and remembers the states that it has been in. A state is

- for every role the number of steps done,
- for every slot the generations complete, the arrivals and the loads still missing,
- for every stage which write it holds, and the loads in flight.

The reads of wgmma stay in flight until a `Retire` says that they are over: earlier ends
enable nothing else and only make fewer accesses overlap, so that nothing is lost.

An execution goes wrong in one of these ways (`Hazard`); the first one found ends the
exploration. Everything that the hardware would do in a wrong state is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from properties.programs import Program
from properties.unrolled import NEXT, Step, Unrolled, unroll


class Hazard(StrEnum):
    """What can go wrong."""

    DEADLOCK = "deadlock"
    """Roles wait, and nothing else can happen."""

    WRONG_GENERATION = "wrong generation"
    """An arrival that names a generation counts for another one."""

    AMBIGUOUS = "ambiguous arrival"
    """An arrival that names none counts for different ones in different executions."""

    TOO_EARLY = "too early"
    """
    A role waits for a generation while an earlier one is not complete: the parity of
    the last complete one is that of the one meant, or soon will be, and the wait ends
    too early (PTX ISA, mbarrier.test_wait: a phase is named by its parity).
    """

    OVERRUN = "overrun"
    """
    Two generations completed before a role has seen the first: the parity is again
    that of a pending phase, and the wait that should have ended blocks.
    """

    READ_IN_FLIGHT = "read in flight"
    """A stage may be read while it is written."""

    UNWRITTEN = "unwritten"
    """A stage may be read before anything was written to it."""

    UNSTABLE = "unstable"
    """A read sees different writes in different executions."""

    OVERWRITE = "overwrite"
    """A stage may be written while it is read."""

    WRITE_CONFLICT = "write conflict"
    """A stage may be written by two at a time."""

    EXIT_IN_FLIGHT = "exit in flight"
    """All roles have ended, and loads or wgmma may be in flight."""


@dataclass(frozen=True)
class Fault:
    """A hazard, and an execution of the fewest steps that leads to one."""

    hazard: Hazard
    text: str
    trace: tuple[str, ...]

    def __str__(self) -> str:
        return "\n  ".join((f"{self.hazard}: {self.text}", *self.trace))


class TooLarge(Exception):
    """More states than the limit."""


Slot = tuple[int, int, int]
"""Generations complete, arrivals missing, loads missing of those announced."""

Flight = tuple[int, int, int]
"""A load in flight: its role, the number of its step, the slot it completes."""

Label = tuple[int, int, bool]
"""A step of a role, by their numbers; or its landing."""

State = tuple[
    tuple[int, ...], tuple[Slot, ...], tuple[int | None, ...], tuple[Flight, ...]
]


class _Found(Exception):
    def __init__(self, hazard: Hazard, text: str):
        super().__init__(text)
        self.hazard = hazard
        self.text = text


def explore(
    program: Program, counts: Mapping[str, int], limit: int = 100_000
) -> Fault | None:
    """A fault of some execution, None when there is none; TooLarge beyond `limit`."""
    return Explorer(unroll(program, counts)).run(limit)


class Explorer:
    """The exploration of one program for one set of counts."""

    def __init__(self, unrolled: Unrolled):
        self.unrolled = unrolled
        self.roles = unrolled.roles
        self.ends = tuple(len(steps) for steps in unrolled.roles)
        self.held = tuple(
            (frozenset[int](), *(step.held for step in steps))
            for steps in unrolled.roles
        )
        self.arrived_in: dict[tuple[int, int], int] = {}
        self.seen_by: dict[tuple[int, int, int], int | None] = {}

    def run(self, limit: int) -> Fault | None:
        """Explore breadth first, so that a trace is a shortest one."""
        first = self._first()
        came_from: dict[State, tuple[State, Label] | None] = {first: None}
        layer = [first]
        while layer:
            following: list[State] = []
            for state in layer:
                try:
                    self._inspect(state)
                    for label, successor in self._successors(state):
                        if successor not in came_from:
                            came_from[successor] = (state, label)
                            following.append(successor)
                except _Found as found:
                    trace = tuple(map(self._described, _trace(came_from, state)))
                    return Fault(found.hazard, found.text, trace)
            if len(came_from) > limit:
                raise TooLarge
            layer = following
        self.states = len(came_from)
        return None

    def _first(self) -> State:
        slots = tuple(
            (int(ready), arrivals, 0)
            for arrivals, ready in zip(
                self.unrolled.arrivals, self.unrolled.ready, strict=True
            )
        )
        return (0,) * len(self.roles), slots, (None,) * self.unrolled.stages, ()

    def _inspect(self, state: State) -> None:
        """Look for faults that the state itself is, whichever step is next."""
        places, slots, _, flights = state
        ready: list[tuple[int, Step]] = []
        blocked = False
        for role, place in enumerate(places):
            if place == self.ends[role]:
                continue
            step = self.roles[role][place]
            if step.wait is not None:
                slot, generation = step.wait
                complete = slots[slot][0]
                if complete < generation:
                    raise _Found(Hazard.TOO_EARLY, self._name(role, place))
                if complete > generation + 1:
                    raise _Found(Hazard.OVERRUN, self._name(role, place))
                if complete == generation:
                    blocked = True
                    continue
            ready.append((role, step))
        self._overlaps(ready)
        if not ready and not flights:
            if blocked:
                text = ", ".join(
                    self._name(role, place)
                    for role, place in enumerate(places)
                    if place != self.ends[role]
                )
                raise _Found(Hazard.DEADLOCK, text)
        if places == self.ends:
            held = any(self.held[role][place] for role, place in enumerate(places))
            if flights or held:
                raise _Found(Hazard.EXIT_IN_FLIGHT, "all roles have ended")

    def _overlaps(self, ready: list[tuple[int, Step]]) -> None:
        """
        Look for two roles that can access one stage in this state.

        Accesses that go on after their step are compared with what comes meanwhile.
        """
        for role, step in ready:
            for other, beside in ready:
                if other == role:
                    continue
                for stage in step.writes:
                    if stage in beside.writes:
                        raise _Found(
                            Hazard.WRITE_CONFLICT, f"{step.text}, {beside.text}"
                        )
                    if stage in beside.reads:
                        raise _Found(Hazard.OVERWRITE, f"{step.text}, {beside.text}")

    def _successors(self, state: State) -> Iterator[tuple[Label, State]]:
        places, slots, tokens, flights = state
        for number, (role, place, slot) in enumerate(flights):
            complete, arrivals, loads = slots[slot]
            step = self.roles[role][place]
            written = list(tokens)
            for stage in step.loads:
                written[stage] = self._token(role, place)
            yield (
                (role, place, True),
                (
                    places,
                    self._updated(slots, slot, complete, arrivals, loads - 1),
                    tuple(written),
                    flights[:number] + flights[number + 1 :],
                ),
            )
        for role, place in enumerate(places):
            if place == self.ends[role]:
                continue
            step = self.roles[role][place]
            if step.wait is not None and slots[step.wait[0]][0] <= step.wait[1]:
                continue
            following = (*places[:role], place + 1, *places[role + 1 :])
            yield (
                (role, place, False),
                (following, *self._effects(role, place, step, state)),
            )

    def _effects(
        self, role: int, place: int, step: Step, state: State
    ) -> tuple[tuple[Slot, ...], tuple[int | None, ...], tuple[Flight, ...]]:
        places, slots, tokens, flights = state

        def found(hazard: Hazard) -> _Found:
            return _Found(hazard, self._name(role, place))

        for stage in (*step.reads, *step.multiplies):
            if self._in_flight(stage, flights):
                raise found(Hazard.READ_IN_FLIGHT)
            token = tokens[stage]
            if token is None:
                raise found(Hazard.UNWRITTEN)
            if self.seen_by.setdefault((role, place, stage), token) != token:
                raise found(Hazard.UNSTABLE)
        for stage in (*step.writes, *step.loads):
            if self._in_flight(stage, flights):
                raise found(Hazard.WRITE_CONFLICT)
            if any(stage in self.held[r][p] for r, p in enumerate(places)):
                raise found(Hazard.OVERWRITE)
        if step.writes:
            written = list(tokens)
            for stage in step.writes:
                written[stage] = self._token(role, place)
            tokens = tuple(written)
        if step.arrive is not None:
            slot, meant = step.arrive
            complete, arrivals, loads = slots[slot]
            if meant == NEXT:
                if self.arrived_in.setdefault((role, place), complete) != complete:
                    raise found(Hazard.AMBIGUOUS)
            elif complete != meant:
                raise found(Hazard.WRONG_GENERATION)
            if arrivals == 0:
                # The generation has its arrivals and waits for loads: one more of them
                # is an error of its own (PTX ISA, mbarrier.arrive: pending count).
                raise found(Hazard.WRONG_GENERATION)
            announced = 1 if step.loads else 0
            slots = self._updated(
                slots, slot, complete, arrivals - 1, loads + announced
            )
            if step.loads:
                flights = tuple(sorted((*flights, (role, place, slot))))
        return slots, tokens, flights

    def _updated(
        self,
        slots: tuple[Slot, ...],
        slot: int,
        complete: int,
        arrivals: int,
        loads: int,
    ) -> tuple[Slot, ...]:
        """The slots after a change of one, which may complete its generation."""
        if arrivals == 0 and loads == 0:
            complete, arrivals = complete + 1, self.unrolled.arrivals[slot]
        return (*slots[:slot], (complete, arrivals, loads), *slots[slot + 1 :])

    def _in_flight(self, stage: int, flights: tuple[Flight, ...]) -> bool:
        return any(stage in self.roles[role][place].loads for role, place, _ in flights)

    def _token(self, role: int, place: int) -> int:
        return role << 16 | place

    def _described(self, label: Label) -> str:
        role, place, landing = label
        return (
            f"landing of {self._name(role, place)}"
            if landing
            else self._name(role, place)
        )

    def _name(self, role: int, place: int) -> str:
        return f"{self.unrolled.names[role]}: {self.roles[role][place].text}"


def _trace(
    came_from: Mapping[State, tuple[State, Label] | None], state: State
) -> list[Label]:
    labels: list[Label] = []
    step = came_from[state]
    while step is not None:
        labels.append(step[1])
        step = came_from[step[0]]
    return labels[::-1]
