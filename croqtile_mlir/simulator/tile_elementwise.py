"""
Computations for each element at tile level.

Each agent of the scope makes its share: the vectors of a tile that go to its threads,
or the rows of an accumulator that it holds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from croqtile_mlir.analysis.element_vectors import (
    check_captured,
    lanes_of,
    static_dims,
)
from croqtile_mlir.analysis.scopes import Scope
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import AccType, acc_type, element_of
from croqtile_mlir.simulator.actors import Agent
from croqtile_mlir.simulator.program import Body, Frame, Made, Maker
from croqtile_mlir.simulator.tile_elements import (
    Places,
    evaluate,
    every_place,
    load,
    store,
)
from croqtile_mlir.simulator.tile_mma import settled
from croqtile_mlir.simulator.tile_mma_parts import Parts
from croqtile_mlir.simulator.tile_steps import Steps
from croqtile_mlir.simulator.tile_values import TileAccumulator, element_dtype


@dataclass(eq=False)
class Shares:
    """The elements that each agent makes, worked out once."""

    scope: Scope
    dims: tuple[int, ...]
    vector: int
    """Elements of a vector; vector v goes to thread v modulo the threads."""

    warp_grain: bool
    _known: dict[tuple[int, int], Places] = field(
        default_factory=dict[tuple[int, int], Places]
    )

    def of(self, agent: Agent) -> Places:
        """The share of an agent."""
        key = agent.first_thread, agent.threads
        if (found := self._known.get(key)) is None:
            found = self._known[key] = self._made(agent)
        return found

    def _made(self, agent: Agent) -> Places:
        places = every_place(self.dims)
        threads = np.arange(prod(self.dims)) // self.vector % self.scope.num_threads
        lanes = threads - (agent.first_thread - self.scope.first_thread)
        mine = (lanes >= 0) & (lanes < agent.threads)
        own = places.only(mine)
        return Places(own.at, lanes[mine] if self.warp_grain else None)


@dataclass(eq=False)
class _Elements:
    """Executes one computation."""

    op: croq.ElementwiseOp
    body: Body
    registers: tuple[int, ...]
    """Those of the inputs."""

    dtype: np.dtype[Any]

    def run(
        self,
        frame: Frame,
        places: Places,
        accumulated: Callable[[Frame, SSAValue, int], Any],
    ) -> Any:
        """The elements at places; `accumulated` gives those of an accumulator."""
        arguments: list[Any] = []
        for value, register, along in zip(
            self.op.inputs, self.registers, self.op.along_dims, strict=True
        ):
            if isinstance(value.type, AccType):
                arguments.append(accumulated(frame, value, register))
            else:
                tile = frame.values[register]
                arguments.append(load(frame, self.op, tile, places.along(along)))
        if self.op.positions is not None:
            arguments += places.at
        return evaluate(frame, self.body, arguments, places.count, self.dtype)


def _no_accumulator(frame: Frame, value: SSAValue, register: int) -> Any:
    raise AssertionError("a computation of a tile has no accumulators")


def make_elementwise(steps: Steps, op: croq.ElementwiseOp, maker: Maker) -> Made:
    """The elements of a tile, or of a new accumulator."""
    check_captured(op)
    if op.destination is None:
        return _of_accumulator(steps, op, maker)
    elements = _Elements(
        op,
        maker.body(op.body.block),
        maker.registers(op.inputs),
        element_dtype(element_of(op.destination)),
    )
    target = maker.register(op.destination)
    shares = Shares(
        steps.kernel.scope(op),
        static_dims(op),
        lanes_of(op),
        steps.kernel.warp_grain,
    )

    def step(frame: Frame) -> None:
        places = shares.of(frame.agent)
        if places.count:
            values = elements.run(frame, places, _no_accumulator)
            store(frame, op, frame.values[target], places, values)

    return steps.collective(op, step, maker)


def _of_accumulator(steps: Steps, op: croq.ElementwiseOp, maker: Maker) -> Made:
    assert op.result is not None
    acc = acc_type(op.result)
    elements = _Elements(
        op,
        maker.body(op.body.block),
        maker.registers(op.inputs),
        element_dtype(acc.element_type),
    )
    result = maker.register(op.result)
    parts = Parts(op, steps.kernel.scope(op), acc)
    everything = every_place(acc.shape)

    def accumulated(frame: Frame, value: SSAValue, register: int) -> Any:
        del value
        return settled(frame, op, frame.values[register]).ravel()

    def step(frame: Frame) -> None:
        part = parts.of(frame.agent)
        places, cols = everything, acc.shape[1]
        if part.rows is not None:
            places = places.only(np.isin(places.at[0], part.rows))
        if part.cols is not None:
            places = places.only(np.isin(places.at[1], part.cols))
            cols = len(part.cols)
        values = elements.run(frame, places, accumulated)
        frame.values[result] = TileAccumulator(values.reshape(-1, cols))

    return steps.collective(op, step, maker)


HANDLERS: dict[type[Any], Callable[[Steps, Any, Maker], Made]] = {
    croq.ElementwiseOp: make_elementwise,
}
