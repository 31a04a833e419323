"""Copies on a device: ranks, engines, types, rearrangements, views, fills."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from simulator import test_copies_of_all_ranks as ranks
from simulator import test_fill as fills
from simulator import test_overhanging_views as views
from simulator import test_rearranging_copies as rearranging
from support.tensors import output

import croqtile_mlir as croq

_RANGES = [(1, 1), (1, 200), (63, 31), (64, 32), (65, 33), (129, 1000), (1000, 777)]


def on_device(torch: Any, text: str, source: NDArray[Any], shape: Any) -> Any:
    """What a kernel makes of an array, in an output that held 77 everywhere."""
    given = torch.from_numpy(np.ascontiguousarray(source)).cuda()
    made = torch.full(tuple(shape), 77, dtype=given.dtype, device="cuda")
    croq.compile(text)(given, made)
    return made.cpu().numpy()


@pytest.mark.parametrize("unit", [1, 8])
@pytest.mark.parametrize(("m", "n"), _RANGES)
def test_transpose(torch: Any, examples: Path, m: int, n: int, unit: int):
    kernel = croq.compile(examples / "transpose.mlir")
    source = torch.randn(m, n, device="cuda")
    target = output(torch, n, m, unit, "float32")
    kernel(source, target.view)
    assert torch.equal(source.T, target.view)
    assert target.guards_untouched()


@pytest.mark.parametrize(
    "shape", [(1, 1, 1, 1), (2, 40, 17, 70), (3, 32, 4, 32), (1, 3, 224, 224)]
)
def test_channels_last(torch: Any, examples: Path, shape: tuple[int, ...]):
    kernel = croq.compile(examples / "channels_last.mlir")
    source = torch.randn(*shape, device="cuda").half()
    expected = source.permute(0, 2, 3, 1).contiguous()
    target = torch.full_like(expected, 77)
    kernel(source, target)
    assert torch.equal(expected, target)


@pytest.mark.parametrize("way", ["load", "store", "inside", "global"])
@pytest.mark.parametrize("name", rearranging.CASES)
def test_rearranging(torch: Any, name: str, way: str):
    case = rearranging.CASES[name]
    for kind in ("i8", "f16", "f32", "i64", "f64"):
        source = rearranging.source_of(case, kind)
        made = on_device(torch, case.text(kind, way), source, case.result(way))
        whole = case.expected(source)
        np.testing.assert_array_equal(made, whole[tuple(map(slice, made.shape))])


@pytest.mark.parametrize("name", ranks.TMA)
def test_boxes_of_tma(torch: Any, name: str):
    case = ranks.TMA[name]
    rng = np.random.default_rng(1)
    for rows in (1, case.shape[0], case.shape[0] + 3):
        shape = (rows, *case.shape[1:]) if len(case.shape) > 1 else case.shape
        x = rng.integers(-99, 99, shape).astype(ranks.TYPES[case.kind])
        made = on_device(torch, case.text("tma", "tma"), x, shape)
        np.testing.assert_array_equal(made, x)


@pytest.mark.parametrize("load", ["threads", "cp_async"])
@pytest.mark.parametrize("name", ranks.RAGGED)
def test_by_threads(torch: Any, name: str, load: str):
    case = ranks.whole(ranks.RAGGED[name])
    rng = np.random.default_rng(2)
    for kind in ("i8", "f16", "f32", "f64"):
        one = replace(case, kind=kind)
        x = rng.integers(-99, 99, one.shape).astype(ranks.TYPES[kind])
        made = on_device(torch, one.text(load, "threads"), x, one.shape)
        np.testing.assert_array_equal(made, x)


@pytest.mark.parametrize("engine", ["threads", "cp_async", "auto"])
def test_overhanging_loads(torch: Any, engine: str):
    rng = np.random.default_rng(3)
    for rows, cols in ((37, 44), (16, 32), (1, 4), (100, 256)):
        x = rng.standard_normal((rows, cols)).astype(np.float32)
        for up, left in ((1, 3), (2, 4), (0, 1), (-1, -2)):
            text = views.kernel(views.LOADS, up, left, engine)
            made = on_device(torch, text, x, x.shape)
            if rows > abs(up) and cols > abs(left):
                np.testing.assert_array_equal(made, views.moved(x, up, left, 0))


@pytest.mark.parametrize(("up", "left"), views.TMA_LOADS)
def test_overhanging_loads_by_tma(torch: Any, up: int, left: int):
    x = np.random.default_rng(6).standard_normal((37, 44)).astype(np.float32)
    made = on_device(torch, views.kernel(views.LOADS, up, left, "tma"), x, x.shape)
    np.testing.assert_array_equal(made, views.moved(x, up, left, 0))


@pytest.mark.parametrize(
    ("engine", "up", "left"),
    [("threads", 1, 3), ("threads", 2, 4), ("auto", 3, 5), ("auto", -2, 0)],
)
def test_overhanging_stores(torch: Any, engine: str, up: int, left: int):
    x = np.random.default_rng(4).standard_normal((32, 64)).astype(np.float32)
    text = views.kernel(views.STORES, up, left, engine)
    made = on_device(torch, text, x, x.shape)
    np.testing.assert_array_equal(made, views.moved(x, -up, -left, 77))


@pytest.mark.parametrize("steps", [0, 1, 2, 50])
def test_sums_in_a_filled_output(torch: Any, steps: int):
    x = torch.randn(steps, 16, 8, device="cuda")
    made = croq.compile(fills.SUMS)(x)
    torch.testing.assert_close(made, x.sum(0), rtol=1e-4, atol=1e-4)
