"""A program of the verifier as text, for people and tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from croqtile_mlir.analysis.sync.model import (
    Access,
    Action,
    Apply,
    Arrive,
    Branch,
    Commit,
    Constant,
    Exit,
    Expr,
    Generation,
    Interval,
    Join,
    Loop,
    Parity,
    Program,
    ProxyFence,
    Rendezvous,
    SlotOf,
    Start,
    Statement,
    Touch,
    Unknown,
    Variable,
    Wait,
    WaitGroup,
    Which,
)

_SIGNS: Mapping[str, str] = MappingProxyType(
    {"add": "+", "sub": "-", "mul": "*", "floordiv": "/", "mod": "%", "eq": "=="}
)


def listing(program: Program) -> str:
    """The objects and the agents of a program, one action a line."""
    lines: list[str] = []
    for barrier in program.barriers:
        ready = ", ready" if barrier.ready else ""
        lines.append(
            f"barrier {barrier.name}{barrier.owner}: {barrier.slots} slots, "
            f"{barrier.arrivals} arrivals{ready}"
        )
    for buffer in program.buffers:
        space = "" if buffer.shared else ", global"
        name = buffer.name + buffer.owner
        lines.append(f"buffer {name}: {buffer.slots} slots{space}")
    if program.counts:
        lines.append("counts " + ", ".join(v.name for v in program.counts))
    for agent in program.agents:
        lines.append(f"agent {agent.name}, {agent.threads} threads")
        lines += _statements(agent.body, "  ")
    return "\n".join(lines)


def expression(expr: Expr) -> str:
    """An expression as text."""
    match expr:
        case Constant():
            return str(expr.value)
        case Variable():
            return expr.name
        case Apply(function, (a, b)) if function in _SIGNS:
            return f"({expression(a)} {_SIGNS[function]} {expression(b)})"
        case Apply():
            return f"{expr.function}({', '.join(map(expression, expr.operands))})"
        case Unknown():
            return f"<{expr.reason}>"
        case _:
            return "?"


def _statements(statements: Sequence[Statement], indent: str) -> Iterator[str]:
    for each in statements:
        match each:
            case Loop():
                carried = "".join(
                    f", {inside.name} = {expression(first)} then {expression(then)}"
                    for inside, first, then in each.carried
                )
                bounds = " ".join(map(expression, (each.lower, each.upper, each.step)))
                yield f"{indent}loop {each.counter.name} in {bounds}{carried}"
                yield from _statements(each.body, indent + "  ")
            case Branch():
                results = "".join(
                    f", {result.name} = {expression(one)} or {expression(other)}"
                    for result, one, other in each.results
                )
                yield f"{indent}if {expression(each.condition)}{results}"
                yield from _statements(each.then, indent + "  ")
                if each.otherwise:
                    yield f"{indent}else"
                    yield from _statements(each.otherwise, indent + "  ")
            case _:
                yield indent + action(each)


def action(act: Action) -> str:
    """An action as text."""
    match act:
        case Wait():
            return f"wait {_at(act.at)}{_which(act.which)}"
        case Arrive():
            each = " per lane" if act.per_lane else ""
            announced = ""
            if act.announced_bytes != Constant(0):
                announced = f", {expression(act.announced_bytes)} bytes"
            at = f"{_at(act.at)}{_which(act.which)}"
            return f"arrive {at} x{act.count}{each}{announced}"
        case Touch():
            return _accesses(act.accesses)
        case Start():
            where = f" in {act.queue}" if act.queue else ""
            ends = ""
            if act.completes is not None:
                ends = f" completes {_at(act.completes)} {expression(act.bytes)} bytes"
            return f"start{where}: {_accesses(act.accesses)}{ends}"
        case Commit():
            return f"commit {act.queue}"
        case WaitGroup():
            reads = " reads" if act.reads_only else ""
            return f"wait group {act.queue} {act.pending}{reads}"
        case Join():
            return "join reads" if act.reads_only else "join"
        case ProxyFence():
            return "proxy fence"
        case Rendezvous():
            how = "arrive at" if act.arrive_only else "meet"
            return f"{how} {act.identity} x{act.threads}"
        case Exit():
            return "exit"
        case _:
            return type(act).__name__


def _at(at: SlotOf) -> str:
    return f"{at.barrier.name}[{expression(at.slot)}]{at.barrier.owner}"


def _which(which: Which) -> str:
    match which:
        case Generation():
            return f" generation {expression(which.number)}"
        case Parity():
            return f" parity {expression(which.bit)}"
        case _:
            return ""


def _accesses(accesses: Sequence[Access]) -> str:
    return ", ".join(map(_access, accesses)) or "nothing"


def _access(access: Access) -> str:
    region = access.region
    slot = "" if region.slot is None else f"[{expression(region.slot)}]"
    box = ", ".join(map(_interval, region.box))
    what = "write" if access.write else "read"
    name = f"{region.buffer.name}{slot}{f'({box})' if box else ''}"
    return f"{what} {name}{region.buffer.owner}"


def _interval(interval: Interval | None) -> str:
    if interval is None:
        return "all"
    return f"{expression(interval.lower)} to {expression(interval.upper)}"
