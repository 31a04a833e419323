"""Going back from a value to what it follows from, each value once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from xdsl.ir import SSAValue

Sources = Callable[[SSAValue], Sequence[SSAValue]]
"""The values one step back from a value."""


def reached(value: SSAValue, sources: Sources) -> Iterator[SSAValue]:
    """A value and all that it follows from."""
    return (current for current, _ in _steps(value, sources))


def ends(value: SSAValue, sources: Sources) -> Iterator[SSAValue]:
    """Of a value and all that it follows from, what has no sources."""
    return (current for current, before in _steps(value, sources) if not before)


def _steps(
    value: SSAValue, sources: Sources
) -> Iterator[tuple[SSAValue, Sequence[SSAValue]]]:
    seen: set[SSAValue] = set()
    todo = [value]
    while todo:
        current = todo.pop()
        if current not in seen:
            seen.add(current)
            before = sources(current)
            yield current, before
            todo += before
