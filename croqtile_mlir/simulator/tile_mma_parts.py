"""
Which part of an accumulator an agent holds, and of the operands it reads.

For wgmma each warpgroup of the scope has a run of rows, in blocks of 64, and each of
its warps 16 of every block. For mma.sync each warp has a rectangle (`warp_grid`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from croqtile_mlir.analysis.products import (
    Instruction,
    grid_of,
    instruction_of,
    target_around,
)
from croqtile_mlir.analysis.scopes import WARP_THREADS, WARPGROUP_THREADS, Scope
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import AccType
from croqtile_mlir.layouts import wgmma
from croqtile_mlir.simulator.actors import Agent
from croqtile_mlir.simulator.tile_windows import Rows

_WARPS = WARPGROUP_THREADS // WARP_THREADS
_WARP_ROWS = wgmma.WGMMA_ROWS // _WARPS


@dataclass(frozen=True)
class Rectangle:
    """Rows and columns of an accumulator, and where they are among those held."""

    row: int
    col: int
    rows: int
    cols: int
    held_row: int
    held_col: int


@dataclass(frozen=True)
class Part:
    """What an agent holds of an accumulator: rows x columns; None: all."""

    rows: Rows = None
    cols: Rows = None
    read: Rows = None
    """The rows of A that it reads."""

    within: Rows = None
    """Where the held rows are among those read."""

    rectangles: tuple[Rectangle, ...] = ()
    """What it stores, where that is not all columns of its rows."""


@dataclass(frozen=True)
class Tiles:
    """The tiles of 16 rows of a warp, in the order in which its threads hold them."""

    down: int
    """How many warps are above it."""

    cols: range
    held_rows: tuple[int, ...]
    held_cols: tuple[int, ...]
    """Its rows and columns among those that its agent holds."""


def _rows_of(op: Operation, scope: Scope, rows: int, agent: Agent) -> Part:
    warpgroups = max(1, scope.num_threads // WARPGROUP_THREADS)
    if rows % (wgmma.WGMMA_ROWS * warpgroups):
        fail(
            op,
            f"must have a multiple of {wgmma.WGMMA_ROWS * warpgroups} rows for "
            f"{warpgroups} warpgroups, got {rows}",
        )
    each = rows // warpgroups
    held: list[int] = []
    groups: set[int] = set()
    for warp in _warps(scope, agent):
        groups.add(warp // _WARPS)
        held += _rows_of_warp(scope, rows, warp)
    read = [row for g in sorted(groups) for row in range(g * each, (g + 1) * each)]
    place = {row: number for number, row in enumerate(read)}
    held.sort()
    return Part(
        rows=tuple(held), read=tuple(read), within=tuple(place[row] for row in held)
    )


def _rows_of_warp(scope: Scope, rows: int, warp: int) -> list[int]:
    """The rows of a warp in an accumulator of wgmma."""
    each = rows // max(1, scope.num_threads // WARPGROUP_THREADS)
    group, quarter = divmod(warp, _WARPS)
    return [
        group * each + block + quarter * _WARP_ROWS + row
        for block in range(0, each, wgmma.WGMMA_ROWS)
        for row in range(_WARP_ROWS)
    ]


def _rectangles_of(op: Operation, scope: Scope, acc: AccType, agent: Agent) -> Part:
    grid = grid_of(op, acc)
    origins = [grid.origin(warp) for warp in _warps(scope, agent)]
    rows = sorted({row + i for row, _ in origins for i in range(grid.rows)})
    cols = sorted({col + j for _, col in origins for j in range(grid.cols)})
    return Part(
        rows=tuple(rows),
        cols=tuple(cols),
        read=tuple(rows),
        within=tuple(range(len(rows))),
        rectangles=tuple(
            Rectangle(row, col, grid.rows, grid.cols, rows.index(row), cols.index(col))
            for row, col in origins
        ),
    )


def _warps(scope: Scope, agent: Agent) -> range:
    """The warps of an agent, counted in the scope."""
    first = (agent.first_thread - scope.first_thread) // WARP_THREADS
    return range(first, first + agent.threads // WARP_THREADS)


def runs(rows: Sequence[int]) -> list[tuple[int, int, int]]:
    """Ascending rows as runs: the place of the first, the first, how many."""
    found: list[tuple[int, int, int]] = []
    for place, row in enumerate(rows):
        if found and row == found[-1][1] + found[-1][2]:
            found[-1] = (*found[-1][:2], found[-1][2] + 1)
        else:
            found.append((place, row, 1))
    return found


@dataclass(eq=False)
class Parts:
    """The part of each agent, worked out once."""

    op: Operation
    scope: Scope
    acc: AccType

    def __post_init__(self) -> None:
        self.by: Instruction = instruction_of(self.op, target_around(self.op))
        self._known: dict[int, Part] = {}

    def of(self, agent: Agent) -> Part:
        """The part of an agent; a located error where its threads can have none."""
        found = self._known.get(agent.first_thread)
        if found is None:
            if agent.threads >= self.scope.num_threads:
                found = Part()
            elif self.by == "wgmma":
                found = _rows_of(self.op, self.scope, self.acc.shape[0], agent)
            else:
                found = _rectangles_of(self.op, self.scope, self.acc, agent)
            self._known[agent.first_thread] = found
        return found

    @property
    def down(self) -> int:
        """Warps of the scope that are one below the other."""
        warps = self.scope.num_threads // WARP_THREADS
        return warps if self.by == "wgmma" else grid_of(self.op, self.acc).down

    def tiles(self, agent: Agent) -> list[Tiles]:
        """The tiles of each warp of an agent."""
        part = self.of(agent)
        rows, cols = (
            {at: number for number, at in enumerate(held or range(extent))}
            for held, extent in zip((part.rows, part.cols), self.acc.shape, strict=True)
        )
        found: list[Tiles] = []
        for warp in _warps(self.scope, agent):
            down, own = warp, range(self.acc.shape[1])
            if self.by == "wgmma":
                of_warp = _rows_of_warp(self.scope, self.acc.shape[0], warp)
            else:
                grid = grid_of(self.op, self.acc)
                row, col = grid.origin(warp)
                down, own = warp // grid.across, range(col, col + grid.cols)
                of_warp = list(range(row, row + grid.rows))
            at = tuple(rows[row] for row in of_warp), tuple(cols[col] for col in own)
            found.append(Tiles(down, own, *at))
        return found
