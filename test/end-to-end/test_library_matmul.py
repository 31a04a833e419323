"""`croq.matmul` on a device, beside float64: layouts, types, odd shapes and pitches."""

from __future__ import annotations

from typing import Any

import pytest
from support.tensors import operand, output, relative_error

import croqtile_mlir as croq
from croqtile_mlir.kernels.schedule import Schedule

LIMITS = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 1e-5}
ROUNDS = 4

SHAPES = (
    (1, 1, 1),
    (1, 8192, 512),
    (16, 1024, 1024),
    (127, 129, 64),
    (128, 256, 8),
    (200, 77, 93),
    (300, 1000, 4093),
    (1000, 1001, 1003),
    (1021, 1024, 1024),
    (4096, 64, 4096),
    (33, 8192, 24),
    (2048, 2048, 2048),
    (8192, 8192, 64),
)
SCHEDULES = (
    Schedule(bn=112, stages=5, mode="pingpong", epilogue_cols=32),
    Schedule(bn=192, mode="pingpong", epilogue_cols=32, cluster=(2, 1)),
    Schedule(cluster=(2, 1), split=True),
    Schedule(bm=256, bn=128, stages=3, cluster=(1, 2), order="last"),
    Schedule(bm=192, bn=160, consumers=3, order="first"),
    Schedule(bm=64, bn=48, consumers=1, stages=9, persistent=False, cluster=(2, 1)),
)


def _run(
    torch: Any,
    shape: tuple[int, int, int],
    *,
    dtype: str = "float16",
    result: str | None = None,
    a_by_k: bool = True,
    b_by_k: bool = True,
    unit: int = 8,
    schedule: Schedule | None = None,
) -> str | None:
    """What is wrong with a product, or None."""
    m, n, k = shape
    scale = max(k, 1) ** -0.25
    a = operand(torch, *((m, k) if a_by_k else (k, m)), scale, unit, dtype)
    b = operand(torch, *((n, k) if b_by_k else (k, n)), scale, unit, dtype)
    a = a if a_by_k else a.T
    b = b.T if b_by_k else b
    out = output(torch, m, n, unit, result or dtype)
    croq.matmul(a, b, out.view, schedule=schedule)
    error = relative_error(torch, out.view, a.to(torch.float64) @ b.to(torch.float64))
    if not error <= LIMITS[result or dtype]:
        return f"{shape}: relative error {error}"
    if not out.guards_untouched():
        return f"{shape}: wrote outside of the output"
    first = out.view.clone()
    for _ in range(ROUNDS):
        out.view.fill_(float("nan"))
        croq.matmul(a, b, out.view, schedule=schedule)
        if not bool((out.view == first).all()):
            return f"{shape}: another result in another round"
    return None


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("unit", [8, 1])
def test_shapes_and_pitches(torch: Any, shape: tuple[int, int, int], unit: int):
    assert _run(torch, shape, unit=unit) is None


@pytest.mark.parametrize(
    ("a_by_k", "b_by_k"), [(True, False), (False, True), (False,) * 2]
)
@pytest.mark.parametrize("shape", [(200, 136, 328), (127, 130, 65)], ids=str)
def test_layouts(torch: Any, shape: tuple[int, int, int], a_by_k: bool, b_by_k: bool):
    for unit in (8, 1):
        assert _run(torch, shape, a_by_k=a_by_k, b_by_k=b_by_k, unit=unit) is None


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("result", ["float16", "bfloat16", "float32"])
def test_types(torch: Any, dtype: str, result: str):
    assert _run(torch, (400, 264, 520), dtype=dtype, result=result) is None


@pytest.mark.parametrize("schedule", SCHEDULES, ids=lambda each: each.pipeline)
def test_schedules(torch: Any, schedule: Schedule):
    for shape in ((1000, 1504, 520), (4096, 4096, 256), (64, 8192, 64)):
        assert _run(torch, shape, schedule=schedule) is None


def test_results_are_made(torch: Any):
    a = torch.randn(300, 200, device="cuda").half()
    w = torch.randn(100, 200, device="cuda").half()
    out = croq.matmul(a, w.T)
    assert (out.shape, out.dtype, out.device) == ((300, 100), a.dtype, a.device)
    wanted = a.to(torch.float64) @ w.to(torch.float64).T
    for _ in range(3):
        assert relative_error(torch, croq.matmul(a, w.T), wanted) < 1e-3
    column_major = torch.full((100, 300), float("nan"), device="cuda").half().T
    croq.matmul(a, w.T, column_major)
    assert relative_error(torch, column_major, wanted) < 1e-3


def test_extents_of_zero(torch: Any):
    a = torch.empty(300, 0, device="cuda").half()
    assert bool((croq.matmul(a, a.T) == 0).all())
    assert croq.matmul(a.T, a).shape == (0, 0)


def test_a_stream_and_a_graph(torch: Any):
    a, b = (torch.randn(512, 512, device="cuda").half() for _ in range(2))
    wanted = a.to(torch.float64) @ b.to(torch.float64)
    out = torch.zeros_like(a)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    croq.matmul(a, b, out, stream=side)
    side.synchronize()
    assert relative_error(torch, out, wanted) < 1e-3
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        croq.matmul(a, b, out)
    out.zero_()
    graph.replay()
    assert relative_error(torch, out, wanted) < 1e-3


def test_numpy_arrays():
    import numpy as np

    if not croq.runtime.available():
        pytest.skip("no device")
    random = np.random.default_rng(5)
    a = random.standard_normal((130, 70)).astype(np.float16)
    b = random.standard_normal((70, 90)).astype(np.float16)
    wanted = a.astype(np.float64) @ b.astype(np.float64)
    error = np.linalg.norm(croq.matmul(a, b) - wanted) / np.linalg.norm(wanted)
    assert error < 1e-3
