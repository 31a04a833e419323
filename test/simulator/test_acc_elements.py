"""Computations for each element of an accumulator, and reductions of its rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pipeline.lowering import TARGET, lower
from support.covering import pairwise

from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.simulate import simulate

LEVELS = ("croq", "insert-barriers", "lower-dma", "lower-mma", "nvvm", "ptx")


def kernel(
    rows: int,
    cols: int,
    body: str,
    *,
    acc: str = "f32",
    threads: int = 128,
    inputs: str = "%x = %acc",
    at: str = "",
) -> str:
    """
    A product of depth 16, and `%r` of type `acc` made of each element in `body`.

    There are a row vector %row, a column vector %col, a whole tile %whole, each in
    global memory, and the first two in shared memory as %row_s and %col_s.
    """
    return f"""
croq.kernel @k dims(M, N) (%a: !croq.tile<{rows}x16xf16, global>,
    %b: !croq.tile<{cols}x16xf16, global>, %row_g: !croq.tile<[N]xf32, global>,
    %col_g: !croq.tile<[M]xf32, global>, %whole_g: !croq.tile<[M]x[N]x{acc}, global>,
    %c: !croq.tile<{rows}x{cols}x{acc}, global>, %sums: !croq.tile<[M]xf32, global>) {{
  croq.parallel (%block) in (1) : block threads {threads} {{
    %a_s = croq.alloc : !croq.tile<{rows}x16xf16, shared>
    %b_s = croq.alloc : !croq.tile<{cols}x16xf16, shared>
    %c_s = croq.alloc : !croq.tile<{rows}x{cols}x{acc}, shared>
    %row_s = croq.alloc : !croq.tile<{cols}xf32, shared>
    %col_s = croq.alloc : !croq.tile<{rows}xf32, shared>
    %row = croq.subspan %row_g [{cols}] tile (0)
    %col = croq.subspan %col_g [{rows}] tile (0)
    %whole = croq.subspan %whole_g [{rows}, {cols}] tile (0, 0)
    %out = croq.subspan %sums [{rows}] tile (0)
    croq.copy %a => %a_s engine(threads)
    croq.copy %b => %b_s engine(threads)
    croq.copy %row => %row_s engine(threads)
    croq.copy %col => %col_s engine(threads)
    %zero = croq.mma.fill 0.0 : !croq.acc<{rows}x{cols}x{acc}>
    %c1 = croq.mma.exec row.row %zero, %a_s, %b_s
    %c2 = croq.mma.commit %c1
    %acc = croq.mma.wait %c2 in_flight 0
    %new = croq.elementwise ({inputs}) {at} -> !croq.acc<{rows}x{cols}x{acc}> {{
      {body}
      croq.yield %r : {acc}
    }}
    croq.reduce max %new dim 1 => %out
    croq.mma.store %new => %c_s
    croq.copy %c_s => %c engine(threads)
  }}
}}
"""


SHAPES = [(64, 8, 128), (64, 40, 128), (128, 64, 128), (128, 24, 256)]
"""Rows, columns, threads: also two blocks of 64 rows in a warpgroup, two warpgroups."""


def run(
    text: str, rows: int, cols: int, level: str, m: int, n: int, acc: str = "f32"
) -> dict[str, Any]:
    """The arrays of a run, and the product `acc`."""
    rng = np.random.default_rng(rows + cols)
    kind = np.float32 if acc == "f32" else np.float16
    a, b = (rng.standard_normal((k, 16)).astype(np.float16) for k in (rows, cols))
    row, col = (rng.standard_normal(k).astype(np.float32) for k in (n, m))
    whole = rng.standard_normal((m, n)).astype(kind)
    c, sums = np.full((rows, cols), np.nan, kind), np.full(m, np.nan, np.float32)
    simulate(text, a, b, row, col, whole, c, sums, level=level)

    def padded(array: Any, *extents: int) -> Any:
        found = np.zeros(extents, array.dtype)
        found[tuple(map(slice, array.shape))] = array
        return found

    return {
        "acc": (a.astype(np.float32) @ b.astype(np.float32).T).astype(kind),
        "row": padded(row, cols),
        "col": padded(col, rows)[:, None],
        "whole": padded(whole, rows, cols),
        "c": c,
        "sums": sums,
    }


def check(found: dict[str, Any], expected: Any, error: float = 1e-5) -> None:
    np.testing.assert_allclose(found["c"], expected, rtol=error, atol=error)
    m = len(found["sums"])
    np.testing.assert_array_equal(
        found["sums"], found["c"].max(axis=1)[:m].astype(np.float32)
    )


VECTORS = """%p = arith.mulf %x, %s : f32
      %q = arith.addf %p, %t : f32
      %r = arith.addf %q, %w : f32"""


@pytest.mark.parametrize(
    ("place", "shape", "level"), pairwise(["", "_s"], SHAPES, LEVELS), ids=str
)
def test_vectors(shape: tuple[int, int, int], place: str, level: str) -> None:
    rows, cols, threads = shape
    inputs = (
        f"%x = %acc, %s = %col{place} along [0], %t = %row{place} along [1], "
        "%w = %whole"
    )
    text = kernel(rows, cols, VECTORS, threads=threads, inputs=inputs)
    found = run(text, rows, cols, level, rows, cols)
    expected = found["acc"] * found["col"] + found["row"] + found["whole"]
    check(found, expected)


@pytest.mark.parametrize("level", LEVELS)
def test_vectors_that_end_early(level: str) -> None:
    """What is out of range of a global input is zero."""
    inputs = "%x = %acc, %s = %col along [0], %t = %row along [1], %w = %whole"
    found = run(kernel(64, 40, VECTORS, inputs=inputs), 64, 40, level, 50, 27)
    expected = found["acc"] * found["col"] + found["row"] + found["whole"]
    check(found, expected)


MASK = """%in = arith.cmpi uge, %i, %j : index
      %low = arith.constant 0xFF800000 : f32
      %r = arith.select %in, %x, %low : f32"""


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("rows", "cols", "threads"), SHAPES[1:])
def test_positions(rows: int, cols: int, threads: int, level: str) -> None:
    """A causal mask."""
    text = kernel(rows, cols, MASK, threads=threads, at="at (%i, %j)")
    found = run(text, rows, cols, level, rows, cols)
    i, j = np.indices((rows, cols))
    check(found, np.where(i >= j, found["acc"], -np.inf))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("rows", "cols", "threads"), SHAPES)
def test_f16_accumulators(rows: int, cols: int, threads: int, level: str) -> None:
    body = """%t16 = arith.truncf %t : f32 to f16
      %p = arith.addf %x, %t16 : f16
      %r = arith.addf %p, %w : f16"""
    inputs = "%x = %acc, %t = %row_s along [1], %w = %whole"
    text = kernel(rows, cols, body, acc="f16", threads=threads, inputs=inputs)
    # A store of f16 is made of 16 columns at a time.
    found = run(text, rows, cols, level, rows, cols, "f16")
    expected = found["acc"] + found["row"].astype(np.float16) + found["whole"]
    check(found, expected, 4e-3)


GELU = """%k0 = arith.constant 0.7978845608 : f32
      %k1 = arith.constant 0.044715 : f32
      %half = arith.constant 0.5 : f32
      %one = arith.constant 1.0 : f32
      %x2 = arith.mulf %x, %x : f32
      %x3 = arith.mulf %x2, %x : f32
      %t = arith.mulf %x3, %k1 : f32
      %u = arith.addf %x, %t : f32
      %v = arith.mulf %u, %k0 : f32
      %w = math.tanh %v : f32
      %y = arith.addf %w, %one : f32
      %z = arith.mulf %y, %half : f32
      %r = arith.mulf %z, %x : f32"""


@pytest.mark.parametrize("level", ["croq", "lower-mma", "nvvm", "ptx"])
def test_gelu(level: str) -> None:
    found = run(kernel(128, 64, GELU), 128, 64, level, 128, 64)
    x = found["acc"].astype(np.float64)
    inner = 0.7978845608 * (x + 0.044715 * x**3)
    check(found, 0.5 * x * (1 + np.tanh(inner)), 2e-5)


SOFTMAX = """
croq.kernel @k (%a: !croq.tile<64x64xf16, global>, %b: !croq.tile<48x64xf16, global>,
    %c: !croq.tile<64x48xf32, global>) {
  croq.parallel (%i) in (1) : block threads 128 {
    %a_s = croq.alloc : !croq.tile<64x64xf16, shared>
    %b_s = croq.alloc : !croq.tile<48x64xf16, shared>
    %c_s = croq.alloc : !croq.tile<64x48xf32, shared>
    %top = croq.alloc : !croq.tile<64xf32, shared>
    %sum = croq.alloc : !croq.tile<64xf32, shared>
    croq.copy %a => %a_s
    croq.copy %b => %b_s
    %zero = croq.mma.fill 0.0 : !croq.acc<64x48xf32>
    %c1 = croq.mma.exec row.row %zero, %a_s, %b_s
    %c2 = croq.mma.commit %c1
    %acc = croq.mma.wait %c2 in_flight 0
    croq.reduce max %acc dim 1 => %top
    %e = croq.elementwise (%x = %acc, %m = %top along [0]) -> !croq.acc<64x48xf32> {
      %d = arith.subf %x, %m : f32
      %y = math.exp %d : f32
      croq.yield %y : f32
    }
    croq.reduce add %e dim 1 => %sum
    %p = croq.elementwise (%x = %e, %s = %sum along [0]) -> !croq.acc<64x48xf32> {
      %y = arith.divf %x, %s fastmath<arcp> : f32
      croq.yield %y : f32
    }
    croq.mma.store %p => %c_s
    croq.copy %c_s => %c
  }
}
"""


@pytest.mark.parametrize("level", LEVELS)
def test_softmax_of_a_product(level: str) -> None:
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal((k, 64)).astype(np.float16) for k in (64, 48))
    c = np.full((64, 48), np.nan, np.float32)
    simulate(SOFTMAX, a, b, c, level=level)
    s = a.astype(np.float64) @ b.astype(np.float64).T
    e = np.exp(s - s.max(axis=1, keepdims=True))
    np.testing.assert_allclose(c, e / e.sum(axis=1, keepdims=True), rtol=1e-4)


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@pytest.mark.parametrize(
    "text",
    [
        kernel(128, 64, GELU),
        kernel(128, 24, MASK, threads=256, at="at (%i, %j)"),
        kernel(
            *(128, 128, VECTORS),
            threads=256,
            inputs="%x = %acc, %s = %col along [0], %t = %row along [1], %w = %whole",
        ),
        SOFTMAX,
    ],
)
def test_assembles(text: str) -> None:
    result = assemble(lower(text), TARGET)
    assert result.warnings == ()
    assert result.stack_bytes == result.spill_bytes == 0
