"""The kernels without a matrix product, and what a call does beside computing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.tensors import operand, output

import croqtile_mlir as croq

SHAPES = [(1, 1), (1, 200), (63, 31), (64, 32), (65, 33), (129, 1000), (1000, 777)]


@pytest.mark.parametrize("unit", [1, 8])
@pytest.mark.parametrize(("m", "n"), SHAPES)
def test_copy(torch: Any, examples: Path, m: int, n: int, unit: int):
    kernel = croq.compile(examples / "copy.mlir")
    source = operand(torch, m, n, 1.0, unit, "float32")
    target = output(torch, m, n, unit, "float32")
    kernel(source, target.view)
    assert torch.equal(source, target.view)
    assert target.guards_untouched()


@pytest.mark.parametrize("unit", [1, 8])
@pytest.mark.parametrize(("m", "n"), SHAPES)
def test_add(torch: Any, examples: Path, m: int, n: int, unit: int):
    kernel = croq.compile(examples / "add.mlir")
    a, b = (operand(torch, m, n, 1.0, unit, "float32") for _ in range(2))
    c = output(torch, m, n, unit, "float32")
    kernel(a, b, c.view)
    assert torch.equal(a + b, c.view)
    assert c.guards_untouched()


@pytest.mark.parametrize("m", [1, 63, 64, 65, 101, 1000])
@pytest.mark.parametrize("k", [0, 1, 32, 33, 777])
def test_row_sums(torch: Any, examples: Path, m: int, k: int):
    kernel = croq.compile(examples / "row_sums.mlir")
    source = torch.randn(m, k, device="cuda")
    guarded = torch.full((m + 16,), 7.0, device="cuda")
    kernel(source, guarded[:m])
    expected = source.double().sum(1)
    assert torch.allclose(guarded[:m].double(), expected, rtol=1e-5, atol=1e-4)
    assert bool((guarded[m:] == 7.0).all())


LINE = """
croq.kernel @line dims(M) (
    %a: !croq.tile<[M]xf32, global>, %b: !croq.tile<[M]xf32, global>) {
  %tiles = croq.cdiv M, 64
  croq.parallel (%t) in (%tiles) : block {
    %s = croq.alloc : !croq.tile<64xf32, shared>
    %from = croq.subspan %a [64] tile (%t)
    %to = croq.subspan %b [64] tile (%t)
    croq.copy %from => %s engine(tma)
    croq.copy %s => %to engine(tma)
  }
}
"""


@pytest.mark.parametrize("m", [1, 2, 63, 64, 65, 101, 130])
def test_tma_stores_of_rank_1_stay_inside(torch: Any, m: int):
    kernel = croq.compile(LINE)
    source = torch.randn(m, device="cuda")
    guarded = torch.full((m + 16,), 7.0, device="cuda")
    kernel(source, guarded[:m])
    assert torch.equal(guarded[:m], source)
    assert bool((guarded[m:] == 7.0).all())


@pytest.mark.usefixtures("torch")
def test_numpy_arrays(examples: Path):
    import numpy as np

    kernel = croq.compile(examples / "copy.mlir")
    source = np.random.default_rng(0).standard_normal((100, 77)).astype(np.float32)
    target = np.zeros((77, 100), np.float32).T
    kernel(source, target)
    np.testing.assert_array_equal(source, target)


def test_cupy_arrays(cupy: Any, examples: Path):
    kernel = croq.compile(examples / "add.mlir")
    a, b = (cupy.random.standard_normal((90, 70), dtype=cupy.float32) for _ in "ab")
    c = cupy.full((90, 70), cupy.nan, cupy.float32)
    kernel(a, b, c)
    assert bool((a + b == c).all())


def test_more_than_2_to_31_elements(torch: Any, examples: Path):
    rows = 2**29 + 1
    if torch.cuda.mem_get_info()[0] < 20 * rows:
        pytest.skip("needs 20 GiB of free device memory")
    kernel = croq.compile(examples / "copy.mlir")
    source = torch.zeros(rows, 4, device="cuda")
    source[-1], source[0] = 3.0, 5.0
    target = torch.ones(rows, 4, device="cuda")
    kernel(source, target)
    assert torch.equal(source, target)


def test_streams_order_the_work(torch: Any, examples: Path):
    kernel = croq.compile(examples / "copy.mlir")
    source = torch.zeros(512, 512, device="cuda")
    target = torch.zeros(512, 512, device="cuda")
    kernel(source, target)
    torch.cuda.synchronize()
    for number, passed in ((1.0, False), (2.0, True), (3.0, False)):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(20_000_000)
            source.fill_(number)
            if not passed:
                kernel(source, target)
        if passed:
            kernel(source, target, stream=stream)
        with torch.cuda.stream(stream):
            seen = target.clone()
        stream.synchronize()
        assert bool((seen == number).all())


def test_a_launch_survives_graph_capture(torch: Any, examples: Path):
    kernel = croq.compile(examples / "copy.mlir")
    source = torch.zeros(100, 100, device="cuda")
    target = torch.zeros(100, 100, device="cuda")
    kernel(source, target)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernel(source, target)
    source.fill_(4.0)
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(source, target)


def test_arguments_are_refused_by_name(torch: Any, examples: Path):
    kernel = croq.compile(examples / "copy.mlir")
    good = torch.zeros(8, 16, device="cuda")
    cases: list[tuple[tuple[Any, ...], str]] = [
        ((good,), r"takes 2 arguments \(src, dst\), got 1"),
        ((good.half(), good), r"'src': element type must be f32 .*got float16"),
        ((good[None], good), r"'src': rank must be 2 \(MxN\), got 3"),
        ((good, good[:7]), "'dst': extent of dim 0 must be M = 8 .*, got 7"),
        ((good.cpu(), good), "'src' must be on a CUDA device, got a torch tensor on c"),
        ((good, good.cpu().numpy()), "'dst' must be on the device of 'src'"),
        ((good.tolist(), good), "'src' must be a tensor .* got list"),
        ((good.T, good.T), r"'src': the last dim must have stride 1.*\(1, 16\)"),
        ((good[:, ::2], good[:, ::2]), r"'src': the last dim must have stride 1"),
        ((good[:1].expand(8, 16), good), r"'src': strides must be positive.*\(0, 1\)"),
    ]
    for args, message in cases:
        with pytest.raises(croq.ArgumentError, match=message):
            kernel(*args)


def test_a_grid_that_is_too_large_names_the_axis(torch: Any, examples: Path):
    kernel = croq.compile(examples / "copy.mlir")
    row = torch.zeros(1, 32 * 70000, device="cuda")
    with pytest.raises(
        croq.ArgumentError, match="grid y must be at most 65535 blocks, got 70000"
    ):
        kernel(row, row.clone())


def test_tensors_of_another_device(torch: Any, examples: Path):
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two devices")
    kernel = croq.compile(examples / "copy.mlir")
    there = torch.randn(100, 100, device="cuda:1")
    target = torch.zeros_like(there)
    kernel(there, target)
    assert torch.cuda.current_device() == 0
    assert torch.equal(there, target)
    with pytest.raises(croq.ArgumentError, match=r"\(device 1\), got device 0"):
        kernel(there, target.to("cuda:0"))
