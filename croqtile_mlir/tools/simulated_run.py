"""`croq-run` in the simulator."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, TextIO

from croqtile_mlir.tools.backends import Outcome
from croqtile_mlir.tools.run_arguments import Asked, UsageError
from croqtile_mlir.tools.run_output import print_check, print_header, print_line
from croqtile_mlir.tools.waiting import waiting

if TYPE_CHECKING:
    from croqtile_mlir.compiler import Source
    from croqtile_mlir.simulator.simulate import Position, Report

ELEMENTS = 1 << 16
"""Elements of the largest tile for which no sizes are given."""

_SILENT = 1.0
"""Seconds before progress is shown."""

_PERIOD = 0.2
"""Seconds between two looks at it."""


@dataclass(frozen=True)
class Choices:
    """The options of the simulator."""

    policy: str = "rr"
    level: str = "nvvm"
    trace: str | None = None

    def __post_init__(self) -> None:
        from croqtile_mlir.simulator.policies import policy_named

        try:
            policy_named(self.policy)
        except ValueError as error:
            raise UsageError(f"--{error}") from None
        if self.trace is not None and not Path(self.trace).parent.is_dir():
            raise UsageError(
                f"--trace must be a file in a folder that exists, got {self.trace}"
            )


@dataclass(eq=False)
class ProgressLine:
    """One line on a terminal that says how far a long run has come."""

    stream: TextIO
    clock: Callable[[], float] = monotonic
    began: float = field(init=False)
    looked: float = field(init=False)
    shown: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.began = self.looked = self.clock()

    def __call__(self, position: Position) -> None:
        """Show a position, if the last one has been there for a while."""
        now = self.clock()
        if now - self.began < _SILENT or now - self.looked < _PERIOD:
            return
        self.looked = now
        self.shown = True
        self.stream.write(
            f"\r  simulated {position.blocks_done} of {position.blocks} blocks, "
            f"{position.steps} steps, {now - self.began:.0f} s\x1b[K"
        )
        self.stream.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self.shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()


def simulate(
    source: Source, choices: Choices, asked: Asked, *, header: bool = True
) -> int:
    """Run a kernel in the simulator and print what happened; the exit status."""
    from croqtile_mlir.simulator.loading import load_source
    from croqtile_mlir.simulator.simulate import Options, run_loaded
    from croqtile_mlir.simulator.trace import Trace

    with waiting("compiling"):
        loaded = load_source(source, choices.level)
    plan = loaded.plan
    trial = asked.trial(plan, ELEMENTS)
    if header:
        print_header(loaded.executable.name, trial, asked)
    print_line("simulator", f"level {loaded.level}, policy {choices.policy}")
    with waiting("making random inputs"):
        inputs = trial.random_inputs(asked.seed)
    after = {name: tile.copy() for name, tile in inputs.items()}
    args = [after.get(arg.name, trial.scalars.get(arg.name)) for arg in plan.inputs]
    trace = None if choices.trace is None else Trace()
    line = ProgressLine(sys.stderr) if sys.stderr.isatty() else None
    try:
        report = run_loaded(loaded, args, Options(choices.policy, trace, progress=line))
    finally:
        if line is not None:
            line.clear()
    _print_faults(report, source)
    outputs = [tile.name for tile in plan.outputs]
    after |= dict(zip(outputs, report.results, strict=True))
    outcome = Outcome({n: t for n, t in after.items() if plan.tiles[n].written})
    right = not trial.check or print_check(trial, inputs, outcome)
    _print_run(report)
    if trace is not None and choices.trace is not None:
        trace.write(choices.trace, kernel=report.name, policy=report.policy)
        blocks = f"{trace.blocks} block{'s' * (trace.blocks != 1)}"
        print_line("trace", f"{choices.trace}: {len(trace.events)} events of {blocks}")
    return 0 if right and not report.faults else 1


def _print_run(report: Report) -> None:
    blocks = prod(report.grid)
    print_line(
        "run",
        f"{report.blocks} of {blocks} blocks, {report.agents} agents in each, "
        f"{report.steps} steps, {report.seconds:.2f} s on this machine (the time on a "
        "device is not simulated)",
    )
    count = len(report.faults)
    print_line("faults", "none" if not count else f"{count}, see above")


def _print_faults(report: Report, source: Source) -> None:
    from croqtile_mlir.diagnostics import render

    print(end="", flush=True)
    for fault in report.faults:
        diagnostic = fault.diagnostic()
        text = source.text if diagnostic.location.file == source.file else None
        print(render(diagnostic, text), file=sys.stderr)
