"""Products in clusters are right at every level, under every policy."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.covering import pairwise
from support.tile_runs import levels, told

from croqtile_mlir import simulator
from croqtile_mlir.compiler import source_of
from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.simulator import Options, Trace
from croqtile_mlir.simulator.global_memory import GlobalMemory
from croqtile_mlir.simulator.hardware import HardwareKernel
from croqtile_mlir.simulator.state import Cluster, LaunchState

from .cluster_kernels import POLICIES, operands, product, run_product

SHAPES = ((2, 1), (1, 2), (2, 2), (4, 1), (1, 4), (2, 4))
STAGES = 3


@pytest.mark.parametrize(
    ("shape", "level", "policy"),
    pairwise(SHAPES[:3], ["croq", "lower-views", "nvvm"], POLICIES),
    ids=str,
)
def test_policies(shape: tuple[int, int], level: str, policy: str) -> None:
    report, right = run_product(product(*shape), (150, 72, 280), level, policy)
    assert not report.faults, told(report)
    assert right


@pytest.mark.parametrize("level", [*levels(), "nvvm", "ptx"])
def test_levels(level: str) -> None:
    report, right = run_product(product(2, 1), (104, 88, 264), level, "random:3")
    assert not report.faults, told(report)
    assert right
    assert report.grid == (2, 2, 1)
    assert report.blocks == 4


@pytest.mark.parametrize("level", ["croq", "nvvm", "ptx"])
@pytest.mark.parametrize("steps", [0, 1, STAGES - 1, STAGES, STAGES + 1, 7])
def test_trip_counts(steps: int, level: str) -> None:
    for policy in ("early", "late"):
        size = (128, 64, 64 * steps)
        report, right = run_product(product(2, 1), size, level, policy)
        assert not report.faults, told(report)
        assert right


@pytest.mark.parametrize("level", ["croq", "nvvm", "ptx"])
@pytest.mark.parametrize(("cx", "cy"), SHAPES[3:])
def test_shapes_of_clusters(cx: int, cy: int, level: str) -> None:
    """Extents that are no multiple of a tile, or of a cluster's tiles."""
    report, right = run_product(product(cx, cy), (200, 136, 200), level, "random:5")
    assert not report.faults, told(report)
    assert right


def test_ranks() -> None:
    cluster = Cluster((2, 2, 2))
    assert [cluster.index_of(rank) for rank in range(4)] == [
        (0, 0, 0),
        (1, 0, 0),
        (0, 1, 0),
        (1, 1, 0),
    ]
    assert cluster.index_of(5) == (1, 0, 1)


@pytest.mark.parametrize("level", ["nvvm", "ptx"])
def test_grids_count_blocks(level: str) -> None:
    loaded = simulator.load(source_of(product(2, 1)), level=level)
    state = LaunchState(GlobalMemory(), {}, {}, {"M": 130, "N": 64, "K": 64})
    assert loaded.executable.grid(state) == (4, 1, 1)
    assert loaded.executable.cluster == (2, 1, 1)


def test_a_grid_that_is_not_made_of_clusters() -> None:
    loaded = simulator.load(source_of(product(2, 1)), level="nvvm")
    broken = replace(loaded.plan, cluster=(3, 1, 1))
    executable = loaded.executable
    assert isinstance(executable, HardwareKernel)
    kernel = replace(loaded, executable=replace(executable, plan=broken), plan=broken)
    with pytest.raises(ArgumentError, match="multiple of the 3 blocks of a cluster"):
        simulator.run(kernel, *operands(128, 64, 64))


def test_trace_shows_blocks_of_a_cluster_in_one_time() -> None:
    trace = Trace()
    lhs, rhs, out = operands(128, 64, 192)
    report = simulator.run(
        source_of(product(2, 1)),
        lhs,
        rhs,
        out,
        level="croq",
        options=Options("rr", trace),
    )
    assert not report.faults, told(report)
    events: list[dict[str, Any]] = json.loads(json.dumps(trace.events))
    names = {
        (event["pid"], event["args"]["name"])
        for event in events
        if event["name"] == "thread_name"
    }
    for pid, rank in ((1, 0), (2, 1)):
        assert (pid, f'role "consumer" of rank {rank}') in names
    starts = {e["id"]: e["pid"] for e in events if e["ph"] == "s"}
    ends = {e["id"]: e["pid"] for e in events if e["ph"] == "f"}
    across = [arrow for arrow, pid in ends.items() if starts[arrow] != pid]
    assert across, "what a block does ends waits of its peer"
    assert np.isfinite(out).all()
