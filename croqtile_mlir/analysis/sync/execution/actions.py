"""What each action does to the state of an execution."""

from __future__ import annotations

from croqtile_mlir.analysis.sync.execution.compiled import ActionCode
from croqtile_mlir.analysis.sync.execution.engines import Operation, Queue, Remote
from croqtile_mlir.analysis.sync.execution.meeting import meet
from croqtile_mlir.analysis.sync.execution.slots import (
    Seen,
    SlotState,
    arrival_of,
    arrivals,
)
from croqtile_mlir.analysis.sync.execution.starting import start, touch
from croqtile_mlir.analysis.sync.execution.state import (
    AgentEnds,
    AgentState,
    Blocked,
    Execution,
)
from croqtile_mlir.analysis.sync.execution.violations import Violation
from croqtile_mlir.analysis.sync.model import (
    Arrive,
    Commit,
    Exit,
    Generation,
    Join,
    Next,
    Parity,
    ProxyFence,
    Rendezvous,
    Start,
    Touch,
    Wait,
    WaitGroup,
)
from croqtile_mlir.analysis.sync.verdicts import Rule


def execute(run: Execution, agent: AgentState, code: ActionCode) -> Blocked | None:
    """Do an action, or say what it waits for."""
    match code.action:
        case Touch():
            touch(run, agent, code)
        case Wait() as action:
            return _wait(run, agent, code, action)
        case Arrive() as action:
            _arrive(run, agent, code, action)
        case Start() as action:
            start(run, agent, code, action)
        case Commit() as action:
            queue = agent.queues.setdefault(action.queue, Queue())
            queue.groups.append(queue.open)
            queue.open = []
        case WaitGroup() as action:
            return _wait_group(run, agent, action)
        case Join() as action:
            return _join(run, agent, action)
        case ProxyFence() as action:
            run.step(agent, action)
            agent.visible |= agent.before
        case Rendezvous() as action:
            return meet(run, agent, action)
        case Exit() as action:
            _exit(agent, action)
        case _:
            pass
    return None


def _exit(agent: AgentState, action: Exit) -> None:
    if agent.mask is not None:
        from croqtile_mlir.analysis.sync import lanes

        everyone = lanes.mask_of(1, None, agent.agent.threads)
        gone = agent.mask if agent.gone is None else agent.gone | agent.mask
        if lanes.any_of(lanes.without(everyone, gone)):
            agent.gone = gone
            return
    agent.left = action
    raise AgentEnds


def _slot_of(run: Execution, agent: AgentState, code: ActionCode) -> SlotState:
    action, reading = code.action, code.slot
    assert isinstance(action, Wait | Arrive)
    assert reading is not None
    number = run.number(agent, reading, action.place)
    for shift in run.shifts:
        shift.same_slot(agent, reading, action.at.barrier, action.place)
    return run.slot(action.at.barrier, number, action.place)


def _wait(run: Execution, agent: AgentState, code: ActionCode, action: Wait) -> Blocked:
    slot = _slot_of(run, agent, code)
    key = (slot.barrier, slot.slot)
    match action.which:
        case Generation():
            generation = _generation(run, agent, code, slot)
        case Parity():
            assert code.which is not None
            bit = run.number(agent, code.which, action.place) & 1
            for shift in run.shifts:
                shift.same_phase(agent, code.which, key, action.place)
            done = slot.completed - 1
            generation = done if done & 1 == bit else slot.completed
        case Next():
            generation = agent.waits.get(key, 0)
    knows = slot.knows(generation - 1, agent.before)

    def finish() -> None:
        _see(run, agent, action, slot, generation, knows)

    def needs() -> str:
        return _needs(slot, generation)

    return Blocked(
        action,
        lambda: slot.completed > generation,
        finish,
        needs,
        slot,
        generation,
    )


def _generation(
    run: Execution, agent: AgentState, code: ActionCode, slot: SlotState
) -> int:
    assert code.which is not None
    assert code.slot is not None
    place = code.action.place
    of = slot.barrier, slot.slot
    for shift in run.shifts:
        shift.same_generation(agent, code.slot, code.which, of, place)
    return run.number(agent, code.which, place)


def _needs(slot: SlotState, generation: int) -> str:
    if generation > slot.completed:
        return (
            f"{slot.name} generation {generation}, but generation {slot.completed} is "
            f"not complete: arrivals {slot.arrived} of {slot.arrivals}"
        )
    text = f"{slot.name} generation {generation}: arrivals {slot.arrived} of "
    text += f"{slot.arrivals}"
    if slot.announced or slot.delivered:
        text += f", bytes {slot.delivered} of {slot.announced}"
    return text


def _see(
    run: Execution,
    agent: AgentState,
    action: Wait,
    slot: SlotState,
    generation: int,
    knows: bool,
) -> None:
    complete = slot.complete_event(generation)
    graph = run.graph
    before = 0 if complete is None else graph.ancestors[complete]
    visible = 0 if complete is None else graph.visible[complete]
    event = run.step(agent, action, before, visible, slot.slot, generation)
    if slot.barrier in run.compiled.counted:
        agent.waits[slot.barrier, slot.slot] = generation + 1
    if slot.completed > generation + 1:
        later = slot.complete_event(generation + 1)
        run.report([_passed(slot, agent, action, generation, event, later)])
    elif not knows:
        earlier = slot.complete_event(generation - 1)
        run.report([_aliased(slot, agent, action, generation, event, earlier)])
    slot.see(generation, Seen(event, action, agent.name))


