"""
What a schedule of a matrix product costs, in cycles of a multiprocessor.

The formulas and where their constants come from: `docs/performance.md`, "The cost
model". It puts the good schedules of a shape first; it does not predict times.
"""

from __future__ import annotations

from dataclasses import dataclass

from croqtile_mlir.kernels.schedule import Schedule

FLOPS_PER_CYCLE = 4096
"""Of the tensor cores of a multiprocessor: f16 or bf16, dense (H200)."""

L2_BYTES_PER_CYCLE = 64
"""From L2 to the shared memory of one multiprocessor."""

DRAM_BYTES_PER_CYCLE = 2300
"""Of the whole device: 4.0 TB/s at 1.75 GHz."""

LATENCY = 1600
"""Cycles from the start of a load to its data, under load."""

STARTUP = 3000
"""Cycles of a launch in which no tensor core works: first loads, end of the grid."""

TILE_GAP = 440
"""Cycles between two tiles when the same warpgroups compute both."""

EPILOGUE_PER_ELEMENT = 0.056
"""Cycles to store an element of a tile, where nothing runs beside it."""

LOAD_ENERGY = 6.6
READ_ENERGY = 3.9
"""Slowdown by the power limit: for each element that is loaded to shared memory, and
that is read from there, by the products it takes part in."""

LONG = 150_000
"""Cycles from which on the power limit counts in full: about 100 us."""

OVERLAP_LOSS = 0.15
"""What products add to the time of DRAM where that is longer, and the reverse."""

_LARGE = (128, 256)
"""The tile whose clock is 1."""


@dataclass(frozen=True)
class Problem:
    """One matrix product on one device."""

    m: int
    n: int
    k: int
    element_bytes: int = 2
    out_bytes: int = 2
    multiprocessors: int = 132


@dataclass(frozen=True)
class Estimate:
    """Cycles of the block that takes longest, and what they are made of."""

    tiles: int
    """Tiles of that block."""

    products: float
    """The main loops, at the speed of what limits them."""

    epilogues: float
    """Stores and gaps that nothing hides."""

    memory: float
    """The least that DRAM needs, for all blocks."""

    clock: float
    """Factor for the clock under the power limit."""

    @property
    def cycles(self) -> float:
        """The sum, by which schedules are ranked."""
        products = self.products * self.clock
        longer, shorter = max(products, self.memory), min(products, self.memory)
        return longer + OVERLAP_LOSS * shorter + self.epilogues + STARTUP


def estimate(problem: Problem, schedule: Schedule) -> Estimate:
    """The cost of a schedule for a product."""
    across, down = schedule.cluster
    rows = _whole(_cdiv(problem.m, schedule.bm), across)
    cols = _whole(_cdiv(problem.n, schedule.bn), down)
    clusters = rows * cols // (across * down)
    slots = problem.multiprocessors // (across * down)
    tiles = _cdiv(clusters, slots)
    tile = tile_cycles(problem, schedule)
    area = schedule.bm * schedule.bn * EPILOGUE_PER_ELEMENT * problem.out_bytes / 2
    if schedule.mode == "pingpong":
        # The other consumer multiplies meanwhile; only short loops do not hide it.
        epilogues = area + max(tiles - 1, 0) * max(area + TILE_GAP - tile, 0)
    else:
        epilogues = tiles * area + max(tiles - 1, 0) * TILE_GAP
    operands = problem.element_bytes * problem.k * (problem.m + problem.n)
    moved = operands + problem.out_bytes * problem.m * problem.n
    return Estimate(
        tiles=tiles,
        products=tiles * tile,
        epilogues=epilogues,
        memory=moved / DRAM_BYTES_PER_CYCLE,
        clock=1 + _power(schedule) * min(1.0, tiles * tile / LONG),
    )


def _power(schedule: Schedule) -> float:
    """The slowdown of a long run against the large tile."""

    def cost(bm: int, bn: int) -> float:
        return LOAD_ENERGY * (1 / bm + 1 / bn) + READ_ENERGY / bn

    return cost(schedule.bm, schedule.bn) - cost(*_LARGE)


def tile_cycles(problem: Problem, schedule: Schedule) -> float:
    """The main loop of one tile: by products, by L2, or by the latency of loads."""
    bm, bn, depth = schedule.bm, schedule.bn, _whole(problem.k, schedule.bk)
    products = 2 * bm * bn * depth / FLOPS_PER_CYCLE
    # Blocks along M share the columns, blocks along N the rows.
    across, down = schedule.cluster
    shared = (bm / down + bn / across) * depth * problem.element_bytes
    stage = 2 * bm * bn * schedule.bk / FLOPS_PER_CYCLE
    ahead = max(schedule.stages - schedule.in_flight, 1) * stage
    return max(products, shared / L2_BYTES_PER_CYCLE) * max(1.0, LATENCY / ahead)


def _cdiv(a: int, b: int) -> int:
    return -(-a // b)


def _whole(a: int, b: int) -> int:
    return _cdiv(a, b) * b
