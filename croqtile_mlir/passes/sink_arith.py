"""
`--sink-arith`: arithmetic that nothing needs before a loop has ended moves behind it.

    %row = arith.divui %tile, %n           scf.for %k = .. {
    scf.for %k = .. {                        ..
      ..                             ->    }
    }                                      %row = arith.divui %tile, %n
    nvvm.wgmma.wait.group .. 0             nvvm.wgmma.wait.group .. 0
    use(%row)                              use(%row)

Before the loop the loads or products that it starts would have to wait for it; behind
it, it runs beside those that are still in flight, and what comes out takes no register
until then.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.effects import has_no_effect
from croqtile_mlir.dialects import llvm_ext


@dataclass(frozen=True)
class SinkArithPass(ModulePass):
    """
    Move arithmetic on integers and pointers of kernels behind the first `scf.for` after
    it, if all uses are behind it.

    Parts of accumulators stay: the loop may go on in the registers that they are in.
    """

    name = "sink-arith"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.walk():
            if isinstance(function, llvm_ext.FuncOp) and function.is_kernel:
                for inner in tuple(function.walk()):
                    for region in inner.regions:
                        for block in region.blocks:
                            _sink(block)


def _sink(block: Block) -> None:
    place = {op: number for number, op in enumerate(block.ops)}
    loop: scf.ForOp | None = None
    # From the end, so that what a value is computed from follows it.
    for op in reversed(tuple(place)):
        if isinstance(op, scf.ForOp):
            loop = op
        elif loop is not None and _can_sink(op):
            users = {
                block.find_ancestor_op_in_block(use.operation)
                for result in op.results
                for use in result.uses
            }
            if users and all(
                user is not None and place[user] > place[loop] for user in users
            ):
                op.detach()
                block.insert_op_after(op, loop)
                # Behind the loop, before what was behind it.
                place[op] = place[loop] + 1


def _can_sink(op: Operation) -> bool:
    return (
        has_no_effect(op)
        and not op.regions
        and bool(op.results)
        and not isinstance(op, arith.ConstantOp)
        and all(
            isinstance(value.type, IntegerType | LLVMPointerType)
            for value in (*op.operands, *op.results)
        )
    )