def _passed(
    slot: SlotState,
    agent: AgentState,
    action: Wait,
    generation: int,
    event: int,
    later: int | None,
) -> Violation:
    return Violation(
        Rule.PHASE_OVERRUN,
        action.place,
        f"{agent.name} waits for generation {generation} of {slot.name}, but "
        f"generation {generation + 1} may be complete before it looks: a wait tells "
        "generations apart by their parity only",
        tuple(
            (arrival.action.place, f"this may complete generation {generation + 1}")
            for arrival in slot.previous.get(generation + 1, ())[-1:]
        ),
        f"let what arrives for generation {generation + 1} wait for {agent.name} first",
        event,
        later,
        barrier=slot.barrier,
        slot=slot.slot,
    )


def _aliased(
    slot: SlotState,
    agent: AgentState,
    action: Wait,
    generation: int,
    event: int,
    earlier: int | None,
) -> Violation:
    return Violation(
        Rule.PHASE_OVERRUN,
        action.place,
        f"{agent.name} waits for generation {generation} of {slot.name} when "
        f"generation {generation - 1} may not be complete: the parity of generation "
        f"{generation - 2} is the same",
        tuple(
            (arrival.action.place, f"this completes generation {generation - 1}")
            for arrival in slot.previous.get(generation - 1, ())[-1:]
        ),
        f"wait for generation {generation - 1} too",
        event,
        earlier,
        barrier=slot.barrier,
        slot=slot.slot,
    )


def _arrive(
    run: Execution, agent: AgentState, code: ActionCode, action: Arrive
) -> None:
    slot = _slot_of(run, agent, code)
    place = action.place
    assert code.bytes is not None
    announced = run.number(agent, code.bytes, place)
    for shift in run.shifts:
        shift.same(agent, code.bytes, 0, place)
    lanes: int | None = None
    if action.per_lane:
        lanes = agent.agent.threads
        if agent.mask is not None:
            from croqtile_mlir.analysis.sync import lanes as arrays

            lanes = arrays.number_of(agent.mask)
    current = slot.completed
    if isinstance(action.which, Generation):
        meant = _generation(run, agent, code, slot)
        if meant != current:
            event = run.step(agent, action, 0, 0, slot.slot, meant)
            run.report([_missed(slot, action, meant, event)])
            return
    event = run.step(agent, action, 0, 0, slot.slot, current)
    if slot.barrier.rank != agent.agent.rank:
        run.remote.append(Remote(action, agent.name, slot, event))
    arrival = arrival_of(action, event, lanes, announced)
    run.report(slot.arrive(arrival, agent.name))


def _missed(slot: SlotState, action: Arrive, meant: int, event: int) -> Violation:
    current = slot.completed
    complete = slot.complete_event(min(meant, current - 1))
    if meant > current:
        return Violation(
            Rule.AMBIGUOUS_ARRIVAL,
            action.place,
            f"arrives for generation {meant} of {slot.name} at a time when generation "
            f"{current} may not be complete: it would count for generation {current}",
            ((slot.barrier.place, f"{slot.barrier.name} is declared here"),),
            f"wait for generation {meant - 1} of {slot.name}, or for something that is "
            "after it, before this",
            event,
            event,
            barrier=slot.barrier,
            slot=slot.slot,
        )
    start = " from the start" if complete is None else ""
    return Violation(
        Rule.ARRIVAL_COUNT,
        action.place,
        f"{slot.name} takes {arrivals(slot.arrivals)} for a generation, got one more "
        f"for generation {meant}, which is complete{start}",
        (
            *(
                (arrival.action.place, f"this completes generation {meant}")
                for arrival in slot.previous.get(meant, ())[-1:]
            ),
            (slot.barrier.place, f"{slot.barrier.name} is declared here"),
        ),
        None,
        event,
        event if complete is None else complete,
        barrier=slot.barrier,
        slot=slot.slot,
    )


def _wait_group(run: Execution, agent: AgentState, action: WaitGroup) -> Blocked:
    queue = agent.queues.setdefault(action.queue, Queue())
    waited = queue.older(action.pending)

    def finish() -> None:
        join(run, agent, action, waited, action.reads_only)
        queue.settle(action.pending, action.reads_only)

    return Blocked(
        action,
        lambda: all(operation.started for operation in waited),
        finish,
        lambda: "an operation that all of its agents have to start",
    )


def join(
    run: Execution,
    agent: AgentState,
    action: WaitGroup | Join,
    waited: list[Operation],
    reads_only: bool,
) -> None:
    """Order what the agent does next after operations."""
    before = visible = 0
    for operation in waited:
        event = operation.reads if reads_only else operation.end
        if reads_only and event is None:
            event = operation.end
        assert event is not None
        before |= run.graph.ancestors[event]
        visible |= run.graph.visible[event]
        operation.joined_reads = True
        operation.joined = operation.joined or not reads_only
    run.step(agent, action, before, visible)


def _join(run: Execution, agent: AgentState, action: Join) -> Blocked | None:
    operation = agent.futures.get(action.future)
    if operation is None:
        event = run.step(agent, action)
        run.report([_future(action, event, "is not started before this", ())])
        return None
    if operation.joined or (operation.joined_reads and action.reads_only):
        event = run.step(agent, action)
        notes = ((operation.action.place, "this is the operation"),)
        run.report([_future(action, event, "was waited for before", notes)])
        return None

    def finish() -> None:
        join(run, agent, action, [operation], action.reads_only)

    return Blocked(
        action,
        lambda: operation.started,
        finish,
        lambda: "an operation that all of its agents have to start",
    )


def _future(
    action: Join, event: int, what: str, notes: tuple[tuple[object, str], ...]
) -> Violation:
    from xdsl.ir import Operation as IROperation

    return Violation(
        Rule.FUTURE,
        action.place,
        f"an operation is waited for once after each start, but it {what}",
        tuple((op, text) for op, text in notes if isinstance(op, IROperation)),
        None,
        event,
        event,
    )
