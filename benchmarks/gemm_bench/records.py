"""The results file: JSON that grows by one record at a time, and loses none."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .shapes import Shape

VERSION = 1


@dataclass(frozen=True)
class Outcome:
    """One contender in one record."""

    choice: str
    """Which candidate was measured: a schedule, an algorithm, a configuration."""

    rounds: tuple[float, ...]
    """Microseconds of one product, for each round."""

    error: float
    """Relative error against float64, in the Frobenius norm."""

    correct: bool
    pretest: Mapping[str, float] = field(default_factory=dict[str, float])
    """Microseconds of every candidate in the test that chose one."""

    extra: Mapping[str, float] = field(default_factory=dict[str, float])
    """Power in watts, clock in MHz, registers and the like, by name."""


@dataclass(frozen=True)
class Record:
    """One measure of one shape in one run."""

    shape: Shape
    run: int
    measure: str
    date: str
    environment: int
    """Which of the environments of the file."""

    outcomes: Mapping[str, Outcome]
    failures: Mapping[str, str]
    """What did not run, and why: a contender, or `contender:candidate`."""

    @property
    def key(self) -> tuple[Shape, int, str]:
        """What a rerun does not do again."""
        return self.shape, self.run, self.measure


@dataclass(frozen=True)
class Results:
    """A results file."""

    environments: tuple[Mapping[str, str], ...] = ()
    records: tuple[Record, ...] = ()
    failures: tuple[Mapping[str, Any], ...] = ()
    """Cases that have no record: they hung, or took the device down. A rerun tries
    them again."""

    def done(self) -> set[tuple[Shape, int, str]]:
        """The keys of all records."""
        return {record.key for record in self.records}

    def measured(self, measure: str) -> list[Record]:
        """The records of a measure, by shape in order of appearance, then by run."""
        order = {shape: place for place, shape in enumerate(self.shapes())}
        found = [record for record in self.records if record.measure == measure]
        return sorted(found, key=lambda each: (order[each.shape], each.run))

    def shapes(self) -> list[Shape]:
        """The shapes, in order of appearance."""
        return list(dict.fromkeys(record.shape for record in self.records))


def read_results(path: Path) -> Results:
    """The results in a file; none where there is no file."""
    if not path.exists():
        return Results()
    data = json.loads(path.read_text(encoding="utf-8"))
    if data.get("version") != VERSION:
        raise ValueError(f"{path} is not a results file of this version")
    return Results(
        tuple(data["environments"]),
        tuple(_record(each) for each in data["records"]),
        tuple(data["failures"]),
    )


def _record(data: Mapping[str, Any]) -> Record:
    outcomes = {name: _outcome(each) for name, each in data["outcomes"].items()}
    return Record(
        shape=Shape.parse(data["shape"]),
        run=data["run"],
        measure=data["measure"],
        date=data["date"],
        environment=data["environment"],
        outcomes=outcomes,
        failures=data["failures"],
    )


def _outcome(data: Mapping[str, Any]) -> Outcome:
    return Outcome(
        choice=data["choice"],
        rounds=tuple(data["rounds"]),
        error=data["error"],
        correct=data["correct"],
        pretest=data["pretest"],
        extra=data["extra"],
    )


def write_results(
    path: Path, results: Results, figures: Mapping[str, object] | None = None
) -> None:
    """Write a file whole, or leave the old one; `figures` are for its readers."""
    records = [
        {**asdict(record), "shape": str(record.shape)} for record in results.records
    ]
    data = {
        "version": VERSION,
        "figures": figures or {},
        "environments": list(results.environments),
        "records": records,
        "failures": list(results.failures),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(_dumps(data), encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _dumps(data: Mapping[str, Any]) -> str:
    """One line for each environment, record and failure."""
    parts: list[str] = []
    for name, value in data.items():
        if isinstance(value, list):
            entries: list[object] = [*value]
            lines = ",\n".join(f"  {json.dumps(each)}" for each in entries)
            parts.append(f'"{name}": [\n{lines}\n]' if lines else f'"{name}": []')
        else:
            parts.append(f'"{name}": {json.dumps(value)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


@dataclass(frozen=True)
class Store:
    """A results file that records are added to."""

    path: Path

    def add_environment(self, environment: Mapping[str, str]) -> int:
        """The number of an environment, which is added unless the file has it.

        The date is not compared.
        """

        def known(each: Mapping[str, str]) -> dict[str, str]:
            return {name: value for name, value in each.items() if name != "date"}

        results = read_results(self.path)
        for number, each in enumerate(results.environments):
            if known(each) == known(environment):
                return number
        self._change(lambda old: _grown(old, environments=[environment]))
        return len(results.environments)

    def add(self, record: Record) -> None:
        """Add a record."""
        self._change(lambda old: _grown(old, records=[record]))

    def add_failure(self, failure: Mapping[str, Any]) -> None:
        """Add a case that has no record."""
        self._change(lambda old: _grown(old, failures=[failure]))

    def _change(self, change: Callable[[Results], Results]) -> None:
        write_results(self.path, change(read_results(self.path)))


def _grown(
    results: Results,
    environments: Iterable[Mapping[str, str]] = (),
    records: Iterable[Record] = (),
    failures: Iterable[Mapping[str, Any]] = (),
) -> Results:
    return Results(
        (*results.environments, *environments),
        (*results.records, *records),
        (*results.failures, *failures),
    )
