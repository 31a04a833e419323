"""Strided, squeezed and reshaped views, tiles at steps: right at every level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.errors import ArgumentError
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.simulate import run as simulate
from pipeline.lowering import TARGET, lower

Array = NDArray[Any]


@dataclass(frozen=True)
class Case:
    """A kernel from `x` to `y`, and what it does to them."""

    text: str
    shape: tuple[int, ...]
    result: tuple[int, ...]
    expected: Callable[[Array, Array], None]
    """Changes the second as the kernel does."""

    dtype: str = "float32"


def kernel(dims: str, x: str, y: str, body: str, grid: str = "(%b) in (1)") -> str:
    """A kernel of one block of 64 threads, or of a grid."""
    return f"""
croq.kernel @k {dims} (%x: !croq.tile<{x}, global>, %y: !croq.tile<{y}, global>) {{
  croq.parallel {grid} : block threads 64 {{
    {body}
  }}
}}
"""


def halo(x: Array, y: Array) -> None:
    """y[i, j] = the sum of the tile of 6x10 at (4 i, 8 j), zero beyond the end."""
    wide: Array = np.zeros((x.shape[0] + 6, x.shape[1] + 10), x.dtype)
    wide[: x.shape[0], : x.shape[1]] = x
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] = wide[4 * i : 4 * i + 6, 8 * j : 8 * j + 10].sum(dtype=np.int64)


HALO = """
    %s = croq.alloc : !croq.tile<6x10xi32, shared>
    %t = croq.subspan %x [6, 10] step [4, 8] tile (%i, %j)
    croq.copy %t => %s {engine}
    croq.parallel (%one) in (1) : thread {{
      %zero = arith.constant 0 : i32
      %sum = croq.foreach %r in 6 iter(%a = %zero) {{
        %row = croq.foreach %c in 10 iter(%d = %a) {{
          %v = croq.load %s[%r, %c]
          %w = arith.addi %d, %v : i32
          croq.yield %w : i32
        }}
        croq.yield %row : i32
      }}
      croq.store %sum, %y[%i, %j]
    }}
"""


def every_other(x: Array, y: Array) -> None:
    y[1 : 1 + 3 * 15 + 1 : 3, :20] = x[2 : 2 + 2 * 15 + 1 : 2, 3 : 3 + 5 * 19 + 1 : 5]


STRIDED = """
    %s = croq.alloc : !croq.tile<16x20x{t}, shared>
    %from = croq.view %x [16, 20] strides [2, 5] from (2, 3)
    %to = croq.view %y [16, 20] strides [3, 1] from (%b + 1, 0)
    croq.copy %from => %s
    croq.copy %s => %to
""".replace("%b + 1", "1")


def columns(x: Array, y: Array) -> None:
    y[:, 3] = x[:, 5]
    y[:, 0] = x[:, 5]


COLUMN = """
    %s = croq.alloc : !croq.tile<24xf32, shared>
    %c = croq.view %x [24, 1] from (0, 5)
    %v = croq.squeeze %c [1]
    croq.copy %v => %s
    %d = croq.view %y [24, 1] from (0, 3)
    %w = croq.squeeze %d [1]
    croq.copy %s => %w
    croq.parallel (%t) in (24) : thread {
      %e = croq.load %v[%t]
      croq.store %e, %y[%t, 0]
    }
"""


def heads(x: Array, y: Array) -> None:
    y[:, :, :] = x[1, :, 2]


HEADS = """
    %s = croq.alloc : !croq.tile<8x16xf16, shared>
    %h = croq.subspan %x [1, 1, 1, 8, 16] tile (1, %b, 2, %m, 0)
    %q = croq.squeeze %h [0, 1, 2]
    %o = croq.subspan %y [1, 8, 16] tile (%b, %m, 0)
    %p = croq.squeeze %o [0]
    croq.copy %q => %s
    croq.copy %s => %p
