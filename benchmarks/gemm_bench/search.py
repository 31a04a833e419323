"""The results of a search among schedules, the fastest first."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import median

from .records import Outcome, Results
from .shapes import Shape
from .tables import OURS, TORCH, markdown

_FACTS = ("registers", "spill_bytes", "shared_bytes")
_NONE: Mapping[str, float] = {}


def ranking(results: Results, shape: Shape, measure: str) -> dict[str, Outcome]:
    """Every right outcome of a shape, by name, the fastest first.

    What several batches have measured counts with its best time.
    """
    found: dict[str, Outcome] = {}
    for record in results.measured(measure):
        if record.shape != shape:
            continue
        for title, outcome in record.outcomes.items():
            if not outcome.correct:
                continue
            before = found.get(title)
            if before is None or median(outcome.rounds) < median(before.rounds):
                found[title] = outcome
    return dict(sorted(found.items(), key=lambda item: median(item[1].rounds)))


def search_table(results: Results, shape: Shape, most: int = 40) -> str:
    """The schedules of a shape by their time in graphs, else with a cold cache."""
    graph = ranking(results, shape, "search graph")
    cold = ranking(results, shape, "search do_bench")
    rows: list[list[str]] = []
    for title in list(graph or cold)[:most]:
        row = [title.removeprefix(f"{OURS}:")]
        for timings in (graph, cold):
            row += _timing(timings, title, shape)
        known = graph.get(title) or cold.get(title)
        facts = known.extra if known else _NONE
        row.append(" / ".join(f"{facts[n]:.0f}" for n in _FACTS if n in facts) or "-")
        rows.append(row)
    header = ["schedule", "graph us", "TFLOP/s", "vs torch"]
    header += ["do_bench us", "TFLOP/s", "vs torch", "registers / spills / shared"]
    return f"### {shape}\n\n{markdown(header, rows)}"


def _timing(timings: Mapping[str, Outcome], title: str, shape: Shape) -> list[str]:
    """Microseconds, TFLOP/s, and the time of torch.matmul over that."""
    found, torch = timings.get(title), timings.get(TORCH)
    if found is None:
        return ["-", "-", "-"]
    taken = median(found.rounds)
    ratio = f"{median(torch.rounds) / taken:.3f}" if torch else "-"
    return [f"{taken:.2f}", f"{shape.teraflops(taken):.0f}", ratio]


def best_of(results: Results, shape: Shape) -> str | None:
    """The schedule with the least product of its two times; None of none."""
    graph = ranking(results, shape, "search graph")
    cold = ranking(results, shape, "search do_bench")
    timings = [each for each in (graph, cold) if each]

    def score(title: str) -> float:
        return math.prod(median(each[title].rounds) for each in timings)

    titles = [
        title
        for title in {**graph, **cold}
        if title.startswith(f"{OURS}:") and all(title in each for each in timings)
    ]
    best = min(titles, key=score, default=None)
    return None if best is None else best.removeprefix(f"{OURS}:")


def search_report(results: Results) -> str:
    """All shapes of a search, and what failed."""
    searched = [each for each in results.records if each.measure.startswith("search")]
    shapes = dict.fromkeys(record.shape for record in searched)
    parts = [search_table(results, shape) for shape in shapes]
    failures: dict[str, None] = {}
    for record in searched:
        for name, text in record.failures.items():
            line = " ".join(text.split())[:160]
            failures[f"- {record.shape}, {name}: {line}"] = None
    for failure in results.failures:
        failures[f"- {failure.get('shape')}: {failure.get('reason')}"] = None
    if failures:
        parts.append("Not measured:\n\n" + "\n".join(failures))
    return "\n\n".join(parts) + "\n"
