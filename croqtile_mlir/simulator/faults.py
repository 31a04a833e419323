"""What the simulator reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from xdsl.ir import Operation

from croqtile_mlir.diagnostics import (
    CompileError,
    Diagnostic,
    Note,
    Severity,
    diagnostic,
)

MAX_FAULTS = 20
"""A run stops after so many different faults."""


class FaultKind(StrEnum):
    """What went wrong; the text is its name in messages."""

    DEADLOCK = "deadlock"
    RACE = "race"
    SCOPE = "too narrow scope"
    """Threads synchronise through one element, and a scope does not include both."""
    STALE_READ = "missing proxy fence"
    UNINITIALISED = "uninitialised read"
    OUT_OF_BOUNDS = "out of bounds"
    PHASE_OVERRUN = "phase overrun"
    AMBIGUOUS_ARRIVAL = "ambiguous arrival"
    OVER_ARRIVAL = "too many arrivals"
    ACCUMULATOR = "accumulator in flight"
    PARTICIPATION = "barrier participation"
    UNFINISHED = "unfinished operation"
    """An operation in flight when those that need its memory have ended."""
    USE_AFTER_EXIT = "use after exit"
    """Another block of the cluster uses shared memory that may be gone."""
    ASSERTION = "assertion"
    """What the kernel states does not hold."""
    MISUSE = "misuse"
    """An op used against its rules: a bad descriptor, a misaligned address."""


@dataclass(frozen=True)
class Fault:
    """One violation seen during a run; `block` is the index of the thread block."""

    kind: FaultKind
    op: Operation | None
    message: str
    notes: tuple[tuple[Operation | None, str], ...] = ()
    hint: str | None = None
    block: tuple[int, int, int] = (0, 0, 0)

    def diagnostic(self) -> Diagnostic:
        """The fault as a located error."""
        where = "block " + ", ".join(str(index) for index in self.block)
        return diagnostic(
            Severity.Error,
            self.op,
            f"{self.kind.value} in {where}: {self.message}",
            notes=self.notes,
            hint=self.hint,
        )


class SimulationError(CompileError):
    """A run with faults; the text is that of the first, the others are in `faults`."""

    def __init__(self, faults: Sequence[Fault]):
        super().__init__(faults[0].diagnostic())
        self.faults = tuple(faults)


class StopSimulation(Exception):
    """Raised inside the engine to end a run; never reaches a caller."""


@dataclass
class FaultLog:
    """The faults of a run, each kind once for a pair of operations."""

    faults: list[Fault] = field(default_factory=list[Fault])
    _seen: set[tuple[object, ...]] = field(default_factory=set[tuple[object, ...]])

    def report(self, fault: Fault) -> None:
        """Note a fault; ends the run when there are too many."""
        key = (fault.kind, fault.op, *(op for op, _ in fault.notes))
        if key in self._seen:
            return
        self._seen.add(key)
        self.faults.append(fault)
        if len(self.faults) >= MAX_FAULTS:
            raise StopSimulation


__all__ = [
    "Fault",
    "FaultKind",
    "FaultLog",
    "Note",
    "SimulationError",
    "StopSimulation",
]
