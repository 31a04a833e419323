"""Products by mma.sync on a device, compiled for sm_80, and where wgmma is not used."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pipeline.warp_products import Product
from support.tensors import operand, output, product, relative_error

import croqtile_mlir as croq

SIZES = (1, 63, 64, 65, 127, 128, 129, 200, 1000)
SCHEDULES = (
    "",
    "pipeline-loop{stages=2}",
    "pipeline-loop{stages=3}",
    "pipeline-loop{stages=4 loads=events}",
    "persist{blocks=20 order=grouped},pipeline-loop{stages=4}",
    "bind-params{BM=128 BN=128 BK=32},warp-specialize{stages=3 consumers=2}",
)


def shapes() -> list[tuple[int, int, int]]:
    """M, N, K: every size in every place, K around the number of stages."""
    count = len(SIZES)
    ragged = [
        (SIZES[i], SIZES[(2 * i + 1) % count], SIZES[(4 * i + 2) % count])
        for i in range(count)
    ]
    return ragged + [(130, 70, k) for k in (0, 8, 32, 64, 96, 128, 160, 192, 2112)]


def wrong(torch: Any, kernel: croq.Kernel, m: int, n: int, k: int, unit: int) -> str:
    """What is wrong with one product in f16, or nothing."""
    scale = max(k, 1) ** -0.25
    lhs, rhs = (operand(torch, rows, k, scale, unit) for rows in (m, n))
    out = output(torch, m, n, unit)
    kernel(lhs, rhs, out.view)
    error = relative_error(torch, out.view, product(torch, lhs, rhs))
    if not error <= 1e-3:
        return f"{m}x{n}x{k}: relative error {error}"
    return "" if out.guards_untouched() else f"{m}x{n}x{k}: wrote outside of the output"


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_fifo(torch: Any, examples: Path, target: str):
    """Any pitch: 16, 8, 4 bytes at a time, and single elements."""
    kernel = croq.compile(examples / "matmul_ampere.mlir", target=target)
    found = [
        wrong(torch, kernel, m, n, k, unit)
        for m, n, k in shapes()
        for unit in (8, 2, 1)
    ]
    assert [each for each in found if each] == []


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_one_source(torch: Any, examples: Path, schedule: str):
    """The plain kernel, compiled for sm_80, whatever schedules it."""
    kernel = croq.compile(
        examples / "matmul.mlir",
        target="sm_80",
        params={} if "bind-params" in schedule else {"BM": 128, "BN": 128, "BK": 32},
        schedule=schedule,
    )
    multiples = [(m, -(-n // 8) * 8, -(-k // 8) * 8) for m, n, k in shapes()]
    found = [wrong(torch, kernel, *shape, 8) for shape in multiples]
    assert [each for each in found if each] == []


@pytest.mark.parametrize("name", ["matmul_1p1c_cp_async", "matmul_1p1c_threads"])
def test_roles(torch: Any, examples: Path, name: str):
    kernel = croq.compile(examples / f"{name}.mlir", target="sm_80")
    found = [wrong(torch, kernel, m, n, k, 1) for m, n, k in shapes()]
    assert [each for each in found if each] == []


PRODUCTS = [
    Product(),
    Product(acc="f16", out="f16"),
    Product(operand="bf16", out="bf16"),
    Product(operand="f32", out="f32"),
    Product(operand="i8", acc="i32", out="i32", start="0", depth=64),
    Product(rows=32, cols=64, form="col.col"),
    Product(rows=32, cols=64, form="row.col", operand="bf16", out="f32"),
    Product(rows=96, cols=24, threads=96, start="-1.5"),
    Product(direct=True),
    Product(direct=True, operand="bf16", out="f32"),
]


@pytest.mark.parametrize("schedule", ["", "pipeline-loop{stages=3 loads=groups}"])
@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
@pytest.mark.parametrize(
    "product",
    PRODUCTS,
    ids=lambda p: f"{p.operand}-{p.acc}-{p.form}-{p.out}-{p.rows}",
)
@pytest.mark.usefixtures("torch")
def test_types(product: Product, target: str, schedule: str):
    """As the simulator has it; a warpgroup multiplies 64 rows, or all warps do."""
    if target == "sm_90a" and product.operand in ("f16", "bf16"):
        pytest.skip("those are made by wgmma there")
    kernel = croq.compile(replace(product, target=target).text, schedule=schedule)
    for shape in ((70, 37, 99), (64, 64, 64), (1, 1, 1), (200, 136, 0), (129, 96, 515)):
        arrays, check = product.data(shape, slack=8)
        kernel(*arrays)
        check()
