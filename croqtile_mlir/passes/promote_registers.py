"""
`--promote-registers`: elements of arrays in local memory become SSA values.

    %r = llvm.alloca %c2 x f32
    scf.for %k = .. {                      %r, %r_1 = scf.for %k = ..
      %a = llvm.load %r                ->      iter_args(%r_2 = %x, %r_3 = %y) {
      %b = arith.addf %a, %x : f32           %b = arith.addf %r_2, %x : f32
      llvm.store %b, %r                      scf.yield %b, %r_3 : f32, f32
    }                                      }

Arrays that are accessed at places that are not constant stay, with a warning: memory of
a thread is far slower than its registers.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from croqtile_mlir.diagnostics import warn
from croqtile_mlir.dialects.llvm_ext import FuncOp
from croqtile_mlir.lowering.register_values import promote


@dataclass(frozen=True)
class PromoteRegistersPass(ModulePass):
    """Turn the elements of register tiles at constant places into SSA values."""

    name = "promote-registers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [f for f in op.walk() if isinstance(f, FuncOp)]:
            if not function.body.blocks:
                continue
            for array, cause in promote(function).memory.items():
                warn(
                    ctx,
                    array,
                    "register tile is in local memory: an index is not constant",
                    hint="unroll the loop over its elements",
                    notes=[(cause, "the index is used here")],
                )
