"""What of `benchmarks/multiprocessor.py` needs no device."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from multiprocessor import (
    Probe,
    divergence,
    main,
    measure,
    occupancy,
    parallelism,
    tables,
)
from multiprocessor_kernels import chains_kernel
from numpy.typing import NDArray

import croqtile_mlir as croq
from croqtile_mlir.kernel import Kernel
from croqtile_mlir.ptx_tools import find_ptxas
from croqtile_mlir.tools.backends import Outcome

STEPS = 256
NO_PTXAS = pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")


@dataclass
class Fake:
    """A device on which each launch takes longer than the one before."""

    order: list[str] = field(default_factory=list[str])
    right: bool = True
    timed: bool = True
    description: str = "a fake"

    def run(
        self,
        kernel: Kernel,
        tiles: Mapping[str, NDArray[Any]],
        scalars: Mapping[str, float],
        repeat: int,
    ) -> Outcome:
        assert np.isnan(tiles["dst"]).all()
        self.order.append(kernel.name)
        after = tiles["src"] + (0 if self.right else 1e-3)
        milliseconds = len(self.order) / 1e3 if self.timed else None
        return Outcome({"dst": after}, milliseconds)


@pytest.mark.parametrize("chains", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("level", ["croq", "nvvm", "ptx"])
def test_chains_are_right(chains: int, level: str):
    source = np.random.default_rng(chains).standard_normal(300, np.float32)
    result = np.full_like(source, np.nan)
    croq.simulate(chains_kernel(chains, 64, 128), source, result, level=level)
    np.testing.assert_allclose(result, source, rtol=1e-5)


@pytest.mark.parametrize("chains", [1, 4, 8])
def test_a_turn_makes_one_product_a_chain(chains: int):
    ptx = croq.compile(chains_kernel(chains, STEPS)).ptx
    (loop,) = re.findall(r"\$L_loop_1:(.*?)bra \$L_loop_1;", ptx, re.DOTALL)
    products = re.findall(r"fma\.rn\.f32 (%f\d+), (%f\d+)", loop)
    assert len(products) == chains
    # Each goes on from its own.
    assert all(written == read for written, read in products)
    assert f"{STEPS // chains};" in loop


def test_steps_that_chains_cannot_share():
    with pytest.raises(ValueError, match="multiple of 3 chains, got 64"):
        chains_kernel(3, 64)


def test_probes_of_divergence():
    probes = list(divergence(2, STEPS))
    branches, apart, predicated = (each.kernel.ptx for each in probes[:3])
    assert "selp.f32" not in branches
    assert apart.count("bra ") == branches.count("bra ") == predicated.count("bra ") + 2
    assert predicated.count("selp.f32") == 1
    # Whatever a warp does, all threads of one probe make equally many products.
    by_name = {each.name: each for each in probes}
    for name, probe in by_name.items():
        twin = by_name[name.replace("warps alike", "lanes part")]
        assert probe.work == twin.work
        assert probe.shape == twin.shape
    works = [each.work for each in probes if each.name.startswith("32 and 32")]
    assert [works[2] / works[0], works[4] / works[0]] == [2.0, 4.0]


@NO_PTXAS
def test_probes_of_occupancy_hold_fewer_and_fewer_blocks():
    # Loops that are unrolled whole do one chain after the other.
    probes = list(occupancy(2, 8192))
    for group in ("shared memory", "registers"):
        found = [each.kernel.resources for each in probes if each.group == group]
        blocks = [each.blocks_per_multiprocessor or 0 for each in found]
        assert blocks == sorted(blocks, reverse=True)
        assert blocks[0] > blocks[-1] > 0
        assert found[-1].occupancy is not None
        assert group in found[-1].occupancy.limiting
        assert {each.spill_bytes for each in found} == {0}
    found = [each.kernel.resources for each in probes if each.group == "spills"]
    registers, blocks, spills = zip(
        *((e.registers, e.blocks_per_multiprocessor, e.spill_bytes) for e in found),
        strict=True,
    )
    assert list(registers) == sorted(registers, reverse=True)
    assert list(blocks) == sorted(blocks)
    assert spills[0] == 0
    assert spills[-1] > spills[0]
    assert blocks[-1] > blocks[0]


def test_probes_of_parallelism_make_the_same_products():
    probes = list(parallelism(2, STEPS))
    groups = {each.group for each in probes}
    for group in groups:
        assert len({each.work for each in probes if each.group == group}) == 1
    assert len(groups) == 2


@NO_PTXAS
def test_probes_take_turns():
    kernels = [croq.compile(chains_kernel(n, 8, 32)) for n in (1, 2)]
    probes = [
        Probe("chains", f"{n}", kernel, (33,), 1e6)
        for n, kernel in enumerate(kernels, 1)
    ]
    backend = Fake()
    first, second = measure(probes, backend, rounds=3, repeat=1)
    # Rounds: 1 2, then 2 1, then 1 2; a launch takes its number in microseconds.
    assert (first.least, first.median, first.most) == (1.0, 4.0, 5.0)
    assert (second.least, second.median, second.most) == (2.0, 3.0, 6.0)
    assert first.rate == 1e6 / 4 / 1e3
    text = tables([first, second])
    assert "| chains | us | to the first |" in text
    assert "| 2 | 3.0 [2.0-6.0] | 0.75 |" in text


@NO_PTXAS
def test_wrong_results_and_no_times_are_no_measurement():
    probe = Probe("g", "p", croq.compile(chains_kernel(1, 8, 32)), (33,), 1.0)
    with pytest.raises(RuntimeError, match="g, p: the result is wrong"):
        measure([probe], Fake(right=False), 1, 1)
    with pytest.raises(RuntimeError, match="has no times"):
        measure([probe], Fake(timed=False), 1, 1)


@pytest.mark.skipif(bool(croq.runtime.available()), reason="there is a device")
def test_nothing_is_measured_without_a_device(capsys: pytest.CaptureFixture[str]):
    assert main([]) == 0
    assert capsys.readouterr().out.startswith("skipped: ")
