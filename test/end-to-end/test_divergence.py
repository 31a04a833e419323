"""Lanes that part: results of branches, and of what is there in their place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gemm_bench.partial_lowering import compile_without
from multiprocessor_kernels import chains_kernel

import croqtile_mlir as croq

SIZES = (1, 31, 255, 256, 100_003)


def check(torch: Any, kernel: croq.Kernel) -> None:
    for size in SIZES:
        source = torch.randn(size, device="cuda")
        result = torch.full_like(source, float("nan"))
        kernel(source, result)
        torch.testing.assert_close(result, source, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("predicated", [False, True], ids=["branches", "predicated"])
@pytest.mark.parametrize("sides", [(1, 1), (4, 7), (8, 3), (40, 40)])
@pytest.mark.parametrize("group", [1, 5, 32, 64])
def test_warp_divergence(
    torch: Any, examples: Path, group: int, sides: tuple[int, int], predicated: bool
):
    params = {"ITERS": 9, "WORK": sides[0], "OTHER": sides[1], "GROUP": group}
    without = () if predicated else ("predicate-branches",)
    path = examples / "warp_divergence.mlir"
    check(torch, compile_without(path, "", without, params))


def test_instruction_parallelism(torch: Any, examples: Path):
    check(torch, croq.compile(examples / "instruction_parallelism.mlir"))


@pytest.mark.parametrize("most", [None, 40, 64])
@pytest.mark.parametrize("chains", [1, 8, 64])
def test_chains(torch: Any, chains: int, most: int | None):
    kernel = croq.compile(chains_kernel(chains, 1024, max_registers=most))
    check(torch, kernel)
    found = kernel.resources
    assert most is None or (found.registers or 0) <= most
    assert found.occupancy is not None
    assert found.occupancy.blocks == found.blocks_per_multiprocessor
