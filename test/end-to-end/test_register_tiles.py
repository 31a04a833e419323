"""Tiles of registers, ops on tiles of inner levels, and sums of columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulator.test_register_tiles import random, summed
from support.acc_columns import column_sums
from support.register_kernels import (
    OPS,
    running_sums,
    vector_rows,
    warp_rows,
    warpgroup_rows,
)

import croqtile_mlir as croq


@pytest.mark.parametrize(
    ("m", "n", "k"), [(1, 1, 1), (128, 128, 8), (150, 141, 20), (1024, 1024, 1024)]
)
def test_matmul_registers(torch: Any, examples: Path, m: int, n: int, k: int):
    lhs = torch.randn(m, k, device="cuda")
    rhs = torch.randn(k, n, device="cuda")
    out = torch.randn(m, n, device="cuda")
    croq.compile(examples / "matmul_registers.mlir")(lhs, rhs, out)
    expected = lhs.double() @ rhs.double()
    assert torch.allclose(out.double(), expected, atol=1e-3)


@pytest.mark.parametrize("dtype", ["f32", "i32", "i64", "f16"])
@pytest.mark.parametrize("dynamic", [False, True], ids=["registers", "local"])
def test_sums(torch: Any, dynamic: bool, dtype: str):
    x, y = random(dtype, 5, 4001, 8), random(dtype, 4001, 8)
    found = torch.from_numpy(y).cuda()
    croq.compile(running_sums(dtype, dynamic=dynamic))(
        torch.from_numpy(x).cuda(), found
    )
    np.testing.assert_array_equal(found.cpu().numpy(), summed(x))


@pytest.mark.parametrize("m", [1, 64, 4003])
def test_ops_of_threads(torch: Any, m: int):
    x = torch.randn(m, 5, device="cuda")
    new, y = x.clone(), torch.randn(5, m, device="cuda")
    z = torch.randn(m, device="cuda")
    croq.compile(OPS)(new, y, z)
    assert torch.equal(y, (x + 1.5 + 1.5 + 1.5).T)
    assert torch.equal(z, x.amax(1))


@pytest.mark.parametrize("m", [1, 16, 4003])
def test_ops_of_warps(torch: Any, m: int):
    x, y = torch.randn(2, m, 44, device="cuda")
    z = torch.randn(m, device="cuda")
    croq.compile(warp_rows())(x, y, z)
    number = torch.arange(m, device="cuda") % 16 // 4
    added = x + number[:, None]
    assert torch.allclose(z.double(), added.double().sum(1), atol=1e-4)
    assert torch.equal(y, added - z[:, None])


@pytest.mark.parametrize("in_role", [False, True], ids=["block", "role"])
@pytest.mark.parametrize(("rows", "cols"), [(2, 100), (3, 40)])
def test_ops_of_warpgroups(torch: Any, rows: int, cols: int, in_role: bool):
    """Two warpgroups, each with a barrier of its own, 1000 blocks."""
    m = 4000 * rows
    x = torch.rand(m, cols, device="cuda") + 0.5
    y, c = torch.randn(2, m, cols, device="cuda")
    z = torch.randn(m, device="cuda")
    croq.compile(warpgroup_rows(rows, cols, in_role=in_role))(x, y, z, c)
    expected = x / (x.amax(1, keepdim=True) + 1)
    assert torch.equal(y, expected)
    assert torch.allclose(z, expected.sum(1), rtol=1e-5)
    sums = expected.reshape(-1, rows, cols).sum(1)
    assert torch.allclose(c[: len(sums)], sums, rtol=1e-5)


@pytest.mark.parametrize(
    ("rows", "cols", "threads", "by_warps"),
    [
        *((64, 128, 128, False), (128, 256, 256, False), (256, 64, 256, False)),
        *((64, 64, 128, True), (16, 128, 64, True)),
    ],
)
def test_column_sums(torch: Any, rows: int, cols: int, threads: int, by_warps: bool):
    """A hundred products in turn; the columns of each are summed."""
    a = torch.randn(100, rows, 16, device="cuda").half()
    b = torch.randn(100, cols, 16, device="cuda").half()
    c = torch.randn(100, rows, cols, device="cuda")
    sums, most = torch.randn(2, 100, cols, device="cuda")
    text = column_sums(rows, cols, threads=threads, by_warps=by_warps)
    croq.compile(text)(a, b, c, sums, most)
    assert torch.allclose(c, a.float() @ b.float().mT, atol=1e-3)
    assert torch.equal(most, c.amax(1))
    assert torch.allclose(sums.double(), c.double().sum(1), atol=1e-2)


@pytest.mark.parametrize("pitch", [8, 9, 10, 12])
@pytest.mark.parametrize("offset", [0, 1, 2])
def test_wide_accesses(torch: Any, offset: int, pitch: int):
    """Rows of arguments that are aligned to 16, 8 or 4 bytes."""
    x = torch.randn(64 * pitch + offset, device="cuda")[offset:].view(64, pitch)
    y = torch.randn(64 * pitch + offset, device="cuda")[offset:].view(64, pitch)
    before = y.clone()
    croq.compile(vector_rows())(x[:, :8], y[:, :8])
    assert torch.equal(y[:, :8], x[:, :8] + x[:, :8])
    assert torch.equal(y[:, 8:], before[:, 8:])
