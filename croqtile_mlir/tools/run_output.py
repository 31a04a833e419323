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
    """The comparison with the reference; whether the result is right."""
    with waiting("comparing with the reference in float64"):
        found = trial.compare(inputs, outcome.tiles)
    verdict = "ok" if found.right else "WRONG"
    print_line(
        "result",
        f"relative error {found.relative:.2e} (limit {found.tolerance:.0e}), largest "
        f"difference {found.largest:.2e}: {verdict}",
    )
    return found.right


def print_line(label: str, text: str) -> None:
    """A fact with its name."""
    print(f"  {label:<10}{text}")


def text_of(file: str) -> str | None:
    """The contents of a source file, for messages."""
    path = Path(file)
    return path.read_text(encoding="utf-8") if path.is_file() else None
