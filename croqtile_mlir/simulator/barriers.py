"""mbarriers with phases and transaction counts, and named barriers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xdsl.ir import Operation

from croqtile_mlir.simulator.actors import Actor, Agent
from croqtile_mlir.simulator.clocks import Clock
from croqtile_mlir.simulator.faults import FaultKind

if TYPE_CHECKING:
    from croqtile_mlir.simulator.engine import Engine


@dataclass
class Waiter:
    """What an agent has seen of a barrier: the last phase that it waited for."""

    phase: int = -1
    slot: int = 0
    epoch: int = 0


@dataclass(eq=False)
class Mbarrier:
    """
    An mbarrier object, or one slot of an event (PTX ISA, Parallel Synchronization).

    `completed` counts phases since the initialisation; parity is that of the count. A
    phase completes when no arrivals are pending and the transaction count is 0; the
    count may be negative for a while, when data lands before it is announced.
    """

    name: str
    expected: int
    op: Operation
    """Where it was initialised."""

    created: tuple[int, int] = (0, 0)
    """Slot and epoch of the initialisation."""

    published: bool = True
    """Whether the async proxy may use it: a fence came after the initialisation."""

    home: Engine | None = None
    """Of the block whose shared memory it is in; None: that of whoever arrives."""

    pending: int = field(init=False)
    tx: int = 0
    completed: int = 0
    clock: Clock = field(default_factory=Clock)
    """What the arrivals of the current phase know."""

    released: Clock = field(default_factory=Clock)
    """What a waiter learns from the last completed phase."""

    released_before: Clock = field(default_factory=Clock)
    """The same of the phase before that."""

    arrivals: list[str] = field(default_factory=list[str])
    waiters: dict[Agent, Waiter] = field(default_factory=dict[Agent, Waiter])

    def __post_init__(self) -> None:
        self.pending = self.expected

    # Arrivals

    def arrive(
        self,
        actor: Actor,
        op: Operation,
        count: int = 1,
        announced: int = 0,
        released: Clock | None = None,
    ) -> None:
        """
        Arrive `count` times, after announcing bytes; `count` 0 only announces.

        `released` is what the arrival is ordered after, all that the actor knows when
        left out.
        """
        self._meet(actor, op, released)
        self.tx += announced
        if count:
            if count > self.pending:
                actor.engine.fault(
                    FaultKind.OVER_ARRIVAL,
                    op,
                    f"phase {self.completed} of {self.name} needs {self.expected} "
                    f"arrivals, got {self.expected - self.pending + count} before it "
                    f"was complete",
                    notes=[(self.op, "the number of arrivals is set here")],
                )
                count = self.pending
            self.pending -= count
            times = "" if count == 1 else f" ({count})"
            self.arrivals.append(f"{actor.name}{times}")
        self._flip(actor)

    def deliver(
        self, actor: Actor, op: Operation, size: int, released: Clock | None = None
    ) -> None:
        """Bytes of a transfer have landed; `released` as for `arrive`."""
        self._meet(actor, op, released)
        self.tx -= size
        self._flip(actor)

    def _meet(self, actor: Actor, op: Operation, released: Clock | None = None) -> None:
        """The arrival of an actor joins the current phase."""
        self._check_created(actor, op)
        if not actor.clock.covers(self.released):
            actor.engine.fault(
                FaultKind.AMBIGUOUS_ARRIVAL,
                op,
                f"an arrival at {self.name} is not ordered after the completion of its "
                f"phase {self.completed - 1}: it may count in either phase",
                notes=[(self.op, "the barrier is here")],
            )
        if released is None:
            actor.act(op)
        self.clock.join(released or actor.clock)

    def _check_created(self, actor: Actor, op: Operation) -> None:
        slot, epoch = self.created
        if not actor.clock.saw(slot, epoch):
            actor.engine.fault(
                FaultKind.RACE,
                op,
                f"{self.name} may be used before its initialisation is done",
                notes=[(self.op, "it is initialised here")],
                hint="a barrier of the block must come between",
            )

    def _flip(self, actor: Actor) -> None:
        if self.pending or self.tx:
            return
        done = self.completed
        for agent, waiter in self.waiters.items():
            if waiter.phase == done - 1:
                if not self.clock.saw(waiter.slot, waiter.epoch):
                    self._overrun(agent, done - 1, None)
        self.released_before, self.released = self.released, self.clock
        self.clock = Clock()
        self.clock.join(self.released)
        self.completed = done + 1
        self.pending = self.expected
        self.arrivals.clear()
        (self.home or actor.engine).phase_completed(self)

    # Waits

    def intended(self, agent: Agent, parity: int) -> int:
        """
        The phase that a wait of an agent for a parity means: the last that it knows to
        be complete, or the next.
        """
        last = self._known(agent)
        return last + 1 if (last + 1) & 1 == parity else last

    def _known(self, agent: Agent) -> int:
        """The last phase that an agent knows to be complete, -1 if none."""
        if self.completed and agent.clock.covers(self.released):
            return self.completed - 1
        if self.completed > 1 and agent.clock.covers(self.released_before):
            return self.completed - 2
        return self._waiter(agent).phase

    def is_complete(self, parity: int) -> bool:
        """The hardware's answer to a test for a parity."""
        return (self.completed & 1) != parity

    def begin_wait(self, agent: Agent, op: Operation, phase: int) -> None:
        """A wait for a phase begins: by parity, one that is long over never ends."""
        if self.completed > phase + 1:
            self._overrun(agent, phase, op)

    def begin_exact(self, agent: Agent, op: Operation, phase: int) -> None:
        """
        A wait for a phase by its number begins, which the hardware makes by parity.

        The parity of the phase before the last is the same: the last must be complete.
        """
        if phase < 1 or self.completed > phase + 1:
            return
        last = self.released if self.completed == phase else self.released_before
        if self.completed >= phase and agent.clock.covers(last):
            return
        agent.engine.fault(
            FaultKind.PHASE_OVERRUN,
            op,
            f"{agent.name} waits for phase {phase} of {self.name} when phase "
            f"{phase - 1} may not be complete: the parity of phase {phase - 2} is the "
            f"same",
            notes=[(self.op, "the barrier is here")],
            hint=f"wait for phase {phase - 1} too",
        )

    def acquire(self, agent: Agent, op: Operation, phase: int) -> None:
        """A wait for a phase has ended: the agent learns what the arrivals knew."""
        self._check_created(agent, op)
        waiter = self._waiter(agent)
        if self.completed > phase + 1 and phase > waiter.phase:
            self._overrun(agent, phase, op)
        if phase >= 0:
            agent.clock.join(self.released)
        epoch = agent.act(op)
        if phase >= waiter.phase:
            self.waiters[agent] = Waiter(phase, agent.slot, epoch)

    def _waiter(self, agent: Agent) -> Waiter:
        if agent not in self.waiters:
            self.waiters[agent] = Waiter()
        return self.waiters[agent]

    def _overrun(self, agent: Agent, phase: int, op: Operation | None) -> None:
        agent.engine.fault(
            FaultKind.PHASE_OVERRUN,
            op or self.op,
            f"phase {phase + 1} of {self.name} may complete before {agent.name} has "
            f"waited for phase {phase}: their parities alias",
            notes=[(self.op, "the barrier is here")],
        )

    def state(self) -> str:
        """Arrivals and bytes, seen and needed."""
        seen = self.expected - self.pending
        who = f" (from {', '.join(self.arrivals)})" if self.arrivals else ""
        text = f"{seen} of {self.expected} arrivals{who}"
        if self.tx > 0:
            text += f", {self.tx} announced bytes not delivered"
        elif self.tx < 0:
            text += f", {-self.tx} bytes delivered but not announced"
        return text


