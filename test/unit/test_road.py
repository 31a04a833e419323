"""The road in the documentation is what `croq-opt` prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest
from gemm_bench.rungs import (
    SHAPES,
    rungs,
)
from gemm_bench.schedules import PLAIN, parse_schedule, scheduled_ir

from croqtile_mlir.compiler import ir_after, source_of

ROAD = Path(__file__).resolve().parents[2] / "docs" / "performance.md"

EXCERPT = re.compile(
    r"<!-- croq-opt: (?P<passes>[^;\n]*)(?:; (?P<after>[\w-]+))? -->\n"
    r"\s*```mlir\n(?P<text>.*?)```",
    re.DOTALL,
)


def excerpts() -> list[re.Match[str]]:
    return list(EXCERPT.finditer(ROAD.read_text(encoding="utf-8")))


@lru_cache
def printed(passes: str, after: str | None) -> str:
    """The plain kernel after scheduling passes, and the lowering as far as a pass."""
    if after is None:
        return scheduled_ir(parse_schedule(passes))
    return ir_after(source_of(PLAIN, schedule=passes), after)


def plain_lines(text: str) -> list[str]:
    """Lines without indentation and without the numbers of values."""
    stripped = (line.strip() for line in text.strip().splitlines())
    return [re.sub(r"%(\d+|[a-z]\w*?)(_\d+)?\b", _named, line) for line in stripped]


def _named(value: re.Match[str]) -> str:
    return "%number" if value[1].isdigit() else f"%{value[1]}"


def occurs(excerpt: str, text: str) -> bool:
    """Whether lines are there, one after the other but for `...`."""
    lines, at = plain_lines(text), 0
    for part in _parts(plain_lines(excerpt)):
        places = range(at, len(lines) - len(part) + 1)
        found = [i for i in places if lines[i : i + len(part)] == part]
        if not found:
            return False
        at = found[0] + len(part)
    return True


def _parts(lines: list[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for line in [*lines, "..."]:
        if line != "...":
            part.append(line)
        elif part:
            yield part
            part = []


def test_excerpts_are_found_or_not():
    text = "a {\n  %1 = b %x_2\n  c\n  d\n}"
    assert occurs("%7 = b %x\nc", text)
    assert occurs("a {\n...\nd", text)
    assert not occurs("a {\nc", text)
    assert not occurs("d\n...\nc", text)
    assert not occurs("%7 = b %y", text)


def test_each_step_has_an_excerpt():
    made = [
        r for r in rungs(SHAPES[0]) if r.name != "chosen" and not r.schedule.without
    ]
    scheduled = [each for each in excerpts() if each["after"] is None]
    assert len(scheduled) == len(made)
    text = ROAD.read_text(encoding="utf-8")
    assert text.count("```mlir") == len(excerpts())


@pytest.mark.parametrize("excerpt", excerpts(), ids=lambda each: each["passes"])
def test_excerpts_are_what_croq_opt_prints(excerpt: re.Match[str]):
    assert occurs(excerpt["text"], printed(excerpt["passes"], excerpt["after"]))
