"""`mma.sync` and rarer kinds of wgmma, from fragments written out by the PTX ISA."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from .hardware_kernels import Tile, kernel_text, run_ptx, run_right

Array = NDArray[Any]
DTYPES: dict[str, np.dtype[Any]] = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "tf32": np.dtype(np.float32),
    "s8": np.dtype(np.int8),
    "u8": np.dtype(np.uint8),
    "e5m2": np.dtype(ml_dtypes.float8_e5m2),
}


def small(rng: np.random.Generator, shape: tuple[int, int], kind: str) -> Array:
    """Integers that all types hold, so that sums are exact."""
    low = 0 if kind == "u8" else -4
    return rng.integers(low, 5, shape).astype(np.float32).astype(DTYPES[kind])


def words(rows: Array) -> Array:
    return np.ascontiguousarray(rows).view(np.int32)


# mma.sync: lane 4 g + t; a register holds `e` elements of 32 bits together.


def fragment_a(a: Array) -> Array:
    """Registers (r, lane): row g + 8 (r mod 2), columns e t + i + 4 e (r div 2)."""
    e = 4 // a.dtype.itemsize
    count = a.shape[1] // (4 * e) * 2
    rows = [
        [
            a[g + 8 * (r % 2), e * t + 4 * e * (r // 2) :][:e]
            for g in range(8)
            for t in range(4)
        ]
        for r in range(count)
    ]
    return words(np.array(rows))[..., 0]


def fragment_b(b: Array) -> Array:
    """Of B as (n, k): registers (r, lane): n = g, k = e t + i + 4 e r."""
    e = 4 // b.dtype.itemsize
    count = b.shape[1] // (4 * e)
    rows = [
        [b[g, e * t + 4 * e * r :][:e] for g in range(8) for t in range(4)]
        for r in range(count)
    ]
    return words(np.array(rows))[..., 0]


def fragment_c(c: Array) -> Array:
    """Registers (r, lane): of 32 bits row g + 8 (r div 2), column 2 t + r mod 2."""
    if c.dtype.itemsize == 2:
        rows = [
            [c[g + 8 * r, 2 * t : 2 * t + 2] for g in range(8) for t in range(4)]
            for r in range(2)
        ]
        return words(np.array(rows))[..., 0]
    rows = [
        [c[g + 8 * (r // 2), 2 * t + r % 2] for g in range(8) for t in range(4)]
        for r in range(4)
    ]
    return np.array(rows).view(np.int32)


MMA = [
    ("f16", 8, "f32"),
    ("f16", 16, "f32"),
    ("f16", 8, "f16"),
    ("f16", 16, "f16"),
    ("bf16", 8, "f32"),
    ("bf16", 16, "f32"),
    ("tf32", 4, "f32"),
    ("tf32", 8, "f32"),
    ("s8", 16, "s32"),
    ("s8", 32, "s32"),
    ("u8", 32, "s32"),
]


def product_text(kind: str, k: int, sums: str, counts: list[int], overflow: str) -> str:
    """
    A kernel of `mma.sync`: registers of A, B and C are rows of `x`, those of D of `y`.
    """
    operand = "vector<2xf16>" if kind == "f16" else "i32"
    result = {"f32": "f32", "f16": "vector<2xf16>", "s32": "i32"}[sums]
    types = [operand] * (counts[0] + counts[1]) + [result] * counts[2]
    body = ""
    for number, type_ in enumerate(types):
        body += f"""%p{number} = llvm.getelementptr %x[%lane_offset]
  : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
%q{number} = llvm.getelementptr %p{number}[{128 * number}]
  : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
