"""Arrays of cupy: calls like earlier ones, on its streams, with results of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import croqtile_mlir as croq


def random(cupy: Any, *shape: int) -> Any:
    return cupy.random.standard_normal(shape, dtype=cupy.float32).astype(cupy.float16)


def is_product(cupy: Any, out: Any, a: Any, b: Any) -> bool:
    """Whether out is a @ b, of f64."""
    wanted = a.astype(cupy.float64) @ b.astype(cupy.float64)
    error = cupy.linalg.norm(out.astype(cupy.float64) - wanted)
    return float(error / cupy.linalg.norm(wanted)) < 1e-3


def test_other_addresses_and_shapes(cupy: Any, examples: Path):
    kernel = croq.compile(examples / "matmul_1p1c.mlir")
    lhs, rhs = random(cupy, 6, 130, 256), random(cupy, 6, 72, 256)
    for _ in range(3):
        for m, k in ((130, 200), (65, 64), (130, 256)):
            out = cupy.full((6, m, 72), cupy.nan, cupy.float16)
            for number in range(6):
                a, b = lhs[number, :m, :k], rhs[number, :, :k]
                kernel(a, b, out[number])
                kernel(a, b, out[number])
                assert is_product(cupy, out[number], a, b.T)


def test_what_changes_in_place(cupy: Any, examples: Path):
    kernel = croq.compile(examples / "add.mlir")
    a, b = (cupy.random.standard_normal((64, 48), dtype=cupy.float32) for _ in "ab")
    out = cupy.zeros((64, 48), cupy.float32)
    for _ in range(3):
        kernel(a, b, out)
    for each in (a, b, out):
        each.shape = (48, 64)
    out.fill(cupy.nan)
    kernel(a, b, out)
    assert bool((out == a + b).all())
    out.shape = (64, 48)
    with pytest.raises(croq.ArgumentError, match="M"):
        kernel(a, b, out)


def test_current_and_given_streams(cupy: Any, examples: Path):
    """A kernel comes after what its stream did before it, which takes long."""
    kernel = croq.compile(examples / "add.mlir")
    size = 4096
    a, b = (cupy.random.standard_normal((size, size), dtype=cupy.float32) for _ in "ab")
    out, total = cupy.zeros_like(a), cupy.zeros_like(a)
    kernel(a, b, out)
    cupy.cuda.Device().synchronize()
    for given in (False, True, False, True):
        stream = cupy.cuda.Stream(non_blocking=True)
        total.fill(0)
        cupy.cuda.Device().synchronize()
        with stream:
            for _ in range(20):
                total += a
            if not given:
                kernel(total, b, out)
        if given:
            kernel(total, b, out, stream=stream)
        stream.synchronize()
        assert bool((out == total + b).all())


def test_results_are_new(cupy: Any, examples: Path):
    kernel = croq.compile(examples / "matmul_returned.mlir")
    lhs, rhs = random(cupy, 130, 200), random(cupy, 77, 200)
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.Device().synchronize()
    results = [kernel(lhs, rhs) for _ in range(4)]
    results += [kernel(lhs, rhs, stream=stream) for _ in range(4)]
    cupy.cuda.Device().synchronize()
    assert len({result.data.ptr for result in results}) == 8
    for result in results:
        assert isinstance(result, cupy.ndarray)
        assert is_product(cupy, result, lhs, rhs.T)


def test_products(cupy: Any):
    weights = random(cupy, 3, 88, 200)
    inputs = random(cupy, 4, 130, 200)
    out = cupy.empty((130, 88), cupy.float16)
    for _ in range(3):
        for a in inputs:
            for w in weights:
                assert is_product(cupy, croq.matmul(a, w.T), a, w.T)
                out.fill(cupy.nan)
                croq.matmul(a, w.T, out)
                assert is_product(cupy, out, a, w.T)
                swapped = cupy.empty((88, 130), cupy.float16).T
                croq.matmul(a, w.T, swapped)
                assert is_product(cupy, swapped, a, w.T)


def test_arrays_of_two_libraries(torch: Any, cupy: Any, examples: Path):
    kernel = croq.compile(examples / "add.mlir")
    a = torch.randn(70, 50, device="cuda")
    b = cupy.random.standard_normal((70, 50), dtype=cupy.float32)
    out = torch.full((70, 50), float("nan"), device="cuda")
    cupy.cuda.Device().synchronize()
    for _ in range(3):
        kernel(a, b, out)
        assert torch.equal(out, a + torch.as_tensor(b, device="cuda"))
