"""
`--unswitch-loops`: a loop that does something in some threads only runs in them only.

    scf.for %k = .. {                      scf.if %leader {
      %slot = ..                             scf.for %k = .. {
      scf.if %leader {                         %slot = ..
        nvvm.mbarrier.try_wait ..      ->      nvvm.mbarrier.try_wait ..
        nvvm.cp.async.bulk.tensor ..           nvvm.cp.async.bulk.tensor ..
      }                                      }
    }                                      }

The other threads of the warp have nothing to come back for, so ptxas keeps what the one
thread computes in uniform registers: at 8192x8192x8192 on an H200 the tensor cores of a
producer and two consumers went from 94.6% to 99% busy, because a free slot is filled
sooner.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.effects import has_no_effect
from croqtile_mlir.dialects import llvm_ext
from croqtile_mlir.dialects.nvvm import MmaSyncOp
from croqtile_mlir.lowering.rewriting import LocatedBuilder


@dataclass(frozen=True)
class UnswitchLoopsPass(ModulePass):
    """
    Put the `scf.if` in a `scf.for` of a kernel around it, where everything in the loop
    that has an effect is in it, or in others of the same condition, the condition is
    from outside, and nothing uses the results of the loop. Inner loops first, so that
    nests of them follow.
    """

    name = "unswitch-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.walk():
            if isinstance(function, llvm_ext.FuncOp) and function.is_kernel:
                loops = [op for op in function.walk() if isinstance(op, scf.ForOp)]
                for loop in reversed(loops):
                    if guarded := _guarded(loop):
                        _unswitch(loop, guarded)


def _guarded(loop: scf.ForOp) -> list[scf.IfOp]:
    """The conditionals that hold all effects of a loop: none, or of one condition."""
    if any(True for result in loop.results for _ in result.uses):
        return []
    found: list[scf.IfOp] = []
    for op in loop.body.block.ops:
        if isinstance(op, scf.IfOp) and not op.results and not op.false_region.blocks:
            found.append(op)
        elif not isinstance(op, scf.YieldOp) and not _may_stop(op):
            return []
    if len({op.cond for op in found}) != 1:
        return []
    condition = found[0].cond.owner
    inside = condition if isinstance(condition, Operation) else condition.parent_op()
    if inside is None or inside is loop or loop.is_ancestor(inside):
        return []
    return found


def _may_stop(op: Operation) -> bool:
    """Whether threads may leave out an op whose results they do not need."""
    # All threads of a warp compute the results of mma.sync together.
    together = any(isinstance(inner, MmaSyncOp) for inner in op.walk())
    return has_no_effect(op) and not together


def _unswitch(loop: scf.ForOp, guarded: list[scf.IfOp]) -> None:
    then = Block()
    around = scf.IfOp(guarded[0].cond, [], Region(then))
    LocatedBuilder.before(loop).insert(around)
    around.location = guarded[0].location
    for each in guarded:
        for op in tuple(each.true_region.block.ops):
            op.detach()
            if isinstance(op, scf.YieldOp):
                op.erase()
            else:
                loop.body.block.insert_op_before(op, each)
        each.detach()
        each.erase()
    loop.detach()
    then.add_op(loop)
    LocatedBuilder.at_end(then, loop.location).insert(scf.YieldOp())
