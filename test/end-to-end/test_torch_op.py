"""Kernels as operators of torch, on a device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import croqtile_mlir as croq


@pytest.fixture(scope="module")
def product(torch: Any, examples: Path) -> Any:
    """`lhs @ rhs.T`, with a new result."""
    kernel = croq.compile(examples / "matmul_returned.mlir")
    return croq.torch.custom_op(kernel, "croqtile_device::product")


def operands(torch: Any, m: int, n: int, k: int) -> tuple[Any, ...]:
    shapes = (m, k), (n, k)
    return tuple(torch.randn(s, device="cuda", dtype=torch.float16) for s in shapes)


def right(torch: Any, made: Any, a: Any, b: Any) -> bool:
    expected = a.double() @ b.double().T
    return bool((made - expected).norm() < 1e-3 * expected.norm())


@pytest.mark.parametrize("shape", [(200, 136, 200), (300, 45, 72), (1, 1, 8)])
def test_products(torch: Any, product: Any, shape: tuple[int, int, int]):
    a, b = operands(torch, *shape)
    assert right(torch, product(a, b), a, b)


def test_torch_finds_nothing_wrong_with_it(torch: Any, product: Any):
    torch.library.opcheck(product, operands(torch, 130, 45, 72))


@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_functions(torch: Any, product: Any, mode: str, dynamic: bool):
    def function(a: Any, b: Any) -> Any:
        return torch.relu(product(a * 2, b)) + 1

    compiled = torch.compile(function, mode=mode, dynamic=dynamic)
    for n in (136, 45, 136, 64):
        a, b = operands(torch, 200, n, 72)
        # The first calls compile and record.
        made = [compiled(a, b).clone() for _ in range(3)][-1]
        expected = torch.relu(product(a * 2, b)) + 1
        assert torch.allclose(made, expected, rtol=1e-3, atol=1e-3)


def test_capture_in_a_graph(torch: Any, product: Any):
    a, b = operands(torch, 200, 136, 200)
    product(a, b)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        made = product(a, b)
    a.normal_()
    graph.replay()
    assert right(torch, made, a, b)


def test_what_is_stored_to(torch: Any, examples: Path):
    add = croq.torch.custom_op(croq.compile(examples / "add.mlir"))
    a, b = torch.randn((2, 1000, 77), device="cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        c = torch.empty_like(a)
        add(a, b, c)
    stream.synchronize()
    assert torch.equal(c, a + b)
