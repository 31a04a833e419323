"""
`--lower-asserts`: an assertion in a block becomes a trap where it does not hold.

    croq.assert %c, "positive"    ->    scf.if %not_c { llvm.intr.trap }

Those outside of the block stay: they are rules of the launch, which `--lower-parallel`
puts in the launch plan.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region
from xdsl.passes import ModulePass

from croqtile_mlir.dialects import croq, llvm_ext
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace


@dataclass(frozen=True)
class LowerAssertsPass(ModulePass):
    """Lower assertions of what a kernel computes."""

    name = "lower-asserts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.walk()):
            if isinstance(inner, croq.AssertOp) and not isinstance(
                inner.parent_op(), croq.KernelOp
            ):
                _lower(inner)


def _lower(op: croq.AssertOp) -> None:
    builder = LocatedBuilder.before(op)
    fails = builder.not_(op.condition)
    trap = Block([llvm_ext.TrapOp(), scf.YieldOp()])
    builder.insert(scf.IfOp(fails, [], Region(trap)))
    replace(op, [], ())
