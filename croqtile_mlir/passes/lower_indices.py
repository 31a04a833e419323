"""
`--lower-indices`: bounded indices and extents become plain index arithmetic.

    %k = croq.with 16                    %row = arith.muli %b, 16
    %row = croq.compose %b, %t      ->   %row = arith.addi %row, %t
    %n = croq.axis %t                    (16 where %n was)
    %m = croq.span %tile[0]              %m = croq.dim M

The other passes see neither; those that change what an index is bounded by run this
first.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from croqtile_mlir.lowering.bounded_indices import lower_indices_in


@dataclass(frozen=True)
class LowerIndicesPass(ModulePass):
    """Turn `with`, `compose`, `axis` and `span` into index arithmetic."""

    name = "lower-indices"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_indices_in(op)
