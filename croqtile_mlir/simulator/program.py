"""
From IR to Python functions: each op once becomes a step, and a run executes steps.

A *handler* turns an op into a step. Operands are looked up by number in the registers
of the frame, attributes are read when the step is made, so that executing a step costs
little more than its arithmetic.

Values in registers
- integers and index: an `int` where all lanes agree (signed, within its width), else an
  array (lanes,) of `int8 .. int64`, index as `int64`; i1: `bool` or a `bool` array;
- floats: a numpy scalar, or an array (lanes,), of the type (`ml_dtypes` for bf16);
- vectors: an array (lanes, elements); structs: a tuple of values, or an `Accumulator`;
- shared pointers: byte offsets in the block's shared memory; global pointers: addresses
  of `global_memory`; tensor maps, tiles, events, futures: objects of the handlers.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.simulator.actors import Agent, Progress, Waiting
from croqtile_mlir.simulator.state import BlockState

Mask = NDArray[np.bool_]


@dataclass(eq=False)
class Frame:
    """The registers of an agent, and which of its lanes are active (None: all)."""

    agent: Agent
    block: BlockState
    values: list[Any]
    mask: Mask | None = None
    wrote_registers: bool = True
    """Whether structs were written since the last fence that wgmma needs then."""

    @property
    def active(self) -> int:
        """The number of active lanes."""
        return self.agent.threads if self.mask is None else int(self.mask.sum())

    @property
    def lanes(self) -> NDArray[np.int64]:
        """The numbers of the active lanes."""
        if self.mask is None:
            return _first_lanes(self.agent.threads)
        return np.nonzero(self.mask)[0]


@cache
def _first_lanes(count: int) -> NDArray[np.int64]:
    lanes = np.arange(count)
    lanes.flags.writeable = False
    return lanes


Step = Callable[[Frame], None]
"""Executes an op at once."""

SuspendingStep = Callable[[Frame], Progress]
"""Executes an op that may wait."""


@dataclass(frozen=True)
class Suspending:
    """A step that may wait, as a handler returns it."""

    step: SuspendingStep


Made = Step | Suspending | None
"""What a handler returns; None: there is nothing to execute."""


@dataclass(eq=False)
class Body:
    """The steps of a block of IR, and the registers of its arguments."""

    arguments: tuple[int, ...]
    steps: tuple[tuple[Step | None, SuspendingStep | None], ...]
    suspends: bool
    yields: tuple[int, ...]
    """The registers of the operands of its terminator."""

    def run(self, frame: Frame) -> None:
        """Execute a body that does not wait."""
        for step, _ in self.steps:
            assert step is not None
            step(frame)

    def resume(self, frame: Frame) -> Progress:
        """Execute a body that may wait."""
        for step, suspending in self.steps:
            if step is not None:
                step(frame)
            elif suspending is not None:
                yield from suspending(frame)


Handler = Callable[[Any, "Maker"], Made]
Handlers = Mapping[type[Operation], Handler]


@dataclass
class Maker:
    """Makes steps; holds the numbers of registers."""

    handlers: Handlers

    numbers: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    constants: dict[int, Any] = field(default_factory=dict[int, Any])
    """Values that registers have from the start."""

    def register(self, value: SSAValue) -> int:
        """The register of a value."""
        number = self.numbers.get(value)
        if number is None:
            number = self.numbers[value] = len(self.numbers)
        return number

    def registers(self, values: Sequence[SSAValue]) -> tuple[int, ...]:
        """The registers of several values."""
        return tuple(self.register(value) for value in values)

    def body(self, block: Block) -> Body:
        """The steps of a block; its terminator's handler makes none if it yields."""
        steps: list[tuple[Step | None, SuspendingStep | None]] = []
        suspends = False
        arguments = self.registers(block.args)
        for op in block.ops:
            made = self.step(op)
            if isinstance(made, Suspending):
                suspends = True
                steps.append((None, made.step))
            elif made is not None:
                steps.append((made, None))
        last = block.last_op
        yields = () if last is None else self.registers(last.operands)
        return Body(arguments, tuple(steps), suspends, yields)

    def step(self, op: Operation) -> Made:
        """The step of one op; a located error for an op without a handler."""
        handler = self.handlers.get(type(op))
        if handler is None:
            fail(op, "has no meaning in the simulator")
        return handler(op, self)

    def frame(self, agent: Agent, block: BlockState) -> Frame:
        """Empty registers for an agent."""
        values: list[Any] = [None] * len(self.numbers)
        for register, value in self.constants.items():
            values[register] = value
        return Frame(agent, block, values)


def nothing(op: Operation, maker: Maker) -> Made:
    """The handler of an op that there is nothing to execute for."""
    return None


def waiting_until(waiting: Waiting) -> Generator[Waiting | None, None, None]:
    """Yield until a wait is over; lets others go on at least once."""
    yield waiting
    while not waiting.ready():
        yield waiting
