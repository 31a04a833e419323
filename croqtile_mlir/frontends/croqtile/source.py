"""The text of a file, and the places in it that tokens and nodes of the AST have."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from croqtile_mlir.messages import Location

COMMAND_LINE = "<command line>"
"""What locations call the definitions of `-D`."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """A use of a macro that put a token where it is."""

    macro: str
    start: int
    """Offset of the token in the definition, -1 for one of the command line."""


@dataclass(frozen=True, slots=True)
class Span:
    """
    Characters [start, end) of the ORIGINAL text.

    What came out of a macro has the span of the macro's use; what was an argument of
    the use keeps its own. `expansions` are the macros, from the use inwards.
    """

    start: int
    end: int
    expansions: tuple[Expansion, ...] = ()

    def to(self, last: Span) -> Span:
        """From the start of this span to the end of another."""
        if last.end <= self.end and last.start >= self.start:
            return self
        return Span(
            min(self.start, last.start), max(self.end, last.end), self.expansions
        )


@dataclass(frozen=True)
class SourceText:
    """A file: its name as locations show it, and what is in it."""

    name: str
    text: str
    _line_starts: list[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = [0, *(i + 1 for i, c in enumerate(self.text) if c == "\n")]
        object.__setattr__(self, "_line_starts", starts)

    def position(self, offset: int) -> Location:
        """The line and column, from one, of a character."""
        if offset < 0:
            return Location(COMMAND_LINE)
        line = bisect_right(self._line_starts, offset)
        return Location(self.name, line, offset - self._line_starts[line - 1] + 1)

    def location(self, span: Span) -> Location:
        """Where a span starts."""
        return self.position(span.start)
