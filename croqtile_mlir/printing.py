"""The text of a module, quickly: what is printed often is put together once."""

from __future__ import annotations

import re
from io import StringIO

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Attribute, Operation
from xdsl.printer import Printer

_PLAIN = re.compile(rb"[ !#-\[\]-~]*")
"""What stands in a string literal as it is."""


def module_text(
    op: Operation, *, generic: bool = False, debuginfo: bool = False
) -> str:
    """What xDSL's printer prints for a module or any op."""
    printer = _TextPrinter(generic, debuginfo)
    printer.print_op(op)
    return printer.text()


class _TextPrinter(Printer):
    """
    The xDSL printer, to text only. It prints each attribute once and then knows it.

    The IR must not change meanwhile; attributes never do.
    """

    def __init__(self, generic: bool, debuginfo: bool):
        super().__init__(
            StringIO(), print_generic_format=generic, print_debuginfo=debuginfo
        )
        self._pieces: list[str] = []
        self._known: dict[int, tuple[Attribute, str]] = {}
        """By identity: to compare attributes takes longer than to print them. That each
        is kept, too, keeps others from getting its number."""

    def text(self) -> str:
        """What was printed so far."""
        return "".join(self._pieces)

    def _write(self, content: str) -> None:
        self._pieces.append(content)

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        if "\n" in text:
            super().print_string(text, indent=indent)
        else:
            self._current_column += len(text)
            self._pieces.append(text)

    def print_bytes_literal(self, bytestring: bytes) -> None:
        if _PLAIN.fullmatch(bytestring) is None:
            super().print_bytes_literal(bytestring)
        else:
            self.print_string(f'"{bytestring.decode()}"')

    def print_attribute(self, attribute: Attribute) -> None:
        known = self._known.get(id(attribute))
        if known is not None:
            self.print_string(known[1])
            return
        start = len(self._pieces)
        super().print_attribute(attribute)
        text = "".join(self._pieces[start:])
        # The lines of a text are indented by where it stands, and what a location looks
        # like depends on whether it is inside another.
        if "\n" not in text and not isinstance(attribute, LocationAttr):
            self._known[id(attribute)] = attribute, text
