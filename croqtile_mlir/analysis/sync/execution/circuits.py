"""Why a circuit of waits can never be left: who would give what, and when."""

from __future__ import annotations

from croqtile_mlir.analysis.sync.execution.control import go_on
from croqtile_mlir.analysis.sync.execution.shift_rules import Unsteady
from croqtile_mlir.analysis.sync.execution.slots import SlotState
from croqtile_mlir.analysis.sync.execution.state import AgentState, Execution, Stopped
from croqtile_mlir.analysis.sync.expressions import numbers


def _place(name: str, iteration: tuple[int, ...]) -> str:
    return f"{name}({', '.join(map(str, iteration))})" if iteration else name


def circuit_lines(run: Execution) -> tuple[str, ...]:
    """
    For each agent of a deadlock: the agent and iteration that would complete what it
    waits for, found by letting all waits pass. `run` is used up.
    """
    wanted: list[tuple[AgentState, tuple[int, ...], SlotState, int]] = []
    for agent in run.stuck:
        blocked = agent.blocked
        if blocked is not None and blocked.slot is not None:
            iteration = numbers(agent.iteration)
            wanted.append((agent, iteration, blocked.slot, blocked.generation))
    waits = {agent.name: iteration for agent, iteration, _, _ in wanted}
    completions = len(run.graph.events)
    try:
        for agent, _, _, _ in wanted:
            next(run.routines[agent.index], None)
        go_on(run)
    except (Stopped, Unsteady):
        return ()
    lines: list[str] = []
    for agent, iteration, slot, generation in wanted:
        event = slot.history.get(generation)
        if event is None or event < completions:
            continue
        who, when = run.graph.events[event].agent, run.graph.events[event].iteration
        own = waits.get(who)
        after = "" if own is None else f", after its wait in {_place(who, own)}"
        lines.append(
            f"{_place(agent.name, iteration)} needs {slot.name} generation "
            f"{generation}, which {_place(who, numbers(when))} completes{after}"
        )
    return tuple(lines)
