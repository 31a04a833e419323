"""
Copies that name an event, `tma.copy.async<full[s]> a => b`, and the `trigger full[s]`
that follows: the trigger gets the copies as its `after`.

Copies are collected up to the trigger of an equal event in the same block. Without one
there is a trigger behind the last of them, and a warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.reporting import Kind, Reporter
from croqtile_mlir.frontends.croqtile.rewrites.blocks import statements_in, with_blocks


def bind_inline_events(block: ast.Block, reporter: Reporter) -> ast.Block:
    """A block without copies that name an event."""
    taken = {
        statement.name.text
        for statement in statements_in(block)
        if isinstance(statement, ast.Copy) and statement.name is not None
    }
    return _Binding(reporter, _fresh_names(taken)).block(block)


def _fresh_names(taken: set[str]) -> Iterator[str]:
    number = 0
    while True:
        name = f"copy_{number}"
        number += 1
        if name not in taken:
            yield name


@dataclass
class _Pending:
    """Copies of one event that no trigger has been seen for."""

    event: ast.EventRef
    names: list[ast.Name] = field(default_factory=list[ast.Name])
    last: int = 0
    """The place of the last of them among the new statements."""


@dataclass(frozen=True)
class _Binding:
    reporter: Reporter
    names: Iterator[str]

    def block(self, block: ast.Block) -> ast.Block:
        made: list[ast.Statement] = []
        pending: list[_Pending] = []
        for statement in block.statements:
            match statement:
                case ast.Copy(event=ast.EventRef() as event):
                    copy = self._named(statement)
                    found = _of(pending, event)
                    if found is None:
                        found = _Pending(event)
                        pending.append(found)
                    assert copy.name is not None
                    found.names.append(copy.name)
                    found.last = len(made)
                    made.append(copy)
                case ast.Trigger():
                    made.extend(_triggers(statement, pending))
                case _:
                    made.append(with_blocks(statement, self.block))
        # From the last one on: those in front keep their places.
        for each in sorted(pending, key=lambda p: p.last, reverse=True):
            self.reporter.warning(
                Kind.InlineEventWithoutTrigger,
                each.event.span,
                f"event {each.event.name} of a copy must be triggered after it in the "
                "same block, got no trigger",
                hint="it is triggered right after the copy",
            )
            trigger = ast.Trigger(
                each.event.span, (each.event,), after=tuple(each.names)
            )
            made.insert(each.last + 1, trigger)
        if len(made) == len(block.statements) and all(
            new is old for new, old in zip(made, block.statements, strict=True)
        ):
            return block
        return replace(block, statements=tuple(made))

    def _named(self, copy: ast.Copy) -> ast.Copy:
        name = copy.name or ast.Name(copy.span, next(self.names))
        return replace(copy, name=name, event=None, asynchronous=True)


def _of(pending: list[_Pending], event: ast.EventRef) -> _Pending | None:
    return next((each for each in pending if each.event == event), None)


def _triggers(trigger: ast.Trigger, pending: list[_Pending]) -> Iterator[ast.Statement]:
    """The trigger, in as many parts as its events have different copies."""
    rest: list[ast.EventRef] = []
    for event in trigger.events:
        found = _of(pending, event)
        if found is None:
            rest.append(event)
            continue
        pending.remove(found)
        names = (*trigger.after, *found.names)
        yield replace(trigger, events=(event,), after=names)
    if len(rest) == len(trigger.events):
        yield trigger
    elif rest:
        yield replace(trigger, events=tuple(rest))
