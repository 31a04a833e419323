"""Events of the grid at tile level: counts that all blocks have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod

from xdsl.ir import Operation

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import croq
from croqtile_mlir.simulator.actors import Agent, Progress
from croqtile_mlir.simulator.clocks import Clock
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.program import Frame, Made, Maker, Suspending
from croqtile_mlir.simulator.tile_kernel import leads
from croqtile_mlir.simulator.tile_positions import event_of, places_of, slots_of
from croqtile_mlir.simulator.tile_steps import Steps, meet


@dataclass(eq=False)
class GridSlot:
    """A slot: its arrivals since the launch, of which so many are a generation."""

    name: str
    op: croq.EventOp
    arrivals: int
    """Of a generation."""

    ready: int
    """The generations that are complete from the start: 0 or 1."""

    count: int = 0
    clock: Clock = field(default_factory=Clock)
    """What all arrivals know: each hands on what it found."""

    released: list[Clock] = field(default_factory=list[Clock])
    """What a wait learns, of each generation that arrivals have completed."""

    @property
    def completed(self) -> int:
        """Generations that are complete."""
        return self.ready + self.count // self.arrivals

    def arrive(self, agent: Agent, op: Operation, generation: int | None) -> None:
        """Count an arrival of a scope, which should be one for a generation."""
        current = self.completed
        if generation is not None and generation != current:
            agent.engine.fault(
                FaultKind.AMBIGUOUS_ARRIVAL,
                op,
                f"{agent.name} arrives for generation {generation} of {self.name} "
                f"while {current} {'is' if current == 1 else 'are'} complete: the "
                f"arrival counts in generation {current}",
                notes=[(self.op, "the event is here")],
            )
        elif self.released and not agent.clock.covers(self.released[-1]):
            agent.engine.fault(
                FaultKind.AMBIGUOUS_ARRIVAL,
                op,
                f"an arrival at {self.name} is not ordered after the completion of its "
                f"generation {current - 1}: it may count in either",
                notes=[(self.op, "the event is here")],
            )
        agent.act(op)
        self.clock.join(agent.knowledge)
        self.count += 1
        if self.count % self.arrivals == 0:
            self.released.append(self.clock.copy())

    def learn(self, agent: Agent, generation: int) -> None:
        """A wait for a generation has ended."""
        number = generation - self.ready
        if number >= 0:
            agent.clock.join(self.released[number])


@dataclass(frozen=True)
class GridWait:
    """An agent waits for a generation of a slot."""

    slot: GridSlot
    generation: int
    op: Operation

    def ready(self) -> bool:
        """Whether the wait is over."""
        return self.slot.completed > self.generation

    def describe(self) -> str:
        """For the report of a deadlock."""
        slot = self.slot
        done = slot.completed
        return (
            f"waits for generation {self.generation} of {slot.name}: {done} "
            f"{'is' if done == 1 else 'are'} complete, generation {done} has "
            f"{slot.count % slot.arrivals} of {slot.arrivals} arrivals"
        )


def _finder(
    steps: Steps, op: croq.WaitOp | croq.TriggerOp, maker: Maker
) -> Callable[[Frame, int], GridSlot]:
    """What finds a slot of the event of an op, in any block."""
    event = event_of(op)
    several = slots_of(steps, event) > 1
    stated = event.arrivals.data if event.arrivals is not None else event.from_blocks
    arrivals = None if stated is None else steps.kernel.reader(stated, maker)
    name = f"%{event.event.name_hint}" if event.event.name_hint else "the event"

    def find(frame: Frame, number: int) -> GridSlot:
        launch = frame.block.launch
        found = launch.objects.get((event, number))
        if found is None:
            found = launch.objects[event, number] = GridSlot(
                f"{name}[{number}]" if several else name,
                event,
                prod(launch.grid) if arrivals is None else int(arrivals(frame)),
                int(event.ready is not None),
            )
        return found

    return find


def make_wait(steps: Steps, op: croq.WaitOp, maker: Maker) -> Made:
    """Waits for a generation of each of its slots."""
    find, places = _finder(steps, op, maker), places_of(steps, op, maker)
    scope = steps.kernel.scope(op)

    def resume(frame: Frame) -> Progress:
        for place in places:
            number, generation = place(frame)
            slot = find(frame, number)
            if generation is None:
                fail(op, "must name the generation by its order, at .., got a slot")
            yield GridWait(slot, generation, op)
            slot.learn(frame.agent, generation)
            frame.agent.act(op)
        yield from meet(frame, op, scope)

    return Suspending(resume)


def make_trigger(steps: Steps, op: croq.TriggerOp, maker: Maker) -> Made:
    """One arrival for all threads of the scope, which have come to it, at each slot."""
    find, places = _finder(steps, op, maker), places_of(steps, op, maker)
    scope = steps.kernel.scope(op)
    later = int(event_of(op).ready is not None)

    def resume(frame: Frame) -> Progress:
        yield from meet(frame, op, scope)
        if leads(frame.agent, scope):
            for place in places:
                number, generation = place(frame)
                wanted = None if generation is None else generation + later
                find(frame, number).arrive(frame.agent, op, wanted)

    return Suspending(resume)
