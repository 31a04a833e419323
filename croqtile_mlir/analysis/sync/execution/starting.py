"""Accesses by agents, and asynchronous operations as they start."""

from __future__ import annotations

from collections.abc import Iterable

from croqtile_mlir.analysis.sync.execution.compiled import AccessCode, ActionCode
from croqtile_mlir.analysis.sync.execution.engines import Joint, Operation, Queue
from croqtile_mlir.analysis.sync.execution.graph import Event, Part
from croqtile_mlir.analysis.sync.execution.memory import Entry
from croqtile_mlir.analysis.sync.execution.races import race
from croqtile_mlir.analysis.sync.execution.regions import Part as BufferPart
from croqtile_mlir.analysis.sync.execution.slots import Arrival, SlotState
from croqtile_mlir.analysis.sync.execution.state import AgentState, Execution
from croqtile_mlir.analysis.sync.expressions import Value
from croqtile_mlir.analysis.sync.model import Access, Start

Touched = tuple[Access, BufferPart]


def _parts(
    run: Execution, agent: AgentState, accesses: Iterable[AccessCode]
) -> list[Touched]:
    threads = agent.agent.threads
    found: list[Touched] = []
    for code in accesses:
        part = run.parts.part(agent.index, code, agent.env, agent.mask, threads)
        found.append((code.access, part))
        for shift in run.shifts:
            shift.same_part(agent, code)
    return found


def touch(run: Execution, agent: AgentState, code: ActionCode) -> None:
    """Loads and stores by the agent; those between two other actions are one event."""
    if not code.accesses:
        return
    parts = _parts(run, agent, code.accesses)
    iteration = agent.iteration
    if agent.segment is None:
        agent.segment = run.step(agent, code.action)
        segment = agent.segment
    else:
        segment = agent.segment
    agent.segment = segment
    _check(run, segment, code.action, iteration, parts)


def _check(
    run: Execution,
    event: int,
    action: object,
    iteration: tuple[Value, ...],
    parts: Iterable[Touched],
) -> None:
    from croqtile_mlir.analysis.sync.model import Action

    assert isinstance(action, Action)
    if run.is_known:
        return
    for access, part in parts:
        entry = Entry(event, action, iteration, access, part)
        for conflict in run.memory.touch(entry):
            run.report([race(run.graph, conflict)])


def start(run: Execution, agent: AgentState, code: ActionCode, action: Start) -> None:
    """Start an asynchronous operation."""
    parts = _parts(run, agent, code.accesses)
    slot: SlotState | None = None
    delivered = 0
    if action.completes is not None and code.slot is not None:
        number = run.number(agent, code.slot, action.place)
        barrier = action.completes.barrier
        for shift in run.shifts:
            shift.same_slot(agent, code.slot, barrier, action.place)
        slot = run.slot(barrier, number, action.place)
    if code.bytes is not None:
        delivered = run.number(agent, code.bytes, action.place)
        for shift in run.shifts:
            shift.same(agent, code.bytes, 0, action.place)
    agent.segment = None
    queue = None
    before, visible = agent.before, agent.visible
    if action.queue is not None:
        queue = agent.queues.setdefault(action.queue, Queue())
        if action.queue == "wgmma":
            before |= queue.last
    earlier = None
    if action.after is not None:
        earlier = agent.queues.setdefault(action.after, Queue())
        for other in (*earlier.older(0), *earlier.open):
            if other.end is not None:
                before |= run.graph.ancestors[other.end]
                visible |= run.graph.visible[other.end]
    if not action.joint:
        operation = Operation(action, (agent.name,), agent.iteration)
        run.operations.append(operation)
        run.in_flight.append(operation)
        _begin(run, operation, before, visible, parts)
    else:
        joint = _joint(run, agent, action)
        # It orders no member with another (PTX ISA: wgmma is `.sync` for a warp only):
        # before it is what is before it for all of them.
        first = not joint.members
        joint.before = before if first else joint.before & before
        joint.visible = visible if first else joint.visible & visible
        joint.members.add(agent.name)
        joint.parts.extend(p for p in parts if p not in joint.parts)
        operation = joint.operation
        if joint.members >= frozenset(action.joint):
            _begin(run, operation, joint.before, joint.visible, joint.parts)
            run.joints = {k: j for k, j in run.joints.items() if j is not joint}
            for member in run.agents:
                if member.name in joint.members:
                    _follow(run, member, operation)
    if earlier is not None:
        # It stands for what it comes after.
        earlier.open = [operation]
    if queue is not None:
        queue.open.append(operation)
        _follow(run, agent, operation)
    if action.future is not None:
        agent.futures[action.future] = operation
    if slot is not None and operation.end is not None and delivered:
        arrival = Arrival(operation.end, action, 0, 0, delivered)
        run.report(slot.arrive(arrival, agent.name))


def _follow(run: Execution, agent: AgentState, operation: Operation) -> None:
    queue = operation.action.queue
    if queue == "wgmma" and operation.end is not None:
        agent.queues.setdefault(queue, Queue()).last = run.graph.ancestors[
            operation.end
        ]


def _joint(run: Execution, agent: AgentState, action: Start) -> Joint:
    place = id(action.place)
    turn = agent.joints.get(place, 0)
    agent.joints[place] = turn + 1
    found = run.joints.get((place, turn, action.joint))
    if found is None:
        operation = Operation(action, action.joint, agent.iteration)
        run.operations.append(operation)
        run.in_flight.append(operation)
        found = run.joints[place, turn, action.joint] = Joint(operation)
    return found


def _begin(
    run: Execution,
    operation: Operation,
    before: int,
    visible: int,
    parts: list[Touched],
) -> None:
    """Add the events of an operation: its reads come before its writes."""
    action, graph = operation.action, run.graph
    name, iteration = ", ".join(operation.agents), operation.iteration
    shared: list[int] = []
    reads = [part for part in parts if not part[0].write]
    writes = [part for part in parts if part[0].write]
    if reads and writes:
        event = Event(name, Part.READS, action, iteration)
        operation.reads = graph.add(event, before, visible)
        before = graph.ancestors[operation.reads]
    event = Event(name, Part.WRITES if writes else Part.READS, action, iteration)
    operation.end = graph.add(event, before, visible)
    if operation.reads is None and reads:
        operation.reads = operation.end
    for touched, number in ((reads, operation.reads), (writes, operation.end)):
        if number is None:
            continue
        own = [a.region.buffer for a, _ in touched if a.region.buffer.shared]
        if own:
            shared.append(number)
            operation.rank = own[0].rank
        _check(run, number, action, iteration, touched)
    operation.shared = tuple(shared)
