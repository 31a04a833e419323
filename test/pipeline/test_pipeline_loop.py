"""Loops that load ahead of their products: proved, run, assembled."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from croqtile_mlir.ptx_tools import assemble, find_ptxas
from pipeline.lowering import lower, parse, printed, run
from pipeline.test_scheduled import (
    ONCE,
    PERSISTENT,
    PLAIN,
    SLICES,
    SMALL,
    STATIC,
    STEPS_OF_TWO,
    THREE_TILES,
    TWO_LOOPS,
    Floats,
    Shape,
    by_threads,
    check,
    every_other_slice,
    product_of,
    rewritten,
    scheduled,
    with_first_slice,
)

LEVELS = ["croq", "nvvm", "ptx"]

STAGES = 3


def pipelined(in_flight: int, stages: int = STAGES) -> str:
    return f"pipeline-loop{{stages={stages} in_flight={in_flight}}}"


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("in_flight", [0, 1])
@pytest.mark.parametrize("trips", [0, 1, STAGES - 1, STAGES, STAGES + 1, 7])
def test_trip_counts(level: str, in_flight: int, trips: int):
    """Rings that are not filled, that are filled, that wrap; ragged tiles."""
    road = f"{SMALL},{pipelined(in_flight)}"
    check(scheduled(PLAIN, road), level, (130, 40, 16 * trips))
    check(scheduled(PLAIN, road), level, (130, 40, max(16 * trips - 8, 0)))
    text = scheduled(by_threads(PLAIN), road)
    check(text, level, (130, 37, max(16 * trips - 3, 0)))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("in_flight", [0, 1])
@pytest.mark.parametrize("text", [PERSISTENT, by_threads(PERSISTENT)], ids=["", "any"])
@pytest.mark.parametrize("trips", [0, 1, STAGES - 1, STAGES, STAGES + 1])
def test_several_tiles_of_a_block(level: str, in_flight: int, text: str, trips: int):
    """The orders run on from tile to tile; some blocks have one tile more."""
    check(scheduled(text, pipelined(in_flight)), level, (400, 72, 16 * trips))
