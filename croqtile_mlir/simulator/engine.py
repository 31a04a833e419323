"""
The engine of one thread block: its agents, its barriers, what it starts and reports.

What it has in common with blocks that run at the same time is the machine's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from xdsl.ir import Operation

from croqtile_mlir.simulator.actors import Actor, Agent, Progress, Transfer
from croqtile_mlir.simulator.barriers import Mbarrier, NamedBarrier
from croqtile_mlir.simulator.clocks import Clock, History
from croqtile_mlir.simulator.faults import (
    Fault,
    FaultKind,
    FaultLog,
    StopSimulation,
)
from croqtile_mlir.simulator.machine import Machine
from croqtile_mlir.simulator.trace import Trace


@dataclass(eq=False)
class Engine:
    """The state of one thread block while it runs."""

    machine: Machine
    log: FaultLog
    block: tuple[int, int, int] = (0, 0, 0)
    trace: Trace | None = None
    suffix: str = ""
    """What names of agents and of memory end with: tells blocks of a cluster apart."""

    cluster: object | None = None
    """The blocks of a cluster have the same."""

    agents: list[Agent] = field(default_factory=list[Agent])
    mbarriers: dict[object, Mbarrier] = field(default_factory=dict[object, Mbarrier])
    """By address in shared memory, or by event and slot at tile level."""

    named_barriers: dict[object, NamedBarrier] = field(
        default_factory=dict[object, NamedBarrier]
    )
    at_end: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])
    """Checks for when every agent has ended and every operation has landed."""

    history: History = field(init=False)

    def __post_init__(self) -> None:
        self.history = self.machine.history
        self.machine.engines.append(self)

    @property
    def ticks(self) -> int:
        """Steps so far of all that runs together: the time of the trace."""
        return self.machine.ticks

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

    def end(self, kind: FaultKind, op: Operation | None, message: str) -> NoReturn:
        """
        Report a violation that ends the run.

        Raises:
            StopSimulation: always.
        """
        self.fault(kind, op, message)
        raise StopSimulation

    def add_agent(self, name: str, first_thread: int, threads: int) -> Agent:
        """An agent for threads of the block; `start` gives it its program."""
        agent = Agent(
            self,
            name + self.suffix,
            self.history.new_slot(),
            Clock(),
            first_thread=first_thread,
            threads=threads,
        )
        if self.suffix:
            # Blocks of a cluster must know of each other that they have started.
            agent.act(None)
        self.agents.append(agent)
        self.machine.agents.append(agent)
        return agent

    def start(self, agent: Agent, program: Progress) -> None:
        """Give an agent its program."""
        agent.program = program

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
        clock = issuers[0].knowledge.copy()
        for issuer in issuers[1:]:
            clock.meet(issuer.knowledge)
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
            started=self.machine.ticks,
            fenced=_fenced(issuers),
        )
        transfer.act(op)
        self.machine.transfers.append(transfer)
        return transfer

    def land(self, transfer: Transfer) -> None:
        """Complete an operation now; nothing if it has landed."""
        if transfer.landed:
            return
        transfers = self.machine.transfers
        if transfer.queue is not None:
            for other in list(transfers):
                if other is transfer:
                    break
                if other.queue == transfer.queue:
                    self.land(other)
        transfer.landed = True
        transfers.remove(transfer)
        transfer.run(transfer)
        self.history.release(transfer.slot)
        if self.trace is not None:
            self.trace.operation(self, transfer)

    def phase_completed(self, barrier: Mbarrier) -> None:
        """A phase of an mbarrier is complete: for the trace."""
        if self.trace is not None:
            self.trace.phase(self, barrier)


def _fenced(issuers: Sequence[Actor]) -> dict[object, Clock]:
    """What all of some actors knew at their last proxy fences, by memory."""
    first, *others = issuers
    if not others:
        return dict(first.fenced)
    found: dict[object, Clock] = {}
    for memory, clock in first.fenced.items():
        if all(memory in other.fenced for other in others):
            found[memory] = clock.copy()
            for other in others:
                found[memory].meet(other.fenced[memory])
    return found
