"""
Judge mutants of the kernels and print a table of what became of them.

    PYTHONPATH=test python -m evidence.report --level tile ready_ring chain_of_three
    PYTHONPATH=test python -m evidence.report --level hardware --every 7

Without names all kernels are taken. What is not killed is listed below the table, by
name. A kernel takes a minute or more.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from time import perf_counter

from evidence.arguments import signature
from evidence.corpus import CASES, Case
from evidence.equivalents import OPEN, reason
from evidence.judge import Fate, Judgement, Run, judge
from evidence.levels import Level, module_at
from evidence.mutations import Mutation, mutants

COLUMNS = (Fate.STATIC, Fate.REFUSED, Fate.DYNAMIC, Fate.EQUIVALENT, Fate.SURVIVOR)


@dataclass(frozen=True)
class Judged:
    """A mutant of a kernel and what became of it."""

    kernel: str
    level: Level
    mutation: Mutation
    judgement: Judgement

    @property
    def why_equivalent(self) -> str | None:
        """What the edit leaves as it was; None for edits that are never harmless."""
        mutation = self.mutation
        lines = CASES[self.kernel].text.splitlines()
        line = lines[mutation.line - 1] if mutation.line else ""
        return reason(mutation.operator, mutation.op, self.kernel, line)

    @property
    def is_bad(self) -> bool:
        """Whether nobody noticed what may be wrong, or the verifier did not."""
        fate = self.judgement.fate
        unexplained = fate is Fate.EQUIVALENT and self.why_equivalent is None
        survives = fate is Fate.SURVIVOR and OPEN not in self.judgement.verdict
        return self.judgement.missed or survives or unexplained


@dataclass
class Row:
    """Counts of one kernel at one level."""

    kernel: str
    level: Level
    fates: Counter[Fate] = field(default_factory=Counter[Fate])
    confirmed: int = 0
    """Refuted by the verifier, and a run shows it too."""

    def cells(self) -> list[str]:
        """What stands in the table."""
        total = sum(self.fates.values())
        fates = [self.fates[fate] for fate in COLUMNS]
        static = f"{fates[0]} ({self.confirmed})"
        return [self.kernel, self.level.value, str(total), static, *map(str, fates[1:])]


def runs_of(case: Case) -> list[Run]:
    """From no step to many, the last of them also with a ragged end."""
    steps = case.steps()
    return [
        *(Run(case.sizes(number)) for number in steps),
        Run(case.sizes(steps[-1], ragged=True)),
    ]


def judged(
    case: Case, level: Level, every: int = 1, *, confirm: bool = True
) -> Iterator[Judged]:
    """Mutants of a kernel, the first and then one in so many, and their fates."""
    module = module_at(level, case.text)
    kernel = signature(module)
    for mutation, mutant in islice(mutants(module), 0, None, every):
        found = judge(mutant, kernel, runs_of(case), confirm=confirm)
        yield Judged(case.name, level, mutation, found)


def table(rows: Sequence[Row]) -> str:
    """A table in Markdown, with a last line of sums."""
    total = Row("all", rows[0].level)
    for row in rows:
        total.fates += row.fates
        total.confirmed += row.confirmed
    names = ["kernel", "level", "mutants", "refuted (and in a run)", *COLUMNS[1:]]
    lines = [names, ["---"] * len(names), *(r.cells() for r in (*rows, total))]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _remarkable(each: Judged) -> str | None:
    found = each.judgement
    name = f"{each.kernel}, {each.level.value}: {each.mutation.name}"
    if found.missed:
        return f"MISSED by the verifier: {name}: {found.detail}"
    match found.fate:
        case Fate.SURVIVOR:
            return f"survivor: {name}: {found.verdict}"
        case Fate.EQUIVALENT:
            return f"equivalent: {name}: {each.why_equivalent or 'NO REASON KNOWN'}"
        case Fate.STATIC if not found.confirmed:
            return f"not seen in a run: {name}: {found.verdict}"
        case _:
            return None


def main(arguments: Sequence[str]) -> int:
    """Print the table; 1 where a mutant is bad (`Judged.is_bad`)."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("kernels", nargs="*", default=list(CASES), metavar="KERNEL")
    parser.add_argument("--level", type=Level, default=Level.TILE, choices=list(Level))
    parser.add_argument("--every", type=int, default=1, help="one mutant in so many")
    options = parser.parse_args(arguments)
    rows: list[Row] = []
    listed: list[str] = []
    bad = False
    for name in options.kernels:
        start = perf_counter()
        row = Row(name, options.level)
        for each in judged(CASES[name], options.level, options.every):
            row.fates[each.judgement.fate] += 1
            row.confirmed += each.judgement.confirmed
            bad |= each.is_bad
            if (line := _remarkable(each)) is not None:
                listed.append(line)
        rows.append(row)
        seconds = perf_counter() - start
        print(" ".join(row.cells()), f"{seconds:.0f} s", file=sys.stderr, flush=True)
    print(table(rows))
    print()
    print("\n".join(f"- {line}" for line in listed))
    return int(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
