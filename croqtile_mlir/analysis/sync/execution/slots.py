"""One slot of a barrier in one execution: its generations, and who arrived."""

from __future__ import annotations

from typing import NamedTuple

from croqtile_mlir.analysis.sync.execution.graph import Event, Graph, Part
from croqtile_mlir.analysis.sync.execution.violations import Violation
from croqtile_mlir.analysis.sync.model import Action, Arrive, Barrier
from croqtile_mlir.analysis.sync.verdicts import Rule


class Arrival(NamedTuple):
    """What one event gives to a generation."""

    event: int
    action: Action
    number: int
    announced: int
    delivered: int


class Seen(NamedTuple):
    """A wait that saw a generation."""

    event: int
    action: Action
    agent: str


class SlotState:
    """
    An mbarrier (PTX ISA, mbarrier): pending arrivals and transaction bytes of the
    current generation, and what happens before it is complete.

    A generation is complete when `arrivals` came and as many bytes were delivered as
    were announced.
    """

    def __init__(self, graph: Graph, barrier: Barrier, slot: int, ready: bool):
        self._graph = graph
        self.barrier = barrier
        self.slot = slot
        self.arrivals = barrier.arrivals
        self.completed = 1 if ready else 0
        """Generations that are complete; the number of the current one."""

        self.arrived = 0
        self.announced = 0
        self.delivered = 0
        self.total_announced = 0
        self.total_delivered = 0
        self.total_arrived = 0
        self.before = 0
        self.visible = 0
        self.current: list[Arrival] = []
        self.completions: dict[int, int] = {}
        """The events of the last generations; those that were given are left out."""

        self.history: dict[int, int] = {}
        """The event of the last arrival of each generation."""

        self.previous: dict[int, list[Arrival]] = {}
        self.seen: dict[int, list[Seen]] = {}

    @property
    def name(self) -> str:
        """`%full[2]`, or `%done` of a barrier with one slot."""
        name = self.barrier.name
        if self.barrier.slots > 1:
            name = f"{name}[{self.slot}]"
        return name + self.barrier.owner

    def knows(self, generation: int, before: int) -> bool:
        """
        Whether what happens after `before` is surely after a generation's end. Nothing
        comes between the last arrival and the end, so that to know of all arrivals is
        enough.
        """
        event = self.completions.get(generation)
        return event is None or known_complete(self._graph, event, before)

    def complete_event(self, generation: int) -> int | None:
        """The event at which a generation was completed, None for a given one."""
        return self.completions.get(generation)

    def arrive(self, arrival: Arrival, agent: str) -> list[Violation]:
        """Count an arrival, or a delivery of bytes, for the current generation."""
        self.total_arrived += arrival.number
        self.total_announced += arrival.announced
        self.total_delivered += arrival.delivered
        found: list[Violation] = []
        before = self._graph.ancestors[arrival.event]
        current = self.completed
        if not self.knows(current - 1, before):
            found.append(self._ambiguous(arrival, current))
        if self.arrived + arrival.number > self.arrivals:
            found.append(self._surplus(arrival, current))
        self.arrived += arrival.number
        self.announced += arrival.announced
        self.delivered += arrival.delivered
        self.before |= before
        self.visible |= self._graph.visible[arrival.event]
        self.current.append(arrival)
        if self.arrived >= self.arrivals and self.announced == self.delivered:
            found += self._complete(arrival, agent)
        return found

    def _complete(self, arrival: Arrival, agent: str) -> list[Violation]:
        number = self.completed
        event = self._graph.add(
            Event(agent, Part.COMPLETION, arrival.action, (), self.slot, number),
            self.before,
            self.visible,
        )
        before = self._graph.ancestors[event]
        found = [
            self._overrun(seen, number, arrival.action, event)
            for seen in self.seen.pop(number - 1, ())
            if not before >> seen.event & 1
        ]
        self.completions[number] = event
        self.history[number] = arrival.event
        self.completions.pop(number - 3, None)
        self.previous[number] = self.current
        self.previous.pop(number - 3, None)
        self.seen.pop(number - 2, None)
        self.current = []
        self.completed += 1
        self.arrived = self.announced = self.delivered = 0
        self.before = self.visible = 0
        return found

    def _overrun(
        self, seen: Seen, number: int, action: Action, event: int
    ) -> Violation:
        return Violation(
            Rule.PHASE_OVERRUN,
            seen.action.place,
            f"{seen.agent} waits for generation {number - 1} of {self.name}, but "
            f"generation {number} may be complete before it looks: a wait tells "
            "generations apart by their parity only",
            ((action.place, f"this may complete generation {number}"),),
            f"let what arrives for generation {number} wait for {seen.agent} first",
            seen.event,
            event,
            barrier=self.barrier,
            slot=self.slot,
        )

    def see(self, generation: int, seen: Seen) -> None:
        """Note that a wait has seen a generation."""
        self.seen.setdefault(generation, []).append(seen)

    def _ambiguous(self, arrival: Arrival, current: int) -> Violation:
        last = self.completions[current - 1]
        what = (
            f"delivers {arrival.delivered} bytes to"
            if arrival.delivered
            else "arrives on"
        )
        others = tuple(
            (a.action.place, f"this completes generation {current - 1}")
            for a in self.previous.get(current - 1, ())[-1:]
            if a.action is not arrival.action
        )
        return Violation(
            Rule.AMBIGUOUS_ARRIVAL,
            arrival.action.place,
            f"{what} {self.name} at a time when generation {current - 1} may not be "
            f"complete: it counts for generation {current} or for {current - 1}",
            others,
            f"wait for {self.name} generation {current - 1}, or for something that is "
            "after it, before this",
            arrival.event,
            last,
            barrier=self.barrier,
            slot=self.slot,
        )

    def _surplus(self, arrival: Arrival, current: int) -> Violation:
        number = self.arrived + arrival.number
        return Violation(
            Rule.ARRIVAL_COUNT,
            arrival.action.place,
            f"{self.name} takes {arrivals(self.arrivals)} for a generation, got "
            f"{number} for generation {current}",
            (
                *(
                    (a.action.place, _arrives(a))
                    for a in self.current
                    if a.action is not arrival.action
                ),
                (self.barrier.place, f"{self.barrier.name} is declared here"),
            ),
            None,
            arrival.event,
            arrival.event,
            barrier=self.barrier,
            slot=self.slot,
        )


def arrivals(number: int) -> str:
    """A number of arrivals, in words."""
    return "1 arrival" if number == 1 else f"{number} arrivals"


def known_complete(graph: Graph, event: int, before: int) -> bool:
    """Whether all that a completion needs is in `before`."""
    return not (graph.ancestors[event] ^ 1 << event) & ~before


def _arrives(arrival: Arrival) -> str:
    if arrival.number == 0:
        return "this gives no arrival"
    return "this arrives" + (f" {arrival.number} times" if arrival.number > 1 else "")


def arrival_of(
    action: Arrive, event: int, lanes: int | None, announced: int
) -> Arrival:
    """What an arrive gives; `lanes`: active lanes where each arrives."""
    count = action.count if lanes is None else action.count * lanes
    return Arrival(event, action, count, announced, 0)
