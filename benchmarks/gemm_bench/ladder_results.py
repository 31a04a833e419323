"""The results of the ladder: a results file whose figures hold the rungs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .records import Results, read_results, write_results
from .rungs import Facts
from .shapes import Shape

Profile = Mapping[str, Mapping[str, float]]
"""Metrics of rungs by name."""


@dataclass(frozen=True)
class Ladder:
    """Times, and what else is known of the rungs of each shape."""

    results: Results = field(default_factory=Results)
    facts: Mapping[Shape, tuple[Facts, ...]] = field(
        default_factory=dict[Shape, tuple[Facts, ...]]
    )
    profiles: Mapping[Shape, Profile] = field(default_factory=dict[Shape, Profile])


def read_ladder(path: Path) -> Ladder:
    """The ladder in a file; an empty one where there is no file."""
    results = read_results(path)
    if not path.exists():
        return Ladder()
    figures: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["figures"]
    return Ladder(
        results,
        {
            Shape.parse(shape): tuple(Facts.from_json(each) for each in listed)
            for shape, listed in figures.get("rungs", {}).items()
        },
        {
            Shape.parse(shape): profile
            for shape, profile in figures.get("profiles", {}).items()
        },
    )


def write_ladder(path: Path, ladder: Ladder) -> None:
    """Write a file whole, or leave the old one."""
    figures: dict[str, object] = {
        "rungs": {
            str(shape): [each.to_json() for each in listed]
            for shape, listed in ladder.facts.items()
        },
        "profiles": {str(shape): profile for shape, profile in ladder.profiles.items()},
    }
    write_results(path, ladder.results, figures)
