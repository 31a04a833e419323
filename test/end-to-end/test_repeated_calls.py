"""Calls like earlier ones: right results at other addresses, and the same refusals."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from support.tensors import operand, product, relative_error

import croqtile_mlir as croq


def test_other_addresses(torch: Any, examples: Path):
    """Slices of one buffer, so that no address comes twice; then the same again."""
    kernel = croq.compile(examples / "matmul_1p1c.mlir")
    count, m, n, k = 40, 130, 72, 200
    lhs = torch.randn(count, m, k, device="cuda").to(torch.float16)
    rhs = torch.randn(count, n, k, device="cuda").to(torch.float16)
    wanted = lhs.double() @ rhs.double().transpose(1, 2)
    for _ in range(2):
        out = torch.full((count, m, n), float("nan"), device="cuda").to(torch.float16)
        for number in range(count):
            kernel(lhs[number], rhs[number], out[number])
        assert relative_error(torch, out, wanted) < 1e-3


def test_shapes_take_turns(torch: Any, examples: Path):
    kernel = croq.compile(examples / "matmul_1p1c.mlir")
    lhs, rhs = operand(torch, 300, 256, 1.0), operand(torch, 200, 256, 1.0)
    for _ in range(3):
        for m, n, k in ((300, 200, 256), (65, 200, 64), (300, 8, 72)):
            a, b = lhs[:m, :k], rhs[:n, :k]
            out = torch.full((m, n), float("nan"), device="cuda").to(torch.float16)
            kernel(a, b, out)
            assert relative_error(torch, out, product(torch, a, b)) < 1e-3


def test_returned_tiles_are_new(torch: Any, examples: Path):
    kernel = croq.compile(examples / "matmul_returned.mlir")
    lhs, rhs = operand(torch, 130, 200, 1.0), operand(torch, 77, 200, 1.0)
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    results = [kernel(lhs, rhs) for _ in range(4)]
    results += [kernel(lhs, rhs, stream=stream) for _ in range(4)]
    torch.cuda.synchronize()
    assert len({result.data_ptr() for result in results}) == 8
    for result in results:
        assert relative_error(torch, result, product(torch, lhs, rhs)) < 1e-3


def test_refusals_after_good_calls(torch: Any, examples: Path):
    kernel = croq.compile(examples / "matmul_1p1c.mlir")
    wide = operand(torch, 131, 208, 1.0)
    lhs, rhs = wide[:130, :200], operand(torch, 72, 200, 1.0)
    out = torch.empty(130, 72, dtype=torch.float16, device="cuda")
    for _ in range(3):
        kernel(lhs, rhs, out)
    cases = [
        (wide[:130, 1:201], rhs, out, "'lhs': address must be a multiple of 16 bytes"),
        (lhs, rhs.cpu(), out, "'rhs' must be on a CUDA device"),
        (lhs, rhs, out.float(), "'out': element type must be f16"),
        (lhs, rhs, out.new_empty(72, 130).T, "'out': the last dim must have stride 1"),
    ]
    for *args, message in cases:
        with pytest.raises(croq.ArgumentError, match=message):
            kernel(*args)
    kernel(lhs, rhs, out)
    assert relative_error(torch, out, product(torch, lhs, rhs)) < 1e-3


def test_threads_on_their_own_streams(torch: Any, examples: Path):
    """New threads have no current context before torch gives them one."""
    kernel = croq.compile(examples / "add.mlir")
    size = 96
    a, b = (torch.randn(8, size, size, device="cuda") for _ in range(2))
    c = torch.zeros(8, size, size, device="cuda")
    kernel(a[0], b[0], c[0])
    torch.cuda.synchronize()
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            stream = torch.cuda.Stream()
            for _ in range(50):
                kernel(a[number], b[number], c[number], stream=stream)
            stream.synchronize()
        except BaseException as error:
            failures.append(error)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures
    assert torch.equal(a + b, c)


def test_graphs_of_known_calls(torch: Any, examples: Path):
    """Captured at addresses that no call had before."""
    kernel = croq.compile(examples / "matmul_1p1c.mlir")
    lhs, rhs = operand(torch, 128, 256, 1.0), operand(torch, 128, 256, 1.0)
    kernel(lhs, rhs, torch.empty(128, 128, dtype=torch.float16, device="cuda"))
    out = torch.empty(3, 128, 128, dtype=torch.float16, device="cuda")
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for each in out:
            kernel(lhs, rhs, each)
    for _ in range(2):
        lhs.normal_()
        out.fill_(float("nan"))
        graph.replay()
        torch.cuda.synchronize()
        for each in out:
            assert relative_error(torch, each, product(torch, lhs, rhs)) < 1e-3


def test_tensors_that_change_in_place(torch: Any, examples: Path):
    """Pointed elsewhere, resized, negated: each call gets what is true then."""
    kernel = croq.compile(examples / "add.mlir")
    a, b, other = (torch.randn(96, 96, device="cuda") for _ in range(3))
    c = torch.zeros_like(a)
    for _ in range(2):
        kernel(a, b, c)
        kernel(other, b, c)
    changing = a.clone()
    kernel(changing, b, c)
    for source in (other, a, torch.randn_like(a)):
        changing.set_(source)
        for _ in range(2):
            c.fill_(float("nan"))
            kernel(changing, b, c)
            assert torch.equal(c, source + b)
    changing.resize_(64, 96)
    with pytest.raises(croq.ArgumentError):
        kernel(changing, b, c)
    changing.resize_(96, 96)
    changing.data = torch._neg_view(a.clone())
    for _ in range(2):
        with pytest.raises(croq.ArgumentError, match="negates"):
            kernel(changing, b, c)
    given_up = a.clone()
    given_up.untyped_storage().resize_(0)
    for _ in range(2):
        with pytest.raises(croq.ArgumentError, match="storage was given up"):
            kernel(given_up, b, c)


def test_a_tensor_given_twice(torch: Any, examples: Path):
    kernel = croq.compile(examples / "add.mlir")
    a, b = (torch.randn(96, 96, device="cuda") for _ in range(2))
    c = torch.zeros_like(a)
    for _ in range(3):
        for lhs, rhs in ((a, b), (a, a), (b, b), (b, a)):
            c.fill_(float("nan"))
            kernel(lhs, rhs, c)
            assert torch.equal(c, lhs + rhs)


def test_products_again(torch: Any):
    """In turn: plain, transposed, with a new result, misaligned, at new addresses."""
    wide = operand(torch, 140, 136, 1.0)
    rhs = operand(torch, 72, 128, 1.0)
    out = torch.empty(6, 128, 72, dtype=torch.float16, device="cuda")
    for number in range(12):
        out.fill_(float("nan"))
        start, step = number % 6, number % 2
        lhs = wide[start : start + 128, step : step + 128]
        wanted = product(torch, lhs, rhs)
        croq.matmul(lhs, rhs.T, out[start])
        assert relative_error(torch, out[start], wanted) < 1e-3
        assert relative_error(torch, croq.matmul(lhs, rhs.T), wanted) < 1e-3
        turned = torch.full_like(out[0].T.contiguous(), float("nan")).T
        croq.matmul(lhs, rhs.T, turned)
        assert relative_error(torch, turned, wanted) < 1e-3
    with pytest.raises(croq.ArgumentError):
        croq.matmul(rhs[:, :72], rhs[:, :72], rhs[:, :72])
