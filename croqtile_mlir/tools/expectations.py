"""
Diagnostics that a test expects, in mlir-opt's syntax.

`// expected-error {{text}}` stands on the line of the diagnostic; `@+1`, `@-1`,
`@above` and `@below` move it; `expected-warning`, `-remark` and `-note` likewise.
The text is a part of the message.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from croqtile_mlir.diagnostics import Diagnostic

_EXPECTED = re.compile(
    r"expected-(?P<kind>error|warning|remark|note)"
    r"(?:@(?P<where>[+-]\d+|above|below|unknown))?\s*\{\{(?P<text>.*?)\}\}"
)


@dataclass(frozen=True)
class Expectation:
    """A diagnostic that must appear; line 0 is a diagnostic without a place."""

    line: int
    kind: str
    text: str


def parse_expectations(source: str, first_line: int = 1) -> list[Expectation]:
    """The expectations in a source text whose first line has a number."""
    found: list[Expectation] = []
    above = first_line - 1
    below: list[re.Match[str]] = []
    for number, line in enumerate(source.split("\n"), first_line):
        matches = list(_EXPECTED.finditer(line))
        if not matches:
            # `@above` and `@below` mean the next line that holds no expectation.
            found += [Expectation(number, m["kind"], m["text"]) for m in below]
            below = []
            above = number
        for m in matches:
            match m["where"]:
                case None:
                    target = number
                case "above":
                    target = above
                case "unknown":
                    target = 0
                case "below":
                    below.append(m)
                    continue
                case offset:
                    target = number + int(offset)
            found.append(Expectation(target, m["kind"], m["text"]))
    return found


def check_expectations(
    expected: Sequence[Expectation], diagnostics: Sequence[Diagnostic], name: str
) -> list[str]:
    """What is wrong: unexpected diagnostics, and expectations that nothing met."""
    produced = [(d.location.line, d.severity.value, d.message) for d in diagnostics]
    for d in diagnostics:
        produced += [(note.location.line, "note", note.message) for note in d.notes]
    wrong: list[str] = []
    open_expectations = list(expected)
    for line, kind, message in produced:
        for each in open_expectations:
            if each.line == line and each.kind == kind and each.text in message:
                open_expectations.remove(each)
                break
        else:
            if kind != "note":
                wrong.append(f"{name}:{line}: unexpected {kind}: {message}")
    wrong += [
        f'{name}:{each.line}: expected {each.kind} "{each.text}" was not produced'
        for each in open_expectations
    ]
    return wrong