%r{number} = llvm.load %q{number} : !llvm.ptr<1> -> {type_}
"""
    groups: list[str] = []
    first = 0
    for name, count in zip("ABC", counts, strict=True):
        group = ", ".join(f"%r{n}" for n in range(first, first + count))
        groups.append(f"{name}[{group}]")
        first += count
    behaviour = (
        f"intOverflowBehavior = #nvvm.mma_int_overflow<{overflow}>, "
        if sums == "s32"
        else ""
    )
    struct = f"!llvm.struct<({', '.join([result] * counts[2])})>"
    body += f"""%d = nvvm.mma.sync {" ".join(groups)} {{
  layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, {behaviour}
  multiplicandAPtxType = #nvvm.mma_type<{kind}>,
  multiplicandBPtxType = #nvvm.mma_type<{kind}>,
  shape = #nvvm.shape<m = 16, n = 8, k = {k}>}}
  : ({operand}, {operand}, {result}) -> {struct}
"""
    for number in range(counts[2]):
        body += f"""%e{number} = llvm.extractvalue %d[{number}] : {struct}
%t{number} = llvm.getelementptr %y[%lane_offset]
  : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
%u{number} = llvm.getelementptr %t{number}[{128 * number}]
  : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
llvm.store %e{number}, %u{number} : {result}, !llvm.ptr<1>
"""
    tiles = [Tile("x", "i32", (sum(counts), 32)), Tile("y", "i32", (counts[2], 32))]
    return kernel_text(tiles, body)


def product(
    a: Array, b: Array, c: Array, kind: str, sums: str, level: str, overflow: str
) -> Array:
    """D as a kernel computes it at a level: its registers."""
    parts = [fragment_a(a), fragment_b(b), fragment_c(c)]
    counts = [len(part) for part in parts]
    text = product_text(kind, a.shape[1], sums, counts, overflow)
    found = np.zeros((counts[2], 32), np.int32)
    arrays = (np.concatenate(parts), found)
    if level == "ptx":
        run_ptx(text, arrays, "sm_80")
    else:
        run_right(text, arrays)
    return found


LEVELS = ("nvvm", "ptx")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("kind", "k", "sums"), MMA)
def test_mma(kind: str, k: int, sums: str, level: str) -> None:
    rng = np.random.default_rng(k)
    a, b = small(rng, (16, k), kind), small(rng, (8, k), kind)
    dtype = {"f32": np.float32, "f16": np.float16, "s32": np.int32}[sums]
    c = rng.integers(-9, 10, (16, 8)).astype(dtype)
    found = product(a, b, c, kind, sums, level, "wrapped")
    exact = a.astype(np.float64) @ b.astype(np.float64).T + c
    np.testing.assert_array_equal(found, fragment_c(exact.astype(dtype)))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("kind", "k", "sums"), [m for m in MMA if m[2] != "s32"])
def test_mma_of_fractions(kind: str, k: int, sums: str, level: str) -> None:
    rng = np.random.default_rng(k + 1)
    a, b = (
        rng.standard_normal(shape).astype(np.float32).astype(DTYPES[kind])
        for shape in ((16, k), (8, k))
    )
    dtype = {"f32": np.float32, "f16": np.float16}[sums]
    c = rng.standard_normal((16, 8)).astype(dtype)
    if kind == "tf32":
        # What the hardware reads of them.
        a, b = ((x.view(np.uint32) & 0xFFFFE000).view(np.float32) for x in (a, b))
    found = product(a, b, c, kind, sums, level, "wrapped")
    exact = fragment_c(
        (a.astype(np.float64) @ b.astype(np.float64).T + c).astype(dtype)
    )
    bound = 2e-3 if sums == "f16" else 1e-6
    np.testing.assert_allclose(
        found.view(dtype).astype(np.float64),
        exact.view(dtype).astype(np.float64),
        rtol=bound,
        atol=4 * bound,
    )


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("overflow", ["wrapped", "satfinite"])
@pytest.mark.parametrize("kind", ["s8", "u8"])
def test_integers_beyond_32_bits(kind: str, overflow: str, level: str) -> None:
    rng = np.random.default_rng(8)
    limits = np.iinfo(DTYPES[kind])
    a, b = (
        rng.integers(limits.min, limits.max + 1, shape).astype(DTYPES[kind])
        for shape in ((16, 32), (8, 32))
    )
    c = rng.choice([-(2**31), 2**31 - 1], (16, 8)).astype(np.int32)
    found = product(a, b, c, kind, "s32", level, overflow)
    exact = a.astype(np.int64) @ b.astype(np.int64).T + c
    assert exact.max() > 2**31 - 1
    if overflow == "satfinite":
        exact = np.clip(exact, -(2**31), 2**31 - 1)
    np.testing.assert_array_equal(found, fragment_c(exact.astype(np.int32)))


# wgmma, K-major without a swizzle: core matrices of 8 rows of 16 bytes.


def core_matrices(rows: Array) -> Array:
    """(rows, 32 bytes) as bytes: all first halves, then all second ones."""
    data = np.ascontiguousarray(rows).view(np.uint8)
    return np.concatenate([data[:, :16].ravel(), data[:, 16:].ravel()])


WGMMA = [
    ("tf32", 8, "f32", "one", ""),
    ("bf16", 16, "f32", "neg", ""),
    ("e5m2", 32, "f32", "one", ""),
    ("f16", 16, "f16", "neg", ""),
    ("s8", 32, "s32", "one", ""),
    ("u8", 32, "s32", "one", ""),
    ("s8", 32, "s32", "one", ", <satfinite>"),
]


@pytest.mark.parametrize(("kind", "k", "sums", "sign", "satfinite"), WGMMA)
def test_wgmma(kind: str, k: int, sums: str, sign: str, satfinite: str) -> None:
    rng = np.random.default_rng(k + len(kind))
    n = 24 if sums == "s32" else 40
    a, b = small(rng, (64, k), kind), small(rng, (n, k), kind)
    image = np.concatenate([core_matrices(a), core_matrices(b)]).view(np.int32)
    registers = n // 4 if sums == "f16" else n // 2
    register = "f32" if sums == "f32" else "i32"
    struct = f"!llvm.struct<({', '.join([register] * registers)})>"
    start = 2**31 - 20 if satfinite else 5
    high = (128 >> 4 << 32) | (64 * 16 >> 4 << 16)
    high_b = (128 >> 4 << 32) | (n * 16 >> 4 << 16)
    member = f"arith.constant {start} : i32"
    if sums == "f32":
        member = "arith.constant 5.0 : f32"
    if sums == "f16":
        bits = int(np.array([5, 5], np.float16).view(np.int32)[0])
        member = f"arith.constant {bits} : i32"
    body = f"""%words = arith.constant {len(image)} : i32
%threads = arith.constant 128 : i32
scf.for %i = %tid to %words step %threads : i32 {{
  %at = arith.muli %i, %i4 : i32
  %from = llvm.getelementptr %x[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
  %word = llvm.load %from : !llvm.ptr<1> -> i32
  %to = llvm.getelementptr %smem[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  llvm.store %word, %to : i32, !llvm.ptr<3>
}}
nvvm.fence.proxy {{kind = #nvvm.proxy_kind<async.shared>,
  space = #nvvm.shared_space<cta>}}
nvvm.barrier
%a = arith.constant {high} : i64
%b = arith.constant {high_b | (64 * 32 >> 4)} : i64
%m = {member}
%s0 = llvm.mlir.undef : {struct}
"""
    for number in range(registers):
        body += (
            f"%s{number + 1} = llvm.insertvalue %m, %s{number}[{number}] : {struct}\n"
        )
    body += f"""nvvm.wgmma.fence.aligned
%d = nvvm.wgmma.mma_async %a, %b, %s{registers}, <m = 64, n = {n}, k = {k}>,
  D[<{sums}>, <one>{satfinite}], A[<{kind}>, <{sign}>, <row>],
  B[<{kind}>, <one>, <col>] : {struct} -> {struct}
nvvm.wgmma.commit.group.sync.aligned
nvvm.wgmma.wait.group.sync.aligned 0
"""
    for number in range(registers):
        body += f"%e{number} = llvm.extractvalue %d[{number}] : {struct}\n"
        body += f"""%o{number} = llvm.getelementptr %y[%lane_offset]
  : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
%t{number} = llvm.getelementptr %o{number}[{512 * number}]
  : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
llvm.store %e{number}, %t{number} : {register}, !llvm.ptr<1>
"""
    y = np.zeros((registers, 128), np.int32)
    tiles = [Tile("x", "i32", image.shape), Tile("y", "i32", y.shape)]
    run_right(kernel_text(tiles, body, threads=128), (image, y), "late")
    factor = -1 if sign == "neg" else 1
    total = factor * a.astype(np.float64) @ b.astype(np.float64).T + start
    if satfinite:
        assert total.max() > 2**31 - 1
    limits = np.iinfo(np.int32)
    dtype = {"f32": np.float32, "f16": np.float16, "s32": np.int32}[sums]
    if sums == "s32":
        total = np.clip(total, limits.min, limits.max)
    expected = np.zeros((64, n), dtype)
    found = y.view(dtype).reshape(registers, 128, -1)
    for register_number, thread in np.ndindex(registers, 128):
        for half in range(found.shape[2]):
            # PTX ISA, register fragments of D, by elements.
            element = register_number * found.shape[2] + half
            row = 16 * (thread // 32) + thread % 32 // 4 + 8 * (element // 2 % 2)
            col = 8 * (element // 4) + 2 * (thread % 4) + element % 2
            expected[row, col] = found[register_number, thread, half]
    np.testing.assert_array_equal(expected, total.astype(dtype))
