"""
One execution of a program with given counts.

Agents run in rounds: in each, every agent goes on until it blocks for good or starts
another iteration of a loop whose trip count depends on the counts. Waits are for
counted generations and nothing observes that something is not yet there, so that the
choice of order decides nothing: if no rule is broken in this execution, every other has
the same events in the same partial order; the event graph then says of all of them what
this one shows.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xdsl.ir import Operation as IROperation

from croqtile_mlir.analysis.sync.execution.compiled import CompiledProgram, LoopCode
from croqtile_mlir.analysis.sync.execution.engines import (
    Joint,
    Operation,
    Queue,
    Remote,
    RendezvousState,
)
from croqtile_mlir.analysis.sync.execution.graph import Event, Graph, Part
from croqtile_mlir.analysis.sync.execution.memory import Memory
from croqtile_mlir.analysis.sync.execution.slots import SlotState
from croqtile_mlir.analysis.sync.execution.touching import Memo
from croqtile_mlir.analysis.sync.execution.violations import Violation
from croqtile_mlir.analysis.sync.expressions import (
    Environment,
    NotEvaluated,
    Reading,
    Value,
)
from croqtile_mlir.analysis.sync.model import Action, Agent, Barrier, Exit

if TYPE_CHECKING:
    from croqtile_mlir.analysis.sync.execution.shifts import Shift
    from croqtile_mlir.analysis.sync.lanes import Mask


LARGEST_EXECUTION = 40_000
"""Events of one execution; loops with more iterations are undecided."""


class Stopped(Exception):
    """The verifier cannot go on, and why."""

    def __init__(self, place: IROperation, reason: str, hint: str | None = None):
        super().__init__(reason)
        self.place = place
        self.reason = reason
        self.hint = hint


class AgentEnds(Exception):
    """An agent leaves its body."""


class TooManyViolations(Exception):
    """Enough went wrong."""


@dataclass(frozen=True, slots=True, eq=False)
class Blocked:
    """What an agent waits for, and what it does then."""

    action: Action
    ready: Callable[[], bool]
    finish: Callable[[], None]
    needs: Callable[[], str]
    """What it needs, in words."""

    slot: SlotState | None = None
    generation: int = 0


@dataclass(eq=False, slots=True)
class AgentState:
    """An agent on its way."""

    index: int
    agent: Agent
    env: Environment
    before: int = 0
    """Events that happen before what it does next."""

    visible: int = 0
    segment: int | None = None
    """The event of accesses that nothing has come after yet."""

    mask: Mask | None = None
    gone: Mask | None = None
    """Lanes that have left."""

    loops: list[int] = field(default_factory=list[int])
    at: int = 0
    done: bool = False
    left: Exit | None = None
    """The action that ended it, if it did not come to its end."""

    blocked: Blocked | None = None
    queues: dict[str, Queue] = field(default_factory=dict[str, Queue])
    futures: dict[object, Operation] = field(default_factory=dict[object, Operation])
    waits: dict[tuple[Barrier, int], int] = field(
        default_factory=dict[tuple[Barrier, int], int]
    )
    joints: dict[int, int] = field(default_factory=dict[int, int])
    dynamic: list[tuple[LoopCode, int]] = field(
        default_factory=list[tuple[LoopCode, int]]
    )
    """The loops around it whose trip count is symbolic, each with a number for the
    execution of the loop."""

    @property
    def name(self) -> str:
        """The name of the agent."""
        return self.agent.name

    @property
    def iteration(self) -> tuple[Value, ...]:
        """The counters of the loops around it."""
        env = self.env
        return tuple([env[at] for at in self.loops])


class Execution:
    """An execution of a program; `run` it once."""

    def __init__(
        self,
        compiled: CompiledProgram,
        parts: Memo,
        counts: Mapping[int, int],
        choices: Mapping[object, bool],
        repair: Repair | None = None,
        *,
        is_known: bool = False,
    ):
        self.is_known = is_known
        """It was performed before and goes well: its accesses need no checks."""

        self.compiled = compiled
        self.program = compiled.program
        self.parts = parts
        self.graph = Graph()
        self.memory = Memory(
            self.graph,
            parts.parts,
            self.program.explicit_fences,
            self.program.blocks > 1,
        )
        self.slots: dict[tuple[Barrier, int], SlotState] = {}
        self.violations: list[Violation] = []
        self.choices = dict(choices)
        self.made: list[object] = []
        """Conditions that were decided here, by choice, in order."""

        self.operations: list[Operation] = []
        self.in_flight: list[Operation] = []
        """Of the operations, those that no agent was seen to know to be over."""

        self.rendezvous: dict[str, RendezvousState] = {}
        self.joints: dict[tuple[int, int, tuple[str, ...]], Joint] = {}
        self.ends = [0] * self.program.blocks
        """What happens before the end of each block."""

        self.remote: list[Remote] = []
        """Arrivals at a peer, of those that no agent there was seen to know."""

        self.shifts: list[Shift] = []
        self.round = 0
        self.on_round: Callable[[], None] | None = None
        self._repair = repair or Repair()
        self.loops_run = 0
        self.routines: list[Generator[None, None, None]] = []
        self.agents = [
            AgentState(i, agent, self._environment(agent, counts))
            for i, agent in enumerate(self.program.agents)
        ]

    def _environment(self, agent: Agent, counts: Mapping[int, int]) -> Environment:
        env: Environment = [0] * len(self.compiled.expressions.places)
        for at, number in self.compiled.fixed.items():
            env[at] = number
        for at, number in counts.items():
            env[at] = number
        for _, at in self.compiled.lane_variables:
            from croqtile_mlir.analysis.sync import lanes

            env[at] = lanes.indices(agent.threads)
        for variable, number in agent.constants.items():
            env[self.compiled.place(variable)] = number
        return env

    @property
    def stuck(self) -> list[AgentState]:
        """Agents that wait for ever."""
        return [agent for agent in self.agents if not agent.done]

    def value(self, agent: AgentState, reading: Reading, place: IROperation) -> Value:
        """The value of an expression that synchronisation depends on."""
        try:
            return reading.value(agent.env)
        except NotEvaluated as error:
            raise self._unknown(error, place) from error

    def number(self, agent: AgentState, reading: Reading, place: IROperation) -> int:
        """The value of an expression, one for the whole agent."""
        try:
            return reading.number(agent.env)
        except NotEvaluated as error:
            raise self._unknown(error, place) from error

    def _unknown(self, error: NotEvaluated, place: IROperation) -> Stopped:
        if error.unknown is None:
            return Stopped(place, f"a number that decides this is {error.reason}")
        return Stopped(
            error.unknown.place,
            f"synchronisation depends on a value that is not known: {error.reason}",
        )

    def slot(self, barrier: Barrier, number: int, place: IROperation) -> SlotState:
        """The state of a slot of a barrier."""
        state = self.slots.get((barrier, number))
        if state is None:
            if not 0 <= number < barrier.slots:
                raise Stopped(
                    place,
                    f"slot {number} of {barrier.name}, which has {barrier.slots}",
                )
            target = self._repair.arrivals.get(barrier)
            ready = barrier.ready or (barrier, number) in self._repair.ready
            state = SlotState(self.graph, barrier, number, ready)
            if target is not None:
                state.arrivals = target
            state.arrived = self._repair.given.get((barrier, number), 0)
            self.slots[barrier, number] = state
        return state

    def step(
        self,
        agent: AgentState,
        action: Action,
        before: int = 0,
        visible: int = 0,
        slot: int = -1,
        generation: int = -2,
    ) -> int:
        """Add an event of the agent, after all of its earlier ones and `before`."""
        event = Event(
            agent.agent.name, Part.AGENT, action, agent.iteration, slot, generation
        )
        agent.visible |= visible
        number = self.graph.add(event, agent.before | before, agent.visible)
        if number > LARGEST_EXECUTION:
            raise Stopped(
                action.place,
                f"an execution has more than {LARGEST_EXECUTION} events",
            )
        agent.before = self.graph.ancestors[number]
        agent.segment = None
        return number

    def report(self, violations: list[Violation]) -> None:
        """Note what went wrong."""
        if not violations:
            return
        self.violations += violations
        if len(self.violations) > 40:
            raise TooManyViolations


@dataclass(frozen=True)
class Repair:
    """
    A change to the barriers of a program: if the program is right with it, it says what
    is wrong with the program.
    """

    ready: frozenset[tuple[Barrier, int]] = frozenset()
    given: Mapping[tuple[Barrier, int], int] = field(
        default_factory=dict[tuple[Barrier, int], int]
    )
    """Arrivals that a slot has from the start."""

    arrivals: Mapping[Barrier, int] = field(default_factory=dict[Barrier, int])
