"""
Futures that take turns in a loop, looked at over some iterations.

The body of a loop is lowered once, with what is known of its futures at the start. What
a name stands for in later iterations follows from the exchanges: a copy that fills a
buffer whose last copy nobody has used, or the data of a placeholder, shows that the
exchanges go another way than was meant. `rotate(a, b, c)` goes to the left: a takes
what b has. What is under a condition, or in a loop inside, may happen or not, and shows
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.values import Future, FutureState
from croqtile_mlir.frontends.croqtile.lowering.walking import names_in, walk
from croqtile_mlir.frontends.croqtile.reporting import Kind
from croqtile_mlir.frontends.croqtile.source import Span


class _Content(Enum):
    """What is in the buffer that a name stands for."""

    Nothing = auto()
    """No copy has filled it."""
    Unused = auto()
    """A copy that nothing has used."""
    Other = auto()
    """A copy that something has, or may have, used; or what is not known."""


@dataclass(frozen=True)
class _Buffer:
    content: _Content
    span: Span
    """Where it was filled, or the placeholder is made."""


def check_turns(ctx: Lowering, body: ast.Block) -> None:
    """Refuse a loop whose futures take turns in another way than their uses."""
    rotations = [each for each in body.statements if isinstance(each, ast.Rotate)]
    if not rotations:
        return
    held: dict[str, _Buffer] = {}
    for rotation in rotations:
        for name in rotation.names:
            future = ctx.scope.find(name.text)
            if not isinstance(future, Future):
                return
            held[name.text] = _Buffer(_content_of(future), future.span)
    for _ in range(2 * len(held)):
        for statement in body.statements:
            _execute(ctx, statement, held, rotations[0])


def _content_of(future: Future) -> _Content:
    if future.state is FutureState.Placeholder:
        return _Content.Nothing
    return _Content.Other if future.is_used else _Content.Unused


def _execute(
    ctx: Lowering,
    statement: ast.Statement,
    held: dict[str, _Buffer],
    rotation: ast.Rotate,
) -> None:
    match statement:
        case ast.Rotate(names=names):
            words = [name.text for name in names]
            if all(word in held for word in words):
                buffers = [held[word] for word in words]
                held.update(
                    zip(words, (*buffers[1:], buffers[0]), strict=True),
                )
            return
        case ast.Wait():
            return
        case ast.Copy(name=ast.Name() as name) if name.text in held:
            _use(held, names_in(statement.source))
            before = held[name.text]
            if before.content is _Content.Unused:
                _refuse_copy(ctx, name, before, rotation)
            held[name.text] = _Buffer(_Content.Unused, name.span)
            return
        case ast.Foreach() | ast.While() | ast.If() | ast.With():
            for name in _mentioned(statement):
                if name.text in held:
                    held[name.text] = _Buffer(_Content.Other, name.span)
            return
        case _:
            pass
    for name in _mentioned(statement):
        if name.text in held and held[name.text].content is _Content.Nothing:
            ctx.fail(
                Kind.PlaceholderRead,
                name,
                f"{name} must stand for a copy in every iteration, got a placeholder "
                "in a later one",
                hint=_hint(rotation),
                notes=[(rotation.span, "the futures are exchanged here")],
            )
    _use(held, names_in(statement))


def _mentioned(statement: ast.Statement) -> Iterator[ast.Name]:
    return (each for each in walk(statement) if isinstance(each, ast.Name))


def _use(held: dict[str, _Buffer], names: set[str]) -> None:
    for name in names & held.keys():
        held[name] = _Buffer(_Content.Other, held[name].span)


def _refuse_copy(
    ctx: Lowering, name: ast.Name, before: _Buffer, rotation: ast.Rotate
) -> None:
    ctx.fail(
        Kind.FutureLifecycle,
        name,
        f"copy of {name} must not fill a buffer whose last copy nothing has used",
        hint=_hint(rotation),
        notes=[
            (before.span, "that copy is started here"),
            (rotation.span, "the futures are exchanged here"),
        ],
    )


def _hint(rotation: ast.Rotate) -> str:
    names = ", ".join(name.text for name in reversed(rotation.names))
    if rotation.is_swap:
        return "swap(a, b) exchanges what the two names stand for"
    return (
        "rotate goes to the left: each name takes what the next one has; "
        f"rotate({names}) goes to the right"
    )
