"""
Reductions of tiles at tile level, in the order of `analysis/reduction_groups`.

The agent that holds the first thread of a group makes its result; the others read what
their threads read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import BFloat16Type, Float16Type

from croqtile_mlir.analysis.reduction_groups import Groups, groups_of
from croqtile_mlir.analysis.scopes import Scope
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import AccType, element_of
from croqtile_mlir.lowering.combinations import neutral
from croqtile_mlir.simulator.actors import Agent
from croqtile_mlir.simulator.program import Frame, Made, Maker
from croqtile_mlir.simulator.tile_acc_reduce import function_of, make_acc_reduce
from croqtile_mlir.simulator.tile_elements import (
    Indices,
    Mask,
    Places,
    inside,
    load,
    store,
)
from croqtile_mlir.simulator.tile_steps import Steps
from croqtile_mlir.simulator.tile_values import Elements, Tile


@dataclass(frozen=True, eq=False)
class _Part:
    """What an agent does of a reduction."""

    results: Indices
    """The elements of the result that it makes."""

    led: Places
    """Their elements, in rows of one result."""

    other: Places
    """What else its threads read."""

    target: Places


@dataclass(eq=False)
class _Reduction:
    """Executes one reduction."""

    op: croq.ReduceOp
    groups: Groups
    scope: Scope
    warp_grain: bool

    def __post_init__(self) -> None:
        self._parts: dict[int, _Part] = {}
        self.combine = function_of(self.op.combination.data)
        self.neutral = neutral(self.op.combination.data, self.op.computed)
        element = element_of(self.op.source)
        self.widens = isinstance(element, Float16Type | BFloat16Type)

    def part_of(self, agent: Agent) -> _Part:
        """The part of an agent."""
        found = self._parts.get(agent.first_thread)
        if found is None:
            found = self._parts[agent.first_thread] = self._made(agent)
        return found

    def _made(self, agent: Agent) -> _Part:
        groups = self.groups
        result, number = np.indices((groups.results, groups.extent)).reshape(2, -1)
        leader = result % groups.count * groups.size
        first = agent.first_thread - self.scope.first_thread
        lead_lane, lane = leader - first, leader + number % groups.size - first
        leads = (lead_lane >= 0) & (lead_lane < agent.threads)
        reads = (lane >= 0) & (lane < agent.threads)
        places = Places(
            self._source(result, number),
            np.where(reads, lane, lead_lane) if self.warp_grain else None,
        )
        own = np.unique(result[leads])
        lanes = own % groups.count * groups.size - first
        return _Part(
            own,
            places.only(leads),
            places.only(reads & ~leads),
            Places(self._target(own), lanes if self.warp_grain else None),
        )

    def _source(self, result: Indices, number: Indices) -> tuple[Indices, ...]:
        at = list(self._outer(result))
        at.insert(self.groups.dim, number)
        return tuple(at)

    def _target(self, result: Indices) -> tuple[Indices, ...]:
        return self._outer(result) or (np.zeros_like(result),)

    def _outer(self, result: Indices) -> tuple[Indices, ...]:
        outer = self.groups.outer
        return tuple(np.unravel_index(result, outer)) if outer else ()

    def run(self, frame: Frame, source: Tile, target: Tile) -> None:
        """Make the part of an agent."""
        part = self.part_of(frame.agent)
        if part.other.count:
            load(frame, self.op, source, part.other)
        if not len(part.results):
            return
        values = load(frame, self.op, source, part.led)
        mask = inside(source, part.led)
        made = self._combined(values, mask, len(part.results))
        with np.errstate(all="ignore"):
            store(frame, self.op, target, part.target, made)

    def _combined(self, values: Elements, mask: Mask | None, results: int) -> Elements:
        groups = self.groups
        if self.widens:
            values = values.astype(np.float32)
        if mask is not None:
            values = np.where(mask, values, np.asarray(self.neutral, values.dtype))
        rows = values.reshape(results, -1)
        missing = -groups.extent % groups.size
        rows = np.pad(rows, ((0, 0), (0, missing)), constant_values=self.neutral)
        steps = rows.reshape(results, -1, groups.size)
        own: Elements = np.full(
            (results, groups.size), self.neutral, dtype=values.dtype
        )
        with np.errstate(all="ignore"):
            for number in range(steps.shape[1]):
                own = self.combine(own, steps[:, number])
            lanes = np.arange(groups.size)
            distance = groups.in_warp // 2
            while distance:
                own = self.combine(own, own[:, lanes ^ distance])
                distance //= 2
            total = own[:, 0]
            for warp in range(1, groups.warps):
                total = self.combine(total, own[:, warp * groups.in_warp])
        return total


def make_reduce(steps: Steps, op: croq.ReduceOp, maker: Maker) -> Made:
    """The elements of a tile or an accumulator combined along a dim."""
    if isinstance(op.source.type, AccType):
        return make_acc_reduce(steps, op, maker)
    source, target = maker.registers((op.source, op.destination))
    reduction = _Reduction(
        op, groups_of(op), steps.kernel.scope(op), steps.kernel.warp_grain
    )

    def step(frame: Frame) -> None:
        reduction.run(frame, frame.values[source], frame.values[target])

    return steps.collective(op, step, maker)


HANDLERS: dict[type[Any], Callable[[Steps, Any, Maker], Made]] = {
    croq.ReduceOp: make_reduce,
}
