"""Kernels in Croqtile, executed in the simulator and compared with numpy."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import croqtile_mlir
from croqtile_mlir.kernel import Kernel

Array = np.ndarray[Any, np.dtype[Any]]

INPUTS = Path(__file__).parent / "Inputs"


@cache
def kernel(name: str, *defines: tuple[str, int]) -> Kernel:
    return croqtile_mlir.compile(INPUTS / f"{name}.co", defines=dict(defines))


def execute(
    name: str, *args: Any, level: str = "croq", defines: Mapping[str, int] | None = None
) -> Any:
    found = kernel(name, *sorted((defines or {}).items()))
    return found.simulate(*args, level=level)


def integers(*shape: int, low: int = -50, high: int = 50) -> Array:
    return np.random.default_rng(7).integers(low, high, shape, dtype=np.int32)


def floats(*shape: int, dtype: Any = np.float32) -> Array:
    return np.random.default_rng(11).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("level", ["croq", "nvvm", "ptx"])
@pytest.mark.parametrize("rows", [1, 5])
def test_elements_of_threads(rows: int, level: str) -> None:
    x = floats(rows, 64)
    np.testing.assert_array_equal(execute("twice", x, level=level), 2 * x)


@pytest.mark.parametrize("count", [1, 2, 37])
def test_result_that_starts_at_zero(count: int) -> None:
    a = integers(count)
    np.testing.assert_array_equal(execute("total", a), [a.sum()])


def test_variable_of_with_reads_zero_and_last() -> None:
    a = integers(64)
    tiles = a.reshape(4, 16)
    expected = [tiles[0], tiles[3] + 1, tiles[3] + 2, tiles[3] + 3, tiles[0]]
    np.testing.assert_array_equal(execute("tiles_of_with", a), expected)


@pytest.mark.parametrize("count", [1, 16, 17, 31, 33, 48, 64, 100])
def test_three_buffers_take_turns(count: int) -> None:
    a = integers(count)
    tiles = -(-count // 16)
    factors = np.repeat(np.arange(1, tiles + 1), 16)[:count]
    np.testing.assert_array_equal(execute("rotated", a), a * factors)


@pytest.mark.parametrize(("m", "n"), [(8, 48), (3, 100), (17, 56), (1, 8)])
def test_chunks_by_cdiv_are_clipped(m: int, n: int) -> None:
    w, out = floats(m, n, dtype=np.float16), np.zeros((m, n), np.float16)
    execute("clipped_chunks", w, out)
    np.testing.assert_array_equal(out, w)


def test_composed_indices_and_shapes() -> None:
    x = integers(32, 64)
    rows = np.arange(32)[:, None]
    expected = x * 32 + 2048 - rows // 8 + 16
    np.testing.assert_array_equal(execute("composed", x), expected)


@pytest.mark.parametrize(("rows", "length"), [(1, 1), (33, 9), (40, 2)])
def test_while_break_and_continue(rows: int, length: int) -> None:
    x, key = integers(rows, length, low=-5, high=5), 3
    expected: list[list[int]] = []
    for row in x.tolist():
        at = negative = below = 0
        while at < length:
            value = row[at]
            if value == key:
                break
            at += 1
            if value < 0:
                negative += 1
                continue
            below += value < key
        expected.append([at, negative, below])
    np.testing.assert_array_equal(execute("searched", x, key), expected)


@pytest.mark.parametrize("count", [1, 128, 300])
def test_atomics_and_barriers(count: int) -> None:
    x = integers(count, low=0, high=16)
    counts = np.arange(16, dtype=np.int32)
    expected = counts + np.bincount(x, minlength=16)
    execute("histogram", x, counts)
    np.testing.assert_array_equal(counts, expected)


@pytest.mark.parametrize("level", ["croq", "nvvm"])
@pytest.mark.parametrize("rows", [1, 2, 7])
def test_scalars_outlive_copies(rows: int, level: str) -> None:
    x = floats(rows, 64)
    expected = x.astype(np.float64).sum(0) * 0.5 - x.max(0)
    np.testing.assert_allclose(
        execute("kept", x, level=level), expected, rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("level", ["croq", "nvvm"])
@pytest.mark.parametrize("length", [1, 4, 11])
def test_local_arrays(length: int, level: str) -> None:
    x = floats(32, length)
    padded = np.zeros((32, -(-length // 4) * 4), np.float32)
    padded[:, :length] = x
    expected = padded.reshape(32, -1, 4).sum(1)
    np.testing.assert_allclose(
        execute("local_rows", x, level=level), expected, rtol=1e-5
    )


def test_copies_that_transpose_and_pad() -> None:
    x = floats(24, 40)
    transposed, padded = np.zeros((40, 24), np.float32), np.zeros((27, 44), np.float32)
    execute("rearranged", x, transposed, padded)
    np.testing.assert_array_equal(transposed, x.T)
    expected = np.pad(x, ((1, 2), (0, 4)), constant_values=1.5)
    np.testing.assert_array_equal(padded, expected)


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("rotated", (integers(49),), integers(49) * (np.arange(49) // 16 + 1)),
        (
            "in_flight",
            (floats(3, 32),),
            floats(3, 32)[0] + 2 * floats(3, 32)[1] + 3 * floats(3, 32)[2],
        ),
        ("chosen", (floats(2, 32), 1), floats(2, 32)[1]),
        ("composed", (integers(32, 64),), None),
        ("searched", (integers(33, 9, low=-5, high=5), 3), None),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_lowered(name: str, args: tuple[Any, ...], expected: Array | None) -> None:
    """The same after the whole lowering; without a formula, the same as before it."""
    found = execute(name, *args, level="nvvm")
    exact: Array = execute(name, *args) if expected is None else expected
    np.testing.assert_allclose(found, exact, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("which", [0, 1])
def test_choice_of_futures(which: int) -> None:
    x = floats(2, 32)
    np.testing.assert_array_equal(execute("chosen", x, which), x[which])


@pytest.mark.parametrize("rows", [1, 2, 3, 6])
def test_copies_in_flight(rows: int) -> None:
    x = floats(rows, 32)
    expected = (x * np.arange(1, rows + 1)[:, None]).sum(0)
    np.testing.assert_allclose(execute("in_flight", x), expected, rtol=1e-5, atol=1e-5)


def test_views() -> None:
    x = floats(32, 64)
    shapes = [(8, 16), (4, 8), (8, 8), (128,), (16,), (4, 32)]
    results = [np.zeros(shape, np.float32) for shape in shapes]
    execute("windows", x, *results)
    a, b, c, d, e, g = results
    np.testing.assert_array_equal(a, x[16:24, 48:64])
    np.testing.assert_array_equal(b, x[5:9, 7:15])
    np.testing.assert_array_equal(c, x[1:16:2, 4:28:3])
    np.testing.assert_array_equal(d, x[16:24, 48:64].reshape(128))
    np.testing.assert_array_equal(e, x[11, 32:48])
    np.testing.assert_array_equal(g, x[6:10, 20:52])


@pytest.mark.parametrize("count", [1, 64, 100])
def test_conversions_and_functions(count: int) -> None:
    x = floats(count, dtype=np.float16)
    q = integers(count, low=-9, high=9).astype(np.int8)
    a = x.astype(np.float32)
    s = np.exp(a) + np.minimum(a, 0.5) * q
    expected = np.where((a > 0) & (q > 0), np.sqrt(np.abs(s)), -s)
    np.testing.assert_allclose(execute("converted", x, q), expected, rtol=1e-4)


@pytest.mark.parametrize("level", ["croq", "nvvm"])
def test_levels_are_completed(level: str) -> None:
    x = integers(3, 64)
    np.testing.assert_array_equal(execute("reversed", x, level=level), x[:, ::-1])


@pytest.mark.parametrize("level", ["croq", "nvvm"])
@pytest.mark.parametrize("last", [-1, 0, 3, 20])
def test_loops_left_early(last: int, level: str) -> None:
    x, y = integers(70), np.zeros(70, np.int32)
    execute("left_early", x, y, last, level=level)
    steps = min(10, last + 1)
    np.testing.assert_array_equal(y, steps * (2 * x + 1))


@pytest.mark.parametrize("level", ["croq", "nvvm"])
@pytest.mark.parametrize(("rows", "every"), [(1, 1), (4, 1), (3, 0)])
def test_copies_under_a_condition(rows: int, every: int, level: str) -> None:
    x = floats(rows, 64)
    turned = x.reshape(rows, 2, 32)[:, :, ::-1].reshape(rows, 64)
    turned = np.where(turned > 0, 2 * turned, turned)
    staged = (np.arange(rows)[:, None] % 2 == 0) & (every > 0)
    expected = np.where(staged, turned, x + 1)
    found = execute("staged_if", x, every, level=level)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