@dataclass(frozen=True)
class PhaseWait:
    """An agent waits for a phase of an mbarrier."""

    barrier: Mbarrier
    agent: Agent
    phase: int
    """The phase that is meant; -1 is the one before the first, complete at once."""

    op: Operation
    exact: bool = False
    """By number, as at tile level; else by parity, as hardware does."""

    def ready(self) -> bool:
        """Whether the wait is over."""
        if self.exact:
            return self.barrier.completed > self.phase
        return self.barrier.is_complete(self.phase & 1)

    def describe(self) -> str:
        """For the report of a deadlock."""
        done = self.barrier.completed
        return (
            f"waits for phase {self.phase} of {self.barrier.name}: {done} "
            f"{'phase is' if done == 1 else 'phases are'} complete, phase {done} has "
            f"{self.barrier.state()}"
        )


@dataclass(eq=False)
class NamedBarrier:
    """
    A barrier of hardware: `bar.sync id, threads` (PTX ISA, bar, barrier).

    `threads` complete a generation. Also the meeting of agents of one scope at tile
    level.
    """

    name: str
    threads: int
    op: Operation
    clock: Clock = field(default_factory=Clock)
    arrived: int = 0
    agents: list[str] = field(default_factory=list[str])
    generation: int = 0
    released: Clock = field(default_factory=Clock)

    def arrive(self, agent: Agent, op: Operation, threads: int) -> int:
        """Arrive with the threads of an agent; the generation to wait for."""
        if threads != self.threads and self.arrived:
            agent.engine.fault(
                FaultKind.PARTICIPATION,
                op,
                f"{self.name} needs the same number of threads everywhere, got "
                f"{threads} after {self.threads}",
                notes=[(self.op, "the other number is here")],
            )
        if not self.arrived:
            self.threads, self.op = threads, op
        if agent.name in self.agents:
            agent.engine.fault(
                FaultKind.PARTICIPATION,
                op,
                f"{agent.name} arrives twice at {self.name} before it is complete",
            )
        agent.act(op)
        self.clock.join(agent.knowledge)
        self.arrived += agent.threads
        self.agents.append(agent.name)
        generation = self.generation
        if self.arrived >= self.threads:
            if self.arrived > self.threads:
                agent.engine.fault(
                    FaultKind.PARTICIPATION,
                    op,
                    f"{self.name} is complete with {self.threads} threads, got "
                    f"{self.arrived}",
                )
            self.generation += 1
            self.arrived = 0
            self.agents.clear()
            self.released = self.clock
            self.clock = Clock()
        return generation

    def leave(self, agent: Agent) -> None:
        """Go on after completion."""
        agent.clock.join(self.released)
        agent.lanes_meet()


@dataclass(frozen=True)
class BarrierWait:
    """An agent waits at a named barrier."""

    barrier: NamedBarrier
    generation: int
    op: Operation

    def ready(self) -> bool:
        """Whether the wait is over."""
        return self.barrier.generation > self.generation

    def describe(self) -> str:
        """For the report of a deadlock."""
        seen = ", ".join(self.barrier.agents)
        return (
            f"waits at {self.barrier.name}: {self.barrier.arrived} of "
            f"{self.barrier.threads} threads are there ({seen})"
        )
