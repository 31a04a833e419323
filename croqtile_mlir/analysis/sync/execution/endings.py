"""How an execution ends: agents that wait for ever, operations left in flight."""

from __future__ import annotations

from croqtile_mlir.analysis.sync.execution.compiled import actions_in
from croqtile_mlir.analysis.sync.execution.engines import Operation, Remote
from croqtile_mlir.analysis.sync.execution.state import AgentState, Execution
from croqtile_mlir.analysis.sync.execution.violations import Violation
from croqtile_mlir.analysis.sync.expressions import numbers
from croqtile_mlir.analysis.sync.model import (
    Action,
    Arrive,
    Barrier,
    Join,
    Rendezvous,
    Start,
    WaitGroup,
)
from croqtile_mlir.analysis.sync.verdicts import Rule


def suppliers(run: Execution, barrier: Barrier) -> list[AgentState]:
    """Agents with an action that can help to complete a generation."""

    def helps(action: Action) -> bool:
        match action:
            case Arrive():
                return action.at.barrier is barrier
            case Start(completes=at) if at is not None:
                return at.barrier is barrier
            case _:
                return False

    return [a for a in run.agents if any(map(helps, actions_in(a.agent.body)))]


def _enters(run: Execution, action: Rendezvous) -> list[AgentState]:
    def same(other: Action) -> bool:
        return isinstance(other, Rendezvous) and other.identity == action.identity

    return [a for a in run.agents if any(map(same, actions_in(a.agent.body)))]


def helpers(run: Execution, agent: AgentState) -> list[AgentState]:
    """Whom a blocked agent waits for."""
    blocked = agent.blocked
    if blocked is None:
        return []
    match blocked.action:
        case Rendezvous() as action:
            here = run.rendezvous[action.identity].members
            return [a for a in _enters(run, action) if a.name not in here]
        case WaitGroup() | Join():
            missing: list[AgentState] = []
            for joint in run.joints.values():
                if not joint.operation.started and agent.name in joint.members:
                    names = set(joint.operation.action.joint) - joint.members
                    missing += [a for a in run.agents if a.name in names]
            return missing
        case _:
            slot = blocked.slot
            return [] if slot is None else suppliers(run, slot.barrier)


def lines_of(run: Execution) -> tuple[str, ...]:
    """Where each agent is: what it waits for, and what is missing there."""
    lines: list[str] = []
    for agent in run.agents:
        where = _in(agent)
        if agent.done:
            how = "has exited" if agent.left is not None else "is at its end"
            lines.append(f"{agent.name} {how}")
        elif agent.blocked is not None:
            lines.append(f"{agent.name} waits{where} for {agent.blocked.needs()}")
    return tuple(lines)


def _in(agent: AgentState) -> str:
    iteration = numbers(agent.iteration)
    return f" in iteration {', '.join(map(str, iteration))}" if iteration else ""


def deadlock(run: Execution) -> Violation:
    """Why agents wait for ever."""
    stuck = run.stuck
    lines = lines_of(run)
    known = 0
    for agent in stuck:
        known |= agent.before
    for agent in stuck:
        found = _bytes(agent)
        if found is not None and not _waits_for_peers(run, agent):
            return _blocked(run, agent, *found, lines=lines, known=known)
    for agent in stuck:
        alive = [a for a in helpers(run, agent) if not a.done]
        if not alive:
            return _blocked(run, agent, *_lost(run, agent), lines=lines, known=known)
    circuit = _circuit(run, stuck[0])
    text = " and ".join(
        f"{agent.name} waits{_in(agent)} for "
        f"{'' if agent.blocked is None else agent.blocked.needs()}"
        for agent in circuit
    )
    message = f"no agent can go on: {text}"
    return _blocked(
        run, circuit[0], Rule.DEADLOCK, message, None, lines=lines, known=known
    )


def _circuit(run: Execution, start: AgentState) -> list[AgentState]:
    path: list[AgentState] = []
    agent = start
    while agent not in path:
        path.append(agent)
        agent = next(a for a in helpers(run, agent) if not a.done)
    return path[path.index(agent) :]


def _waits_for_peers(run: Execution, agent: AgentState) -> bool:
    """Whether bytes are to come from a block of the cluster that waits itself."""
    return run.program.blocks > 1 and any(
        other.blocked is not None and other.blocked.slot is not None
        for other in helpers(run, agent)
    )


def _bytes(agent: AgentState) -> tuple[Rule, str, str | None] | None:
    blocked = agent.blocked
    slot = None if blocked is None else blocked.slot
    if blocked is None or slot is None or blocked.generation != slot.completed:
        return None
    if slot.arrived < slot.arrivals or slot.announced == slot.delivered:
        return None
    message = (
        f"{slot.announced} bytes are announced on {slot.name} for generation "
        f"{slot.completed}, got {slot.delivered} bytes delivered"
    )
    return Rule.BYTE_COUNT, message, "announce the bytes that the copies deliver"


