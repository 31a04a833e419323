"""`croq.elementwise` over tiles: every level, type, layout, scope and ragged edge."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from pipeline.lowering import TARGET, lower, parse
from support.covering import pairwise

from croqtile_mlir.diagnostics import CompileError
from croqtile_mlir.ptx_tools import assemble, find_ptxas
from croqtile_mlir.simulator.faults import SimulationError
from croqtile_mlir.simulator.simulate import simulate

LEVELS = (
    *("croq", "insert-barriers", "lower-dma", "lower-elementwise", "lower-views"),
    *("nvvm", "ptx"),
)
POLICIES = ("rr", "late", "early", "random:5")

DTYPES: dict[str, Any] = {
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "i32": np.int32,
    "i64": np.int64,
}


def random(dtype: str, *shape: int, seed: int = 1) -> Any:
    rng = np.random.default_rng(seed)
    if dtype.startswith("i"):
        return rng.integers(-1000, 1000, shape).astype(DTYPES[dtype])
    return rng.standard_normal(shape).astype(DTYPES[dtype])


def combined(a: str, b: str) -> tuple[str, str]:
    """The text that adds `%x` of type a and `%y` of type b, and its type."""
    kind = "i" if a.startswith("i") else "f"
    if a == b:
        return f"%z = arith.add{kind} %x, %y : {a}\n", a
    return f"%w = arith.extf %x : {a} to {b}\n%z = arith.addf %w, %y : {b}\n", b


def vector_sum(a: str, b: str, rows: int, cols: int, layout: str = "") -> str:
    """c = a + row + column: `a` through shared memory, the vectors from global."""
    text, result = combined(a, b)
    plus = f"arith.add{'i' if result.startswith('i') else 'f'}"
    return f"""
