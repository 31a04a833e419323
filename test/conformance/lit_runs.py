"""The runs of `croq-opt` that lit tests ask for, for other tests to repeat."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The root of the repository."""

SEPARATOR = "// -----"
"""Stands between the modules of one text."""

HARDWARE_LEVEL = re.compile(r"check-level\S*level=nvvm\}?$")
"""Ends the last pass or pipeline of a run that stops at the hardware level."""


@dataclass(frozen=True)
class LitRun:
    """One run of `croq-opt` on a file, the first command of a `RUN:` line."""

    path: Path
    line: int
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}"

    @property
    def last_passes(self) -> str:
        """The last flag of a pass, or the last pipeline."""
        shown = [a for a in self.arguments if not _is_no_pass(a)]
        return shown[-1] if shown else ""

    def output(self) -> str:
        """What `croq-opt` prints.

        Raises CalledProcessError when it fails.
        """
        done = subprocess.run(
            [sys.executable, "-m", "croqtile_mlir.tools.croq_opt", *self.arguments],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise subprocess.CalledProcessError(
                done.returncode, "croq-opt", done.stdout, done.stderr
            )
        return done.stdout


def hardware_runs(folder: Path = ROOT / "test") -> Iterator[LitRun]:
    """The runs in all lit tests that end at the hardware level."""
    for path in sorted(folder.rglob("*.mlir")):
        if "Inputs" in path.parts:
            continue
        for line, command in _run_lines(path.read_text()):
            run = parse_run(path, line, command)
            if run is not None and HARDWARE_LEVEL.search(run.last_passes):
                yield run


def _run_lines(text: str) -> Iterator[tuple[int, str]]:
    """The commands after `RUN:`, with continued lines joined."""
    started: tuple[int, str] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r"\s*//\s*RUN:\s*(.*?)\s*$", line)
        if found is None:
            continue
        first, before = started or (number, "")
        command = before + found[1]
        if command.endswith("\\"):
            started = (first, command[:-1] + " ")
            continue
        started = None
        yield first, command


def parse_run(path: Path, line: int, command: str) -> LitRun | None:
    """The run of `croq-opt` that a command begins with.

    None when it begins with something else, prints elsewhere than to standard output,
    or prints no module.
    """
    words = shlex.split(command)
    if not words or words[0] != "croq-opt":
        return None
    arguments: list[str] = []
    for word in words[1:]:
        if word == "|":
            break
        if word.startswith((">", "2>", "<", "-o", "-t", "--target", "--verify-diag")):
            return None
        word = word.replace("%examples", str(ROOT / "examples"))
        arguments.append(word.replace("%s", str(path)))
    return LitRun(path, line, tuple(arguments))


def _is_no_pass(argument: str) -> bool:
    """Whether an argument is a file or a flag that runs nothing."""
    return argument.endswith(".mlir") or argument.startswith(
        ("--print", "--split", "--time", "--allow", "--no-implicit")
    )
