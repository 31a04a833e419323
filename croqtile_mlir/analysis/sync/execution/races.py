"""Races in words."""

from __future__ import annotations

from croqtile_mlir.analysis.sync.execution.graph import Graph
from croqtile_mlir.analysis.sync.execution.graph import Part as Side
from croqtile_mlir.analysis.sync.execution.memory import Conflict, Entry, Unwritten
from croqtile_mlir.analysis.sync.execution.violations import Violation
from croqtile_mlir.analysis.sync.expressions import numbers
from croqtile_mlir.analysis.sync.model import Start
from croqtile_mlir.analysis.sync.verdicts import Rule


def _does(graph: Graph, entry: Entry) -> str:
    event = graph.events[entry.event]
    verb = "write" if entry.access.write else "read"
    if event.part is Side.AGENT:
        return f"the {verb} by {event.agent}"
    return f"the asynchronous {verb} started by {event.agent}"


def _at(entry: Entry) -> str:
    if not entry.iteration:
        return ""
    return f" in iteration {', '.join(map(str, numbers(entry.iteration)))}"


def race(graph: Graph, found: Conflict | Unwritten) -> Violation:
    """What two accesses that nothing orders, or a read of nothing, violate."""
    if isinstance(found, Unwritten):
        return _unwritten(found)
    first, second = found.first, found.second
    guessed = first.part.guessed or second.part.guessed
    if found.fence:
        return Violation(
            Rule.MISSING_FENCE,
            second.action.place,
            f"{second.part.text} is accessed by the async proxy{_at(second)} after a "
            "write by the generic proxy, with no proxy fence in between",
            ((first.action.place, f"the write{_at(first)}"),),
            "fence.proxy.async by the threads that wrote, before they signal this",
            second.event,
            first.event,
            guessed=guessed,
        )
    in_flight = [
        e
        for e in (first, second)
        if isinstance(e.action, Start) and e.action.queue == "wgmma"
    ]
    if in_flight and not first.part.buffer.shared:
        other = second if in_flight[0] is first else first
        return Violation(
            Rule.ACCUMULATOR,
            other.action.place,
            f"{other.part.text} is used{_at(other)} while a wgmma may be in flight on "
            "it",
            ((in_flight[0].action.place, f"the wgmma{_at(in_flight[0])}"),),
            "wait for the group of the wgmma first",
            other.event,
            in_flight[0].event,
            guessed=guessed,
        )
    return _unordered(graph, found, guessed)


def _unwritten(found: Unwritten) -> Violation:
    entry, lacking = found
    buffer = entry.part.buffer
    what, hint = "it", None
    if lacking:
        what = f"{lacking} of it"
        hint = "let the blocks of the cluster copy parts that are all of it together"
    return Violation(
        Rule.READ_BEFORE_WRITE,
        entry.action.place,
        f"{entry.part.text} is read{_at(entry)}, but nothing that happens before "
        f"writes {what}",
        ((buffer.place, f"{buffer.name} is declared here"),),
        hint,
        entry.event,
        entry.event,
        guessed=entry.part.guessed,
    )


def _unordered(graph: Graph, found: Conflict, guessed: bool) -> Violation:
    first, second = found.first, found.second
    hint: str | None = None
    if first.access.write and second.access.write:
        rule, early, late = Rule.WRITE_CONFLICT, first, second
        message = (
            f"{_does(graph, late)} to {late.part.text}{_at(late)} is not ordered with "
            f"{_does(graph, early)}{_at(early)}"
        )
    else:
        read, write = (second, first) if first.access.write else (first, second)
        if first.access.write and not found.filled:
            rule, early, late = Rule.READ_BEFORE_WRITE, read, write
            message = (
                f"{_does(graph, read)} of {read.part.text}{_at(read)} may come before "
                f"{_does(graph, write)}{_at(write)}"
            )
            hint = "wait for the event that the write completes, before the read"
        else:
            rule, early, late = Rule.OVERWRITE, write, read
            message = (
                f"{_does(graph, write)} to {write.part.text}{_at(write)} may come "
                f"before {_does(graph, read)}{_at(read)} is over"
            )
            hint = "release the slot after its reads are over, and wait for that"
    place, other = (early, late) if rule is not Rule.WRITE_CONFLICT else (late, early)
    verb = "write" if other.access.write else "read"
    return Violation(
        rule,
        place.action.place,
        message,
        ((other.action.place, f"the {verb}{_at(other)}"),),
        hint,
        place.event,
        other.event,
        guessed=guessed,
    )
