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

L2_BYTES_PER_CYCLE = 72
"""From L2 to the shared memory of one multiprocessor."""

DRAM_BYTES_PER_CYCLE = 2300
DRAM_BYTES_PER_BLOCK = 36
"""Of the whole device, 4.0 TB/s at 1.75 GHz, and of what one block loads."""

LATENCY = 1600
DRAM_LATENCY = 3300
"""Cycles from the start of a load to its data, under load: from L2, and from DRAM where
that is the bound."""

OUTSIDE_BYTES_PER_CYCLE = 5000
"""Of the whole device, for zeros in place of rows that A does not have."""

STARTUP = 3000
"""Cycles of a launch in which no tensor core works: first loads, end of the grid."""

TILE_GAP = 440
"""Cycles between two tiles when the same warpgroups compute both."""

EPILOGUE_PER_ELEMENT = 0.056
"""Cycles to store an element of a tile, where nothing runs beside it."""

SPLIT_HIDES = 0.5
"""Part of a store that the products of the other consumers hide, where consumers that
share a tile are split: they drift apart."""

CLUSTER_LOSS = 0.02
CLUSTER_STARTUP = 1600
"""What clusters cost: a part of the main loops, and cycles of a launch."""

READ_ENERGY = 2.0
"""Slowdown by the power limit: for each element of A that is read from shared memory,
by the products it takes part in."""

LONG = 150_000
"""Cycles from which on the power limit counts in full: about 100 us."""

OVERLAP_LOSS = 0.15
"""What products add to the time of DRAM where that is longer, and the reverse."""

_WIDEST = 256
"""Columns of the tile whose clock is 1."""


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
    """What DRAM needs, for all blocks."""

    clock: float
    """Factor for the clock under the power limit."""

    startup: float = STARTUP
    """Of the launch, whatever the product."""

    @property
    def cycles(self) -> float:
        """The sum, by which schedules are ranked."""
        products = self.products * self.clock
        longer, shorter = max(products, self.memory), min(products, self.memory)
        return longer + OVERLAP_LOSS * shorter + self.epilogues + self.startup


def estimate(problem: Problem, schedule: Schedule) -> Estimate:
    """The cost of a schedule for a product."""
    across, down = schedule.cluster
    rows = _whole(_cdiv(problem.m, schedule.bm), across)
    cols = _whole(_cdiv(problem.n, schedule.bn), down)
    clusters = rows * cols // (across * down)
    slots = problem.multiprocessors // (across * down)
    tiles = _cdiv(clusters, slots)
    blocks = min(rows * cols, problem.multiprocessors)
    memory = _memory_cycles(problem, schedule, blocks)
    steps = _cdiv(problem.k, schedule.bk)
    step = _step_cycles(problem, schedule)
    latency = LATENCY if tiles * steps * step > memory else DRAM_LATENCY
    # So many loads are on their way at a time.
    waiting = max(latency / max(schedule.stages - schedule.in_flight, 1) - step, 0)
    tile = steps * (step + waiting)
    # All of the ring is on its way from the start.
    loops = tiles * tile - min(steps, schedule.stages) * waiting
    clustered = schedule.is_clustered
    return Estimate(
        tiles=tiles,
        products=loops * (1 + CLUSTER_LOSS * clustered),
        epilogues=_epilogues(problem, schedule, tiles, tile),
        memory=memory,
        clock=1 + _power(schedule) * min(1.0, loops / LONG),
        startup=STARTUP + CLUSTER_STARTUP * clustered,
    )


def _epilogues(problem: Problem, schedule: Schedule, tiles: int, tile: float) -> float:
    """Cycles in which a multiprocessor stores and does not multiply."""
    area = schedule.bm * schedule.bn * EPILOGUE_PER_ELEMENT * problem.out_bytes / 2
    if schedule.mode == "pingpong":
        # The other consumer multiplies meanwhile; only short loops do not hide it.
        between = max(area + TILE_GAP - tile, 0)
    elif schedule.split:
        between = area * (1 - SPLIT_HIDES) + TILE_GAP
    else:
        between = area + TILE_GAP
    # Nothing runs beside the last one.
    return area + max(tiles - 1, 0) * between


def _power(schedule: Schedule) -> float:
    """The slowdown of a long run against the widest tile."""
    return READ_ENERGY * (1 / schedule.bn - 1 / _WIDEST)


def _step_cycles(problem: Problem, schedule: Schedule) -> float:
    """One stage: by the tensor cores or by L2."""
    bm, bn, bk = schedule.bm, schedule.bn, schedule.bk
    products = 2 * bm * bn * bk / FLOPS_PER_CYCLE
    # Blocks along M share the columns, blocks along N the rows. What lies outside of
    # the operands is not loaded.
    across, down = schedule.cluster
    elements = (min(bm, problem.m) / down + min(bn, problem.n) / across) * bk
    return max(products, elements * problem.element_bytes / L2_BYTES_PER_CYCLE)


def _memory_cycles(problem: Problem, schedule: Schedule, blocks: int) -> float:
    """What DRAM needs for all tiles."""
    operands = problem.element_bytes * problem.k * (problem.m + problem.n)
    moved = operands + problem.out_bytes * problem.m * problem.n
    rows = _whole(problem.m, schedule.bm) - problem.m
    outside = rows * _cdiv(problem.n, schedule.bn) * problem.k * problem.element_bytes
    rate = min(DRAM_BYTES_PER_CYCLE, DRAM_BYTES_PER_BLOCK * blocks)
    return moved / rate + outside / OUTSIDE_BYTES_PER_CYCLE


def _cdiv(a: int, b: int) -> int:
    return -(-a // b)


def _whole(a: int, b: int) -> int:
    return _cdiv(a, b) * b
