"""The part of an execution that shows a violation, in words."""

from __future__ import annotations

from croqtile_mlir.analysis.sync.execution.graph import Event, Part
from croqtile_mlir.analysis.sync.execution.state import Execution
from croqtile_mlir.analysis.sync.execution.violations import Violation
from croqtile_mlir.analysis.sync.expressions import numbers
from croqtile_mlir.analysis.sync.model import (
    Arrive,
    Barrier,
    Commit,
    Exit,
    Join,
    ProxyFence,
    Rendezvous,
    Start,
    Touch,
    Wait,
    WaitGroup,
)
from croqtile_mlir.analysis.sync.verdicts import Step


def _engine(action: Start) -> str:
    names = {"wgmma": "wgmma", "bulk": "bulk store", "cp_async": "cp.async"}
    if action.queue in names:
        return names[action.queue]
    return "TMA" if action.completes is not None else "asynchronous copy"


def _touched(action: Start | Touch, writes: bool | None) -> str:
    names: dict[str, None] = {}
    for access in action.accesses:
        if writes is None or access.write is writes:
            verb = "write" if access.write else "read"
            buffer = access.region.buffer
            names[f"{verb} {buffer.name}{buffer.owner}"] = None
    return ", ".join(names)


def text_of(event: Event) -> str:
    """What an event does."""
    match event.action:
        case Wait() as action:
            name = _slot(action.at.barrier, event.slot)
            return f"wait {name} generation {event.generation}"
        case Arrive() as action:
            name = _slot(action.at.barrier, event.slot)
            what = "expect bytes on" if action.count == 0 else "arrive on"
            return f"{what} {name} generation {event.generation}"
        case Touch() as action:
            return _touched(action, None) or "access"
        case Start() as action:
            return _touched(action, event.part is Part.WRITES) or "operation ends"
        case WaitGroup() as action:
            read = " reads of" if action.reads_only else ""
            return f"wait for{read} all but {action.pending} groups of {action.queue}"
        case Join() as action:
            return "wait for " + ("the reads of " * action.reads_only) + "an operation"
        case Commit() as action:
            return f"commit a group of {action.queue}"
        case ProxyFence():
            return "proxy fence"
        case Rendezvous() as action:
            verb = "arrive at" if action.arrive_only else "enter"
            return f"{verb} barrier {action.identity}"
        case Exit():
            return "exit"
        case _:
            return "step"


def _slot(barrier: Barrier, slot: int) -> str:
    name = f"{barrier.name}[{slot}]" if barrier.slots > 1 else barrier.name
    return name + barrier.owner


def step_of(event: Event) -> Step:
    """An event as a step of a trace."""
    agent = event.agent
    if isinstance(event.action, Start):
        agent = f"{_engine(event.action)} of {agent}"
    return Step(agent, event.action, text_of(event), numbers(event.iteration))


def trace_of(run: Execution, violation: Violation) -> tuple[Step, ...]:
    """
    The events that happen before those of a violation, in an order that shows it: the
    last step is the one that comes too late, the one before it comes too early.
    """
    graph = run.graph
    last = [e for e in (violation.first, violation.last) if e is not None]
    wanted = violation.known
    for event in last:
        wanted |= graph.ancestors[event]
    ordered = [
        number
        for number in range(len(graph.events))
        if wanted >> number & 1
        and number not in last
        and graph.events[number].part is not Part.COMPLETION
    ]
    steps = [step_of(graph.events[number]) for number in ordered]
    for number in dict.fromkeys(last):
        if graph.events[number].part is Part.COMPLETION:
            event = graph.events[number]
            steps.append(
                Step(
                    event.agent,
                    event.action,
                    _completes(event),
                    numbers(event.iteration),
                )
            )
        else:
            steps.append(step_of(graph.events[number]))
    return tuple(steps)


def _completes(event: Event) -> str:
    match event.action:
        case Arrive() as action:
            at = action.at
        case Start(completes=at) if at is not None:
            pass
        case _:
            return "complete"
    name = _slot(at.barrier, event.slot)
    return f"complete {name} generation {event.generation}"
