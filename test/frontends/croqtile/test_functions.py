"""Functions of the language, and what stands beside them, compared with numpy."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import croqtile_mlir
from croqtile_mlir.context import new_context
from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.frontends.croqtile.frontend import CroqtileFrontend
from croqtile_mlir.kernel import Kernel

Array = np.ndarray[Any, np.dtype[Any]]

COUNT = 32
LEVELS = ["croq", "nvvm", "ptx"]


@cache
def kernel(element: str, body: str) -> Kernel:
    return croqtile_mlir.compile(
        f"__co__ void f({element} [{COUNT}] x, {element} [{COUNT}] y) {{\n"
        f"  parallel b by 1 : block, t by {COUNT} : thread {{ {body} }}\n}}\n"
    )


def execute(element: str, body: str, x: Array, level: str = "croq") -> Array:
    y = np.zeros_like(x)
    kernel(element, body).simulate(x.copy(), y, level=level)
    return y


def floats(dtype: str = "f4") -> Array:
    return np.random.default_rng(3).standard_normal(COUNT).astype(dtype)


def integers() -> Array:
    return np.random.default_rng(5).integers(-20, 20, COUNT, dtype=np.int32)


@pytest.mark.parametrize("level", LEVELS)
def test_powers_of_negatives(level: str) -> None:
    x = floats()
    found = execute(
        "f32", "y.at(t) = __pow(x.at(t), 3) + __pow(x.at(t), 2.0);", x, level
    )
    np.testing.assert_allclose(found, x**3 + x**2, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("exponent", [-2, 0, 1, 5, 7])
def test_whole_powers(exponent: int) -> None:
    x = floats()
    found = execute("f32", f"y.at(t) = __pow(x.at(t), {exponent});", x)
    np.testing.assert_allclose(found, x.astype("f8") ** exponent, rtol=1e-5)


def test_powers_that_are_not_whole() -> None:
    x = np.abs(floats())
    found = execute("f32", "y.at(t) = __pow(x.at(t), 0.75f);", x)
    np.testing.assert_allclose(found, x**0.75, rtol=1e-5)


@pytest.mark.parametrize("level", LEVELS)
def test_softplus_of_large_values(level: str) -> None:
    x = 100 * floats()
    found = execute("f32", "y.at(t) = __softplus(x.at(t));", x, level)
    np.testing.assert_allclose(
        found, np.logaddexp(0, x.astype("f8")), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("level", LEVELS)
def test_functions_of_doubles(level: str) -> None:
    x = floats("f8")
    body = (
        "y.at(t) = __fmaf(x.at(t), 3.0, 1.0f) + __pow(x.at(t), 2) + __frcp_rn(x.at(t));"
    )
    found = execute("f64", body, x, level)
    np.testing.assert_allclose(found, 3 * x + 1 + x**2 + 1 / x, rtol=1e-13)


@pytest.mark.parametrize("level", LEVELS)
def test_aligned_negatives(level: str) -> None:
    x = integers()
    body = "y.at(t) = __alignup(x.at(t), 4) * 100 + __aligndown(x.at(t), 4);"
    expected = -(-x // 4) * 400 + x // 4 * 4
    np.testing.assert_array_equal(execute("s32", body, x, level), expected)


def away(x: Array) -> Array:
    """The nearest whole numbers, halves away from 0."""
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("floor", np.floor),
        ("ceil", np.ceil),
        ("round", away),
    ],
)
def test_rounding(name: str, expected: Any, level: str) -> None:
    x = 4 * floats()
    x[:9] = 2.5, -2.5, -0.5, 3, -7, 1e9, -3e38, np.inf, 8388607.5
    with np.errstate(over="ignore"):
        wanted = expected(x.astype("f8")).astype("f4")
    found = execute("f32", f"y.at(t) = __{name}(x.at(t));", x, level)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("level", LEVELS)
def test_what_is_finite(level: str) -> None:
    x = floats()
    x[:4] = np.inf, -np.inf, np.nan, 3e38
    body = "y.at(t) = __isfinite(x.at(t)) ? 1.0f : __floor(x.at(t));"
    expected = np.where(np.isfinite(x), 1, x)
    np.testing.assert_array_equal(execute("f32", body, x, level), expected)


UNSIGNED: dict[str, Callable[[int, int, int], int]] = {
    "x.at(t) < 3000000000u ? 1 : 0": lambda x, u, t: u < 3000000000,
    "x.at(t) < 3u ? 1 : 0": lambda x, u, t: u < 3,
    "x.at(t) / 2u": lambda x, u, t: u // 2,
    "(x.at(t) * 2654435761u) >> 16": lambda x, u, t: (u * 2654435761 % 2**32) >> 16,
    "t - 3u < 2 ? 1 : 0": lambda x, u, t: (t - 3) % 2**32 < 2,
    "t < -1u ? 1 : 0": lambda x, u, t: True,
    "-(t + 1u) / 1000u": lambda x, u, t: (-t - 1) % 2**32 // 1000,
    "t % 4u * 10 + (t + 1u) / 2u": lambda x, u, t: t % 4 * 10 + (t + 1) // 2,
}
"""Numbers with `u`, and what they make of an s32, the same without sign, a thread."""


def test_unsigned_numbers():
    x = integers()
    body = "".join(
        f"if (t % {len(UNSIGNED)} == {number}) y.at(t) = __to<s32>({text});"
        for number, text in enumerate(UNSIGNED)
    )
    expected = [
        list(UNSIGNED.values())[t % len(UNSIGNED)](value, value % 2**32, t)
        for t, value in enumerate(x.tolist())
    ]
    found = execute("s32", body, x)
    np.testing.assert_array_equal(found, np.array(expected).astype(np.int32))


@pytest.mark.parametrize("level", LEVELS)
def test_rounding_up_of_negatives(level: str):
    x = integers()
    body = "y.at(t) = cdiv(t - 9, 4) * 100 + cdiv(x.at(t), 3);"
    expected = -(-(np.arange(COUNT) - 9) // 4) * 100 - (-x // 3)
    np.testing.assert_array_equal(execute("s32", body, x, level), expected)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("element", ["s64", "u64", "u32"])
def test_multiples_of_wide_integers(element: str, level: str):
    """They need not fit in an index."""
    kind = {"s64": np.int64, "u64": np.uint64, "u32": np.uint32}[element]
    x = np.random.default_rng(7).integers(0, 2**31, COUNT).astype(kind)
    x[:4] = 2**32 - 9, 2**31 + 1, 3, 0
    if element != "u32":
        x[4:6] = 10**12 + 3, 2**33 + 1
    if element == "s64":
        x[6:9] = -5, -(2**33) - 1, -8
    body = (
        "y.at(t) = __alignup(x.at(t), 4) / 2 + __aligndown(x.at(t), 8) / 4\n"
        "+ cdiv(x.at(t), 1000);"
    )
    exact = x.astype(object)
    up, down = -(-exact // 4) * 4, exact // 8 * 8
    expected = (up // 2 + down // 4 - (-exact // 1000)).astype(kind)
    np.testing.assert_array_equal(execute(element, body, x, level), expected)


@pytest.mark.parametrize("level", LEVELS)
def test_sums_of_indices_are_of_32_bits(level: str):
    x = integers().astype(np.int64)
    body = "y.at(t) = (t + 2000) * 3000000 + __to<s64>(t) * 3000000;"
    t = np.arange(COUNT, dtype=np.int64)
    expected = ((t + 2000) * 3000000).astype(np.int32) + t * 3000000
    np.testing.assert_array_equal(execute("s64", body, x, level), expected)


@pytest.mark.parametrize("element", ["u8", "s8", "u16"])
def test_numbers_in_narrow_elements(element: str):
    kind = {"u8": np.uint8, "s8": np.int8, "u16": np.uint16}[element]
    x = np.random.default_rng(9).integers(0, 120, COUNT).astype(kind)
    body = f"y.at(t) = 5; if (x.at(t) > 60) y.at(t) = 250u; mutable {element} k = 1;\n"
    body += "foreach i in [3] k = k * x.at(t); if (t % 2 == 0) y.at(t) = k;\n"
    body += "y.at(t) += t == 3;"
    cubes = x.astype(np.int64) ** 3
    expected = np.where(np.arange(COUNT) % 2, np.where(x > 60, 250, 5), cubes)
    expected[3] += 1
    found = execute(element, body, x, "ptx")
    np.testing.assert_array_equal(found, expected.astype(kind))


@pytest.mark.parametrize("level", ["croq", "ptx"])
@pytest.mark.parametrize("n", [0, 1, 9])
def test_dims_of_no_elements(n: int, level: str):
    """What is below 0 then is so in every comparison and quotient."""
    found = _of_dims()
    y = np.zeros(8, np.int32)
    found.simulate(np.zeros(n, np.int32), y, level=level)
    value = int(n - 1 < 5) + int((n - 3) / 2) * 10 + 100 * max(n - 1, 0)
    np.testing.assert_array_equal(y, np.full(8, value))


@cache
def _of_dims() -> Kernel:
    return croqtile_mlir.compile(
        "__co__ void f(s32 [N] x, s32 [8] y) { parallel t by 8 : thread {\n"
        "  y.at(t) = N - 1 < 5 ? 1 : 0; y.at(t) += (N - 3) / 2 * 10;\n"
        "  y.at(t) += 100 * __max(N - 1, 0); } }"
    )


@pytest.mark.parametrize("level", ["croq", "ptx"])
def test_indices_of_one_value(level: str):
    """A composed index of which one part is always 0; a chunk of one row."""
    found = croqtile_mlir.compile(
        "__co__ void f(s32 [M, N] x, s32 [M, N] y, s32 [6] z) {\n"
        "  parallel {i, j, k} by [M, 1, cdiv(N, 8)] : block { shared s32 [1, 8] s;\n"
        "    dma.copy x.chunkat(i, k) => s; dma.copy s => y.chunkat(i, k);\n"
        "    parallel t by 1 : thread z.at(i # j # k) = (i # j) * 10 + (j # k); } }"
    )
    x = np.random.default_rng(7).integers(-20, 20, (3, 13), dtype=np.int32)
    y, z = np.zeros_like(x), np.zeros(6, np.int32)
    found.simulate(x, y, z, level=level)
    np.testing.assert_array_equal(y, x)
    np.testing.assert_array_equal(z, [0, 1, 10, 11, 20, 21])


def test_numbers_as_truth_values():
    body = "bool a = 0.5f; bool b = 2.0f; bool c = 3; y.at(t) = x.at(t) + a + b + c;"
    x = integers()
    np.testing.assert_array_equal(execute("s32", body, x), x + 3)


def test_numbers_of_f32_beside_doubles():
    x = floats("f8")
    body = "y.at(t) = x.at(t) * 0.1f + (0.1f + 0.2f) + (0.1f == 0.1 ? 1.0 : 0.0);"
    single = np.float32
    expected = x * float(single(0.1)) + float(single(0.1) + single(0.2))
    np.testing.assert_array_equal(execute("f64", body, x), expected)


def test_places_are_evaluated_once():
    body = "mutable int i = 0; if (t == 0) { y.at(i++) += 5; y.at(7) -= i * 100; }"
    expected = np.zeros(COUNT, np.int32)
    expected[[0, 7]] = 5, -100
    np.testing.assert_array_equal(execute("s32", body, integers()), expected)


def test_tiles_that_keep_a_dim_of_unknown_extent():
    """They are not clipped: a launch checks that they fill the other dims."""
    found = croqtile_mlir.compile(
        "__co__ void f(s32 [N, C] x, s32 [N, C] y) {\n"
        "  parallel b by cdiv(N, 4) : block { v = x.subspan(4, C).at(b, 0);\n"
        "    w = y.subspan(4, C).at(b, 0); parallel t by 4 : thread\n"
        "      foreach c in [C] w.at(t, c) = v.at(t, c) + b; } }"
    )
    x = np.random.default_rng(7).integers(-20, 20, (12, 5), dtype=np.int32)
    y = np.zeros_like(x)
    found.simulate(x, y)
    np.testing.assert_array_equal(y, x + np.arange(12)[:, None] // 4)
    with pytest.raises(ArgumentError, match="'N' must be a multiple of 4, got 10"):
        found.simulate(x[:10].copy(), y[:10].copy())


def test_assignments_in_a_part_of_the_threads():
    found = croqtile_mlir.compile(
        "__co__ void f(s32 [8] x, s32 [8] y) { parallel b by 1 : block {\n"
        "  shared s32 [8] s; parallel t by 8 : thread { mutable int k = 1;\n"
        "  inthreads (t < 4) { k = x.at(t); int far = x.at(t + 4); dma.copy x => s;\n"
        "    y.at(t) = k + s.at(t) + far * 9000; }\n"
        "  y.at(t) += k * 1000; } } }"
    )
    x, y = integers()[:8].copy(), np.zeros(8, np.int32)
    found.simulate(x, y)
    first, far = np.arange(8) < 4, 9000 * np.roll(x, -4)
    np.testing.assert_array_equal(y, np.where(first, 1002 * x + far, 1000))


def test_arguments_are_evaluated_once() -> None:
    body = "mutable int i = 3; s = __alignup(i++, 4); y.at(t) = i * 100 + s;"
    found = execute("s32", body, integers())
    np.testing.assert_array_equal(found, np.full(COUNT, 404))


def test_effects_in_arguments_of_print() -> None:
    body = 'mutable int i = 3; print("i", i++); y.at(t) = i + x.at(t);'
    x = integers()
    np.testing.assert_array_equal(execute("s32", body, x), x + 4)


def test_assertion_under_a_condition() -> None:
    found = croqtile_mlir.compile(
        "__co__ void f(s32 [N] x, s32 [8] y) { parallel t by 8 : thread {\n"
        '  if (N > 100) { assert(N % 16 == 0, "many"); }\n'
        "  y.at(t) = x.at(t) + 1; } }"
    )
    x, y = integers()[:9].copy(), np.zeros(8, np.int32)
    found.simulate(x, y)
    np.testing.assert_array_equal(y, x[:8] + 1)


def test_assertion_of_a_scalar_that_changes_before_the_block():
    """It is about the value that the scalar had."""
    found = croqtile_mlir.compile(
        "__co__ void f(s32 [8] y, int n) { mutable int k = n;\n"
        '  assert(k > 3, "more than three"); k = k + 1;\n'
        "  parallel t by 8 : thread y.at(t) = k; }"
    )
    y = np.zeros(8, np.int32)
    found.simulate(y, 4)
    np.testing.assert_array_equal(y, np.full(8, 5))
    with pytest.raises(CompileError, match="more than three"):
        found.simulate(y, 3, level="croq")


def test_stated_result() -> None:
    found = croqtile_mlir.compile(
        "__co__ s32 [N, 4 * 2] f(s32 [N, 8] x) { s32 [N, 8] y;\n"
        "  parallel b by N : block, t by 8 : thread y.at(b, t) = x.at(b, t) + 1;\n"
        "  return y; }"
    )
    x = integers()[:24].reshape(3, 8).copy()
    np.testing.assert_array_equal(found.simulate(x), x + 1)


@pytest.mark.parametrize(
    ("attribute", "directive"),
    [
        ("[[launch_bounds(32, 3)]]", ".minnctapersm 3"),
        ("[[maxnreg(40)]]", ".maxnreg 40"),
    ],
)
def test_launch_bounds_in_ptx(attribute: str, directive: str) -> None:
    found = croqtile_mlir.compile(
        "__co__ void f(s32 [N] x) {\n"
        f"  {attribute} parallel b by N : block, t by 32 : thread\n"
        "    if (t == 0) x.at(b) = 1; }"
    )
    assert f"\n{directive}\n" in found.ptx


def test_text_that_is_not_utf8() -> None:
    text = io.BytesIO(b"\xff\xfe__co__ void k(s32 [8] a) { }")
    with pytest.raises(
        CompileError, match="not UTF-8 text: invalid start byte"
    ) as found:
        CroqtileFrontend().parse(new_context(), text, "bad.co")
    assert found.value.location.file == "bad.co"
