"""
The machine: agents and operations in flight of the blocks that run together, one step
at a time.

Blocks of a cluster run together; any other block runs alone. Agents are generators that
yield where they wait. The order of steps is a policy's; for kernels that wait on
counted phases the happens-before relation, and with it every verdict, is the same under
all of them (`docs/simulator.md`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from xdsl.ir import Operation

from croqtile_mlir.simulator.actors import Agent, Transfer, Waiting
from croqtile_mlir.simulator.clocks import History
from croqtile_mlir.simulator.cluster_barrier import ClusterBarrier
from croqtile_mlir.simulator.faults import FaultKind, StopSimulation
from croqtile_mlir.simulator.policies import Policy

if TYPE_CHECKING:
    from croqtile_mlir.simulator.engine import Engine


@dataclass(eq=False)
class Machine:
    """What the blocks that run together have in common."""

    policy: Policy
    max_steps: int = 50_000_000
    """A run that takes more is stopped as endless."""

    max_polls: int = 20_000
    """Tests of barriers in vain, while nothing else can happen, that are a deadlock."""

    history: History = field(default_factory=History)
    engines: list[Engine] = field(default_factory=list["Engine"])
    """Of each block."""

    agents: list[Agent] = field(default_factory=list[Agent])
    """Of all blocks."""

    transfers: list[Transfer] = field(default_factory=list[Transfer])
    """In flight, in order of their start."""

    barrier: ClusterBarrier = field(default_factory=lambda: ClusterBarrier(grid=True))
    """Of all blocks of the grid, where they run together."""

    ticks: int = 0
    """Steps so far: the time of the trace."""

    def run(self) -> None:
        """Run until every agent has ended and every operation has landed."""
        with np.errstate(all="ignore"):
            self._run()
        for engine in self.engines:
            for check in engine.at_end:
                check()

    def retire(self) -> None:
        """Forget blocks that have ended; what they did remains known."""
        self.agents.clear()
        self.engines.clear()

    def _run(self) -> None:
        polls = 0
        while True:
            ready = [agent for agent in self.agents if agent.is_ready]
            landable = self._landable()
            if not ready and not landable:
                break
            busy = [agent for agent in ready if not agent.is_polling]
            polls = 0 if busy or landable else polls + min(a.polls for a in ready)
            if polls > self.max_polls:
                break
            ready = ready if polls else busy
            chosen = self.policy.choose(ready, landable)
            self.ticks += 1
            if self.ticks > self.max_steps:
                self.engines[0].fault(
                    FaultKind.DEADLOCK,
                    None,
                    f"the run has not ended after {self.max_steps} steps",
                )
                raise StopSimulation
            if isinstance(chosen, Transfer):
                chosen.engine.land(chosen)
            else:
                self._step(chosen)
        if any(not agent.ended for agent in self.agents):
            self._report_deadlock()
            raise StopSimulation

    def _landable(self) -> list[Transfer]:
        """The operations that may land next: the first of each queue."""
        queues: set[object] = set()
        first: list[Transfer] = []
        for transfer in self.transfers:
            if transfer.queue is not None:
                if transfer.queue in queues:
                    continue
                queues.add(transfer.queue)
            first.append(transfer)
        return first

    def _step(self, agent: Agent) -> None:
        """Run an agent to where it next waits, or lets others go on."""
        assert agent.program is not None
        agent.waiting = None
        began = self.ticks
        try:
            waiting: Waiting | None = next(agent.program)
        except StopIteration:
            agent.ended = True
            waiting = None
        agent.waiting = waiting
        engine = agent.engine
        if engine.trace is not None:
            engine.trace.step(engine, agent, began)

    def _report_deadlock(self) -> None:
        stuck = [agent for agent in self.agents if not agent.ended]
        ended = [agent.name for agent in self.agents if agent.ended]
        notes: list[tuple[Operation | None, str]] = []
        for agent in stuck:
            if agent.waiting is not None:
                text = f"{agent.name} {agent.waiting.describe()}"
                notes.append((agent.waiting.op, text))
        message = f"{len(stuck)} of {len(self.agents)} agents can never go on"
        if ended:
            message += f"; ended: {', '.join(ended)}"
        place = stuck[0].waiting
        stuck[0].engine.fault(
            FaultKind.DEADLOCK,
            None if place is None else place.op,
            message,
            notes=notes,
        )
