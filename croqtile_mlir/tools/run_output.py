"""What `croq-run` prints wherever a kernel runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from croqtile_mlir.tools.waiting import waiting

if TYPE_CHECKING:
    from croqtile_mlir.tools.backends import Outcome
    from croqtile_mlir.tools.run_arguments import Asked, Trial


def print_header(name: str, trial: Trial, asked: Asked) -> None:
    """The kernel and the sizes it runs with."""
    choices = {**asked.fixed, **trial.dims, **asked.params, **trial.scalars}
    listed = ", ".join(f"{name} = {value}" for name, value in choices.items())
    print(f"{name}: {listed or 'no dims'}, target {trial.plan.target}")


def print_check(trial: Trial, inputs: Mapping[str, object], outcome: Outcome) -> bool:
    """The comparison with the reference; whether the results are right."""
    with waiting("comparing with the reference in float64"):
        comparisons = trial.compare(inputs, outcome.tiles)
    for found in comparisons:
        verdict = "ok" if found.right else "WRONG"
        which = f"{found.name}: " if len(comparisons) > 1 else ""
        print_line(
            "result",
            f"{which}relative error {found.relative:.2e} (limit "
            f"{found.tolerance:.0e}), largest difference {found.largest:.2e}: "
            f"{verdict}",
        )
        if not found.right and trial.could_be_tf32(found):
            print_line(
                "",
                "croq.mma.exec multiplies f32 as tf32, of 11 bits: --tolerance 2e-3 is "
                "a limit for sums of its products",
            )
    return all(found.right for found in comparisons)


def print_line(label: str, text: str) -> None:
    """A fact with its name."""
    print(f"  {label:<10}{text}")


def text_of(file: str) -> str | None:
    """The contents of a source file, for messages."""
    path = Path(file)
    return path.read_text(encoding="utf-8-sig") if path.is_file() else None
