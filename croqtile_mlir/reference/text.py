"""What texts of references share: elements, their reader, the extents they imply."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn


class ReferenceTextError(ValueError):
    """A reference that does not parse, or does not fit the kernel's arguments."""


@dataclass(frozen=True)
class Element:
    """One element of a tile: `lhs[m, k]`; without indices, a scalar argument."""

    name: str
    indices: tuple[str, ...]


def add_extents(
    element: Element, shapes: Mapping[str, Sequence[int]], extents: dict[str, int]
) -> None:
    """Learn the extents of an element's indices from the shape of its tile."""
    if not element.indices and element.name not in shapes:
        return
    if element.name not in shapes:
        known = ", ".join(shapes)
        raise ReferenceTextError(
            f"reference: '{element.name}' must be a tile argument ({known})"
        )
    shape = shapes[element.name]
    if len(shape) != len(element.indices):
        raise ReferenceTextError(
            f"reference: '{element.name}' must have {len(shape)} indices, got "
            f"{len(element.indices)}"
        )
    for index, extent in zip(element.indices, shape, strict=True):
        if extents.setdefault(index, extent) != extent:
            raise ReferenceTextError(
                f"reference: index {index} must run over {extents[index]} as "
                f"elsewhere, got {extent} in '{element.name}'"
            )


class Reader:
    """
    Reads a text token by token, from `start` on.

    The groups of `tokens` are the kinds of tokens; `wanted` says what there is.
    """

    def __init__(self, text: str, tokens: re.Pattern[str], wanted: str, start: int = 0):
        self.text = text
        self.tokens = tokens
        self.wanted = wanted
        self.position = start

    def peek(self) -> tuple[str, str]:
        """The kind and the text of the next token; both empty at the end."""
        if not self.text[self.position :].strip():
            return "", ""
        found = self.tokens.match(self.text, self.position)
        if found is None:
            self.fail(self.wanted)
        kind = found.lastgroup or ""
        return kind, str(found[kind])

    def take(self) -> str:
        """The text of the next token, which is read."""
        _, text = self.peek()
        found = self.tokens.match(self.text, self.position)
        if found is not None:
            self.position = found.end()
        return text

    def optional(self, *marks: str) -> str:
        """The next token if it is one of these, else nothing."""
        return self.take() if self.peek()[1] in marks else ""

    def expect(self, *marks: str) -> str:
        """The next token, which must be one of these."""
        if self.peek()[1] not in marks:
            self.fail(" or ".join(marks))
        return self.take()

    def fail(self, wanted: str) -> NoReturn:
        """Refuse what comes next; the error names the column."""
        rest = self.text[self.position :].strip()
        column = len(self.text) - len(self.text[self.position :].lstrip()) + 1
        raise ReferenceTextError(
            f"reference: column {column}: must be {wanted}, got "
            f"{repr(rest[:12]) if rest else 'the end'}"
        )

    def element(self) -> Element:
        """A name, and indices in brackets where there are any."""
        kind, _ = self.peek()
        if kind != "name":
            self.fail("a name")
        name = self.take()
        indices: list[str] = []
        if self.optional("["):
            while True:
                if self.peek()[0] != "name":
                    self.fail("the name of an index")
                indices.append(self.take())
                if self.expect(",", "]") == "]":
                    break
        return Element(name, tuple(indices))
