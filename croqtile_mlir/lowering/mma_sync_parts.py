"""
The parts of an accumulator of `mma.sync`: structs of the registers of 16 x 8 elements.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from math import copysign

from xdsl.context import Context
from xdsl.dialects.builtin import Float16Type, FloatAttr, IntegerType, f32
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import Attribute, Operation, SSAValue

from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.analysis.uniformity import divergence
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects.croq import MmaFillOp, acc_type
from croqtile_mlir.dialects.nvvm.matrix import F16X2
from croqtile_mlir.layouts.warp_grid import WarpGrid
from croqtile_mlir.lowering.register_budgets import Budget, Need
from croqtile_mlir.lowering.rewriting import LocatedBuilder
from croqtile_mlir.targets.architecture import Architecture

OTHER_REGISTERS = 40
"""What a thread needs besides its accumulator: operands of a step, addresses."""


def check_scope(op: Operation) -> None:
    """Refuse an op that not all warps of its scope execute together."""
    if (cause := divergence(op)) is not None:
        fail(
            op,
            "must be executed by all warps of its role or block together",
            notes=[(cause, "this keeps threads apart")],
        )


def part_type(element: Attribute) -> LLVMStructType:
    """The type of a part: four registers, two of them for elements of 16 bits."""
    if isinstance(element, Float16Type):
        return LLVMStructType.from_type_list([F16X2] * 2)
    return LLVMStructType.from_type_list([element] * 4)


def registers(b: LocatedBuilder, part: SSAValue) -> list[SSAValue]:
    """The registers of a part."""
    kind = part.type
    assert isinstance(kind, LLVMStructType)
    return [
        b.insert(llvm.ExtractValueOp(part, number)).result
        for number in range(len(kind.types))
    ]


def fill(op: MmaFillOp) -> SSAValue:
    """Emit a part whose elements all have the value of an `mma.fill`."""
    b = LocatedBuilder.before(op)
    element = acc_type(op.acc).element_type
    kind = part_type(element)
    value = op.number
    if value == 0 and copysign(1, value) > 0:
        return b.insert(llvm.ZeroOp(kind)).result
    if isinstance(element, Float16Type):
        (half,) = struct.unpack("<h", struct.pack("<e", value))
        word = b.i32(half << 16 | half & 0xFFFF)
        register = b.insert(llvm.BitcastOp(word, F16X2)).result
    elif isinstance(element, IntegerType):
        register = b.i32(int(value))
    else:
        register = b.float(FloatAttr(value, f32))
    part = b.insert(llvm.UndefOp(kind)).result
    for number in range(len(kind.types)):
        part = b.insert(llvm.InsertValueOp(part, register, number)).result
    return part


def check_registers(
    op: MmaFillOp, grid: WarpGrid, target: Architecture, ctx: Context
) -> None:
    """Refuse an accumulator that a thread has no registers for, warn of a large one."""
    acc = acc_type(op.acc)
    each = len(part_type(acc.element_type).types)
    total = grid.tiles_down * grid.tiles_across * each
    need = Need(
        op,
        total,
        f"{acc} takes {total} in each thread of {grid.down}x{grid.across} warps",
        "use a smaller tile, more warps, or a larger budget of registers",
    )
    budget = Budget.of(scope_of(op), target)
    budget.refuse(need)
    budget.warn(need, OTHER_REGISTERS, ctx)


def pair(b: LocatedBuilder, words: Sequence[SSAValue], kind: Attribute) -> SSAValue:
    """Two neighbours of a row as a vector."""
    found = b.insert(llvm.UndefOp(kind)).result
    for lane, word in enumerate(words):
        found = b.insert(llvm.InsertElementOp(found, word, b.i32(lane))).result
    return found