"""


def pairs(x: Array, y: Array) -> None:
    count = len(x) // 4
    y[:count] = x.reshape(count, 4)[:, ::-1]


PAIRS = """
    %p = croq.span_as %x [_, 4]
    %s = croq.alloc : !croq.tile<16x4xf16, shared>
    %t = croq.subspan %p [16, 4] tile (%b, 0)
    croq.copy %t => %s
    %o = croq.subspan %y [16, 4] tile (%b, 0)
    croq.parallel (%r, %c) in (16, 4) : thread {
      %three = arith.constant 3 : index
      %d = arith.subi %three, %c : index
      %v = croq.load %s[%r, %d]
      %row = croq.compose %b, %r
      %rows = croq.span %y[0]
      %in = arith.cmpi ult, %row, %rows : index
      scf.if %in {
        croq.store %v, %o[%r, %c]
      }
    }
"""


def flattened(x: Array, y: Array) -> None:
    y[:] = x.reshape(-1).reshape(64, 3, 8).transpose(1, 0, 2).reshape(-1)


FLAT = """
    %s = croq.alloc : !croq.tile<32x48xf32, shared>
    %t = croq.alloc : !croq.tile<1536xf32, shared>
    croq.copy %x => %s
    %flat = croq.span_as %s [_]
    %cube = croq.span_as %s [64, 3, 8]
    %out = croq.span_as %t [3, 64, 8]
    croq.foreach %i in 3 {
      %c = croq.view %cube [64, 1, 8] from (0, %i, 0)
      %d = croq.squeeze %c [1]
      %e = croq.subspan %out [1, 64, 8] tile (%i, 0, 0)
      %f = croq.squeeze %e [0]
      croq.copy %d => %f
    }
    croq.copy %t => %y
"""


def shared_strides(x: Array, y: Array) -> None:
    y[:] = x.copy()
    y[1::2, ::3] = x[1::2, ::3] + x[::2, ::3]


SHARED_STRIDES = """
    %s = croq.alloc : !croq.tile<16x24xi32, shared>
    croq.copy %x => %s
    %odd = croq.view %s [8, 8] strides [2, 3] from (1, 0)
    %even = croq.view %s [8, 8] strides [2, 3] from (0, 0)
    croq.parallel (%r, %c) in (8, 8) : thread {
      %a = croq.load %odd[%r, %c]
      %b2 = croq.load %even[%r, %c]
      %d = arith.addi %a, %b2 : i32
      croq.store %d, %odd[%r, %c]
    }
    croq.copy %s => %y
"""


def parts(x: Array, y: Array) -> None:
    y[:, :] = x * 2


PARTS = """
    %n = croq.axis %p
    %from = croq.chunkat %x [%n, _] at (%p, _)
    %to = croq.chunkat %y [%n, _] at (%p, _)
    croq.parallel (%c) in (24) : thread {
      %rows = croq.span %from[0]
      croq.foreach %r in %rows {
        %v = croq.load %from[%r, %c]
        %w = arith.addf %v, %v : f32
        croq.store %w, %to[%r, %c]
      }
    }
"""


def computed(x: Array, y: Array) -> None:
    part = x[1 : 1 + 3 * 8 : 3, 2 : 2 + 4 * 10 : 4]
    y[:8, :10] = 2 * part
    y[:8, 10] = part.sum(axis=1)
    y[8:16, :12] = x[:8, 12:24] ** 2
    y[8:14, 12:] = x.reshape(6, 4, 48).max(axis=1)[:, ::4]


COMPUTED = """
    %part = croq.view %x [8, 10] strides [3, 4] from (1, 2)
    %to = croq.view %y [8, 10] from (0, 0)
    croq.elementwise (%p = %part) => %to {
      %v = arith.addi %p, %p : i32
      croq.yield %v : i32
    }
    %col = croq.view %y [8, 1] from (0, 10)
    %sums = croq.squeeze %col [1]
    croq.reduce add %part dim 1 => %sums
    %s = croq.alloc : !croq.tile<24x48xi32, shared, row_major>
    croq.copy %x => %s
    %split = croq.span_as %s [24, 4, 12]
    %second = croq.view %split [8, 1, 12] from (0, 1, 0)
    %chunk = croq.squeeze %second [1]
    %below = croq.view %y [8, 12] from (8, 0)
    croq.elementwise (%p = %chunk) => %below {
      %v = arith.muli %p, %p : i32
      croq.yield %v : i32
    }
    %rows = croq.span_as %s [6, 4, 48]
    %most = croq.alloc : !croq.tile<6x48xi32, shared>
    croq.reduce max %rows dim 1 => %most
    %some = croq.view %most [6, 12] strides [1, 4] from (0, 0)
    %end = croq.view %y [6, 12] from (8, 12)
    croq.elementwise (%p = %some) => %end {
      croq.yield %p : i32
    }
