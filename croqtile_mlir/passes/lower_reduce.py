"""
`--lower-reduce`: reductions of tiles become loops, shuffles and barriers of threads.

    croq.reduce add %a dim 1 => %v    %s = scf.for %k = %member to 64 step 32 iter(..)
                                      %o = nvvm.shfl.sync bfly %all, %s, %c16, %c31
                                  ->  %t = arith.addf %s, %o
                                      ..
                                      scf.if %leads { llvm.store %t, %p }

The order is that of `analysis/reduction_groups`. Reductions of accumulators are left to
`--lower-mma`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.scopes import blocks_in
from croqtile_mlir.dialects.croq import ReduceOp, TileType
from croqtile_mlir.lowering.memo_builder import MemoBuilder
from croqtile_mlir.lowering.reduce_threads import ThreadReductions


@dataclass(frozen=True)
class LowerReducePass(ModulePass):
    """
    Turn reductions of tiles into loops of the threads of the scope, shuffles within a
    warp, and for groups of several warps an exchange through shared memory.
    """

    name = "lower-reduce"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        threads = ThreadReductions(MemoBuilder())
        for inner in list(op.walk()):
            if isinstance(inner, ReduceOp) and isinstance(inner.source.type, TileType):
                threads.lower(inner)
                inner.detach()
                inner.erase()
        if threads.partials:
            for block in blocks_in(op):
                threads.insert_barriers(block)
