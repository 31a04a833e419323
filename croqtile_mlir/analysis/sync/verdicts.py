"""What `--verify-sync` says of a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from xdsl.ir import Operation

from croqtile_mlir.analysis.sync.model import Action


class Rule(StrEnum):
    """What is violated; the text is the rule's name in messages and documentation."""

    DEADLOCK = "deadlock"
    MISSING_CREDIT = "missing credit"
    """A deadlock because generations that nobody waited for first were never given."""
    LOST_ARRIVAL = "lost arrival"
    """A wait for a generation that no further arrival can complete."""
    ARRIVAL_COUNT = "arrival count"
    """More or fewer arrivals than the barrier was initialised with."""
    BYTE_COUNT = "byte count"
    """Announced bytes differ from those delivered."""
    PHASE_OVERRUN = "phase overrun"
    """A phase may complete twice before a waiter saw it: parity aliases."""
    AMBIGUOUS_ARRIVAL = "ambiguous arrival"
    """An arrival not ordered after the completion of the generation before."""
    READ_BEFORE_WRITE = "read before write"
    OVERWRITE = "overwrite"
    """A slot is filled while it may still be read."""
    WRITE_CONFLICT = "write conflict"
    MISSING_FENCE = "missing proxy fence"
    BARRIER_PARTICIPATION = "barrier participation"
    """A barrier that is wider or narrower than who executes it."""
    EARLY_EXIT = "early exit"
    """An agent ends while others still need it, or with its operations in flight."""
    FUTURE = "future"
    """Misuse of the life cycle of a future."""
    ACCUMULATOR = "accumulator in flight"


@dataclass(frozen=True)
class Step:
    """One step of a failing trace."""

    agent: str
    """The agent, or the engine that does it: `TMA of role "producer"`."""

    action: Action
    text: str
    """`wait %empty[0] generation 0`."""

    iteration: tuple[int, ...] = ()
    """Counters of the loops around it, outermost first."""


@dataclass(frozen=True)
class Refuted:
    """There is an execution that goes wrong."""

    rule: Rule
    place: Operation
    message: str
    """`<rule>: ..., got <value>`, in the style of `diagnostics.fail`."""

    notes: tuple[tuple[Operation, str], ...] = ()
    hint: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    """The smallest trip counts at which it happens, by name of the variable."""

    trace: tuple[Step, ...] = ()
    """A shortest execution up to the violation."""


@dataclass(frozen=True)
class Proved:
    """No execution goes wrong, whatever the counts."""

    instances: int
    """Executions of the model with small counts that were looked at."""

    largest: Mapping[str, int] = field(default_factory=dict[str, int])
    """Counts from which on everything repeats."""


@dataclass(frozen=True)
class Undecided:
    """The verifier cannot tell, and why."""

    place: Operation
    reason: str
    hint: str | None = None


Verdict = Proved | Refuted | Undecided
