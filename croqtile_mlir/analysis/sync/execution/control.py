"""How agents run in an execution: order of turns, loops and branches."""

from __future__ import annotations

from collections.abc import Generator

from croqtile_mlir.analysis.sync.execution.actions import execute
from croqtile_mlir.analysis.sync.execution.choices import condition_key
from croqtile_mlir.analysis.sync.execution.compiled import (
    ActionCode,
    BranchCode,
    Code,
    LoopCode,
)
from croqtile_mlir.analysis.sync.execution.state import (
    AgentEnds,
    AgentState,
    Execution,
    Stopped,
    TooManyViolations,
)
from croqtile_mlir.analysis.sync.expressions import Reading


def perform(run: Execution) -> None:
    """Run to the end, or until nothing moves; violations are noted."""
    run.routines = [
        _routine(run, agent, run.compiled.bodies[agent.index]) for agent in run.agents
    ]
    go_on(run)


def go_on(run: Execution) -> None:
    """Run on from where an execution is."""
    moved = True
    try:
        while moved:
            if run.on_round is not None:
                run.on_round()
            run.round += 1
            moved = _round(list(zip(run.agents, run.routines, strict=True)))
    except TooManyViolations:
        pass


def _round(left: list[tuple[AgentState, Generator[None, None, None]]]) -> bool:
    """
    Let every agent run to its next iteration, or as far as it can; which of them comes
    first makes no difference to how far they get.
    """
    moved = False
    again = True
    while again and left:
        again = False
        waiting: list[tuple[AgentState, Generator[None, None, None]]] = []
        for agent, routine in left:
            blocked = agent.blocked
            if agent.done:
                continue
            if blocked is not None and not blocked.ready():
                waiting.append((agent, routine))
                continue
            moved = again = True
            next(routine, None)
            if agent.blocked is not None:
                waiting.append((agent, routine))
        left = waiting
    return moved


def _routine(
    run: Execution, agent: AgentState, body: tuple[Code, ...]
) -> Generator[None, None, None]:
    try:
        yield from _block(run, agent, body)
    except AgentEnds:
        pass
    agent.done = True
    agent.blocked = None
    run.ends[agent.agent.rank] |= agent.before


def _block(
    run: Execution, agent: AgentState, block: tuple[Code, ...]
) -> Generator[None, None, None]:
    for code in block:
        agent.at = code.ident
        match code:
            case ActionCode():
                blocked = execute(run, agent, code)
                if blocked is not None:
                    if not blocked.ready():
                        agent.blocked = blocked
                        yield
                        agent.blocked = None
                    blocked.finish()
            case LoopCode():
                yield from _loop(run, agent, code)
            case BranchCode():
                yield from _branch(run, agent, code)


def _loop(
    run: Execution, agent: AgentState, code: LoopCode
) -> Generator[None, None, None]:
    env, counter, place = agent.env, code.counter, code.loop.place
    lower = run.value(agent, code.lower, place)
    upper = run.value(agent, code.upper, place)
    step = run.value(agent, code.step, place)
    if not (isinstance(lower, int) and isinstance(upper, int)):
        yield from _lane_loop(run, agent, code)
        return
    if not isinstance(step, int) or step < 1:
        raise Stopped(place, "the step of a loop is not a positive number")
    for shift in run.shifts:
        shift.same(agent, code.step, 0, place)
    values = [run.value(agent, first, place) for _, first, _ in code.carried]
    for shift in run.shifts:
        shift.assign(
            agent,
            [at for at, _, _ in code.carried] + [counter],
            [first for _, first, _ in code.carried] + [code.lower],
            place,
        )
    for (at, _, _), value in zip(code.carried, values, strict=True):
        env[at] = value
    env[counter] = lower
    agent.loops.append(counter)
    if code.symbolic:
        run.loops_run += 1
        agent.dynamic.append((code, run.loops_run))
    upper_now = upper
    stride = run.compiled.stride(code)
    while True:
        now = env[counter]
        for shift in run.shifts:
            shift.compare(agent, counter, code.upper, upper_now, place)
        if not isinstance(now, int) or now >= upper_now:
            break
        if code.symbolic and (now - lower) % stride == 0:
            agent.at = code.ident
            yield
        yield from _block(run, agent, code.body)
        _carry(run, agent, code)
        env[counter] = now + step
    agent.loops.pop()
    if code.symbolic:
        agent.dynamic.pop()
    _results(run, agent, code)


