"""Programs by way of the text of a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from croqtile_mlir import simulator
from croqtile_mlir.analysis.sync import model
from croqtile_mlir.analysis.sync.tiles.kernel import programs as models_of
from croqtile_mlir.context import new_context
from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.dialects.croq import EventOp
from croqtile_mlir.frontends.located import parse_text
from croqtile_mlir.lowering.event_arrivals import arrival_count
from croqtile_mlir.simulator.loading import Loaded
from properties.programs import Program
from properties.to_croq import UNIT, to_croq


def module_of(program: Program) -> ModuleOp:
    """The kernel of a program; it verifies, whatever is wrong with the program."""
    module = parse_text(new_context(), to_croq(program), "program.mlir")
    module.verify()
    return module


def without_arrivals(error: CompileError) -> bool:
    """Whether an error says that triggers do not make one number of arrivals."""
    return any(
        reason in str(error) for reason in ("arrivals", "starts over", "is triggered")
    )


def model_of(program: Program) -> model.Program | None:
    """
    What the verifier reads out of the kernel of a program.

    None when its triggers have no number of arrivals, which is an error of its own.
    """
    try:
        (found,) = models_of(module_of(program))
    except CompileError as error:
        if not without_arrivals(error):
            raise
        return None
    assert isinstance(found, model.Program), found
    return found


def counts_arrivals(module: ModuleOp) -> bool:
    """Whether all generations of every event get one number of arrivals."""
    try:
        for op in module.walk():
            if isinstance(op, EventOp):
                arrival_count(op)
    except CompileError as error:
        if not without_arrivals(error):
            raise
        return False
    return True


def with_arrivals_of(program: Program, found: model.Program) -> Program:
    """The program with the arrivals that follow from the triggers of its kernel."""
    arrivals = {b.name.removeprefix("%"): b.arrivals for b in found.barriers}
    events = tuple(
        replace(event, arrivals=arrivals.get(event.name, event.arrivals))
        for event in program.events
    )
    return replace(program, events=events)


def load(program: Program, level: str) -> Loaded:
    """The kernel of a program, ready to run in the simulator."""
    return simulator.load(to_croq(program), level=level)


def faults_of(kernel: Loaded, counts: Mapping[str, int], policy: str) -> list[str]:
    """What a run reports."""
    random = np.random.default_rng(counts["n"])
    shape = UNIT * counts["n"], UNIT * max(1, counts["t"])
    report = simulator.run(
        kernel,
        np.zeros(shape, np.float16),
        random.random((64, 16)).astype(np.float16),
        options=simulator.Options(policy),
    )
    return [f"{fault.kind}: {fault.message}" for fault in report.faults]
