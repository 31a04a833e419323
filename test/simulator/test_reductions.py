"""`croq.reduce` over tiles: levels, types, combinations, shapes of groups, edges."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from pipeline.lowering import TARGET, lower, parse

from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.faults import SimulationError
from croqtile_mlir.simulator.simulate import simulate

LEVELS = (
    *("croq", "insert-barriers", "lower-dma", "lower-reduce", "lower-views"),
    *("nvvm", "ptx"),
)
DTYPES: dict[str, Any] = {
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "i32": np.int32,
    "i64": np.int64,
}
FUNCTIONS: dict[str, Any] = {
    "add": np.sum,
    "mul": np.prod,
    "max": np.max,
    "min": np.min,
}
ERRORS = {"f16": 2e-3, "bf16": 1e-2, "f32": 2e-5, "i32": 0.0, "i64": 0.0}


def kernel(
    combination: str,
    rows: int,
    cols: int,
    dim: int,
    source: str = "f32",
    result: str = "f32",
    threads: int = 128,
    *,
    direct: bool = False,
) -> str:
    """A tile of an argument reduced, through shared memory or `direct`ly."""
    kept = (rows, cols)[1 - dim]
    name, tile = ("N", "%bn") if dim == 0 else ("M", "%bm")
    grid = "%mt, 1" if dim == 1 else "1, %nt"
    body = f"croq.reduce {combination} %t dim {dim} => %o"
    if not direct:
        body = f"""croq.copy %t => %s
    croq.reduce {combination} %s dim {dim} => %v
    croq.copy %v => %o"""
    return f"""