croq.kernel @k dims(M, N) (
    %a: !croq.tile<[M]x[N]x{a}, global>, %row: !croq.tile<[N]x{b}, global>,
    %col: !croq.tile<[M]x{b}, global>, %c: !croq.tile<[M]x[N]x{result}, global>) {{
  %mt = croq.cdiv M, {rows}
  %nt = croq.cdiv N, {cols}
  croq.parallel (%bm, %bn) in (%mt, %nt) : block threads 96 {{
    %a_s = croq.alloc : !croq.tile<{rows}x{cols}x{a}, shared{layout}>
    %c_s = croq.alloc : !croq.tile<{rows}x{cols}x{result}, shared>
    %a_t = croq.subspan %a [{rows}, {cols}] tile (%bm, %bn)
    %row_t = croq.subspan %row [{cols}] tile (%bn)
    %col_t = croq.subspan %col [{rows}] tile (%bm)
    %c_t = croq.subspan %c [{rows}, {cols}] tile (%bm, %bn)
    croq.copy %a_t => %a_s engine(threads)
    croq.elementwise (%x = %a_s, %y = %row_t along [1]) => %c_s {{
      {text}
      croq.yield %z : {result}
    }}
    croq.elementwise (%x = %c_s, %y = %col_t along [0]) => %c_t {{
      %z = {plus} %x, %y : {result}
      croq.yield %z : {result}
    }}
  }}
}}
"""


def check_sum(
    text: str, a: str, b: str, m: int, n: int, level: str, policy: str = "rr"
) -> None:
    x, row, col = random(a, m, n), random(b, n, seed=2), random(b, m, seed=3)
    result = DTYPES[combined(a, b)[1]]
    out = np.full((m, n), 77, result)
    simulate(text, x, row, col, out, level=level, policy=policy)
    expected = (x.astype(result) + row).astype(result) + col[:, None]
    np.testing.assert_array_equal(out, expected.astype(result))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("m", "n"), [(1, 1), (16, 24), (17, 23), (33, 48), (5, 50)])
def test_ragged_edges(m: int, n: int, level: str) -> None:
    text = vector_sum("f16", "f32", 16, 24)
    check_sum(text, "f16", "f32", m, n, level)


@pytest.mark.parametrize("level", ["croq", "lower-dma", "nvvm", "ptx"])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        *(("f32", "f32"), ("f16", "f16"), ("bf16", "bf16"), ("bf16", "f32")),
        *(("i32", "i32"), ("i64", "i64")),
    ],
)
def test_types(a: str, b: str, level: str) -> None:
    check_sum(vector_sum(a, b, 8, 40), a, b, 11, 43, level)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("level", ["insert-barriers", "lower-elementwise", "nvvm"])
def test_policies(level: str, policy: str) -> None:
    check_sum(vector_sum("f32", "f32", 8, 20), "f32", "f32", 9, 21, level, policy)


@pytest.mark.parametrize("level", ["croq", "lower-dma", "nvvm", "ptx"])
@pytest.mark.parametrize(
    ("layout", "cols"),
    [
        ("swizzle<128>", 64),
        ("swizzle<64>", 64),
        ("swizzle<none>", 64),
        ("row_major", 7),
    ],
)
def test_layouts(layout: str, cols: int, level: str) -> None:
    text = vector_sum("f16", "f32", 8, cols, f", {layout}")
    check_sum(text, "f16", "f32", 13, cols + 5, level)


def test_vectors_are_as_wide_as_all_tiles_allow() -> None:
    text = lower(vector_sum("f16", "f32", 16, 24))
    # Four elements: 8 bytes of f16, 16 of f32.
    assert "ld.shared.v2.b32" in text
    assert "ld.global.v4.f32" in text
    assert "st.shared.v4.f32" in text
    odd = lower(vector_sum("f16", "f32", 16, 23))
    assert ".v4.f32" not in odd


POSITIONS = """
croq.kernel @k dims(A, B, C) (%c: !croq.tile<[A]x[B]x[C]xi32, global>) {
  %bt = croq.cdiv B, 3
  croq.parallel (%b) in (%bt) : block threads 32 {
    %three = arith.constant 3 : index
    %first = arith.muli %b, %three : index
    %thousand = arith.constant 1000 : index
    %ten = arith.constant 10 : index
    %t = croq.subspan %c [2, 3, 10] tile (0, %b, 0)
    croq.elementwise () at (%i, %j, %k) => %t {
      %row = arith.addi %first, %j : index
      %p = arith.muli %i, %thousand : index
      %q = arith.muli %row, %ten : index
      %r = arith.addi %p, %q : index
      %s = arith.addi %r, %k : index
      %v = arith.index_cast %s : index to i32
      croq.yield %v : i32
    }
  }
}
"""


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("shape", [(2, 3, 10), (1, 7, 9), (2, 4, 1)])
def test_positions_in_three_dims(shape: tuple[int, ...], level: str) -> None:
    out = np.full(shape, -1, np.int32)
    simulate(POSITIONS, out, level=level)
    i, j, k = np.indices(shape)
    np.testing.assert_array_equal(out, 1000 * i + 10 * j + k)


ROLES = """
croq.kernel @k dims(R) params(S = 2) (
    %a: !croq.tile<[R]x16xf32, global>, %c: !croq.tile<[R]x16xf32, global>) {
  %tiles = croq.cdiv R, 64
  croq.parallel (%b) in (1) : block {
    %full = croq.event : !croq.event<[S]>
    %empty = croq.event : !croq.event<[S]>
    %ring = croq.alloc : !croq.tile<[S]x64x16xf32, shared>
    %out = croq.alloc : !croq.tile<64x16xf32, shared>
    croq.role "producer" warpgroups [0, 1) {
      croq.foreach %t in %tiles {
        croq.wait %empty at %t
        %at = croq.slot %ring at %t
        %from = croq.subspan %a [64, 16] tile (%t, 0)
        croq.copy %from => %at engine(threads)
        croq.trigger %full at %t
      }
    }
    croq.role "consumer" warpgroups [1, 2) {
      croq.foreach %s in S {
        croq.trigger %empty at %s
      }
      croq.foreach %t in %tiles {
        croq.wait %full at %t
        %at = croq.slot %ring at %t
        croq.elementwise (%x = %at) => %out {
          %y = arith.mulf %x, %x : f32
          croq.yield %y : f32
        }
        croq.trigger %empty at %t + S
        %to = croq.subspan %c [64, 16] tile (%t, 0)
        croq.copy %out => %to engine(threads)
      }
    }
  }
}
"""


@pytest.mark.parametrize(
    ("level", "count", "policy"),
    pairwise(
        *([*LEVELS[:2], "lower-elementwise", "nvvm"], [0, 1, 2, 3, 5]),
        POLICIES,
    ),
)
def test_in_a_role_around_a_ring(count: int, level: str, policy: str) -> None:
    rows = max(0, 64 * count - 3)
    a = random("f32", rows, 16)
    out = np.full((rows, 16), np.nan, np.float32)
    simulate(ROLES, a, out, level=level, policy=policy)
    np.testing.assert_array_equal(out, a * a)


IN_PLACE = """
croq.kernel @k (%a: !croq.tile<40x12xf32, global>, %c: !croq.tile<12x40xf32, global>) {
  croq.parallel (%b) in (1) : block threads 64 {
    %s = croq.alloc : !croq.tile<40x12xf32, shared>
    croq.copy %a => %s engine(threads)
    croq.elementwise (%x = %s) => %s {
      %y = arith.addf %x, %x : f32
      croq.yield %y : f32
    }
    croq.elementwise (%x = %s) => %s {
      %y = arith.mulf %x, %x : f32
      croq.yield %y : f32
    }
    croq.parallel (%t) in (40) : thread {
      croq.foreach %j in 12 {
        %x = croq.load %s[%t, %j]
        croq.store %x, %c[%j, %t]
      }
    }
  }
}
"""


@pytest.mark.parametrize("level", LEVELS)
def test_in_place_and_then_by_other_threads(level: str) -> None:
    a = random("f32", 40, 12)
    out = np.full((12, 40), np.nan, np.float32)
    simulate(IN_PLACE, a, out, level=level)
    np.testing.assert_array_equal(out, ((a + a) * (a + a)).T)


def test_barriers_only_where_threads_differ() -> None:
    """The same threads copy the elements and make those of the two computations."""
    assert lower(IN_PLACE).count("bar.sync") + lower(IN_PLACE).count("barrier") == 1


def without_barrier(text: str, number: int) -> str:
    """A kernel whose barriers are in place, without one of them."""
    from croqtile_mlir.compiler import ir_after, source_of

    lines = str(ir_after(source_of(text), "insert-barriers")).splitlines()
    places = [i for i, line in enumerate(lines) if "croq.barrier" in line]
    del lines[places[number]]
    return "\n".join(lines)


def test_a_missing_barrier_is_found() -> None:
    text = without_barrier(IN_PLACE, 0)
    a, out = random("f32", 40, 12), np.full((12, 40), np.nan, np.float32)
    with pytest.raises(SimulationError, match="race"):
        simulate(parse(text), a, out)
    with pytest.raises(CompileError, match="'croq"):
        lower(text)


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@pytest.mark.parametrize(
    "text", [vector_sum("f16", "f32", 16, 24), POSITIONS, IN_PLACE, ROLES]
)
def test_assembles(text: str) -> None:
    result = assemble(lower(text), TARGET)
    assert result.warnings == ()
    assert result.stack_bytes == result.spill_bytes == 0
