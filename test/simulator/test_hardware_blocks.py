"""Lanes that part between blocks of a function (`cf`), and meet again."""

from __future__ import annotations

import numpy as np
import pytest

from .hardware_kernels import (
    Tile,
    kernel_text,
    load_lane,
    names,
    run_right,
    run_text,
    store_lane,
)

LANES = 32
RANDOM = np.random.default_rng(7)
TILES = [Tile("x", "i32", (LANES,)), Tile("y", "i32", (LANES,))]


def ran(body: str, x: np.ndarray) -> np.ndarray:
    y = RANDOM.integers(-(2**31), 2**31, LANES).astype(np.int32)
    run_right(kernel_text(TILES, load_lane("x", "v") + body), (x, y))
    return y


def numbers(least: int, most: int) -> np.ndarray:
    return RANDOM.integers(least, most, LANES).astype(np.int32)


def test_two_sides():
    x = numbers(-50, 50)
    y = ran(
        f"""%c = arith.cmpi slt, %v, %i0 : i32
cf.cond_br %c, ^low(%i3 : i32), ^high(%i4 : i32)
^low(%a: i32):
%low = arith.muli %v, %a : i32
cf.br ^end(%low : i32)
^high(%b: i32):
%high = arith.addi %v, %b : i32
cf.br ^end(%high : i32)
^end(%r: i32):
{store_lane("r", "y")}""",
        x,
    )
    np.testing.assert_array_equal(y, np.where(x < 0, 3 * x, x + 4))


def test_one_target_with_other_values():
    x = numbers(-50, 50)
    y = ran(
        f"""%c = arith.cmpi slt, %v, %i0 : i32
cf.cond_br %c, ^end(%v : i32), ^end(%i9 : i32)
^end(%r: i32):
{store_lane("r", "y")}""",
        x,
    )
    np.testing.assert_array_equal(y, np.where(x < 0, x, 9))


@pytest.mark.parametrize("most", [1, 2, 9])
def test_trip_counts(most: int):
    """What a lane computed in its last turn is its own after the loop."""
    x = numbers(0, most)
    y = ran(
        f"""cf.br ^loop(%i0, %tid : i32, i32)
^loop(%k: i32, %s: i32):
%next = arith.muli %s, %i3 : i32
%own = arith.addi %next, %k : i32
%after = arith.addi %k, %i1 : i32
%more = arith.cmpi slt, %k, %v : i32
cf.cond_br %more, ^loop(%after, %own : i32, i32), ^end
^end:
{store_lane("own", "y")}""",
        x,
    )
    expected = np.arange(LANES)
    for lane, trips in enumerate(x.tolist()):
        for turn in range(trips + 1):
            expected[lane] = expected[lane] * 3 + turn
    np.testing.assert_array_equal(y, expected)


def test_values_change_places():
    x = numbers(0, 6)
    y = ran(
        f"""%start = arith.addi %tid, %i5 : i32
cf.br ^loop(%i0, %tid, %start : i32, i32, i32)
^loop(%k: i32, %a: i32, %b: i32):
%after = arith.addi %k, %i1 : i32
%more = arith.cmpi slt, %k, %v : i32
cf.cond_br %more, ^loop(%after, %b, %a : i32, i32, i32), ^end
^end:
{store_lane("a", "y")}""",
        x,
    )
    np.testing.assert_array_equal(y, np.arange(LANES) + 5 * (x & 1))


def test_lanes_that_return():
    x = numbers(-50, 50)
    before = RANDOM.integers(0, 100, LANES).astype(np.int32)
    y = before.copy()
    body = f"""{load_lane("x", "v")}%c = arith.cmpi slt, %v, %i0 : i32
cf.cond_br %c, ^gone, ^here
^gone:
llvm.return
^here:
{store_lane("v", "y")}"""
    run_right(kernel_text(TILES, body), (x, y))
    np.testing.assert_array_equal(y, np.where(x < 0, before, x))


def test_a_barrier_on_one_side_is_a_fault():
    x = np.arange(LANES, dtype=np.int32)
    body = f"""{load_lane("x", "v")}%c = arith.cmpi slt, %v, %i5 : i32
cf.cond_br %c, ^some, ^end
^some:
nvvm.barrier
cf.br ^end
^end:"""
    report = run_text(kernel_text(TILES, body), (x, np.zeros_like(x)))
    assert "PARTICIPATION" in names(report.faults)
