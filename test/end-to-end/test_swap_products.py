"""Products whose buffers take turns, on a device, beside float64."""

from __future__ import annotations

from typing import Any

import pytest
from support.swap_kernels import SwapProduct

import croqtile_mlir as croq

KERNELS = [
    SwapProduct("i32", 2, asynchronous=False),
    SwapProduct("f32", 2, asynchronous=False),
    SwapProduct("f16", 3),
    SwapProduct("i32", 3, engine="cp_async"),
    SwapProduct("f32", 2, multiple=4),
    SwapProduct("f16", 4, multiple=8),
]
PIPELINED = [
    SwapProduct("f32", 1),
    SwapProduct("f16", 1, multiple=8),
    SwapProduct("i32", 1, engine="cp_async"),
]
SHAPES = (
    (1, 1, 1),
    (17, 33, 5),
    (100, 77, 50),
    (129, 255, 16 * 7 + 3),
    (512, 384, 520),
)


def check(torch: Any, kernel: Any, product: SwapProduct) -> None:
    unit = product.multiple or 1
    kind = {"i32": "int32", "f32": "float32", "f16": "float16"}[product.element]
    for shape in SHAPES:
        m, n, k = (-(-extent // unit) * unit for extent in shape)
        for _ in range(3):
            draw = [torch.randn(s, device="cuda") for s in ((m, k), (k, n))]
            if product.element == "i32":
                # Sums are exact in float64.
                draw = [1000 * each for each in draw]
            lhs, rhs = (each.to(getattr(torch, kind)) for each in draw)
            out = kernel(lhs, rhs).double()
            exact = lhs.double() @ rhs.double()
            if product.element == "i32":
                assert torch.equal(out, exact), (m, n, k)
                continue
            error = (out - exact).norm() / exact.norm()
            limit = 1e-3 if product.element == "f16" else 1e-5
            assert float(error) <= limit, (m, n, k)


@pytest.mark.parametrize("product", KERNELS, ids=str)
def test_products(torch: Any, product: SwapProduct):
    check(torch, croq.compile(product.text), product)


@pytest.mark.parametrize("stages", [2, 3, 4])
@pytest.mark.parametrize("product", PIPELINED, ids=str)
def test_pipelined(torch: Any, product: SwapProduct, stages: int):
    passes = f"pipeline-loop{{stages={stages}}}"
    check(torch, croq.compile(product.text, schedule=passes), product)
