"""
`--promote-registers`: elements of register tiles become SSA values.

    %r = croq.alloc : <2xf32, register>
    croq.fill elements ..
    croq.foreach %k in %n {                %s0, %s1 = croq.foreach %k in %n
      %a = croq.load %r[0]             ->      iter(%r_0 = %zero, %r_1 = %zero) {
      %b = arith.addf %a, %x : f32           %b = arith.addf %r_0, %x : f32
      croq.store %b, %r[0]                   croq.yield %b, %r_1 : f32, f32
    }                                      }

Tiles with an access at an index that is not constant are left: they are memory of the
thread. Loops over their elements are to be unrolled before.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from croqtile_mlir.dialects.croq import KernelOp
from croqtile_mlir.lowering.register_values import promote


@dataclass(frozen=True)
class PromoteRegistersPass(ModulePass):
    """Turn the elements of register tiles at constant indices into SSA values."""

    name = "promote-registers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [k for k in op.walk() if isinstance(k, KernelOp)]:
            promote(kernel)
