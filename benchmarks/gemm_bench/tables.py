"""Results as tables in markdown, with every run and the ratios."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from .numbers import Spread, digits_of, geometric_mean, over_runs
from .records import Outcome, Record, Results
from .shapes import NINE, Shape

OURS, TORCH, CUBLASLT, TRITON = "ours", "torch.matmul", "cuBLASLt", "Triton"
CONTENDERS = (OURS, TORCH, CUBLASLT, TRITON)

TITLES = {
    "graph": "graph: one launch for each set of operands in a CUDA graph",
    "do_bench": "do_bench: the L2 cache is flushed before every product",
    "sustained": "sustained: back to back, under the power limit",
}

RATIOS: Mapping[str, tuple[str, ...]] = {
    "vs torch": (TORCH,),
    "vs Lt": (CUBLASLT,),
    "vs cuBLAS": (TORCH, CUBLASLT),
    "vs Triton": (TRITON,),
}
"""The ratios that are shown: the time of the fastest of these, over ours."""


@dataclass(frozen=True)
class Line:
    """All runs of one measure of one shape."""

    shape: Shape
    records: tuple[Record, ...]

    def outcomes(self, contender: str) -> list[Outcome]:
        """A contender's outcomes, one for each run that it has; only right ones."""
        found = [each.outcomes.get(contender) for each in self.records]
        return [each for each in found if each is not None and each.correct]

    def spread(self, contender: str) -> Spread | None:
        """Microseconds over all runs."""
        runs = [each.rounds for each in self.outcomes(contender)]
        return over_runs(runs) if runs else None

    def choice(self, contender: str) -> str:
        """What was measured, where the runs agree on it, else all that was."""
        choices = dict.fromkeys(each.choice for each in self.outcomes(contender))
        return ", ".join(each for each in choices if each != contender)

    def ratio(self, against: Sequence[str]) -> float | None:
        """The fastest of others over ours, by medians of all runs."""
        ours = self.spread(OURS)
        others = [s.median for each in against if (s := self.spread(each))]
        return min(others) / ours.median if ours and others else None

    def ratios_of_runs(self, against: Sequence[str]) -> list[float]:
        """The same ratio within each run."""
        alone = [Line(self.shape, (record,)) for record in self.records]
        ratios = [each.ratio(against) for each in alone]
        return [each for each in ratios if each is not None]

    def runs(self, contender: str) -> list[float]:
        """The median of each run."""
        return [median(each.rounds) for each in self.outcomes(contender)]


def lines_of(results: Results, measure: str) -> list[Line]:
    """The lines of a measure, by shape in order of appearance."""
    grouped: dict[Shape, list[Record]] = {}
    for record in results.measured(measure):
        grouped.setdefault(record.shape, []).append(record)
    return [Line(shape, tuple(records)) for shape, records in grouped.items()]


def means(lines: Iterable[Line]) -> dict[str, float | None]:
    """The geometric mean of each ratio over those of the nine shapes that have it."""
    nine = [line for line in lines if line.shape in NINE]
    found: dict[str, float | None] = {}
    for name, against in RATIOS.items():
        ratios = [line.ratio(against) for line in nine]
        found[name] = geometric_mean(each for each in ratios if each is not None)
    return found


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(each)} |" for each in lines)


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _cell(line: Line, contender: str) -> str:
    spread = line.spread(contender)
    if spread is None:
        return "-"
    return f"{spread} / {line.shape.teraflops(spread.median):.0f}"


def _extra(line: Line, contender: str, name: str) -> float:
    values = [each.extra.get(name, math.nan) for each in line.outcomes(contender)]
    return median(values) if values else math.nan


def timing_table(results: Results, measure: str) -> str:
    """Microseconds [least-most] / TFLOP/s of every contender, and the ratios."""
    lines = lines_of(results, measure)
    header = ["M x N x K", *CONTENDERS, "schedule", *RATIOS, "error"]
    rows: list[list[str]] = []
    for line in lines:
        errors = [each.error for each in line.outcomes(OURS)]
        rows.append(
            [
                str(line.shape),
                *(_cell(line, each) for each in CONTENDERS),
                line.choice(OURS) or "-",
                *(_ratio(line.ratio(against)) for against in RATIOS.values()),
                f"{max(errors):.1e}" if errors else "-",
            ]
        )
    filled = ["geometric mean of the nine", *[""] * (len(CONTENDERS) + 1)]
    here = len([line for line in lines if line.shape in NINE])
    if here < len(NINE):
        filled[0] += f" ({here} of them)"
    rows.append([*filled, *(_ratio(each) for each in means(lines).values()), ""])
    return markdown(header, rows)


