"""Attention, layer norm and split K on a device, as written and scheduled."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pipeline.test_written_examples import ATTENTION, SPLIT_K

import croqtile_mlir as croq

EXAMPLES = Path(__file__).parents[2] / "examples"


@cache
def compiled(name: str, schedule: str) -> croq.Kernel:
    return croq.compile(EXAMPLES / f"{name}.mlir", schedule=schedule)


def error(found: Any, wanted: Any) -> float:
    """The norm of the difference in that of what is wanted."""
    return ((found.double() - wanted).norm() / wanted.norm()).item()


SIZES = [(1, 1, 1), (2, 70, 64), (3, 64, 190), (8, 1000, 777), (5, 129, 4097)]


@pytest.mark.parametrize("schedule", ATTENTION.values(), ids=ATTENTION)
def test_attention(torch: Any, schedule: str):
    kernel = compiled("attention", schedule)
    for heads, m, n in SIZES:
        q, k, v = (
            torch.randn(heads, rows, 64, device="cuda").half() for rows in (m, n, n)
        )
        out = torch.full_like(q, float("nan"))
        kernel(0.5, q, k, v, out)
        scores = 0.5 * q.double() @ k.double().mT
        assert error(out, scores.softmax(2) @ v.double()) < 1e-3


@pytest.mark.parametrize(("m", "n"), [(1, 1), (3, 33), (1000, 777), (500, 5000)])
def test_layer_norm(torch: Any, m: int, n: int):
    # Far from zero: squares would lose the digits of the variance.
    x = (torch.randn(m, n, device="cuda") + 30).half()
    weight, bias = (torch.randn(n, device="cuda").half() for _ in range(2))
    out = torch.full_like(x, float("nan"))
    mean, rstd = (torch.full((m,), float("nan"), device="cuda") for _ in range(2))
    compiled("layer_norm", "")(x, weight, bias, out, mean, rstd)
    wide = x.double()
    scale = (wide.var(1, unbiased=False) + 1e-5).rsqrt()
    centred = wide - wide.mean(1, keepdim=True)
    assert error(out, centred * scale[:, None] * weight + bias) < 1e-3
    assert error(mean, wide.mean(1)) < 1e-6
    assert error(rstd, scale) < 1e-4


@pytest.mark.parametrize("schedule", SPLIT_K.values(), ids=SPLIT_K)
def test_split_k(torch: Any, schedule: str):
    """No steps, fewer steps than parts, and parts of different lengths."""
    kernel = compiled("matmul_split_k", schedule)
    for m, n, k in ((17, 66, 0), (17, 66, 64), (130, 200, 136), (500, 300, 8200)):
        a, b = (torch.randn(rows, k, device="cuda").half() for rows in (m, n))
        out = torch.randn(m, n, device="cuda")
        wanted = out.double() + a.double() @ b.double().T
        kernel(a, b, out)
        assert error(out, wanted) < 1e-5