def _carry(run: Execution, agent: AgentState, code: LoopCode) -> None:
    if not code.carried:
        return
    env, place = agent.env, code.loop.place
    values = [run.value(agent, after, place) for _, _, after in code.carried]
    for shift in run.shifts:
        shift.assign(
            agent,
            [at for at, _, _ in code.carried],
            [after for _, _, after in code.carried],
            place,
        )
    for (at, _, _), value in zip(code.carried, values, strict=True):
        env[at] = value


def _results(run: Execution, agent: AgentState, code: LoopCode) -> None:
    for result, (at, _, _) in zip(code.results, code.carried, strict=True):
        agent.env[result] = agent.env[at]
        for shift in run.shifts:
            shift.copy(agent, result, at)


def _lane_loop(
    run: Execution, agent: AgentState, code: LoopCode
) -> Generator[None, None, None]:
    """A loop whose bounds differ between lanes: it runs while one lane does."""
    from croqtile_mlir.analysis.sync import lanes

    place = code.loop.place
    for reading in (code.lower, code.upper, code.step):
        for shift in run.shifts:
            shift.same(agent, reading, 0, place)
    env, counter, threads = agent.env, code.counter, agent.agent.threads
    env[counter] = lanes.spread(run.value(agent, code.lower, place), threads)
    for at, first, _ in code.carried:
        env[at] = run.value(agent, first, place)
    outer = agent.mask
    agent.loops.append(counter)
    upper = run.value(agent, code.upper, place)
    step = run.value(agent, code.step, place)
    while True:
        mask = lanes.mask_of(lanes.less(env[counter], upper), outer, threads)
        if not lanes.any_of(mask):
            break
        agent.mask = mask
        yield from _block(run, agent, code.body)
        _carry(run, agent, code)
        env[counter] = env[counter] + step
    agent.mask = outer
    agent.loops.pop()
    _results(run, agent, code)


def _branch(
    run: Execution, agent: AgentState, code: BranchCode
) -> Generator[None, None, None]:
    place = code.branch.place
    if code.open:
        taken: bool | None = _choose(run, agent, code)
    else:
        for shift in run.shifts:
            shift.same(agent, code.condition, 0, place)
        condition = run.value(agent, code.condition, place)
        taken = bool(condition) if isinstance(condition, int | bool) else None
        if taken is None:
            yield from _lane_branch(run, agent, code)
            return
    yield from _block(run, agent, code.then if taken else code.otherwise)
    chosen = [one if taken else other for _, one, other in code.results]
    values = [run.value(agent, reading, place) for reading in chosen]
    for shift in run.shifts:
        shift.assign(agent, [at for at, _, _ in code.results], chosen, place)
    for (at, _, _), value in zip(code.results, values, strict=True):
        agent.env[at] = value


def _lane_branch(
    run: Execution, agent: AgentState, code: BranchCode
) -> Generator[None, None, None]:
    from croqtile_mlir.analysis.sync import lanes

    place, outer = code.branch.place, agent.mask
    threads = agent.agent.threads
    condition = run.value(agent, code.condition, place)
    holds = lanes.mask_of(condition, outer, threads)
    others = lanes.without(outer, holds)
    values: list[tuple[int, Reading, Reading]] = list(code.results)
    for mask, block in ((holds, code.then), (others, code.otherwise)):
        if block and lanes.any_of(mask):
            agent.mask = mask
            yield from _block(run, agent, block)
    agent.mask = outer
    if agent.gone is not None:
        agent.mask = lanes.without(outer, agent.gone)
    for at, one, other in values:
        first = run.value(agent, one, place) if lanes.any_of(holds) else 0
        second = run.value(agent, other, place) if lanes.any_of(others) else 0
        agent.env[at] = lanes.select(condition, first, second)


def _choose(run: Execution, agent: AgentState, code: BranchCode) -> bool:
    """Which way an open branch goes: equal conditions go the same way."""
    key = condition_key(code.condition, agent.env, run.compiled)
    for shift in run.shifts:
        shift.same_key(agent, code.condition, code.branch.place)
    if key not in run.choices:
        run.choices[key] = True
        run.made.append(key)
    return run.choices[key]
