"""
`--promote-registers`: elements of arrays in local memory become SSA values.

    %r = llvm.alloca %c2 x f32
    scf.for %k = .. {                      %r, %r_1 = scf.for %k = ..
      %a = llvm.load %r                ->      iter_args(%r_2 = %x, %r_3 = %y) {
      %b = arith.addf %a, %x : f32           %b = arith.addf %r_2, %x : f32
      llvm.store %b, %r                      scf.yield %b, %r_3 : f32, f32
    }                                      }

Arrays stay, with a warning, that are accessed at places that are not constant or as
another type, and those of a kernel with branches: memory of a thread is far slower than
its registers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.register_elements import Obstacle
from croqtile_mlir.diagnostics import warn
from croqtile_mlir.dialects.llvm_ext import FuncOp
from croqtile_mlir.lowering.register_values import promote

_ADVICE: Mapping[Obstacle, tuple[str | None, str]] = MappingProxyType(
    {
        Obstacle.Index: (
            "unroll the loop over its elements",
            "the index is used here",
        ),
        Obstacle.Element: (
            "access elements of the array's type, at multiples of their size",
            "the access is here",
        ),
        Obstacle.Address: (None, "the address is used here"),
        Obstacle.Branch: (
            "use scf.if, scf.for and scf.while instead of branches",
            "the first block ends here",
        ),
    }
)
"""The hint, and what is at the place that the warning names."""


@dataclass(frozen=True)
class PromoteRegistersPass(ModulePass):
    """Turn the elements of register tiles at constant places into SSA values."""

    name = "promote-registers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [f for f in op.walk() if isinstance(f, FuncOp)]:
            if not function.body.blocks:
                continue
            for array, (obstacle, where) in promote(function).memory.items():
                hint, note = _ADVICE[obstacle]
                warn(
                    ctx,
                    array,
                    f"register tile is in local memory: {obstacle.value}",
                    hint=hint,
                    notes=[(where, note)],
                )
