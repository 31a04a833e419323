"""The matrix product kernels on a device, beside float64."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.tensors import operand, output, product, relative_error

import croqtile_mlir as croq

SIZES = (1, 63, 64, 65, 127, 128, 129, 200, 1000, 4096)
TMA, THREADS = "matmul_1p1c", "matmul_1p1c_threads"
CP_ASYNC = "matmul_1p1c_cp_async"
UNITS = {TMA: 8, THREADS: 1, CP_ASYNC: 1}
"""Elements that rows start at multiples of: TMA needs 16 bytes, the others take any."""


def shapes(stages: int) -> list[tuple[int, int, int]]:
    """M, N, K: every size in every place, K around the number of stages."""
    count = len(SIZES)
    ragged = [
        (SIZES[i], SIZES[(3 * i + 1) % count], SIZES[(7 * i + 2) % count])
        for i in range(count)
    ]
    inner = [8, 16, 64, 64 * stages, 64 * (stages + 1), 64 * 33]
    pairs = [(SIZES[i], SIZES[(9 * i + 4) % count]) for i in range(count)]
    return ragged + [(m, n, k) for m, n in pairs for k in inner]


def run(torch: Any, kernel: Any, m: int, n: int, k: int, unit: int) -> str | None:
    """What is wrong with one product, or None."""
    scale = max(k, 1) ** -0.25
    lhs, rhs = (operand(torch, rows, k, scale, unit) for rows in (m, n))
    out = output(torch, m, n, unit)
    kernel(lhs, rhs, out.view)
    error = relative_error(torch, out.view, product(torch, lhs, rhs))
    if not error <= 1e-3:
        return f"{m}x{n}x{k}: relative error {error}"
    if not out.guards_untouched():
        return f"{m}x{n}x{k}: wrote outside of the output"
    return None


@pytest.mark.parametrize("stages", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("name", [TMA, THREADS, CP_ASYNC])
def test_products(torch: Any, examples: Path, name: str, stages: int):
    kernel = croq.compile(examples / f"{name}.mlir", params={"S": stages})
    found = [run(torch, kernel, m, n, k, UNITS[name]) for m, n, k in shapes(stages)]
    assert [wrong for wrong in found if wrong] == []


@pytest.mark.parametrize("name", [TMA, THREADS, CP_ASYNC])
def test_nothing_to_sum_gives_zeros(torch: Any, examples: Path, name: str):
    kernel = croq.compile(examples / f"{name}.mlir")
    out = output(torch, 130, 100)
    empty = torch.empty(130, 0, dtype=torch.float16, device="cuda")
    kernel(empty, empty[:100], out.view)
    assert bool((out.view == 0).all())
    assert out.guards_untouched()


@pytest.mark.parametrize("name", [TMA, THREADS, CP_ASYNC])
@pytest.mark.parametrize(("m", "n"), [(0, 64), (64, 0), (0, 0)])
def test_empty_results(torch: Any, examples: Path, name: str, m: int, n: int):
    kernel = croq.compile(examples / f"{name}.mlir")
    for _ in range(2):
        lhs, rhs = (operand(torch, rows, 64, 1.0) for rows in (m, n))
        kernel(lhs, rhs, torch.empty(m, n, dtype=torch.float16, device="cuda"))
    torch.cuda.synchronize()


@pytest.mark.parametrize("name", [TMA, THREADS, CP_ASYNC])
def test_launches_are_bit_identical(torch: Any, examples: Path, name: str):
    kernel = croq.compile(examples / f"{name}.mlir", params={"S": 3})
    lhs, rhs = operand(torch, 1000, 1000, 0.2), operand(torch, 520, 1000, 0.2)
    first = output(torch, 1000, 520).view
    kernel(lhs, rhs, first)
    again = output(torch, 1000, 520).view
    for _ in range(200):
        again.fill_(float("nan"))
        kernel(lhs, rhs, again)
        assert torch.equal(first, again)


@pytest.mark.parametrize("name", ["matmul_1p1c_slices", "matmul_1p1c_f16acc"])
@pytest.mark.parametrize(("m", "n", "k"), [(128, 128, 64), (200, 1000, 1000)])
def test_variants(torch: Any, examples: Path, name: str, m: int, n: int, k: int):
    kernel = croq.compile(examples / f"{name}.mlir")
    lhs, rhs = (operand(torch, rows, k, k**-0.25) for rows in (m, n))
    out = output(torch, m, n)
    kernel(lhs, rhs, out.view)
    error = relative_error(torch, out.view, product(torch, lhs, rhs))
    # f16 accumulators round each partial sum.
    assert error <= (2e-2 if "f16acc" in name else 1e-3)
    assert out.guards_untouched()


def test_an_illegal_pitch_names_bytes_and_rule(torch: Any, examples: Path):
    kernel = croq.compile(examples / f"{TMA}.mlir")
    lhs = torch.zeros(64, 1733, dtype=torch.float16, device="cuda")
    out = torch.zeros(64, 64, dtype=torch.float16, device="cuda")
    with pytest.raises(
        croq.ArgumentError,
        match=r"'lhs': pitch of dim 0 must be a multiple of 16 bytes, got 3466 bytes",
    ):
        kernel(lhs, lhs, out)


def test_a_misaligned_view_is_refused(torch: Any, examples: Path):
    kernel = croq.compile(examples / f"{TMA}.mlir")
    wide = torch.zeros(64, 72, dtype=torch.float16, device="cuda")
    out = torch.zeros(64, 64, dtype=torch.float16, device="cuda")
    with pytest.raises(
        croq.ArgumentError, match="'lhs': address must be a multiple of 16 bytes"
    ):
        kernel(wide[:, 1:65], wide[:, :64], out)


@pytest.mark.parametrize("name", [TMA, THREADS, CP_ASYNC])
def test_resources(torch: Any, examples: Path, name: str):
    resources = croq.compile(examples / f"{name}.mlir").resources
    assert resources.source == "driver"
    assert resources.spill_bytes == 0
    assert resources.messages == ()
    assert resources.blocks_per_multiprocessor == 1


def test_the_returned_product(torch: Any, cupy: Any, examples: Path):
    import numpy as np

    kernel = croq.compile(examples / "matmul_returned.mlir")
    # 63 columns: the runtime makes rows that TMA can write.
    lhs, rhs = operand(torch, 200, 128, 0.3), operand(torch, 63, 128, 0.3)
    wanted = product(torch, lhs, rhs)
    result = kernel(lhs, rhs)
    assert (type(result), result.shape) == (torch.Tensor, (200, 63))
    assert relative_error(torch, result, wanted) <= 1e-3
    arrays = [part.cpu().numpy() for part in (lhs, rhs)]
    host = kernel(*arrays)
    assert isinstance(host, np.ndarray)
    device = kernel(*(cupy.asarray(array) for array in arrays))
    assert isinstance(device, cupy.ndarray)
    for other in (torch.from_numpy(host).cuda(), torch.as_tensor(device)):
        assert torch.equal(other, result)
    assert kernel(lhs[:0], rhs).shape == (0, 63)
