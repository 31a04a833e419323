"""`break` and `continue`, wherever they stand, compared with Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import croqtile_mlir
from croqtile_mlir.diagnostics import CompileError

Array = np.ndarray[Any, np.dtype[Any]]

A = np.random.default_rng(3).integers(-9, 9, (6, 8), dtype=np.int32)


def execute(body: str, *arguments: Any, around: str = "") -> Array:
    """What 8 threads store in y, at two levels."""
    kernel = croqtile_mlir.compile(
        "__co__ void f(s32 [6, 8] a, s32 [8] y, int n) {\n"
        f"  parallel b by 1 : block {{ {around} parallel t by 8 : thread {{\n"
        f"    {body}\n  }} }}\n}}\n"
    )
    found: list[Array] = []
    for level in ("croq", "ptx"):
        y = np.zeros(8, np.int32)
        kernel.simulate(A, y, *arguments, level=level)
        found.append(y)
    first, second = found
    np.testing.assert_array_equal(first, second)
    return first


def of_threads(compute: Callable[[int], int]) -> Array:
    return np.array([compute(t) for t in range(8)], np.int32)


def test_in_a_block_of_a_condition():
    def expected(t: int) -> int:
        y = 0
        for k in range(6):
            if t > 2:
                if k > t - 2:
                    break
                y += 1
            y += 10
        return y

    body = (
        "foreach k in [6] { if (t > 2) { if (k > t - 2) break; y.at(t) += 1; }\n"
        "y.at(t) += 10; }"
    )
    np.testing.assert_array_equal(execute(body, 0), of_threads(expected))


def test_behind_one_in_a_block():
    def expected(t: int) -> int:
        y = k = 0
        while k < 6:
            k += 1
            if k % 2 == 0:
                if k > t:
                    continue
                y += 10
            y += 100
        return y

    body = (
        "mutable int k = 0; while (k < 6) { k++; if (k % 2 == 0) {\n"
        "if (k > t) { continue; y.at(t) += 1000; } else { y.at(t) += 3; }\n"
        "y.at(t) += 7; } y.at(t) += 100; }"
    )
    np.testing.assert_array_equal(execute(body, 0), of_threads(expected))


def test_of_an_inner_loop():
    def expected(t: int) -> int:
        y = 0
        for k in range(3):
            y += min(5, t + 1) + 10
            if k != 1:
                y += 100
        return y

    body = (
        "foreach k in [3] { foreach j in [5] { if (j > t) break; y.at(t) += 1; }\n"
        "y.at(t) += 10; if (k == 1) continue; y.at(t) += 100; }"
    )
    np.testing.assert_array_equal(execute(body, 0), of_threads(expected))


def test_in_with():
    body = (
        "foreach k in [6] { with i in [4] { if (k > t) break; y.at(t) += 1; }\n"
        "y.at(t) += 10; }"
    )
    expected = of_threads(lambda t: 11 * min(6, t + 1))
    np.testing.assert_array_equal(execute(body, 0), expected)


def test_condition_is_not_evaluated_behind_a_break():
    def expected(t: int) -> int:
        i = total = 0
        while True:
            goes_on = i < A[0, t]
            i += 1
            if not (goes_on and i < 6):
                break
            if i == 3:
                continue
            total += i
            if i == t:
                break
        return total * 100 + i

    body = (
        "mutable int i = 0; while (i++ < a.at(0, t) && i < 6) { if (i == 3) continue;\n"
        "y.at(t) += i; if (i == t) break; } y.at(t) = y.at(t) * 100 + i;"
    )
    np.testing.assert_array_equal(execute(body, 0), of_threads(expected))


@pytest.mark.parametrize("n", [-1, 0, 2, 6])
def test_beside_copies(n: int):
    """All threads leave together; scalars from before the exit count behind it."""
    expected = np.zeros(8, np.int32)
    threads = np.arange(8)
    for k in range(6):
        x = threads + k
        if k > n:
            x = 3 * threads
            if k != 4:
                expected += 1
                continue
            x = x + 2
        expected += A[k, ::-1] * (x + 1)
        if k == 5:
            break
    body = (
        "foreach k in [6] { mutable int x = t + k; if (k > n) { x = 3 * t;\n"
        "if (k != 4) { y.at(t) += 1; continue; } x += 2; }\n"
        "dma.copy a.subspan(1, 8).at(k, 0).sqz() => s; x = x + 1;\n"
        "y.at(t) += s.at(7 - t) * x; if (k == 5) break; y.at(t) += 0; }"
    )
    found = execute(body, n, around="shared s32 [8] s;")
    np.testing.assert_array_equal(found, expected)


def test_threads_do_not_leave_one_by_one_what_they_do_together():
    body = (
        "foreach k in [6] { dma.copy a.subspan(1, 8).at(k, 0).sqz() => s;\n"
        "if (s.at(t) > 3) break; y.at(t) += 1; }"
    )
    with pytest.raises(CompileError, match="must be the same for all threads"):
        execute(body, 0, around="shared s32 [8] s;")


def test_of_roles():
    kernel = croqtile_mlir.compile(
        "__co__ void f(s32 [2, 32] y, int n) {\n"
        "  parallel b by 1 : block, p by 2 : group, t by 32 : thread {\n"
        "    foreach k in [6] {\n"
        "      inthreads.async (p == 0) {\n"
        "        if (k > n) { y.at(0, t) += 5; break; y.at(0, t) += 7; }\n"
        "        y.at(0, t) += 1; }\n"
        "      inthreads.async (p == 1) {\n"
        "        if (k % 2 == 1) continue;\n"
        "        y.at(1, t) += 1; } } } }\n"
    )
    y = np.zeros((2, 32), np.int32)
    kernel.simulate(y, 3)
    np.testing.assert_array_equal(y, np.repeat([[9], [3]], 32, 1))


def test_scalars_of_all_threads_in_statements_of_each():
    kernel = croqtile_mlir.compile(
        "__co__ void f(s32 [2, 32] y, int n) {\n"
        "  parallel b by 1 : block, w by 2 : group, t by 32 : thread {\n"
        "    mutable int u = n;\n"
        "    inthreads.async (w == 1) {\n"
        "      mutable int p = t; p -= ++u; y.at(w, t) = p * u; }\n"
        "    inthreads.async (w == 0) y.at(w, t) = u; } }\n"
    )
    y = np.zeros((2, 32), np.int32)
    kernel.simulate(y, 3)
    expected = [np.full(32, 3), (np.arange(32) - 4) * 4]
    np.testing.assert_array_equal(y, expected)
