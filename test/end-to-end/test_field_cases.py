"""Cases from the field on a device (docs/field-cases.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import croqtile_mlir as croq


def guarded(torch: Any, rows: int, cols: int) -> tuple[Any, Any]:
    """A matrix of nan in a larger one of ones, and the larger one."""
    around = torch.ones(rows + 8, cols + 64, dtype=torch.float16, device="cuda")
    inside = around[4 : 4 + rows, 32 : 32 + cols]
    inside.fill_(float("nan"))
    return inside, around


def check_product(torch: Any, m: int, n: int, k: int) -> None:
    """A product by the library: right, and nothing written around the result."""
    a = torch.randn(m, k, device="cuda").half()
    b = torch.randn(k, n, device="cuda").half()
    out, around = guarded(torch, m, n)
    croq.matmul(a, b, out)
    wanted = a.double() @ b.double()
    assert float((out.double() - wanted).norm()) <= 1e-3 * float(wanted.norm())
    out.fill_(1)
    assert bool((around == 1).all())


@pytest.mark.parametrize("rows", [1, 3])
def test_f12_few_rows(torch: Any, rows: int):
    check_product(torch, rows, 4096, 4096)


@pytest.mark.parametrize("name", ["matmul_1p1c", "matmul_1p1c_threads"])
def test_f13_nothing_to_sum(torch: Any, examples: Path, name: str):
    kernel = croq.compile(examples / f"{name}.mlir")
    out, around = guarded(torch, 128, 128)
    empty = torch.zeros(128, 0, dtype=torch.float16, device="cuda")
    kernel(empty, empty, out)
    assert not bool(out.any())
    out.fill_(float("nan"))
    croq.matmul(empty, empty.T, out)
    assert not bool(out.any())
    out.fill_(1)
    assert bool((around == 1).all())


@pytest.mark.parametrize("shape", [(127, 129, 65), (1000, 1000, 1000)], ids=str)
def test_f14_no_multiples_of_the_tile(torch: Any, shape: tuple[int, int, int]):
    check_product(torch, *shape)


def test_f15_a_pitch_that_tma_does_not_take(torch: Any):
    check_product(torch, 256, 256, 1733)


def test_f16_a_view_that_starts_one_element_later(torch: Any, examples: Path):
    whole = torch.randn(128, 1024, device="cuda").half()
    b = torch.randn(128, 1016, device="cuda").half()
    view, out = whole[:, 1:1017], torch.zeros_like(whole[:, :128])
    kernel = croq.compile(examples / "matmul_1p1c.mlir")
    with pytest.raises(croq.ArgumentError, match="'lhs': address must be a multiple"):
        kernel(view, b, out)
    croq.matmul(view, b.T, out)
    wanted = view.double() @ b.double().T
    assert float((out.double() - wanted).norm()) <= 1e-3 * float(wanted.norm())


def test_f18_strides(torch: Any, examples: Path):
    kernel = croq.compile(examples / "copy.mlir")
    base = torch.randn(256, 128, device="cuda")
    out = torch.zeros(256, 256, device="cuda")[::2, :64]
    kernel(base[::2, :64], out)
    assert torch.equal(out, base[::2, :64])
    for view in (base.t(), base[:, ::2], base[:1].expand(256, 128)):
        with pytest.raises(croq.ArgumentError, match=r"got strides \(\d+, \d+\) for"):
            kernel(view, torch.zeros(view.shape, device="cuda"))


def test_f19_nothing_to_do(torch: Any, examples: Path):
    kernel = croq.compile(examples / "copy.mlir")
    returned = croq.compile(examples / "matmul_returned.mlir")
    b = torch.zeros(64, 64, dtype=torch.float16, device="cuda")
    for shape in ((0, 64), (64, 0), (0, 0)):
        for _ in range(2):
            nothing = torch.zeros(shape, device="cuda")
            assert kernel(nothing, nothing.clone()) is None
            made = returned(torch.zeros(0, 64, device="cuda").half(), b)
            assert made.shape == (0, 64)
    torch.cuda.synchronize()


LAST_ROW = """
croq.kernel @last_row dims(M) (
    %x: !croq.tile<1x4xbf16, global>, %y: !croq.tile<[M]x4xbf16, global>) {
  croq.parallel (%i) in (1) : block threads 32 {
    %m = croq.dim M
    %one = arith.constant 1 : index
    %last = arith.subi %m, %one : index
    %to = croq.subspan %y [1, 4] tile (%last, 0)
    %row = croq.alloc : !croq.tile<1x4xbf16, shared>
    croq.copy %x => %row
    croq.copy %row => %to
  }
}
"""


def test_f21_more_elements_than_31_bits_count(torch: Any):
    rows = 2**29 + 1
    free, _ = torch.cuda.mem_get_info()
    if free < rows * 8 + 2**30:
        pytest.skip(f"needs {rows * 8 + 2**30} bytes of device memory, got {free}")
    there = torch.zeros(rows, 4, dtype=torch.bfloat16, device="cuda")
    row = torch.randn(1, 4, device="cuda").bfloat16()
    croq.compile(LAST_ROW)(row, there)
    assert torch.equal(there[-1:], row)
    assert not bool(there[:2].any())
    assert int(torch.count_nonzero(there[-(2**20) : -1])) == 0


def test_f30_another_device_than_the_current_one(torch: Any, examples: Path):
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two devices")
    kernel = croq.compile(examples / "copy.mlir")
    there = torch.randn(100, 100, device="cuda:1")
    a, b = (torch.randn(96, 64, device="cuda:1").half() for _ in range(2))
    for _ in range(2):
        target = torch.zeros_like(there)
        kernel(there, target)
        assert torch.equal(there, target)
        made = croq.matmul(a, b.T)
        assert made.device == a.device
        torch.testing.assert_close(made, a @ b.T, rtol=1e-2, atol=1e-2)
        assert torch.cuda.current_device() == 0
    with pytest.raises(croq.ArgumentError, match=r"\(device 1\), got device 0"):
        kernel(there, there.to("cuda:0"))
    with pytest.raises(croq.ArgumentError, match="must all be on one device"):
        croq.matmul(a, b.T, torch.zeros(96, 96, device="cuda:0").half())


@pytest.mark.parametrize("passed", [False, True])
def test_f31_the_stream_in_force(torch: Any, passed: bool):
    """Twice with the same arguments, on other streams; a slow writer comes before."""
    a = torch.zeros(128, 128, dtype=torch.float16, device="cuda")
    b = torch.eye(128, dtype=torch.float16, device="cuda")
    out = torch.zeros_like(a)
    croq.matmul(a, b, out)
    torch.cuda.synchronize()
    for number in (1.0, 2.0, 3.0):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(20_000_000)
            a.fill_(number)
            if not passed:
                croq.matmul(a, b, out)
        if passed:
            croq.matmul(a, b, out, stream=stream)
        with torch.cuda.stream(stream):
            seen = out.clone()
        stream.synchronize()
        assert bool((seen == number).all())
