"""Every kernel of `examples/croqtile`, and the second seed kernel, on a device."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from support.croqtile_sources import KERNELS, Launch, Size, check, source

import croqtile_mlir as croq

SLACK = 5.0
"""Tensor cores cut sums off instead of rounding them; 4.4 times was seen on an H200."""


def to_device(torch: Any, value: NDArray[Any] | float) -> Any:
    """An array as a tensor; a number stays one."""
    if isinstance(value, int | float):
        return value
    if value.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(value.view(np.int16)).cuda().view(torch.bfloat16)
    return torch.from_numpy(np.ascontiguousarray(value)).cuda()


def to_host(torch: Any, value: Any) -> Any:
    """What a launch left in a tensor."""
    if not isinstance(value, torch.Tensor):
        return value
    if value.dtype == torch.bfloat16:
        return value.float().cpu().numpy()
    return value.cpu().numpy()


def run(torch: Any, kernel: Any, launch: Launch) -> None:
    args = [to_device(torch, each) for each in launch.args]
    returned = kernel(*args)
    found = tuple(to_host(torch, each) for each in args)
    slack = Launch(launch.args, launch.results, SLACK * launch.tolerance)
    check(slack, to_host(torch, returned), found)


@pytest.mark.parametrize("name", KERNELS)
def test_sources(torch: Any, name: str):
    described = KERNELS[name]
    kernel = croq.compile(source(name), defines=described.defines)
    sizes = (*described.sizes, *described.large)
    for number, size in enumerate(sizes):
        if 0 not in size:
            run(torch, kernel, described.launch(np.random.default_rng(number), size))


SEEDS: tuple[dict[str, int], ...] = (
    {"WARP_M": 64, "WARP_N": 64, "TILE_K": 64, "WARP_K": 16, "STAGES": 3},
    {"WARP_M": 64, "WARP_N": 128, "TILE_K": 64, "WARP_K": 16, "STAGES": 4},
    {"WARP_M": 128, "WARP_N": 64, "TILE_K": 128, "WARP_K": 16, "STAGES": 2},
    {"WARP_M": 128, "WARP_N": 128, "TILE_K": 32, "WARP_K": 32, "STAGES": 1},
)

SIZES: tuple[Size, ...] = (
    *((128, 128, k) for k in (1, 8, 63, 64, 65, 128, 192, 256, 320, 1000, 4096)),
    *((m, n, 200) for m in (1, 63, 64, 65, 500) for n in (1, 8, 100, 129)),
    (4096, 4096, 4096),
    (3000, 5000, 2000),
)


@pytest.mark.parametrize("values", SEEDS, ids=lambda v: "-".join(map(str, v.values())))
def test_the_second_seed_kernel(torch: Any, values: dict[str, int]):
    defines = {f"MATMUL_{name}": value for name, value in values.items()}
    kernel = croq.compile(source("matmul_events"), defines=defines)
    for m, n, k in SIZES:
        lhs = torch.randn(m, k, device="cuda").half()
        rhs = torch.randn(n, k, device="cuda").half()
        found = torch.full((m, n), 77.0, device="cuda").half()
        kernel(lhs, rhs, found)
        expected = lhs.double() @ rhs.double().T
        # Sums are kept in f16.
        bound = SLACK * 2.0**-10 * (1 + k / 8) * (1 + expected.abs())
        assert ((found.double() - expected).abs() <= bound).all(), (m, n, k)


def test_the_first_seed_kernel(torch: Any, examples: Path):
    """Of its one legal shape."""
    m, n, k = 128, 256, 256
    seed = examples / "seeds/matmul_swap.co"
    kernel = croq.compile(seed, defines={"M": m, "N": n, "K": k})
    for _ in range(20):
        lhs = torch.randint(-99, 99, (m, k), dtype=torch.int32, device="cuda")
        rhs = torch.randint(-99, 99, (k, n), dtype=torch.int32, device="cuda")
        expected = (lhs.double() @ rhs.double()).to(torch.int32)
        assert torch.equal(kernel(lhs, rhs), expected)


ASSERTED = """
import sys
import torch
import croqtile_mlir as croq

kernel = croq.compile('''
__co__ void asserted(s32 [N] x, s32 [N] y) {
  parallel b by 4 : block, t by 32 : thread
    foreach {i} in [cdiv(N, 128)] {
      at = i * 128 + b * 32 + t;
      if (at < N) {
        assert(x.at(at) != 7, "no sevens");
        y.at(at) = x.at(at) + 1;
      }
    }
}
''')
x = torch.arange(1000, 1500, device="cuda", dtype=torch.int32)
y = torch.zeros_like(x)
kernel(x, y)
torch.cuda.synchronize()
assert (y == x + 1).all()
print("held", flush=True)
x[321] = 7
kernel(x, y)
torch.cuda.synchronize()
print("not reached")
"""


def test_assertion_that_does_not_hold(torch: Any):
    """A trap ends the context: in a process of its own."""
    del torch
    done = subprocess.run(
        [sys.executable, "-c", ASSERTED],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode != 0
    assert done.stdout.split() == ["held"], done.stderr
