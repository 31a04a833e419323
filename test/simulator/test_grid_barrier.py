"""Barriers of all blocks of a grid."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from support.grid_kernels import ROUNDS

import croqtile_mlir as croq
from croqtile_mlir.compiler import source_of
from croqtile_mlir.passes.verify_sync import verdicts
from croqtile_mlir.pipeline import Lowering
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator import Options, run
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.loading import Loaded, load_source

GRID = "croq.barrier grid count %count : !croq.tile<1xi32, global>"
CHECKED = ("croq", "insert-barriers", "lower-grid-barriers", "nvvm")


@lru_cache(maxsize=32)
def loaded(barrier: str, level: str) -> Loaded:
    return load_source(source_of(ROUNDS.replace("BARRIER", barrier)), level)


@pytest.mark.parametrize("policy", ["rr", "random:1", "random:2"])
@pytest.mark.parametrize("level", [*CHECKED, "ptx"])
@pytest.mark.parametrize(("blocks", "rounds"), [(1, 2), (3, 1), (4, 3), (2, 4), (3, 0)])
def test_rounds(blocks: int, rounds: int, level: str, policy: str) -> None:
    x = np.random.default_rng(blocks).integers(-99, 99, blocks, np.int32)
    count = np.zeros(1, np.int32)
    expected = [np.roll(x, -n) for n in range(rounds)]
    # Later launches find the count as earlier ones have left it.
    for _ in range(3):
        y = np.zeros((rounds, blocks), np.int32)
        kernel = loaded(GRID, level)
        report = run(kernel, x, y, count, options=Options(policy))
        assert not report.faults
        assert (y == np.array(expected).reshape(rounds, blocks)).all()


OWN = ROUNDS.replace(", %count: !croq.tile<1xi32, global>", "")


@lru_cache(maxsize=16)
def provided(level: str) -> Loaded:
    return load_source(source_of(OWN.replace("BARRIER", "croq.barrier grid")), level)


@pytest.mark.parametrize("policy", ["rr", "random:1"])
@pytest.mark.parametrize("level", [*CHECKED, "ptx"])
@pytest.mark.parametrize(("blocks", "rounds"), [(1, 2), (3, 1), (4, 3), (3, 0)])
def test_a_count_that_the_launch_provides(
    blocks: int, rounds: int, level: str, policy: str
) -> None:
    x = np.random.default_rng(blocks).integers(-99, 99, blocks, np.int32)
    expected = [np.roll(x, -n) for n in range(rounds)]
    for _ in range(2):
        y = np.zeros((rounds, blocks), np.int32)
        report = run(provided(level), x, y, options=Options(policy))
        assert not report.faults
        assert (y == np.array(expected).reshape(rounds, blocks)).all()


def test_barriers_at_two_places_share_the_count() -> None:
    text = OWN.replace("BARRIER", "croq.barrier grid\n      croq.barrier grid")
    lowering = Lowering(source_of(text), verify_sync=False)
    lowering.run(until="lower-grid-barriers")
    found = [op for op in lowering.module.walk() if op.name == "croq.workspace"]
    assert len(found) == 1
    x = np.random.default_rng(9).integers(-99, 99, 3, np.int32)
    y = np.zeros((4, 3), np.int32)
    report = run(load_source(source_of(text), "nvvm"), x, y)
    assert not report.faults
    assert (y == np.array([np.roll(x, -n) for n in range(4)])).all()


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_the_provided_count_is_assembled(target: str) -> None:
    text = OWN.replace("BARRIER", "croq.barrier grid")
    kernel = croq.compile(text, target=target)
    assert kernel.plan.cooperative
    assert kernel.plan.workspace_bytes == 4
    assert assemble(kernel.ptx, target).warnings == ()


@pytest.mark.parametrize("level", CHECKED)
def test_a_barrier_of_the_block_is_not_enough(level: str) -> None:
    x = np.random.default_rng(0).integers(-99, 99, 3, np.int32)
    y, count = np.zeros((3, 3), np.int32), np.zeros(1, np.int32)
    kernel = loaded("croq.barrier", level)
    kinds = {fault.kind for fault in run(kernel, x, y, count).faults}
    assert FaultKind.RACE in kinds


@pytest.mark.parametrize(
    "text",
    [ROUNDS.replace("BARRIER", GRID), OWN.replace("BARRIER", "croq.barrier grid")],
)
def test_what_is_decided(text: str) -> None:
    """What blocks do between barriers in a loop is not told apart, nor is the loop that
    waits: nothing is called proved."""
    found: dict[str, str] = {}
    for level in ("bind-params", "lower-grid-barriers", "nvvm"):
        lowering = Lowering(source_of(text), verify_sync=False)
        lowering.run(until=level)
        (verdict,) = verdicts(lowering.module)
        found[level] = type(verdict).__name__
    assert found == {
        "bind-params": "Undecided",
        "lower-grid-barriers": "Undecided",
        "nvvm": "Undecided",
    }
