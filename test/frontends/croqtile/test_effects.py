"""What expressions change, and what they read by other names."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import croqtile_mlir
from croqtile_mlir.kernel import Kernel

INPUTS = Path(__file__).parent / "Inputs"


@cache
def kernel(name: str) -> Kernel:
    return croqtile_mlir.compile(INPUTS / f"{name}.co")


@pytest.mark.parametrize("level", ["croq", "ptx"])
def test_index_is_computed_once(level: str) -> None:
    a = np.random.default_rng(3).integers(-50, 50, 16, dtype=np.int32)
    y, count = np.full((8, 4), 9, np.int32), np.zeros(1, np.int32)
    kernel("once").simulate(a, y, count, level=level)
    np.testing.assert_array_equal(count, [8])
    row = [404, a[4] + a[6], a[7] * 100 + 7, 7]
    np.testing.assert_array_equal(y, [row] * 8)


@pytest.mark.parametrize("level", ["croq", "ptx"])
def test_unsigned_numbers_as_indices(level: str) -> None:
    a = np.array([3, 127, 128, 129, 200, 250, 254, 255], np.uint8)
    y, hit = np.zeros((8, 3), np.int32), np.zeros(256, np.int32)
    hit[201] = 5
    kernel("unsigned").simulate(a, 201, y, hit, level=level)
    expected = np.zeros(256, np.int32)
    expected[201] = 5
    expected[a] = np.arange(8) + 1
    np.testing.assert_array_equal(hit, expected)
    wide = a.astype(np.int32)
    columns = [wide, (wide + 3) // 4 * 4, expected[a] + 500]
    np.testing.assert_array_equal(y, np.stack(columns, 1))


@pytest.mark.parametrize("level", ["croq", "ptx"])
def test_assignments_in_choices(level: str) -> None:
    a = np.array([1, 4, 2, 5, 9, 3, 6, 2], np.int32)
    y = np.zeros((8, 4), np.int32)
    kernel("assigned_in_choices").simulate(a, y, level=level)
    expected: list[list[int]] = []
    for t, value in enumerate(a.tolist()):
        x, z, row = 3, 0, list[int]()
        r = 0
        if value > 3:
            r, x = int(x < value - 1), x + 1
        row.append(x * 10 + r)
        r = 1
        if t <= 5:
            x, r = x + 1, int(z + x + 1 > 4)
            z += 1
        row.append(z * 100 + x * 10 + r)
        if value > 3:
            chosen, x = x, x + 1
        elif t > 1:
            z -= 1
            chosen = z
        else:
            chosen = value
        row.append(chosen * 1000 + x * 10 + z)
        mixed = 2.5
        if value == 2:
            mixed, x = x, x + 1
        if t > 3:
            both = value > 5
        else:
            both, x = x > 3, x + 1
        row.append(int(mixed * 200) + 10000 * both + x)
        expected.append(row)
    np.testing.assert_array_equal(y, expected)


def test_sums_by_other_names() -> None:
    a = np.random.default_rng(5).integers(1, 50, 16, dtype=np.int32)
    y = np.zeros(4, np.int32)
    kernel("sums_by_other_names").simulate(a, y, level="croq")
    s, expected = a.copy(), list[int]()
    for place, sign, read in (
        (3, 1, range(2, 10)),
        (5, 1, range(16)),
        (6, -1, range(16)),
    ):
        for k in read:
            s[place] += sign * s[k]
        expected.append(int(s[place]))
    s[0] = 0
    for k in range(3):
        s[s[0]] += k + 1
    expected.append(int(s[0]) * 1000 + int(s[1]))
    np.testing.assert_array_equal(y, expected)
