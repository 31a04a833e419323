"""
The state of an execution between two rounds, without what grows for ever.

Two states of equal `shape` are the same but for numbers that the shape leaves out: the
values of variables and the numbers of generations. What of the past matters to the
future is in the shape: which of the events that a later one can be compared with happen
before what each agent, slot and operation in flight hands on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from croqtile_mlir.analysis.sync.execution.compiled import LoopCode
from croqtile_mlir.analysis.sync.execution.engines import Operation
from croqtile_mlir.analysis.sync.execution.memory import Entry
from croqtile_mlir.analysis.sync.execution.regions import Part
from croqtile_mlir.analysis.sync.execution.rings import Ring, Turns
from croqtile_mlir.analysis.sync.execution.slots import SlotState
from croqtile_mlir.analysis.sync.execution.state import AgentState, Execution
from croqtile_mlir.analysis.sync.model import Barrier, Buffer

Shape = tuple[object, ...]
LoopRun = tuple[LoopCode, int]
"""One execution of a loop whose trip count is symbolic."""


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """The state at the start of a round."""

    round: int
    shape: Shape
    values: tuple[tuple[object, ...], ...]
    """The variables of each agent."""

    generations: dict[tuple[Barrier, int], int]
    turned: Mapping[Ring, int]
    """By how many slots each ring has turned that can."""

    loops: tuple[tuple[LoopRun, ...], ...]
    """The symbolic loops that each agent is in."""

    around: tuple[tuple[int, ...], ...]
    """The counters of all loops that each agent is in."""


def snapshot(run: Execution) -> Snapshot:
    """The state of an execution now."""
    shared = Knowledge(run)
    turns = Turns(run)
    run.memory.forget(shared.of)
    generations = {key: slot.completed for key, slot in run.slots.items()}
    return Snapshot(
        run.round,
        _shape(run, shared, turns),
        tuple(tuple(map(_plain, agent.env)) for agent in run.agents),
        generations,
        turns.of,
        tuple(tuple(agent.dynamic) for agent in run.agents),
        tuple(tuple(agent.loops) for agent in run.agents),
    )


def _plain(value: object) -> object:
    if isinstance(value, int):
        return value
    return getattr(value, "tobytes", lambda: value)()


class Knowledge:
    """What all agents know that may still touch a thing: later events are after it."""

    def __init__(self, run: Execution):
        self._live = [agent for agent in run.agents if not agent.done]
        self._touched = run.compiled.touched
        self._joints = list(run.joints.values())
        self._known: dict[Buffer | Barrier, tuple[int, int]] = {}
        self.everyone = -1
        """The events that all agents know."""

        for agent in self._live:
            self.everyone &= agent.before

    def of(self, thing: Buffer | Barrier) -> tuple[int, int]:
        """The events that they know, and the generic writes that a fence is after."""
        found = self._known.get(thing)
        if found is None:
            known = visible = -1
            for agent in self._live:
                if thing in self._touched[agent.index]:
                    known &= agent.before
                    visible &= agent.visible
            for joint in self._joints:
                known &= joint.before
                visible &= joint.visible
            found = self._known[thing] = known, visible
        return found


_SlotKey = tuple[Barrier, int]
_Slots = list[tuple[_SlotKey, SlotState]]
"""The slots of barriers, as they are counted in states, in an order of that."""


def _slots(run: Execution, turns: Turns) -> _Slots:
    seen = [
        ((barrier, turns.seen(barrier, number)), slot)
        for (barrier, number), slot in run.slots.items()
    ]
    if turns.of:
        first: dict[Barrier, int] = {}
        for barrier, _ in run.slots:
            first.setdefault(barrier, len(first))
        seen.sort(key=lambda each: (first[each[0][0]], each[0][1]))
    return seen


def _part(part: Part, turns: Turns) -> tuple[int, int]:
    slot = -1 if part.slot is None else turns.seen(part.buffer, part.slot)
    return part.family, slot


def _written(part: Part, turns: Turns) -> object:
    return _part(part, turns) if part.buffer in turns.of else part.index


def _kind(entry: Entry) -> tuple[bool, str, bool]:
    """What of an access decides whether a later one conflicts with it."""
    access = entry.access
    return access.write, access.proxy.value, access.strong


def _columns(
    run: Execution, shared: Knowledge, turns: Turns, slots: _Slots
) -> list[tuple[int, object]]:
    """Events that a later one can be compared with, and what each is."""
    entries = [
        (entry.event, *_part(entry.part, turns), *_kind(entry))
        for entry in run.memory.kept()
    ]
    entries.sort()
    found: list[tuple[int, object]] = [(entry[0], entry[1:]) for entry in entries]
    found += _of_slots(shared, slots)
    known = shared.everyone
    found += [column for column in _others(run) if not known >> column[0] & 1]
    return found


def _of_slots(shared: Knowledge, slots: _Slots) -> Iterator[tuple[int, object]]:
    """Arrivals and waits that later ones are compared with."""
    for key, slot in slots:
        known, _ = shared.of(slot.barrier)
        for arrival in slot.current:
            if not known >> arrival.event & 1:
                yield arrival.event, (key, "current")
        for back in (1, 2):
            for arrival in slot.previous.get(slot.completed - back, ()):
                if not known >> arrival.event & 1:
                    yield arrival.event, (key, back)
        for seen in slot.seen.get(slot.completed - 1, ()):
            if not known >> seen.event & 1:
                yield seen.event, (key, "seen")


def _others(run: Execution) -> Iterator[tuple[int, object]]:
    """Events of other barriers, and those that a block must not end before."""
    for name, state in run.rendezvous.items():
        for event in (*state.events, *state.last_events):
            yield event, name
    ends = _before_ends(run)
    for operation in _in_flight(run, ends):
        for event in operation.shared:
            yield event, id(operation.action)
    run.remote = [
        remote
        for remote in run.remote
        if not ends[remote.slot.barrier.rank] >> remote.event & 1
    ]
    for remote in run.remote:
        yield remote.event, (id(remote.action), "remote")


def _before_ends(run: Execution) -> list[int]:
    """What some agent of each block knows, so that the block ends after it."""
    known = list(run.ends)
    for agent in run.agents:
        known[agent.agent.rank] |= agent.before
    return known


def _in_flight(run: Execution, ends: Sequence[int]) -> list[Operation]:
    """Operations that may not be over when the block ends that they concern."""
    run.in_flight = [
        operation
        for operation in run.in_flight
        if not operation.started
        or any(not ends[operation.rank] >> event & 1 for event in operation.shared)
    ]
    return run.in_flight


def _operations(agent: AgentState) -> Iterator[tuple[object, Operation]]:
    for name, queue in agent.queues.items():
        groups = [
            [o for o in group if not _is_over(o)]
            for group in (*queue.groups, queue.open)
        ]
        while groups and not groups[0] and len(groups) > 1:
            groups.pop(0)
        for back, group in enumerate(reversed(groups)):
            for operation in group:
                yield (name, back), operation
    for future, operation in agent.futures.items():
        if not _is_over(operation):
            yield id(future), operation


def _is_over(operation: Operation) -> bool:
    """Whether nothing that a further wait for it gives matters to shared memory."""
    reads_only = operation.started and all(
        event == operation.reads for event in operation.shared
    )
    return operation.joined or (operation.joined_reads and reads_only)


def _rows(run: Execution, slots: _Slots) -> Iterator[tuple[object, int, int]]:
    """What hands on knowledge of events: a label, what is before it, fences."""
    graph = run.graph
    for agent in run.agents:
        if agent.done:
            continue
        yield agent.index, agent.before, agent.visible
        for label, operation in _operations(agent):
            kind = (agent.index, label, id(operation.action))
            for event in dict.fromkeys((operation.reads, operation.end)):
                if event is not None:
                    yield kind, graph.ancestors[event], graph.visible[event]
        for name, queue in agent.queues.items():
            if queue.last:
                yield (agent.index, name, "last"), queue.last, 0
    for key, slot in slots:
        yield (key, "current"), slot.before, slot.visible
        event = slot.complete_event(slot.completed - 1)
        if event is not None:
            yield (key, "last"), graph.ancestors[event], graph.visible[event]
    for name, state in run.rendezvous.items():
        yield (name, "current"), state.before, state.visible
        if state.ends:
            event = state.ends[-1]
            yield (name, "last"), graph.ancestors[event], graph.visible[event]
    for joint in run.joints.values():
        if not joint.operation.started:
            kind = (id(joint.operation.action), tuple(sorted(joint.members)))
            yield kind, joint.before, joint.visible
    for rank, known in enumerate(run.ends):
        yield ("ends", rank), known, 0


def _turn(run: Execution, agent: AgentState, code: LoopCode) -> object:
    """Where in a round of several iterations a loop is."""
    counter, stride = agent.env[code.counter], run.compiled.stride(code)
    if stride == 1 or not isinstance(counter, int):
        return 0
    lower = code.lower.value(agent.env)
    return (counter - lower) % stride if isinstance(lower, int) else 0


def _agent_shape(run: Execution, agent: AgentState, turns: Turns) -> object:
    if agent.done:
        return None
    blocked = agent.blocked
    stop = None
    if blocked is not None and blocked.slot is not None:
        slot = blocked.slot
        number = turns.seen(slot.barrier, slot.slot)
        stop = (slot.barrier, number, blocked.generation - slot.completed)
    waits = frozenset(
        (key[0], turns.seen(*key), number - run.slots[key].completed)
        for key, number in agent.waits.items()
    )
    queues = tuple(
        (name, len(queue.open), min(len(queue.groups), 1))
        for name, queue in agent.queues.items()
    )
    mask = None if agent.mask is None else agent.mask.tobytes()
    gone = None if agent.gone is None else agent.gone.tobytes()
    loops = tuple((code.ident, _turn(run, agent, code)) for code, _ in agent.dynamic)
    futures = tuple(
        (id(future), operation.joined, operation.joined_reads)
        for future, operation in agent.futures.items()
    )
    return agent.at, stop, waits, queues, mask, gone, loops, futures


def _shape(run: Execution, shared: Knowledge, turns: Turns) -> Shape:
    in_order = _slots(run, turns)
    columns = _columns(run, shared, turns, in_order)
    positions = [event for event, _ in columns]
    fences = run.program.explicit_fences
    length = len(run.graph.events)
    if len(positions) > 1:
        pick = itemgetter(*positions)
    else:
        pick = itemgetter(0, *positions)
    wanted = 0
    for event in positions:
        wanted |= 1 << event
    rows: list[object] = []
    for label, before, visible in _rows(run, in_order):
        # What hands on nothing that an agent may not know is the same as nothing.
        if before & wanted:
            bits = pick(format(before | 1 << length, "b")[:0:-1])
            rows.append((label, bits))
        if fences and visible & wanted:
            rows.append((label, pick(format(visible | 1 << length, "b")[:0:-1])))
    slots = tuple(
        (key, slot.arrived, slot.announced, slot.delivered) for key, slot in in_order
    )
    meetings = tuple(
        (name, state.arrived, state.threads, tuple(state.members))
        for name, state in run.rendezvous.items()
    )
    first: dict[int, int] = {}
    for agent in run.agents:
        for place, number in agent.joints.items():
            first[place] = min(number, first.get(place, number))
    behind = tuple(
        tuple((place, number - first[place]) for place, number in agent.joints.items())
        for agent in run.agents
    )
    return (
        tuple(_agent_shape(run, agent, turns) for agent in run.agents),
        slots,
        meetings,
        behind,
        frozenset(_written(part, turns) for part in run.memory.written()),
        tuple(label for _, label in columns),
        tuple(rows),
    )
