"""Kernels that differ from the examples, on a device, beside float64."""

from __future__ import annotations

from typing import Any

import pytest
from support.kernels import VARIANTS, Product
from support.tensors import operand, output, product, relative_error

import croqtile_mlir as croq

SHAPES = ((1, 1, 8), (200, 136, 200), (257, 300, 64 * 7), (512, 520, 1000))


@pytest.mark.parametrize("name", VARIANTS)
def test_variants(torch: Any, name: str):
    variant: Product = VARIANTS[name]
    kernel = croq.compile(variant.text())
    limit = {"bf16": 8e-3}.get(variant.dtype, 2e-2 if variant.acc == "f16" else 1e-3)
    dtype = {"bf16": "bfloat16"}.get(variant.dtype, "float16")
    for m, n, k in SHAPES:
        lhs, rhs = (operand(torch, rows, k, k**-0.25, dtype=dtype) for rows in (m, n))
        out = output(torch, m, n, dtype=dtype)
        kernel(lhs, rhs, out.view)
        error = relative_error(torch, out.view, product(torch, lhs, rhs))
        assert error <= limit, (m, n, k)
        assert out.guards_untouched(), (m, n, k)
