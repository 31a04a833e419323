"""
`--lower-elementwise`: computations for each element of a tile become loops of threads.

    croq.elementwise (%x = %a) => %c {       scf.for %v = %thread to 512 step 128 {
      %y = arith.negf %x : f32                 %x = llvm.load %pa -> vector<4xf32>
      croq.yield %y : f32                ->    %x0 = llvm.extractelement %x[%c0]
    }                                          %y0 = arith.negf %x0 : f32
                                               ..
                                               llvm.store %y, %pc
                                             }

Those of accumulators are left to `--lower-mma`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from croqtile_mlir.dialects.croq import ElementwiseOp
from croqtile_mlir.lowering.elementwise_threads import ThreadElements
from croqtile_mlir.lowering.memo_builder import MemoBuilder


@dataclass(frozen=True)
class LowerElementwisePass(ModulePass):
    """
    Turn computations for each element of a tile into loops of the threads of the scope
    over vectors of up to 16 bytes; where a vector is not aligned or not all in range,
    element by element.
    """

    name = "lower-elementwise"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        threads = ThreadElements(MemoBuilder())
        for inner in list(op.walk()):
            if isinstance(inner, ElementwiseOp) and inner.destination is not None:
                threads.lower(inner, inner.destination)
                inner.detach()
                inner.erase()
