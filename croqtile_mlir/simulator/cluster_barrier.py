"""The barrier of a cluster (PTX ISA, `barrier.cluster`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.ir import Operation

from croqtile_mlir.simulator.actors import Agent
from croqtile_mlir.simulator.clocks import Clock
from croqtile_mlir.simulator.faults import FaultKind

_NAMED = 4
"""Agents that an explanation names."""


@dataclass(eq=False)
class ClusterBarrier:
    """
    All threads of all blocks of a cluster meet; those that have ended do not count.
    Of a grid each block counts, as one that has ended never arrives.

    A relaxed arrival orders no memory but the mbarriers that a fence has published.
    """

    grid: bool = False
    """Whether it is of all blocks that run together."""

    clock: Clock = field(default_factory=Clock)
    arrived: dict[Agent, Operation] = field(default_factory=dict[Agent, Operation])
    generation: int = 0
    released: Clock = field(default_factory=Clock)

    def arrive(self, agent: Agent, op: Operation, known: Clock | None = None) -> int:
        """
        Arrive with all threads of an agent; the generation to wait for.

        `known` is what the arrival releases, all that the agent knows when left out.
        """
        self._settle(agent)
        if agent in self.arrived:
            agent.engine.fault(
                FaultKind.PARTICIPATION,
                op,
                f"{agent.name} arrives twice at the barrier of the cluster before it "
                f"is complete",
                notes=[(self.arrived[agent], "it arrived here")],
            )
        agent.act(op)
        self.clock.join(agent.knowledge if known is None else known)
        self.arrived[agent] = op
        generation = self.generation
        self._settle(agent)
        return generation

    def leave(self, agent: Agent) -> None:
        """Go on after completion."""
        agent.clock.join(self.released)
        agent.lanes_meet()

    def is_over(self, agent: Agent, generation: int) -> bool:
        """Whether the wait of an agent is over."""
        if self.generation <= generation:
            self._settle(agent)
        return self.generation > generation

    def missing(self, agent: Agent) -> Iterator[str]:
        """Who has not arrived, and is to."""
        for other in agent.engine.machine.agents:
            if other in self.arrived or (other.ended and not self._never_comes(other)):
                continue
            if self.grid or other.engine.cluster is agent.engine.cluster:
                yield other.name

    def _never_comes(self, ended: Agent) -> bool:
        """Whether all of a block has ended that the barrier is for."""
        engine = ended.engine
        agents = engine.machine.agents
        return self.grid and all(a.ended for a in agents if a.engine is engine)

    def _settle(self, agent: Agent) -> None:
        """Complete the barrier if all have arrived that have not ended."""
        # Asked for by every agent that waits, at every step: the first one will do.
        if not self.arrived or next(self.missing(agent), None) is not None:
            return
        self.generation += 1
        self.arrived.clear()
        self.released, self.clock = self.clock, Clock()


@dataclass(frozen=True)
class ClusterWait:
    """An agent waits at the barrier of the cluster."""

    barrier: ClusterBarrier
    agent: Agent
    generation: int
    op: Operation

    def ready(self) -> bool:
        """Whether the wait is over."""
        return self.barrier.is_over(self.agent, self.generation)

    def describe(self) -> str:
        """For the report of a deadlock."""
        missing = list(self.barrier.missing(self.agent))
        named = ", ".join(missing[:_NAMED])
        more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
        of = "grid" if self.barrier.grid else "cluster"
        return f"waits at the barrier of the {of}, for {named}{more}"
