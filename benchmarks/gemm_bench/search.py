"""The results of a search among schedules, the fastest first."""

from __future__ import annotations

from statistics import median

from .records import Outcome, Results
from .shapes import Shape
from .tables import OURS, TORCH, markdown


def ranking(results: Results, shape: Shape, measure: str) -> list[tuple[str, Outcome]]:
    """Every right outcome of a shape, once, by its time."""
    found: dict[str, Outcome] = {}
    for record in results.measured(measure):
        if record.shape != shape:
            continue
        for title, outcome in record.outcomes.items():
            known = found.get(title)
            if outcome.correct and (
                known is None or median(outcome.rounds) < median(known.rounds)
            ):
                found[title] = outcome
    return sorted(found.items(), key=lambda item: median(item[1].rounds))


def search_table(results: Results, shape: Shape, most: int = 40) -> str:
    """The schedules of a shape by their time in graphs, else with a cold cache."""
    graph = ranking(results, shape, "search graph")
    cold = dict(ranking(results, shape, "search do_bench"))
    order = [title for title, _ in graph] or list(cold)
    reference = dict(graph).get(TORCH)
    cold_reference = cold.get(TORCH)
    rows: list[list[str]] = []
    for title in order[:most]:
        row = [title.removeprefix(f"{OURS}:")]
        timings = (
            (dict(graph).get(title), reference),
            (cold.get(title), cold_reference),
        )
        for found, against in timings:
            if found is None:
                row += ["-", "-", "-"]
                continue
            taken = median(found.rounds)
            ratio = median(against.rounds) / taken if against else None
            row += [
                f"{taken:.2f}",
                f"{shape.teraflops(taken):.0f}",
                "-" if ratio is None else f"{ratio:.3f}",
            ]
        known = (
            next(each for each, _ in timings if each)
            if any(each for each, _ in timings)
            else None
        )
        extra = known.extra if known else {}
        row.append(" / ".join(f"{extra[n]:.0f}" for n in _FACTS if n in extra) or "-")
        rows.append(row)
    header = ["schedule", "graph us", "TFLOP/s", "vs torch"]
    header += ["do_bench us", "TFLOP/s", "vs torch", "registers / spills / shared"]
    return f"### {shape}\n\n{markdown(header, rows)}"


_FACTS = ("registers", "spill_bytes", "shared_bytes")


def search_report(results: Results) -> str:
    """All shapes of a search, and what failed."""
    shapes = [
        shape
        for shape in results.shapes()
        if ranking(results, shape, "search graph")
        or ranking(results, shape, "search do_bench")
    ]
    parts = [search_table(results, shape) for shape in shapes]
    failures: dict[str, None] = {}
    for record in results.records:
        if record.measure.startswith("search"):
            for name, text in record.failures.items():
                line = " ".join(text.split())[:160]
                failures[f"- {record.shape}, {name}: {line}"] = None
    for failure in results.failures:
        failures[f"- {failure.get('shape')}: {failure.get('reason')}"] = None
    if failures:
        parts.append("Not measured:\n\n" + "\n".join(failures))
    return "\n\n".join(parts) + "\n"
