"""A matrix product in clusters at tile level, as text to change, and runs of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from support.tile_runs import levels, run_at

from croqtile_mlir.compiler import source_of
from croqtile_mlir.simulator.simulate import Options, Report, load, run_loaded

POLICIES = ("rr", "late", "early", "random:1", "random:7")

_PRODUCT = """
croq.kernel @product dims(M, N, K) params(S = 3) (
    %lhs: !croq.tile<[M]x[K]xf16, global>, %rhs: !croq.tile<[N]x[K]xf16, global>,
    %out: !croq.tile<[M]x[N]xf16, global>) {
  %ms = croq.cdiv M, ROWS
  %ns = croq.cdiv N, COLS
  %ks = croq.cdiv K, 64
  croq.parallel (%cm, %cn) in (%ms, %ns) : cluster {
    %cx = arith.constant CX : index
    %bm0 = arith.muli %cm, %cx : index
    croq.parallel (%i, %j) in (CX, CY) : block {
      %cy = arith.constant CY : index
      %bn0 = arith.muli %cn, %cy : index
      %bm = arith.addi %bm0, %i : index
      %bn = arith.addi %bn0, %j : index
      %full = croq.event : !croq.event<[S]>
      %empty = croq.event ready : !croq.event<[S]>
      %a_s = croq.alloc : !croq.tile<[S]x64x64xf16, shared>
      %b_s = croq.alloc : !croq.tile<[S]x64x64xf16, shared>
      %o_s = croq.alloc : !croq.tile<64x64xf16, shared>
      croq.role "producer" warpgroups [0, 1) {
        croq.foreach %k in %ks {
          croq.wait %empty at %k
          %a0 = croq.subspan %lhs [64, 64] tile (%bm, %k)
          %a = croq.chunkat %a0 [CY, 1] at (%j, 0)
          %as0 = croq.slot %a_s at %k
          %as = croq.chunkat %as0 [CY, 1] at (%j, 0)
          %b0 = croq.subspan %rhs [64, 64] tile (%bn, %k)
          %b = croq.chunkat %b0 [CX, 1] at (%i, 0)
          %bs0 = croq.slot %b_s at %k
          %bs = croq.chunkat %bs0 [CX, 1] at (%i, 0)
          %fa = croq.copy_async %a => %as engine(tma) TO_ROW
          %fb = croq.copy_async %b => %bs engine(tma) TO_COLUMN
          croq.trigger %full at %k after %fa, %fb
        }
      }
      croq.role "consumer" warpgroups [1, 2) {
        %zero = croq.mma.fill 0.0 : !croq.acc<64x64xf32>
        %acc = croq.foreach %k in %ks iter(%c = %zero) {
          croq.wait %full at %k
          %as = croq.slot %a_s at %k
          %bs = croq.slot %b_s at %k
          %c1 = croq.mma.exec row.row %c, %as, %bs
          %c2 = croq.mma.commit %c1
          %c3 = croq.mma.wait %c2 in_flight 0
          RELEASE
          croq.yield %c3 : !croq.acc<64x64xf32>
        }
        croq.mma.store %acc => %o_s
        %o = croq.subspan %out [64, 64] tile (%bm, %bn)
        croq.copy %o_s => %o engine(tma)
      }
      croq.barrier cluster
    }
  }
}
"""


def product(cx: int, cy: int) -> str:
    """
    A product whose clusters are cx blocks along the rows and cy along the columns.

    Blocks of a row share the tile of the left operand, those of a column that of the
    right one: each loads a part of both for all of them. A slot is released to the
    blocks that write it: those of the row and those of the column, not to others, for
    which nothing would order the release after that of the generation before.
    """
    shared = [d for d, extent in enumerate((cx, cy)) if extent > 1]
    names = {
        "ROWS": str(64 * cx),
        "COLS": str(64 * cy),
        "CX": str(cx),
        "CY": str(cy),
        "TO_ROW": "multicast [1]" if cy > 1 else "",
        "TO_COLUMN": "multicast [0]" if cx > 1 else "",
        "RELEASE": "\n          ".join(
            f"croq.trigger %empty at %k multicast [{d}]" for d in shared
        ),
    }
    text = _PRODUCT
    for name, value in names.items():
        text = text.replace(name, value)
    return text


def changed(text: str, *changes: tuple[str, str]) -> str:
    """A text with parts exchanged, each of which must be there once."""
    for old, new in changes:
        assert text.count(old) == 1, (old, text.count(old))
        text = text.replace(old, new)
    return text


def operands(m: int, n: int, k: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Random operands and an output of nothing."""
    rng = np.random.default_rng(m + 3 * n + 7 * k)
    lhs = rng.standard_normal((m, k)).astype(np.float16)
    rhs = rng.standard_normal((n, k)).astype(np.float16)
    return lhs, rhs, np.full((m, n), np.nan, np.float16)


def run_product(
    text: str, size: tuple[int, int, int], level: str, policy: str
) -> tuple[Report, bool]:
    """The report of a run, and whether its numbers are right."""
    lhs, rhs, out = operands(*size)
    if level in levels():
        report = run_at(text, level, lhs, rhs, out, policy=policy)
    else:
        kernel = load(source_of(text), level=level)
        report = run_loaded(kernel, (lhs, rhs, out), Options(policy))
    expected = lhs.astype(np.float64) @ rhs.astype(np.float64).T
    error = np.abs(out - expected) <= 2e-3 * np.abs(expected) + 2e-2
    return report, bool(error.all())
