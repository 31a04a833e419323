"""Hardware barriers (PTX ISA, bar.sync and bar.arrive) in an execution."""

from __future__ import annotations

from croqtile_mlir.analysis.sync.execution.engines import RendezvousState
from croqtile_mlir.analysis.sync.execution.graph import Event, Part
from croqtile_mlir.analysis.sync.execution.slots import known_complete
from croqtile_mlir.analysis.sync.execution.state import AgentState, Blocked, Execution
from croqtile_mlir.analysis.sync.execution.violations import Violation
from croqtile_mlir.analysis.sync.model import Rendezvous
from croqtile_mlir.analysis.sync.verdicts import Rule


def meet(run: Execution, agent: AgentState, action: Rendezvous) -> Blocked | None:
    """Arrive at a barrier, and wait there unless it is an arrival only."""
    state = run.rendezvous.setdefault(action.identity, RendezvousState())
    event = run.step(agent, action, generation=state.completed)
    run.report(_problems(run, agent, action, state, event))
    if not state.members:
        state.threads = action.threads
    state.arrived += agent.agent.threads
    state.before |= run.graph.ancestors[event]
    state.visible |= run.graph.visible[event]
    state.members.append(agent.name)
    state.events.append(event)
    state.places.append(action.place)
    generation = state.completed
    if state.arrived >= state.threads:
        _complete(run, agent, action, state)
    if action.arrive_only:
        return None

    def finish() -> None:
        number = state.ends[generation]
        agent.before |= run.graph.ancestors[number]
        agent.visible |= run.graph.visible[number]
        agent.segment = None

    return Blocked(
        action,
        lambda: state.completed > generation,
        finish,
        lambda: (
            f"barrier {action.identity}: {state.arrived} of {state.threads} threads "
            f"have come ({', '.join(state.members)})"
        ),
    )


def _complete(
    run: Execution, agent: AgentState, action: Rendezvous, state: RendezvousState
) -> None:
    event = Event(agent.name, Part.COMPLETION, action, (), -1, state.completed)
    state.ends.append(run.graph.add(event, state.before, state.visible))
    state.completed += 1
    state.arrived = state.before = state.visible = 0
    state.members.clear()
    state.last_events = tuple(state.events)
    state.events.clear()
    state.places.clear()


def _problems(
    run: Execution,
    agent: AgentState,
    action: Rendezvous,
    state: RendezvousState,
    event: int,
) -> list[Violation]:
    name, threads = action.identity, agent.agent.threads
    texts: list[str] = []
    members = action.members
    if members is not None:
        number = sum(a.agent.threads for a in run.agents if a.name in members)
        if agent.name not in members:
            expected = ", ".join(sorted(members))
            texts.append(f"barrier {name} is for {expected}, got {agent.name}")
        elif number != action.threads:
            texts.append(
                f"barrier {name} waits for {action.threads} threads, but those that "
                f"take part are {number}"
            )
    if state.members and state.threads != action.threads:
        texts.append(
            f"barrier {name} was entered for {state.threads} threads, got "
            f"{action.threads}"
        )
    if agent.name in state.members:
        texts.append(f"{agent.name} enters barrier {name} twice in one generation")
    elif not texts and state.arrived + threads > action.threads:
        texts.append(
            f"barrier {name} is for {action.threads} threads, got "
            f"{state.arrived + threads}"
        )
    last = state.ends[-1] if state.ends else None
    if not texts and last is not None:
        if not known_complete(run.graph, last, run.graph.ancestors[event]):
            texts.append(
                f"{agent.name} may enter barrier {name} before its generation "
                f"{state.completed - 1} is complete"
            )
    notes = tuple(
        (place, "this entered it before")
        for place in dict.fromkeys(state.places)
        if place is not action.place
    )
    return [
        Violation(
            Rule.BARRIER_PARTICIPATION,
            action.place,
            text,
            notes,
            None,
            event,
            event if last is None else last,
        )
        for text in texts[:1]
    ]