"""


def _halo(engine: str) -> Case:
    return Case(
        kernel(
            "dims(M, N)",
            "[M]x[N]xi32",
            "7x5xi32",
            HALO.format(engine=engine),
            "(%i, %j) in (7, 5)",
        ),
        (27, 38),
        (7, 5),
        halo,
        "int32",
    )


CASES = {
    "halo": _halo(""),
    "halo by threads": _halo("engine(threads)"),
    "strides f32": Case(
        kernel("dims(M)", "[M]x128xf32", "64x32xf32", STRIDED.format(t="f32")),
        (40, 128),
        (64, 32),
        every_other,
    ),
    "strides f16": Case(
        kernel("dims(M)", "[M]x128xf16", "64x32xf16", STRIDED.format(t="f16")),
        (40, 128),
        (64, 32),
        every_other,
        "float16",
    ),
    "column": Case(
        kernel("", "24x11xf32", "24x7xf32", COLUMN), (24, 11), (24, 7), columns
    ),
    "heads": Case(
        kernel(
            "dims(H, M)",
            "2x[H]x3x[M]x16xf16",
            "[H]x[M]x16xf16",
            HEADS,
            "(%b, %m) in (3, 2)",
        ),
        (2, 3, 3, 13, 16),
        (3, 13, 16),
        heads,
        "float16",
    ),
    "pairs": Case(
        kernel("dims(N, R)", "[N]xf16", "[R]x4xf16", PAIRS, "(%b) in (3)"),
        (148,),
        (37, 4),
        pairs,
        "float16",
    ),
    "flat": Case(
        kernel("", "32x48xf32", "1536xf32", FLAT), (32, 48), (1536,), flattened
    ),
    "strides of shared": Case(
        kernel("", "16x24xi32", "16x24xi32", SHARED_STRIDES),
        (16, 24),
        (16, 24),
        shared_strides,
        "int32",
    ),
    "computed": Case(
        kernel("", "24x48xi32", "16x24xi32", COMPUTED),
        (24, 48),
        (16, 24),
        computed,
        "int32",
    ),
    "parts": Case(
        kernel("dims(M)", "[M]x24xf32", "[M]x24xf32", PARTS, "(%p) in (5)"),
        (35, 24),
        (35, 24),
        parts,
    ),
    "parts of a number known at launch": Case(
        kernel(
            "dims(M)", "[M]x24xf32", "[M]x24xf32", PARTS, "(%p) in (%parts)"
        ).replace(
            "  croq.parallel (%p)", "  %parts = croq.cdiv M, 8\n  croq.parallel (%p)"
        ),
        (35, 24),
        (35, 24),
        parts,
    ),
}
LEVELS = (*("croq", "insert-barriers", "lower-dma", "lower-views", "nvvm", "ptx"),)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", CASES)
def test_level(name: str, level: str):
    case = CASES[name]
    rng = np.random.default_rng(5)

    def random(shape: tuple[int, ...]) -> Array:
        values = rng.integers(-1000, 1000, shape)
        return values.astype(case.dtype)

    x, y = random(case.shape), random(case.result)
    expected = y.copy()
    case.expected(x, expected)
    assert not np.array_equal(y, expected)
    report = simulate(case.text, x, y, level=level)
    assert not report.faults, [str(fault.diagnostic()) for fault in report.faults]
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("level", ["croq", "nvvm"])
def test_chunks_must_divide(level: str):
    """35 rows are in 5 parts; 36 are not."""
    x = np.random.default_rng(3).standard_normal((36, 24)).astype(np.float32)
    text = CASES["parts of a number known at launch"].text
    with pytest.raises((CompileError, ArgumentError), match=r"5.*got 36"):
        simulate(text, x, x.copy(), level=level)


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@pytest.mark.parametrize("name", CASES)
def test_assembles(name: str):
    result = assemble(lower(CASES[name].text), TARGET)
    assert result.warnings == ()
    assert result.spill_bytes == 0
