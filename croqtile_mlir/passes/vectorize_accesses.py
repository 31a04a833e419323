"""
`--vectorize-accesses`: loads and stores of neighbours by a thread become wide ones.

    %x = croq.load %a[%t, 0]        %p = croq.address %a[%t, 0] : !llvm.ptr<3>
    %y = croq.load %a[%t, 1]   ->   %v = llvm.load %p : !llvm.ptr<3> -> vector<2xf32>
                                    %x = llvm.extractelement %v[%c0]
                                    %y = llvm.extractelement %v[%c1]

Such accesses are those of copies between memory and tiles of registers, once loops over
their elements are unrolled. As wide as the alignment of a shared tile allows, 16 bytes
at most; in global memory under a test of the address and the pitches.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from croqtile_mlir.lowering.access_runs import merge, runs_in
from croqtile_mlir.lowering.memo_builder import MemoBuilder


@dataclass(frozen=True)
class VectorizeAccessesPass(ModulePass):
    """
    Turn loads, and stores, of neighbours of a row by single threads into accesses of
    several elements.
    """

    name = "vectorize-accesses"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for run in list(runs_in(op)):
            # Runs are not in the order of the program: each has values of its own.
            merge(run, MemoBuilder())
