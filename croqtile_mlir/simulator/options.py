"""How a kernel is run in the simulator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from croqtile_mlir.simulator.trace import Trace


@dataclass(frozen=True)
class Position:
    """How far a run has come."""

    blocks_done: int
    blocks: int
    steps: int


Progress = Callable[[Position], None]
"""Called after every block, and now and then within one."""


@dataclass(frozen=True)
class Options:
    """How a kernel is run."""

    policy: str = "rr"
    trace: Trace | None = None
    checks: bool = True
    """Off: data, deadlock and barriers only; faster."""

    keep_strides: bool = False
    """Arrays stand for device tensors with their strides (`arguments`)."""

    progress: Progress | None = None
    max_steps: int | None = None
    """Of a block or a cluster; a run that takes more is stopped as endless."""
