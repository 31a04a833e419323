"""
The steps of a model of the verifier for given counts, in the form of `unrolled`.

For the models of kernels that `to_croq` printed: what `tiles` makes of the text
must be what the program says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from croqtile_mlir.analysis.sync import model
from properties.programs import Buffer, Event, Program
from properties.to_croq import COUNTS
from properties.unrolled import NEXT, Step, Unrolled

_FUNCTIONS: Mapping[str, Callable[[int, int], int]] = MappingProxyType(
    {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "floordiv": lambda a, b: a // b,
        "ceildiv": lambda a, b: -(-a // b),
        "mod": lambda a, b: a % b,
        "min": min,
        "max": max,
    }
)


def steps_of(
    found: model.Program, program: Program, counts: Mapping[str, int]
) -> Unrolled:
    """The steps of a model; slots and stages have the numbers of a program."""
    slots = [event for event in program.events for _ in range(event.slots)]
    reader = _Reader(found, program, counts)
    roles = {agent.name: tuple(reader.steps(agent)) for agent in found.agents}
    return Unrolled(
        tuple(roles.get(f'role "{role.name}"', ()) for role in program.roles),
        tuple(role.name for role in program.roles),
        tuple(event.arrivals for event in slots),
        tuple(event.ready for event in slots),
        sum(buffer.slots for buffer in program.buffers),
    )


def bare(unrolled: Unrolled) -> list[list[Step]]:
    """The steps, without texts, and without those that touch nothing of the program."""
    return [
        [
            Step("", s.wait, s.arrive, s.reads, s.writes, s.loads, s.multiplies, s.held)
            for s in steps
        ]
        for steps in unrolled.roles
    ]


Values = dict[model.Variable, int]


class _Reader:
    def __init__(
        self, found: model.Program, program: Program, counts: Mapping[str, int]
    ):
        self.counts: Values = {
            count: counts[COUNTS.get(count.name, count.name)] for count in found.counts
        }
        self.events = _first(program.events)
        self.buffers = _first(program.buffers)
        self.waited: Counter[int] = Counter()

    def steps(self, agent: model.Agent) -> Iterator[Step]:
        self.waited.clear()
        held: list[list[int]] = [[]]
        """Groups of wgmma, the open one last."""
        loads: list[int] = []
        for action, values in self._actions(agent.body, dict(self.counts)):
            match action:
                case model.Wait():
                    slot = self._slot(action.at, values)
                    generation = self._which(action.which, values)
                    if generation == NEXT:
                        generation = self.waited[slot]
                        self.waited[slot] += 1
                    step = Step("", wait=(slot, generation))
                case model.Arrive():
                    slot = self._slot(action.at, values)
                    generation = self._which(action.which, values)
                    assert action.count == 1
                    step = Step("", arrive=(slot, generation), loads=tuple(loads))
                    loads = []
                case model.Start() if action.completes is not None:
                    loads += self._stages(action.accesses, True, values)
                    continue
                case model.Start():
                    stages = self._stages(action.accesses, False, values)[:1]
                    held[-1] += stages
                    step = Step("", multiplies=tuple(stages))
                case model.Commit():
                    held.append([])
                    step = Step("")
                case model.WaitGroup():
                    held = held[max(0, len(held) - 1 - action.pending) :]
                    step = Step("")
                case model.Touch():
                    step = Step(
                        "",
                        reads=tuple(self._stages(action.accesses, False, values)),
                        writes=tuple(self._stages(action.accesses, True, values)),
                    )
                case _:
                    raise ValueError(f"not in these models: {action}")
            kept = frozenset(stage for group in held for stage in group)
            yield Step(
                "",
                step.wait,
                step.arrive,
                step.reads,
                step.writes,
                step.loads,
                step.multiplies,
                kept,
            )
        assert not loads

    def _actions(
        self, body: tuple[model.Statement, ...], values: Values
    ) -> Iterator[tuple[model.Action, Values]]:
        for statement in body:
            match statement:
                case model.Loop():
                    yield from self._loop(statement, values)
                case model.Branch():
                    raise ValueError(f"not in these models: {statement}")
                case _:
                    yield statement, values

    def _loop(
        self, loop: model.Loop, values: Values
    ) -> Iterator[tuple[model.Action, Values]]:
        assert not loop.carried
        ends = (loop.lower, loop.upper, loop.step)
        for number in range(*(_value(end, values) for end in ends)):
            yield from self._actions(loop.body, {**values, loop.counter: number})

    def _slot(self, at: model.SlotOf, values: Values) -> int:
        return self.events[at.barrier.name.lstrip("%")] + _value(at.slot, values)

    def _which(self, which: model.Which, values: Values) -> int:
        match which:
            case model.Generation(number):
                return _value(number, values)
            case model.Next():
                return NEXT
            case model.Parity():
                raise ValueError("no parity at tile level")

    def _stages(
        self, accesses: tuple[model.Access, ...], write: bool, values: Values
    ) -> list[int]:
        found: list[int] = []
        for access in accesses:
            first = self.buffers.get(access.region.buffer.name.lstrip("%"))
            if first is not None and access.write is write:
                slot = access.region.slot
                found.append(first + (0 if slot is None else _value(slot, values)))
        return found


def _first(rings: tuple[Event, ...] | tuple[Buffer, ...]) -> dict[str, int]:
    """The number of the first slot or stage of each ring."""
    first: dict[str, int] = {}
    number = 0
    for ring in rings:
        first[ring.name] = number
        number += ring.slots
    return first


def _value(expr: model.Expr, values: Values) -> int:
    match expr:
        case model.Constant(number):
            return number
        case model.Variable():
            return values[expr]
        case model.Apply(function, operands):
            a, b = (_value(operand, values) for operand in operands)
            return _FUNCTIONS[function](a, b)
        case _:
            raise ValueError(f"not in these models: {expr}")
