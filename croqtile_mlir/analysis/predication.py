"""What can be executed under a predicate, and what that costs (PTX ISA 9.3)."""

from __future__ import annotations

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation
from xdsl.utils.hints import isa

from croqtile_mlir.analysis.effects import has_no_effect
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects.nvvm.special_registers import SpecialRegisterOp
from croqtile_mlir.lowering.rewriting import constant_value

FREE = (
    arith.ConstantOp,
    llvm.ConstantOp,
    llvm.PoisonOp,
    llvm.UndefOp,
    llvm.ZeroOp,
    scf.YieldOp,
)
"""What becomes immediates, or nothing."""

SLOW = (arith.DivfOp, math.SqrtOp)
"""Subroutines of many instructions, which a jump is cheap beside."""

_DIVISIONS = (
    arith.CeilDivSIOp,
    arith.CeilDivUIOp,
    arith.DivSIOp,
    arith.DivUIOp,
    arith.FloorDivSIOp,
    arith.RemSIOp,
    arith.RemUIOp,
)
"""Subroutines, too, unless the divisor is a constant; by zero they have no meaning."""

_ARITHMETIC_BITS = (1, 32, 64)
"""Of integers that `arith` computes with, at hardware level."""

_BY_CONSTANT = 3
"""A product, a shift and perhaps a correction (`ptx_conversion/divisions.py`)."""


def is_guarded_store(op: Operation) -> bool:
    """Whether an op is a `scf.if` of nothing but one store: one instruction."""
    if not isinstance(op, scf.IfOp) or op.output or not _is_empty_side(op):
        return False
    ops = tuple(op.true_region.block.ops)
    return len(ops) == 2 and isinstance(ops[0], llvm.StoreOp)


def is_guarded_load(op: Operation) -> bool:
    """Whether an op is a `scf.if` of one load, else a value: one instruction."""
    if not isinstance(op, scf.IfOp) or len(op.output) != 1:
        return False
    ops = tuple(op.true_region.block.ops)
    other = op.false_region.block.first_op
    return (
        len(ops) == 2
        and isinstance(ops[0], llvm.LoadOp)
        and isinstance(ops[1], scf.YieldOp)
        and ops[1].arguments[0] is ops[0].result
        and isinstance(other, scf.YieldOp)
    )


def is_predicated(op: Operation) -> bool:
    """Whether an op is one instruction under a predicate."""
    return is_guarded_store(op) or is_guarded_load(op)


def _is_empty_side(op: scf.IfOp) -> bool:
    blocks = op.false_region.blocks
    return not blocks or isinstance(blocks[0].first_op, scf.YieldOp)


def cost_of(block: Block) -> int | None:
    """
    The instructions that a side of a branch becomes, about.

    None of one that cannot be predicated: it has a barrier, a loop, an op of a whole
    warp or an engine, or something that takes as long as many instructions.
    """
    total = 0
    for op in block.ops:
        cost = _cost(op)
        if cost is None:
            return None
        total += cost
    return total


def _cost(op: Operation) -> int | None:
    if isinstance(op, FREE):
        return 0
    if isinstance(op, llvm.LoadOp | llvm.StoreOp) and llvm.is_ordered(op):
        # It synchronises threads, and stays where it is.
        return None
    if isinstance(op, llvm.LoadOp):
        return None if zero_of(op.result.type) is None else 1
    if isinstance(op, llvm.StoreOp) or is_predicated(op):
        return 1
    if isinstance(op, _DIVISIONS):
        by = constant_value(op.operands[1])
        return _BY_CONSTANT if by is not None and by > 0 else None
    if op.regions or isinstance(op, SLOW) or not _may_be_speculated(op):
        return None
    return max((_registers(result.type) for result in op.results), default=1)


def _may_be_speculated(op: Operation) -> bool:
    """Whether lanes may execute an op for nothing; not so what lanes do together."""
    own = op.name.partition(".")[0] in ("arith", "llvm", "math")
    return has_no_effect(op) and (own or isinstance(op, SpecialRegisterOp))


def _registers(type_: Attribute) -> int:
    """Arithmetic of vectors is one instruction an element."""
    return type_.element_count() if isa(type_, VectorType) else 1


def can_choose(type_: Attribute) -> bool:
    """Whether `arith.select` may choose among values of a type, at hardware level."""
    if isinstance(type_, IntegerType):
        return type_.bitwidth in _ARITHMETIC_BITS
    return isinstance(type_, AnyFloat) or isa(type_, VectorType)


def zero_of(type_: Attribute) -> Operation | None:
    """What a register may hold where nothing was loaded."""
    numbers = IntegerType | AnyFloat | VectorType | llvm.LLVMPointerType
    return llvm.ZeroOp(type_) if isinstance(type_, numbers) else None