croq.kernel @k dims(M, N) (%a: !croq.tile<[M]x[N]x{source}, global>,
    %c: !croq.tile<[{name}]x{result}, global>) {{
  %mt = croq.cdiv M, {rows}
  %nt = croq.cdiv N, {cols}
  croq.parallel (%bm, %bn) in ({grid}) : block threads {threads} {{
    %s = croq.alloc : !croq.tile<{rows}x{cols}x{source}, shared>
    %v = croq.alloc : !croq.tile<{kept}x{result}, shared>
    %t = croq.subspan %a [{rows}, {cols}] tile (%bm, %bn)
    %o = croq.subspan %c [{kept}] tile ({tile})
    {body}
  }}
}}
"""


def elements(dtype: str, m: int, n: int) -> Any:
    rng = np.random.default_rng(m * 1000 + n)
    if dtype.startswith("i"):
        return rng.integers(-1000, 1000, (m, n)).astype(DTYPES[dtype])
    return rng.standard_normal((m, n)).astype(DTYPES[dtype])


def check(
    text: str, combination: str, dim: int, a: Any, result: str, level: str
) -> Any:
    kept = a.shape[1 - dim]
    out = np.full(kept, -77, DTYPES[result])
    simulate(text, a, out, level=level)
    wide = a if a.dtype.kind == "i" else a.astype(np.float64)
    expected = FUNCTIONS[combination](wide, axis=dim)
    if a.dtype.kind == "i":
        expected = expected.astype(out.dtype)
    np.testing.assert_allclose(
        out.astype(expected.dtype),
        expected,
        rtol=ERRORS[result],
        atol=ERRORS[result] * np.sqrt(a.shape[dim]),
    )
    return out


GROUPS = [
    # rows, cols, dim, threads: a group of 32 threads, 8, 1; of two, four, eight warps;
    # several rounds, the last one not full; threads that are no power of two.
    *((64, 40, 1, 128), (64, 8, 1, 128), (64, 1, 1, 128)),
    *((2, 300, 1, 128), (1, 300, 1, 128), (1, 777, 1, 256)),
    *((5, 40, 1, 96), (1, 500, 1, 96), (3, 7, 0, 64), (3, 100, 0, 64), (1, 1, 1, 32)),
]


@pytest.mark.parametrize("combination", ["add", "max"])
@pytest.mark.parametrize("shape", GROUPS, ids=str)
def test_groups_agree_to_the_bit(
    shape: tuple[int, int, int, int], combination: str
) -> None:
    """The order of a sum is the same at every level, and it is right."""
    rows, cols, dim, threads = shape
    text = kernel(combination, rows, cols, dim, threads=threads)
    a = elements("f32", rows, cols)
    found = [check(text, combination, dim, a, "f32", level) for level in LEVELS]
    for each in found:
        np.testing.assert_array_equal(each, found[0])


@pytest.mark.parametrize("level", ["croq", "lower-dma", "nvvm", "ptx"])
@pytest.mark.parametrize("combination", FUNCTIONS)
@pytest.mark.parametrize(
    ("source", "result"),
    [
        *(("f32", "f32"), ("f16", "f16"), ("f16", "f32"), ("bf16", "bf16")),
        *(("i32", "i32"), ("i64", "i64")),
    ],
)
def test_types(source: str, result: str, combination: str, level: str) -> None:
    cols = 6 if combination == "mul" else 37
    text = kernel(combination, 9, cols, 1, source, result, 64)
    check(text, combination, 1, elements(source, 9, cols), result, level)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("combination", FUNCTIONS)
@pytest.mark.parametrize(("m", "n"), [(1, 1), (4, 70), (3, 50), (4, 33)])
def test_elements_out_of_range_are_left_out(
    m: int, n: int, combination: str, level: str
) -> None:
    text = kernel(combination, 4, 70, 1, direct=True)
    a = np.abs(elements("f32", m, n)) + np.float32(0.5)
    # Zeros would show in a minimum and a product.
    check(text, combination, 1, -a if combination == "max" else a, "f32", level)


@pytest.mark.parametrize("level", LEVELS)
def test_columns_of_ragged_tiles(level: str) -> None:
    text = kernel("min", 20, 50, 0, direct=True)
    check(text, "min", 0, elements("f32", 13, 41) + np.float32(9), "f32", level)


@pytest.mark.parametrize("level", LEVELS)
def test_what_is_no_number(level: str) -> None:
    a = elements("f32", 4, 70)
    a[1, ::2] = np.nan
    a[2] = np.nan
    out = np.zeros(4, np.float32)
    simulate(kernel("max", 4, 70, 1), a, out, level=level)
    expected = np.fmax.reduce(a, axis=1)
    expected[2] = -np.inf
    np.testing.assert_array_equal(out, expected)


TWICE = """
croq.kernel @k dims(T) (
    %a: !croq.tile<[T]x300xf32, global>, %c: !croq.tile<[T]xf32, global>) {
  croq.parallel (%b) in (1) : block threads 128 {
    %s = croq.alloc : !croq.tile<1x300xf32, shared>
    %v = croq.alloc : !croq.tile<1xf32, shared>
    croq.foreach %t in T {
      %from = croq.subspan %a [1, 300] tile (%t, 0)
      %to = croq.subspan %c [1] tile (%t)
      croq.copy %from => %s engine(threads)
      croq.reduce add %s dim 1 => %v
      croq.copy %v => %to engine(threads)
    }
  }
}
"""


@pytest.mark.parametrize("policy", ["rr", "late", "early", "random:3"])
@pytest.mark.parametrize("level", [*LEVELS[:2], "lower-reduce", "nvvm"])
@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_again_and_again(count: int, level: str, policy: str) -> None:
    """The place where warps meet is used in every iteration."""
    a, out = elements("f32", count, 300), np.full(count, np.nan, np.float32)
    simulate(TWICE, a, out, level=level, policy=policy)
    np.testing.assert_allclose(out, a.astype(float).sum(1), rtol=1e-4, atol=1e-4)


def without_barrier(text: str, level: str, number: int) -> str:
    """A kernel after a pass, without one of its barriers."""
    from croqtile_mlir.compiler import ir_after, source_of

    lines = str(ir_after(source_of(text), level)).splitlines()
    places = [i for i, line in enumerate(lines) if "croq.barrier" in line]
    del lines[places[number]]
    return "\n".join(lines)


def test_the_exchange_needs_its_barrier() -> None:
    """
    Warps write their values, meet, and one reads them; before they write the next ones
    they meet because of the copy.
    """
    from croqtile_mlir.compiler import ir_after, source_of

    lowered = str(ir_after(source_of(TWICE), "lower-reduce"))
    assert lowered.count("croq.barrier") == 3
    text = without_barrier(TWICE, "lower-reduce", 1)
    a, out = elements("f32", 3, 300), np.full(3, np.nan, np.float32)
    with pytest.raises(SimulationError, match="race"):
        simulate(parse(text), a, out)


def test_a_missing_barrier_is_refuted() -> None:
    with pytest.raises(CompileError, match=r"'croq\.(reduce|copy)' op"):
        lower(without_barrier(TWICE, "insert-barriers", 0))


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@pytest.mark.parametrize(
    "text",
    [
        kernel("add", 64, 40, 1),
        kernel("max", 1, 777, 1, "f16", "f16", 256),
        kernel("mul", 5, 40, 0, "bf16", "f32"),
        kernel("min", 9, 37, 1, "i64", "i64", direct=True),
        TWICE,
    ],
)
def test_assembles(text: str) -> None:
    result = assemble(lower(text), TARGET)
    assert result.warnings == ()
    assert result.stack_bytes == result.spill_bytes == 0
