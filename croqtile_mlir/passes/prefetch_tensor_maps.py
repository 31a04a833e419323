"""
`--prefetch-tensor-maps`: one thread fetches the descriptors when the block starts.

    llvm.func @k(%map: !llvm.ptr {llvm.byval ..}) {
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %first = arith.cmpi eq, %tid, %c0 : i32
      scf.if %first {
        nvvm.prefetch tensormap, %map : !llvm.ptr
      }

The first copy by TMA does not wait for its descriptor then, which lies in parameter
memory; it comes while the mbarriers are initialised.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from croqtile_mlir.dialects import llvm_ext
from croqtile_mlir.dialects.nvvm import (
    CpAsyncBulkTensorLoadOp,
    CpAsyncBulkTensorStoreOp,
    PrefetchOp,
    TidXOp,
)
from croqtile_mlir.lowering.rewriting import LocatedBuilder

_COPIES = (CpAsyncBulkTensorLoadOp, CpAsyncBulkTensorStoreOp)


@dataclass(frozen=True)
class PrefetchTensorMapsPass(ModulePass):
    """Prefetch the tensor maps that a kernel copies by, at its start, in one thread."""

    name = "prefetch-tensor-maps"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.walk():
            if isinstance(function, llvm_ext.FuncOp) and function.is_kernel:
                _prefetch(function)


def _prefetch(function: llvm_ext.FuncOp) -> None:
    block = function.body.blocks.first
    if block is None:
        return
    maps = [argument for argument in block.args if _is_tensor_map(argument)]
    if not maps:
        return
    build = LocatedBuilder.at_start(block, function.location)
    tid = build.insert(TidXOp()).result
    with build.if_(build.cmp("eq", tid, 0)) as inner:
        for each in maps:
            inner.insert(PrefetchOp(each))


def _is_tensor_map(argument: SSAValue) -> bool:
    return any(
        isinstance(copy := use.operation, _COPIES) and copy.tensor_map is argument
        for use in argument.uses
    )
