"""Literals: `arith.constant`, `llvm.mlir.constant`, zero, undef and poison."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import Attribute, Operation, SSAValue

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.simulator.program import Frame, Handlers, Made, Maker
from croqtile_mlir.simulator.values import dtype_of, elements, width, wrapped, zero_of


def _set(op: Operation, attribute: Attribute, target: SSAValue, maker: Maker) -> Made:
    result, type_ = maker.register(target), target.type
    match attribute:
        case IntegerAttr():
            maker.constants[result] = wrapped(attribute.value.data, width(type_))
            return None
        case FloatAttr():
            maker.constants[result] = dtype_of(type_, op).type(attribute.value.data)
            return None
        case DenseIntOrFPElementsAttr():
            row = np.array(list(attribute.get_values()), dtype_of(type_, op))
            row = np.broadcast_to(row, (elements(type_) or 1,))

            def step(frame: Frame) -> None:
                frame.values[result] = np.tile(row, (frame.agent.threads, 1))

            return step
        case _:
            fail(
                op, f"must have a number as its value in the simulator, got {attribute}"
            )


def make_constant(op: arith.ConstantOp, maker: Maker) -> Made:
    """`arith.constant`."""
    return _set(op, op.value, op.result, maker)


def make_llvm_constant(op: llvm.ConstantOp, maker: Maker) -> Made:
    """`llvm.mlir.constant`."""
    return _set(op, op.value, op.result, maker)


def make_zero(op: llvm.ZeroOp | llvm.UndefOp | llvm.PoisonOp, maker: Maker) -> Made:
    """
    `llvm.mlir.zero`; undef and poison too, whose value must not matter.

    A struct is set where it stands: its registers are written then.
    """
    result, type_ = maker.register(op.result), op.result.type
    is_struct = isinstance(type_, LLVMStructType)
    if not is_struct and elements(type_) is None:
        maker.constants[result] = zero_of(type_, op, 1)
        return None
    by_threads: dict[int, Any] = {}

    def step(frame: Frame) -> None:
        threads = frame.agent.threads
        frame.wrote_registers |= is_struct
        if threads not in by_threads:
            by_threads[threads] = zero_of(type_, op, threads)
        frame.values[result] = by_threads[threads]

    return step


HANDLERS: Final[Handlers] = {
    arith.ConstantOp: make_constant,
    llvm.ConstantOp: make_llvm_constant,
    llvm.ZeroOp: make_zero,
    llvm.UndefOp: make_zero,
    llvm.PoisonOp: make_zero,
}
