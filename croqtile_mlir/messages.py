"""What diagnostics are made of, and their text; `diagnostics` makes them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How serious a diagnostic is."""

    Error = "error"
    Warning = "warning"
    Remark = "remark"


@dataclass(frozen=True)
class Location:
    """
    A place in a source file; `line` and `col` count from one, and a zero means that
    this part is not known.
    """

    file: str = ""
    line: int = 0
    col: int = 0

    @property
    def is_known(self) -> bool:
        """Whether this names a place in a file."""
        return self.line > 0

    def __str__(self) -> str:
        if not self.is_known:
            return self.file or "<unknown>"
        return f"{self.file}:{self.line}:{self.col}"


UNKNOWN_LOCATION = Location()


@dataclass(frozen=True)
class Note:
    """A further place that a diagnostic is about."""

    location: Location
    message: str


@dataclass(frozen=True)
class Diagnostic:
    """One message to the user."""

    severity: Severity
    location: Location
    message: str
    notes: tuple[Note, ...] = ()
    hint: str | None = None
    kind: str | None = None
    """A stable name of the rule, where the rules of an input format have names."""

    @property
    def headline(self) -> str:
        """The message, and the name of the rule in brackets."""
        return self.message if self.kind is None else f"{self.message} [{self.kind}]"

    def __str__(self) -> str:
        return render(self)


def _source_lines(location: Location, source: str | None) -> list[str]:
    if source is None or not location.is_known:
        return []
    lines = source.split("\n")
    if location.line > len(lines):
        return []
    line = lines[location.line - 1].rstrip("\r")
    before = line[: max(location.col - 1, 0)]
    return [line, "".join("\t" if c == "\t" else " " for c in before) + "^"]


def render(diag: Diagnostic, source: str | None = None) -> str:
    """
    The text of a diagnostic; with `source`, the contents of the file it is in, also the
    lines it points at.
    """
    lines = [f"{diag.location}: {diag.severity}: {diag.headline}"]
    if diag.location == UNKNOWN_LOCATION:
        lines = [f"{diag.severity}: {diag.headline}"]
    lines += _source_lines(diag.location, source)
    for note in diag.notes:
        where = f"{note.location}: " if note.location != UNKNOWN_LOCATION else ""
        lines.append(f"{where}note: {note.message}")
        if note.location.file == diag.location.file:
            lines += _source_lines(note.location, source)
    if diag.hint is not None:
        lines.append(f"hint: {diag.hint}")
    return "\n".join(lines)
