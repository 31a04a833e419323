"""
Diagnostics that a test expects, in mlir-opt's syntax.

`// expected-error {{text}}` stands on the line of the diagnostic; `@+1`, `@-1`,
`@above`, `@below` and `@unknown` move it; `expected-warning`, `-remark` and `-note`
likewise. The text is a part of the message, or with `expected-error-re` a regular
expression in `{{` `}}` within the text. Unlike in mlir-opt a note may go unmentioned.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from croqtile_mlir.diagnostics import Diagnostic

_EXPECTED = re.compile(
    r"expected-(?P<kind>error|warning|remark|note)(?P<re>-re)?\s*"
    r"(?:@(?P<where>[+-]\d+|above|below|unknown))?\s*\{\{(?P<text>.*)\}\}"
)
_MEANT = re.compile(r"//\s*(?P<word>expected-[\w-]*)")
_PATTERN = re.compile(r"\{\{(.*?)\}\}")


@dataclass(frozen=True)
class Expectation:
    """A diagnostic that must appear; line 0 is a diagnostic without a place."""

    line: int
    kind: str
    text: str
    is_pattern: bool = False

    def admits(self, line: int, kind: str, message: str) -> bool:
        """Whether a diagnostic is the expected one."""
        if (line, kind) != (self.line, self.kind):
            return False
        if not self.is_pattern:
            return self.text in message
        literal_or_pattern = _PATTERN.split(self.text)
        pattern = "".join(
            part if number % 2 else re.escape(part)
            for number, part in enumerate(literal_or_pattern)
        )
        return re.search(pattern, message) is not None


def parse_expectations(source: str) -> list[Expectation]:
    """
    The expectations in a source text.

    A comment that starts like one but is none has kind `comment`, so nothing meets it.
    """
    found: list[Expectation] = []
    above = 0
    below: list[re.Match[str]] = []
    lines = source.split("\n")
    for number, line in enumerate([*lines, ""], 1):
        match = _EXPECTED.search(line)
        if match is None:
            # `@above` and `@below` mean the next line that holds no expectation.
            found += [_expectation(number, m) for m in below]
            below = []
            above = number
            if meant := _MEANT.search(line):
                found.append(Expectation(number, "comment", meant["word"]))
            continue
        match match["where"]:
            case None:
                found.append(_expectation(number, match))
            case "above":
                found.append(_expectation(above, match))
            case "unknown":
                found.append(_expectation(0, match))
            case "below":
                below.append(match)
            case offset:
                found.append(_expectation(number + int(offset), match))
    return found


def _expectation(line: int, match: re.Match[str]) -> Expectation:
    return Expectation(line, match["kind"], match["text"], match["re"] is not None)


def check_expectations(
    expected: Sequence[Expectation], diagnostics: Sequence[Diagnostic], name: str
) -> list[str]:
    """What is wrong: unexpected diagnostics, and expectations that nothing met."""
    produced = [(d.location.line, d.severity.value, d.headline) for d in diagnostics]
    for d in diagnostics:
        produced += [(note.location.line, "note", note.message) for note in d.notes]
    wrong: list[str] = []
    unmet = list(expected)
    for line, kind, message in produced:
        met = next((e for e in unmet if e.admits(line, kind, message)), None)
        if met is not None:
            unmet.remove(met)
        elif kind != "note":
            wrong.append(f"{_at(name, line)}: unexpected {kind}: {message}")
    for each in unmet:
        if each.kind == "comment":
            wrong.append(f"{_at(name, each.line)}: cannot read this '{each.text}'")
        else:
            wrong.append(
                f'{_at(name, each.line)}: expected {each.kind} "{each.text}" '
                "was not produced"
            )
    return wrong


def _at(name: str, line: int) -> str:
    return f"{name}:{line}" if line else name
