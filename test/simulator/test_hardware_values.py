"""Floating point, conversions, vectors, structs, memory of threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from .hardware_kernels import (
    Tile,
    kernel_text,
    load_lane,
    names,
    run_right,
    run_text,
    store_lane,
)

Array = NDArray[Any]
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -2.5, 65519.0, 65520.0, 1e-7, 3e38]
X, Y, Z = (Tile(name, "f32", (32,)) for name in "xyz")
R = Tile("r", "i32", (32,))


def numbers(seed: int) -> Array:
    rng = np.random.default_rng(seed)
    drawn = rng.standard_normal(32) * 10.0 ** rng.integers(-3, 4, 32)
    drawn[: len(SPECIAL)] = rng.permutation(SPECIAL)
    return drawn.astype(np.float32)


def evaluated(op: str, *inputs: Array, result: str = "f32") -> Array:
    """The lanes of `%v`, which `op` computes of `%a`, `%b` and `%c`."""
    tiles = (X, Y, Z)[: len(inputs)]
    body = "".join(
        load_lane(tile.name, name, "f32" if each.dtype == np.float32 else "i32")
        for tile, name, each in zip(tiles, "abc", inputs, strict=False)
    )
    body += f"{op}\n{store_lane('v', 'r', result)}"
    out = np.zeros(32, np.int32)
    args = [Tile(t.name, "i32", (32,)) for t in tiles]
    arrays = [each.view(np.int32) for each in inputs]
    run_right(kernel_text([*args, R], body), (*arrays, out))
    return out.view(np.float32) if result == "f32" else out


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "addf": np.add,
    "subf": np.subtract,
    "mulf": np.multiply,
    "divf": np.divide,
    "maximumf": np.maximum,
    "minimumf": np.minimum,
    "maxnumf": np.fmax,
    "minnumf": np.fmin,
}


@pytest.mark.parametrize("op", BINARY)
def test_binary(op: str) -> None:
    a, b = numbers(1), numbers(2)
    with np.errstate(all="ignore"):
        exact = BINARY[op](a.astype(np.float64), b.astype(np.float64))
        expected = exact.astype(np.float32)
    found = evaluated(f"%v = arith.{op} %a, %b : f32", a, b)
    np.testing.assert_array_equal(found, expected)


def test_fma_rounds_once() -> None:
    a, b = numbers(3), numbers(4)
    with np.errstate(all="ignore"):
        product = a.astype(np.float64) * b.astype(np.float64)
        c = -product.astype(np.float32)
        expected = (product + c.astype(np.float64)).astype(np.float32)
        twice = a * b + c
    op = "%v = llvm.intr.fma(%a, %b, %c) : (f32, f32, f32) -> f32"
    found = evaluated(op, a, b, c)
    np.testing.assert_array_equal(found, expected)
    assert not np.array_equal(found, twice, equal_nan=True)


HALVES = {"f16": np.dtype(np.float16), "bf16": np.dtype(ml_dtypes.bfloat16)}


@pytest.mark.parametrize("type_", HALVES)
def test_sixteen_bits(type_: str) -> None:
    a, b = numbers(5), numbers(6)
    op = f"""%p = arith.truncf %a : f32 to {type_}
