"""
Reductions of accumulators at tile level, in the order in which threads combine.

Four threads have the columns of a row, two of every eight each. Eight threads of a warp
have the rows of a column, two of every sixteen each; the warps leave what they have,
meet, and the threads of the scope share the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Combination, acc_type
from croqtile_mlir.lowering.combinations import neutral
from croqtile_mlir.simulator.actors import Agent, Progress
from croqtile_mlir.simulator.program import Frame, Made, Maker, Suspending
from croqtile_mlir.simulator.tile_elements import Places, store
from croqtile_mlir.simulator.tile_mma import settled
from croqtile_mlir.simulator.tile_mma_parts import Parts, Tiles
from croqtile_mlir.simulator.tile_steps import Steps, meet
from croqtile_mlir.simulator.tile_values import Elements, element_dtype

_Left = tuple[Tiles, Elements]
"""What a warp has for each of its columns."""

_FUNCTIONS: dict[Combination, Callable[[Any, Any], Any]] = {
    Combination.Add: np.add,
    Combination.Mul: np.multiply,
    Combination.Max: np.fmax,
    Combination.Min: np.fmin,
}


def function_of(combination: Combination) -> Callable[[Any, Any], Any]:
    """How two arrays are combined."""
    return _FUNCTIONS[combination]


def make_acc_reduce(steps: Steps, op: croq.ReduceOp, maker: Maker) -> Made:
    """The elements of an accumulator combined along a dim."""
    if op.dim.data == 1:
        return _along_rows(steps, op, maker)
    return _along_columns(steps, op, maker)


def _along_rows(steps: Steps, op: croq.ReduceOp, maker: Maker) -> Made:
    source, target = maker.registers((op.source, op.destination))
    acc = acc_type(op.source)
    parts = Parts(op, steps.kernel.scope(op), acc)
    combine = function_of(op.combination.data)
    start = neutral(op.combination.data, op.computed)
    by_thread = np.arange(acc.shape[1]).reshape(-1, 4, 2)

    def step(frame: Frame) -> None:
        part = parts.of(frame.agent)
        if part.cols is not None and len(part.cols) < acc.shape[1]:
            fail(op, "must reduce an accumulator whose rows are each in one warp")
        values = settled(frame, op, frame.values[source])
        values = values.astype(element_dtype(op.computed))
        own: Elements = np.full((len(values), 4), start, values.dtype)
        with np.errstate(all="ignore"):
            for group in by_thread:
                for lane in range(2):
                    own = combine(own, values[:, group[:, lane]])
            for distance in (2, 1):
                own = combine(own, own[:, np.arange(4) ^ distance])
        held = part.rows
        at = np.arange(len(values)) if held is None else np.array(held)
        store(frame, op, frame.values[target], Places((at,)), own[:, 0])

    return steps.collective(op, step, maker)


@dataclass(frozen=True, eq=False)
class _Columns:
    """A reduction along columns."""

    op: croq.ReduceOp
    parts: Parts

    def left_by(self, agent: Agent, values: Elements) -> list[_Left]:
        """What each warp of an agent has for the columns that it holds."""
        values = values.astype(element_dtype(self.op.computed))
        return [
            (tiles, self._of_warp(tiles, values)) for tiles in self.parts.tiles(agent)
        ]

    def _of_warp(self, tiles: Tiles, values: Elements) -> Elements:
        combination = self.op.combination.data
        combine = function_of(combination)
        held = values[np.array(tiles.held_rows)][:, np.array(tiles.held_cols)]
        steps = held.reshape(-1, 8, len(tiles.cols))
        start = neutral(combination, self.op.computed)
        own: Elements = np.full(steps.shape[1:], start, values.dtype)
        with np.errstate(all="ignore"):
            for step in steps:
                own = combine(own, step)
            for distance in (4, 2, 1):
                own = combine(own, own[np.arange(8) ^ distance])
        return own[0]

    def total(self, left: Sequence[_Left]) -> Elements:
        """The results, from what warps have left: right for their columns."""
        combine = function_of(self.op.combination.data)
        down = 1 + max(tiles.down for tiles, _ in left)
        cols = acc_type(self.op.source).shape[1]
        table: Elements = np.zeros((down, cols), left[0][1].dtype)
        for tiles, made in left:
            table[tiles.down, np.array(tiles.cols)] = made
        found = table[0]
        with np.errstate(all="ignore"):
            for row in table[1:]:
                found = combine(found, row)
        return found


def _along_columns(steps: Steps, op: croq.ReduceOp, maker: Maker) -> Made:
    source, target = maker.registers((op.source, op.destination))
    scope = steps.kernel.scope(op)
    columns = _Columns(op, Parts(op, scope, acc_type(op.source)))
    every = np.arange(acc_type(op.source).shape[1])
    turns: dict[Agent, int] = {}

    def resume(frame: Frame) -> Progress:
        agent = frame.agent
        values = settled(frame, op, frame.values[source])
        left, at = columns.left_by(agent, values), every
        if agent.threads < scope.num_threads:
            if columns.parts.down > 1:
                turn = turns[agent] = turns.get(agent, -1) + 1
                places = frame.block.objects
                together: list[_Left] = places.setdefault((op, turn), [])
                together += left
                yield from meet(frame, op, scope)
                # All that are here have read what was left the turn before.
                places.pop((op, turn - 1), None)
                left = together
                thread = every % scope.num_threads + scope.first_thread
                first = agent.first_thread
                at = every[(thread >= first) & (thread < first + agent.threads)]
            else:
                at = np.unique([col for tiles, _ in left for col in tiles.cols])
        found = columns.total(left)
        if len(at):
            with np.errstate(all="ignore"):
                store(frame, op, frame.values[target], Places((at,)), found[at])

    return steps.collective(op, Suspending(resume), maker)
