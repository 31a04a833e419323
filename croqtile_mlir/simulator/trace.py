"""An execution as a Chrome trace, for Perfetto: one track per agent and per engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from croqtile_mlir.simulator.actors import Agent, Transfer
    from croqtile_mlir.simulator.barriers import Mbarrier
    from croqtile_mlir.simulator.engine import Engine


@dataclass
class Trace:
    """Events in the order in which they ended; ticks stand for microseconds."""

    events: list[dict[str, object]] = field(default_factory=list[dict[str, object]])

    def step(self, engine: Engine, agent: Agent, began: int) -> None:
        """An agent made a step, and may wait now."""

    def operation(self, engine: Engine, transfer: Transfer) -> None:
        """An operation has landed."""

    def phase(self, engine: Engine, barrier: Mbarrier) -> None:
        """A phase of an mbarrier is complete."""