%q = arith.truncf %b : f32 to {type_}
%s = arith.mulf %p, %q : {type_}
%v = arith.extf %s : {type_} to f32"""
    with np.errstate(all="ignore"):
        p, q = a.astype(HALVES[type_]), b.astype(HALVES[type_])
        exact = p.astype(np.float64) * q.astype(np.float64)
        expected = exact.astype(np.float32).astype(HALVES[type_]).astype(np.float32)
    np.testing.assert_array_equal(evaluated(op, a, b), expected)


def rounded(value: float, dtype: np.dtype[Any], mode: str) -> float:
    """To a 16-bit float, from the numbers that there are."""
    bits = np.arange(1 << 16).astype(np.uint16)
    infinity = np.array([np.inf], dtype).view(np.uint16)[0]
    finite = np.unique(bits[bits & infinity != infinity].view(dtype).astype(np.float64))
    if mode == "rz":
        inside = finite[np.abs(finite) <= abs(value)]
        return float(inside[np.argmin(np.abs(inside - value))])
    distances = np.abs(finite - value)
    near = finite[distances == distances.min()]
    if len(near) == 1:
        return float(near[0])
    bits = near.astype(dtype).view(np.uint16)
    return float(near[bits % 2 == 0][0])


@pytest.mark.parametrize("mode", ["rn", "rz"])
@pytest.mark.parametrize("type_", HALVES)
def test_pairs(type_: str, mode: str) -> None:
    rng = np.random.default_rng(9)
    a, b = (rng.standard_normal(32).astype(np.float32) for _ in range(2))
    a[:3] = [1 + 2.0**-11, 1 + 3 * 2.0**-11, 1 + 2.0**-8 + 2.0**-9]
    op = f"""%p = nvvm.convert.f32x2.to.{type_}x2 %a, %b
  {{rnd = #nvvm.fp_rnd_mode<{mode}>}} : vector<2x{type_}>
%v = llvm.bitcast %p : vector<2x{type_}> to i32"""
    found = evaluated(op, a, b, result="i32").view(HALVES[type_]).reshape(32, 2)
    for lane in range(32):
        for value, half in ((b[lane], 0), (a[lane], 1)):
            expected = rounded(float(value), HALVES[type_], mode)
            assert float(found[lane, half]) == expected


PREDICATES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "oeq": lambda a, b, nan: (a == b) & ~nan,
    "ogt": lambda a, b, nan: a > b,
    "oge": lambda a, b, nan: a >= b,
    "olt": lambda a, b, nan: a < b,
    "ole": lambda a, b, nan: a <= b,
    "one": lambda a, b, nan: (a != b) & ~nan,
    "ord": lambda a, b, nan: ~nan,
    "ueq": lambda a, b, nan: (a == b) | nan,
    "ugt": lambda a, b, nan: (a > b) | nan,
    "uge": lambda a, b, nan: (a >= b) | nan,
    "ult": lambda a, b, nan: (a < b) | nan,
    "ule": lambda a, b, nan: (a <= b) | nan,
    "une": lambda a, b, nan: (a != b) | nan,
    "uno": lambda a, b, nan: nan,
}


@pytest.mark.parametrize("predicate", PREDICATES)
def test_comparison(predicate: str) -> None:
    a, b = numbers(7), numbers(8)
    b[-8:] = a[-8:]
    op = f"%p = arith.cmpf {predicate}, %a, %b : f32\n%v = arith.extui %p : i1 to i32"
    nan = np.isnan(a) | np.isnan(b)
    expected = PREDICATES[predicate](a, b, nan).astype(np.int32)
    np.testing.assert_array_equal(evaluated(op, a, b, result="i32"), expected)


@pytest.mark.parametrize(
    ("op", "low", "high"), [("si", -(2**31), 2**31 - 1), ("ui", 0, 2**32 - 1)]
)
def test_to_integers_and_back(op: str, low: int, high: int) -> None:
    a = numbers(10)
    found = evaluated(f"%v = arith.fpto{op} %a : f32 to i32", a, result="i32")
    clean = np.nan_to_num(a.astype(np.float64), nan=0.0, posinf=1e30, neginf=-1e30)
    expected = np.clip(np.trunc(clean), low, high).astype(np.int64)
    np.testing.assert_array_equal(
        found.astype(np.int64) & 0xFFFFFFFF, expected & 0xFFFFFFFF
    )
    back = evaluated(f"%v = arith.{op}tofp %a : i32 to f32", found)
    unsigned = expected if op == "si" else found.view(np.uint32).astype(np.int64)
    np.testing.assert_array_equal(back, unsigned.astype(np.float64).astype(np.float32))


def test_vectors_in_memory() -> None:
    x = np.random.default_rng(12).integers(-(2**31), 2**31, 128).astype(np.int32)
    y = np.zeros(128, np.int32)
    body = """%sixteen = arith.muli %lane_offset, %i4 : i32
%from = llvm.getelementptr %x[%sixteen] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
%v = llvm.load %from {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
%e = llvm.extractelement %v[%i1 : i32] : vector<4xi32>
%lane = arith.andi %tid, %i3 : i32
%w = llvm.insertelement %e, %v[%lane : i32] : vector<4xi32>
%to = llvm.getelementptr %y[%sixteen] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
llvm.store %w, %to {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>"""
    tiles = [Tile("x", "i32", (128,)), Tile("y", "i32", (128,))]
    run_right(kernel_text(tiles, body), (x, y))
    expected = x.reshape(32, 4).copy()
    expected[np.arange(32), np.arange(32) & 3] = expected[:, 1]
    np.testing.assert_array_equal(y, expected.ravel())


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("%p = llvm.getelementptr %x[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8\n"
         "%v = llvm.load %p : !llvm.ptr<1> -> i32", "OUT_OF_BOUNDS"),
        ("%p = llvm.getelementptr %x[-4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8\n"
         "%v = llvm.load %p : !llvm.ptr<1> -> i32", "OUT_OF_BOUNDS"),
        ("%p = llvm.getelementptr %x[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8\n"
         "%v = llvm.load %p : !llvm.ptr<1> -> i32", "MISUSE"),
        ("%v = llvm.load %smem : !llvm.ptr<3> -> i32", "UNINITIALISED"),
        ("%p = llvm.getelementptr %smem[4096] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8\n"
         "llvm.store %i0, %p : i32, !llvm.ptr<3>", "OUT_OF_BOUNDS"),
        ("llvm.store %tid, %smem : i32, !llvm.ptr<3>", "RACE"),
    ],
)  # fmt: skip
def test_bad_accesses(body: str, kind: str) -> None:
    report = run_text(
        kernel_text([Tile("x", "i32", (32,))], body), [np.zeros(32, np.int32)]
    )
    assert names(report.faults) == {kind}


def test_static_shared_memory_lies_before_the_dynamic() -> None:
    y = np.zeros(32, np.int32)
    text = kernel_text(
        [Tile("y", "i32", (32,))],
        f"""%table = llvm.mlir.addressof @table : !llvm.ptr<3>
%at = llvm.getelementptr %table[%lane_offset]
  : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
%over = llvm.getelementptr %smem[%lane_offset]
  : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
llvm.store %tid, %at : i32, !llvm.ptr<3>
llvm.store %i7, %over : i32, !llvm.ptr<3>
%r = llvm.load %at : !llvm.ptr<3> -> i32
{store_lane("r", "y")}""",
        shared=128,
    ).replace(
        "llvm.func",
        "llvm.mlir.global internal @table() {addr_space = 3 : i32}"
        " : !llvm.array<32 x i32>\nllvm.func",
    )
    run_right(text, [y])
    np.testing.assert_array_equal(y, np.arange(32))
