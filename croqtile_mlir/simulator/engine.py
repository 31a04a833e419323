"""
The engine: agents and operations in flight of one thread block, one step at a time.

Agents are generators that yield where they wait. The order of steps is a policy's; for
kernels that wait on counted phases the happens-before relation, and with it every
verdict, is the same under all of them (`docs/simulator.md`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.ir import Operation

from croqtile_mlir.simulator.actors import Actor, Agent, Progress, Transfer, Waiting
from croqtile_mlir.simulator.barriers import Mbarrier, NamedBarrier
from croqtile_mlir.simulator.clocks import Clock, History
from croqtile_mlir.simulator.faults import (
    Fault,
    FaultKind,
    FaultLog,
    StopSimulation,
)
from croqtile_mlir.simulator.policies import Policy
from croqtile_mlir.simulator.trace import Trace


@dataclass(eq=False)
class Engine:
    """The state of one thread block while it runs."""

    policy: Policy
    log: FaultLog
    block: tuple[int, int, int] = (0, 0, 0)
    trace: Trace | None = None
    max_steps: int = 50_000_000
    """A run that takes more is stopped as endless."""

    max_polls: int = 20_000
    """Tests of barriers in vain, while nothing else can happen, that are a deadlock."""

    history: History = field(default_factory=History)
    agents: list[Agent] = field(default_factory=list[Agent])
    transfers: list[Transfer] = field(default_factory=list[Transfer])
    """In flight, in order of their start."""

    mbarriers: dict[object, Mbarrier] = field(default_factory=dict[object, Mbarrier])
    """By address in shared memory, or by event and slot at tile level."""

    named_barriers: dict[object, NamedBarrier] = field(
        default_factory=dict[object, NamedBarrier]
    )
    at_end: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])
    """Checks for when every agent has ended and every operation has landed."""

    ticks: int = 0
    """Steps so far: the time of the trace."""

    # What programs use

    def fault(
        self,
        kind: FaultKind,
        op: Operation | None,
        message: str,
        *,
        notes: Iterable[tuple[Operation | None, str]] = (),
        hint: str | None = None,
    ) -> None:
        """Report a violation; the run goes on unless there are too many."""
        self.log.report(Fault(kind, op, message, tuple(notes), hint, self.block))

    def add_agent(self, name: str, first_thread: int, threads: int) -> Agent:
        """An agent for threads of the block; `start` gives it its program."""
        agent = Agent(
            self,
            name,
            self.history.new_slot(),
            Clock(),
            first_thread=first_thread,
            threads=threads,
        )
        self.agents.append(agent)
        return agent

    def launch(
        self,
        issuers: Sequence[Actor],
        op: Operation,
        run: Callable[[Transfer], None],
        *,
        track: str,
        queue: object | None = None,
        name: str | None = None,
    ) -> Transfer:
        """
        Start an operation that the hardware executes on its own.

        It knows what its issuer knows; of several (the warps of one wgmma) what all of
        them know, because it does not order them with each other (PTX ISA: wgmma is
        `.sync` for a warp only). `run` does its accesses with the transfer as their
        actor, when it lands.
        """
        clock = issuers[0].clock.copy()
        for issuer in issuers[1:]:
            clock.meet(issuer.clock)
        slot = self.history.slot_after(clock)
        transfer = Transfer(
            self,
            name or f"{track} of {issuers[0].name}",
            slot,
            clock,
            op=op,
            track=track,
            queue=queue,
            run=run,
            started=self.ticks,
        )
        transfer.act(op)
        self.transfers.append(transfer)
        return transfer

    def land(self, transfer: Transfer) -> None:
        """Complete an operation now; nothing if it has landed."""
        if transfer.landed:
            return
        if transfer.queue is not None:
            for other in list(self.transfers):
                if other is transfer:
                    break
                if other.queue == transfer.queue:
                    self.land(other)
        transfer.landed = True
        self.transfers.remove(transfer)
        transfer.run(transfer)
        self.history.release(transfer.slot)
        if self.trace is not None:
            self.trace.operation(self, transfer)

    def phase_completed(self, barrier: Mbarrier) -> None:
        """A phase of an mbarrier is complete: for the trace."""
        if self.trace is not None:
            self.trace.phase(self, barrier)

    # The run

    def start(self, agent: Agent, program: Progress) -> None:
        """Give an agent its program."""
        agent.program = program

    def run(self) -> None:
        """Run until every agent has ended and every operation has landed."""
        with np.errstate(all="ignore"):
            self._run()
        for check in self.at_end:
            check()

    def _run(self) -> None:
        polls = 0
        while True:
            ready = [agent for agent in self.agents if agent.is_ready]
            landable = self._landable()
            if not ready and not landable:
                break
            busy = [agent for agent in ready if not agent.is_polling]
            polls = 0 if busy or landable else polls + 1
            if polls > self.max_polls:
                break
            ready = ready if polls else busy
            chosen = self.policy.choose(ready, landable)
            self.ticks += 1
            if self.ticks > self.max_steps:
                self.fault(
                    FaultKind.DEADLOCK,
                    None,
                    f"the run has not ended after {self.max_steps} steps",
                )
                raise StopSimulation
            if isinstance(chosen, Transfer):
                self.land(chosen)
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
        if self.trace is not None:
            self.trace.step(self, agent, began)

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
        self.fault(
            FaultKind.DEADLOCK,
            None if place is None else place.op,
            message,
            notes=notes,
        )
