"""
`--expand-inner-tiles`: ops on tiles of inner levels become loops over elements.

    croq.parallel (%t) in (128) : thread {
      %mine = croq.subspan %a_s [1, 4] tile (%t, 0)
      croq.copy %mine => %r                 ->  croq.foreach %j in 4 unroll {
    }                                             %x = croq.load %mine[0, %j]
                                                  croq.store %x, %r[0, %j]
                                                }

`copy`, `fill`, `elementwise` and `reduce`. Inside `parallel : warp` a loop is that of
the lanes of the warp, `croq.parallel (%lane) in (32) : thread`, between two
`croq.warp_barrier`; inside `parallel : warpgroup` that of its 128 threads, between two
`croq.warpgroup_barrier`. Loops over tiles of registers are marked `unroll`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from croqtile_mlir.lowering.inner_tiles import expand_inner_tiles


@dataclass(frozen=True)
class ExpandInnerTilesPass(ModulePass):
    """Turn ops on tiles of threads, warps or warpgroups into loops over elements."""

    name = "expand-inner-tiles"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expand_inner_tiles(op)
