"""Make every `index` of a kernel a 32-bit integer."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, ModuleOp, i32
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.hints import isa

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import llvm_ext
from croqtile_mlir.lowering.rewriting import replace, replace_values

LOWEST, HIGHEST = -(2**31), 2**31 - 1
"""The range of an index; the launch plan checks that every extent is in it."""


@dataclass(frozen=True)
class NarrowIndexPass(ModulePass):
    """
    Give the values of type `index` in kernels the type `i32`.

    Extents are below 2^31 (checked at launch), and so is what is computed from them to
    address shared memory or to count; offsets into global memory are `i64` before.
    A cast from index to a wider integer becomes `arith.extsi`: right for extents, and
    for differences that may be negative.
    """

    name = "narrow-index"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.walk():
            if isinstance(function, llvm_ext.FuncOp) and function.is_kernel:
                narrow(function)


def narrow(function: llvm_ext.FuncOp) -> None:
    """Make every index in a function an i32."""
    ops = tuple(function.body.walk())
    for op in ops:
        if op.name.startswith("croq."):
            _check_no_index(op)
    for op in ops:
        if isinstance(op, arith.ConstantOp):
            _narrow_constant(op)
        for result in op.results:
            _narrow_value(result)
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    _narrow_value(argument)
    for op in ops:
        if isinstance(op, arith.IndexCastOp):
            _lower_cast(op)


def _check_no_index(op: Operation) -> None:
    for value in (*op.operands, *op.results):
        if isinstance(value.type, IndexType):
            fail(
                op,
                "must have no values of type index before --narrow-index",
                hint="run --lower-views and --lower-parallel",
            )


def _narrow_constant(op: arith.ConstantOp) -> None:
    value = op.value
    if not isinstance(value, IntegerAttr) or not isinstance(value.type, IndexType):
        return
    number = value.value.data
    if not LOWEST <= number <= HIGHEST:
        fail(op, f"must be an index from {LOWEST} to {HIGHEST}, got {number}")
    op.properties["value"] = IntegerAttr(number, i32)


def _narrow_value(value: SSAValue) -> None:
    if not isinstance(value.type, IndexType):
        return
    narrowed = Rewriter.replace_value_with_new_type(value, i32)
    if isinstance(value, BlockArgument) and isinstance(narrowed, BlockArgument):
        narrowed.location = value.location


def _lower_cast(op: arith.IndexCastOp) -> None:
    """Lower a cast of which one side was an index, and now is an i32."""
    source, target = op.input.type, op.result.type
    if source == target:
        replace_values(op, (op.input,))
        return
    if not isa(source, IntegerType) or not isa(target, IntegerType):
        fail(op, f"must cast between integers, got {source} to {target}")
    wider = target.width.data > source.width.data
    cast = (arith.ExtSIOp if wider else arith.TruncIOp)(op.input, target)
    replace(op, [cast], [cast.result])