def power_table(results: Results) -> str:
    """TFLOP/s / ratio to torch.matmul / watts / MHz, of the sustained measure."""
    rows: list[list[str]] = []
    for line in lines_of(results, "sustained"):
        torch = line.spread(TORCH)
        row = [str(line.shape)]
        for contender in CONTENDERS:
            spread = line.spread(contender)
            if spread is None:
                row.append("-")
                continue
            ratio = torch.median / spread.median if torch else None
            row.append(
                f"{line.shape.teraflops(spread.median):.0f} / {_ratio(ratio)} / "
                f"{_extra(line, contender, 'watts'):.0f} W / "
                f"{_extra(line, contender, 'sm_mhz'):.0f} MHz"
            )
        rows.append([*row, line.choice(OURS) or "-"])
    return markdown(["M x N x K", *CONTENDERS, "schedule"], rows)


def runs_table(results: Results, measure: str) -> str:
    """The median of every run in microseconds, and the ratios within each run."""
    rows: list[list[str]] = []
    for line in lines_of(results, measure):
        row = [str(line.shape)]
        for contender in CONTENDERS:
            medians = line.runs(contender)
            row.append(", ".join(f"{each:.{digits_of(each)}f}" for each in medians))
        for against in (RATIOS["vs cuBLAS"], RATIOS["vs Triton"]):
            row.append(", ".join(_ratio(each) for each in line.ratios_of_runs(against)))
        rows.append([each or "-" for each in row])
    return markdown(["M x N x K", *CONTENDERS, "vs cuBLAS", "vs Triton"], rows)


def failure_lines(results: Results) -> list[str]:
    """What did not run or was wrong; candidates with the same reason in one line."""
    found: dict[tuple[str, str], dict[str, None]] = {}

    def add(shape: object, title: str, text: str) -> None:
        contender, _, name = title.partition(":")
        reason = f"{contender}: {' '.join(text.split())[:200]}"
        found.setdefault((str(shape), reason), {})[name] = None

    for record in results.records:
        for title, text in record.failures.items():
            add(record.shape, title, text)
        for title, outcome in record.outcomes.items():
            if not outcome.correct:
                add(record.shape, title, f"wrong, relative error {outcome.error:.1e}")
    for failure in results.failures:
        add(failure.get("shape"), "the case", str(failure.get("reason")))
    lines: list[str] = []
    for (shape, reason), names in found.items():
        listed = ", ".join(name for name in names if name)
        lines.append(f"{shape}, {reason}" + (f" ({listed})" if listed else ""))
    return lines


def summary(results: Results) -> str:
    """Everything about a results file, in markdown."""
    parts: list[str] = []
    for number, environment in enumerate(results.environments):
        facts = ", ".join(f"{name} {value}" for name, value in environment.items())
        parts.append(f"Environment {number}: {facts}")
    for measure, title in TITLES.items():
        if not results.measured(measure):
            continue
        unit = "microseconds [least-most] / TFLOP/s; ratios above 1: ours is faster"
        parts += [f"## {title}", unit, timing_table(results, measure)]
        if measure == "sustained":
            parts += ["TFLOP/s / ratio to torch.matmul / W / MHz", power_table(results)]
        parts += ["Medians of the runs, and ratios within them:"]
        parts += [runs_table(results, measure)]
    failures = failure_lines(results)
    if failures:
        parts += ["## Not measured, or wrong", "\n".join(f"- {f}" for f in failures)]
    return "\n\n".join(parts) + "\n"


def figures(results: Results) -> dict[str, object]:
    """Ratios for each shape and their means, for the results file's readers."""
    found: dict[str, object] = {}
    for measure in TITLES:
        lines = lines_of(results, measure)
        if lines:
            found[measure] = {
                "ratios": {
                    str(line.shape): {n: line.ratio(a) for n, a in RATIOS.items()}
                    for line in lines
                },
                "geometric means of the nine": means(lines),
            }
    return found
