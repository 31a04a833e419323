"""The ladder as tables in markdown, and their place in a document."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from .ladder_results import Ladder
from .numbers import digits_of
from .profiler import (
    CYCLES,
    DRAM_BYTES,
    INSTRUCTIONS,
    L2_SECTORS,
    SECTOR_BYTES,
    TENSOR,
)
from .rungs import Facts, even_cycles
from .shapes import Shape
from .tables import OURS, TORCH, Line, failure_lines, lines_of, markdown

BEGIN = "<!-- ladder: made by benchmarks/ladder.py -->"
END = "<!-- end of ladder -->"
EMPTY = "Not measured yet."

_SHOWN = ("device", "driver", "torch", "cuda of torch", "date")
"""What is said of an environment."""

_NONE = "-"


@dataclass(frozen=True)
class _Times:
    """The lines of one shape, by measure."""

    shape: Shape
    lines: Mapping[str, Line]

    def microseconds(self, measure: str, contender: str) -> float:
        line = self.lines.get(measure)
        spread = line.spread(contender) if line else None
        return math.nan if spread is None else spread.median

    def cells(self, measure: str, contender: str) -> list[str]:
        """Microseconds, TFLOP/s, and the fraction of torch.matmul's rate."""
        taken = self.microseconds(measure, contender)
        ratio = self.microseconds(measure, TORCH) / taken
        if math.isnan(taken):
            return [_NONE] * 3
        return [
            f"{taken:.{digits_of(taken)}f}",
            f"{self.shape.teraflops(taken):.0f}",
            _NONE if math.isnan(ratio) else f"{ratio:.3f}",
        ]

    def extra(self, contender: str, name: str) -> float:
        """A fact of the outcomes; NaN where there is none."""
        values = [
            outcome.extra[name]
            for line in self.lines.values()
            for outcome in line.outcomes(contender)
            if name in outcome.extra
        ]
        return median(values) if values else math.nan


def times_table(ladder: Ladder, shape: Shape) -> str:
    """Times of all rungs, registers, shared memory, instructions."""
    times = _Times(
        shape,
        {
            measure: line
            for measure in ("graph", "do_bench")
            for line in lines_of(ladder.results, measure)
            if line.shape == shape
        },
    )
    header = ["", "step"]
    for measure in ("graph", "do_bench"):
        header += [f"{measure}, us", "TFLOP/s", "of torch"]
    header += ["registers", "shared, KiB", "PTX in K loop"]
    rows: list[list[str]] = []
    for number, each in enumerate(ladder.facts.get(shape, ()), 1):
        title = f"{OURS}:{each.name}"
        rows.append(
            [
                str(number),
                f"{each.name}: {each.change}",
                *times.cells("graph", title),
                *times.cells("do_bench", title),
                _number(times.extra(title, "registers")),
                _NONE
                if each.shared_bytes is None
                else f"{each.shared_bytes / 1024:.0f}",
                _loops(each),
            ]
        )
    cells = (*times.cells("graph", TORCH), *times.cells("do_bench", TORCH))
    rows.append(["", TORCH, *cells, "", "", ""])
    return markdown(header, rows)


def _loops(facts: Facts) -> str:
    loops = [str(each) for each in (facts.products, facts.loads) if each is not None]
    return " + ".join(loops) or _NONE


def _number(value: float, scale: float = 1, digits: int = 0) -> str:
    return _NONE if math.isnan(value) else f"{value / scale:.{digits}f}"


def cycles_table(ladder: Ladder, shape: Shape) -> str:
    """Cycles of all rungs, and what they are made of."""
    profile = ladder.profiles.get(shape, {})
    header = ["", "step", "whole tiles, kcycles"]
    if profile:
        header += ["all, kcycles", "the rest", "tensor cores busy"]
        header += ["from L2, MB", "from DRAM, MB", "instructions, M"]
    rows: list[list[str]] = []
    for number, each in enumerate(ladder.facts.get(shape, ()), 1):
        row = [str(number), each.name, _number(each.whole_tile_cycles, 1e3, 1)]
        if profile:
            row += _profiled(profile.get(each.name, {}), each.whole_tile_cycles)
        rows.append(row)
    if TORCH in profile:
        rows.append(["", TORCH, "", *_profiled(profile[TORCH], None)])
    return markdown(header, rows)


def _profiled(metrics: Mapping[str, float], least: int | None) -> list[str]:
    def of(name: str) -> float:
        return metrics.get(name, math.nan)

    rest = "" if least is None else _number(of(CYCLES) - least, 1e3, 1)
    busy = of(TENSOR)
    return [
        _number(of(CYCLES), 1e3, 1),
        rest,
        _NONE if math.isnan(busy) else f"{busy:.1f}%",
        _number(of(L2_SECTORS) * SECTOR_BYTES, 1e6),
        _number(of(DRAM_BYTES), 1e6),
        _number(of(INSTRUCTIONS), 1e6, 1),
    ]


def tables(ladder: Ladder) -> str:
    """Everything about a ladder, in markdown."""
    if not ladder.facts:
        return f"{EMPTY}\n"
    parts: list[str] = []
    for environment in ladder.results.environments:
        facts = [f"{n} {environment[n]}" for n in _SHOWN if n in environment]
        parts.append(f"Measured on: {', '.join(facts)}.")
    for shape in ladder.facts:
        parts += [f"#### {shape}", times_table(ladder, shape)]
        parts.append(
            f"An even division among all multiprocessors would take "
            f"{even_cycles(shape) / 1e3:.1f} thousand cycles."
        )
        parts.append(cycles_table(ladder, shape))
    failures = failure_lines(ladder.results) + [
        f"{shape}, {each.name}: {' '.join(each.refusal.split())[:200]}"
        for shape, listed in ladder.facts.items()
        for each in listed
        if each.refusal
    ]
    if failures:
        parts += ["Not measured, or wrong:", "\n".join(f"- {f}" for f in failures)]
    return "\n\n".join(parts) + "\n"


def placed(document: str, text: str) -> str:
    """A document with the text between its two markers.

    Raises ValueError for a document that does not have both, once, in order.
    """
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in rest or END in after:
        raise ValueError(f"the document must have '{BEGIN}' and '{END}' once, in order")
    return f"{before}{BEGIN}\n\n{text}\n{END}{after}"
