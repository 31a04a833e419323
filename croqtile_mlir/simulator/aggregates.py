"""Members of structs and elements of vectors (`llvm`)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from xdsl.dialects.llvm import LLVMStructType

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.simulator.accumulators import Accumulator
from croqtile_mlir.simulator.floats import make_bitcast
from croqtile_mlir.simulator.integers import make_select
from croqtile_mlir.simulator.program import Frame, Handlers, Made, Maker
from croqtile_mlir.simulator.values import dtype_of, spread


def make_extract_value(op: llvm.ExtractValueOp, maker: Maker) -> Made:
    """`llvm.extractvalue`; of an accumulator: this warp's lanes of one register."""
    source, result = maker.register(op.container), maker.register(op.result)
    if not isinstance(op.container.type, LLVMStructType):
        fail(op, f"must be of a struct in the simulator, got {op.container.type}")
    indices = op.indices
    first, rest = indices[0], indices[1:]

    def step(frame: Frame) -> None:
        container = frame.values[source]
        if isinstance(container, Accumulator):
            frame.values[result] = container.register(frame, op, first)
            return
        found = container[first]
        for index in rest:
            found = found[index]
        frame.values[result] = found

    return step


def make_insert_value(op: llvm.InsertValueOp, maker: Maker) -> Made:
    """`llvm.insertvalue`: writes a register, so that wgmma needs a fence again."""
    source, value = maker.register(op.container), maker.register(op.value)
    result = maker.register(op.result)
    if not isinstance(op.container.type, LLVMStructType):
        fail(op, f"must be of a struct in the simulator, got {op.container.type}")
    indices = op.indices

    def replaced(container: Any, position: tuple[int, ...], member: Any) -> Any:
        index, *rest = position
        inner = replaced(container[index], tuple(rest), member) if rest else member
        return (*container[:index], inner, *container[index + 1 :])

    def step(frame: Frame) -> None:
        values = frame.values
        container = values[source]
        if isinstance(container, Accumulator):
            container = container.registers(frame, op)
        frame.wrote_registers = True
        values[result] = replaced(container, indices, values[value])

    return step


def make_extract_element(op: llvm.ExtractElementOp, maker: Maker) -> Made:
    """`llvm.extractelement`."""
    vector, index = maker.register(op.vector), maker.register(op.index)
    result = maker.register(op.result)

    def step(frame: Frame) -> None:
        rows, at = frame.values[vector], frame.values[index]
        if at.__class__ is np.ndarray:
            frame.values[result] = rows[np.arange(len(rows)), at]
        else:
            frame.values[result] = rows[:, at]

    return step


def make_insert_element(op: llvm.InsertElementOp, maker: Maker) -> Made:
    """`llvm.insertelement`."""
    vector, value, index = (
        maker.register(op.vector),
        maker.register(op.value),
        maker.register(op.index),
    )
    result = maker.register(op.result)
    dtype = dtype_of(op.value.type, op)

    def step(frame: Frame) -> None:
        rows, at = frame.values[vector].copy(), frame.values[index]
        threads = len(rows)
        lanes = spread(frame.values[value], threads, dtype)
        if at.__class__ is np.ndarray:
            rows[np.arange(threads), at] = lanes
        else:
            rows[:, at] = lanes
        frame.values[result] = rows

    return step


HANDLERS: Final[Handlers] = {
    llvm.ExtractValueOp: make_extract_value,
    llvm.InsertValueOp: make_insert_value,
    llvm.ExtractElementOp: make_extract_element,
    llvm.InsertElementOp: make_insert_element,
    llvm.BitcastOp: make_bitcast,
    llvm.SelectOp: make_select,
}