def _lost(run: Execution, agent: AgentState) -> tuple[Rule, str, str | None]:
    """The rule, message and hint where nobody can help an agent any more."""
    blocked = agent.blocked
    assert blocked is not None
    others = helpers(run, agent)
    names = ", ".join(a.name for a in others)
    what = f"{agent.name} waits{_in(agent)} for {blocked.needs()}"
    if isinstance(blocked.action, Rendezvous):
        missing = f"; {names} will not come" if others else ""
        return Rule.BARRIER_PARTICIPATION, what + missing, None
    if isinstance(blocked.action, WaitGroup | Join):
        return Rule.BARRIER_PARTICIPATION, f"{what}; {names} will not start it", None
    slot = blocked.slot
    assert slot is not None
    if any(a.left is not None for a in others):
        left = ", ".join(a.name for a in others if a.left is not None)
        return Rule.EARLY_EXIT, f"{what}; {left} has exited", None
    if not others:
        return (
            Rule.LOST_ARRIVAL,
            f"{what}; nothing arrives on {slot.barrier.name}{slot.barrier.owner}",
            None,
        )
    given = slot.completed
    return (
        Rule.LOST_ARRIVAL,
        f"{what}; {names} is at its end after {given} generations of this slot",
        "let both sides go through the same number of generations",
    )


def _blocked(
    run: Execution,
    agent: AgentState,
    rule: Rule,
    message: str,
    hint: str | None,
    *,
    lines: tuple[str, ...],
    known: int,
) -> Violation:
    blocked = agent.blocked
    assert blocked is not None
    notes = tuple(
        (other.blocked.action.place, f"{other.name} waits here{_in(other)}")
        for other in run.stuck
        if other is not agent and other.blocked is not None
    )
    slot = blocked.slot
    if slot is not None:
        notes += tuple(
            (arrival.action.place, "this has arrived") for arrival in slot.current[:4]
        )
    return Violation(
        rule,
        blocked.action.place,
        message,
        notes,
        hint,
        known=known,
        barrier=None if slot is None else slot.barrier,
        slot=0 if slot is None else slot.slot,
        stuck=lines,
    )


def leftovers(run: Execution) -> list[Violation]:
    """Operations that may still be in flight when the block ends."""
    found: list[Violation] = []
    for operation in run.operations:
        action = operation.action
        if not operation.started:
            found.append(
                Violation(
                    Rule.BARRIER_PARTICIPATION,
                    action.place,
                    f"the operation is one of {', '.join(action.joint)} together, but "
                    "not all of them start it",
                )
            )
            continue
        for event in operation.shared:
            if run.ends[operation.rank] >> event & 1:
                continue
            if _is_remote(run, operation):
                found.append(_copy_to_peer(operation, event))
                break
            future = action.future is not None and action.completes is None
            rule = Rule.FUTURE if future else Rule.EARLY_EXIT
            what = "reads" if event == operation.reads else "writes"
            found.append(
                Violation(
                    rule,
                    action.place,
                    f"the operation may still be in flight when the block ends: nobody "
                    f"waits for its {what} of shared memory",
                    hint="wait for it before the agent ends",
                    first=event,
                    last=event,
                )
            )
            break
    found += [
        _arrival_at_peer(remote)
        for remote in run.remote
        if not run.ends[remote.slot.barrier.rank] >> remote.event & 1
    ]
    return found


_KEEP_ALIVE = "end the block with croq.barrier cluster"


def _is_remote(run: Execution, operation: Operation) -> bool:
    """Whether an operation writes to a peer of the block that started it."""
    own = {a.agent.rank for a in run.agents if a.name in operation.agents}
    return operation.rank not in own


def _copy_to_peer(operation: Operation, event: int) -> Violation:
    owners = {a.region.buffer.owner for a in operation.action.accesses}
    return Violation(
        Rule.EARLY_EXIT,
        operation.action.place,
        f"the copy by {', '.join(operation.agents)} may still be in flight when the "
        f"block{next(iter(owners))} ends, whose shared memory it writes",
        hint=_KEEP_ALIVE,
        first=event,
        last=event,
    )


def _arrival_at_peer(remote: Remote) -> Violation:
    barrier = remote.slot.barrier
    return Violation(
        Rule.EARLY_EXIT,
        remote.action.place,
        f"{remote.agent} may arrive on {remote.slot.name} after the block"
        f"{barrier.owner} has ended",
        ((barrier.place, f"{barrier.name} is declared here"),),
        _KEEP_ALIVE,
        remote.event,
        remote.event,
        barrier=barrier,
        slot=remote.slot.slot,
    )
