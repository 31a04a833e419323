"""`mma.sync`: a product of one warp on registers. PTX ISA, "mma"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import f32, i32

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.simulator.program import Frame, Handlers, Made, Maker
from croqtile_mlir.simulator.values import WARP, Array, spread
from croqtile_mlir.simulator.wgmma import whole_warps

_DTYPES: Final[dict[nvvm.MMAType, np.dtype[Any]]] = {
    nvvm.MMAType.F16: np.dtype(np.float16),
    nvvm.MMAType.BF16: np.dtype(ml_dtypes.bfloat16),
    nvvm.MMAType.TF32: np.dtype(np.float32),
    nvvm.MMAType.S8: np.dtype(np.int8),
    nvvm.MMAType.U8: np.dtype(np.uint8),
}
_TF32_BITS = np.uint32(0xFFFFE000)
_ROWS, _COLS, _HALF = 16, 8, 8


def _gather(registers: Sequence[Any], frame: Frame, dtype: np.dtype[Any]) -> Array:
    """Registers of each warp as elements: (registers, warps, lanes, elements)."""
    threads = frame.agent.threads
    words = [
        np.ascontiguousarray(
            value if value.__class__ is np.ndarray else spread(value, threads, dtype)
        )
        .reshape(threads, -1)
        .view(np.uint8)
        for value in registers
    ]
    stacked = np.stack(words)
    return stacked.view(dtype).reshape(len(registers), -1, WARP, 4 // dtype.itemsize)


def _operand(elements: Array, rows: int, halves: int) -> Array:
    """
    A or B as matrices (warps, rows, K): register r holds row group + 8 (r mod halves),
    elements of K in turn, 4 lanes wide.
    """
    registers, warps, _, per_lane = elements.shape
    steps = registers // halves
    # (step, half, warp, group, lane in group, element)
    parts = elements.reshape(steps, halves, warps, 8, 4, per_lane)
    return parts.transpose(2, 1, 3, 0, 4, 5).reshape(warps, rows, -1)


def make_mma(op: nvvm.MmaSyncOp, maker: Maker) -> Made:
    """`nvvm.mma.sync`."""
    a, b = _DTYPES.get(op.type_a.data), _DTYPES.get(op.type_b.data)
    if a is None or b is None:
        fail(op, f"must not be of type {op.type_a.data.value} in the simulator")
    first, second, third = (maker.registers(tuple(each)) for each in (op.a, op.b, op.c))
    result = maker.register(op.result)
    type_c = op.c[0].type
    dtype = np.dtype(
        np.float32 if type_c == f32 else np.int32 if type_c == i32 else np.float16
    )
    is_packed = dtype.itemsize == 2
    saturates = (
        op.overflow is not None and op.overflow.data is nvvm.MMAIntOverflow.Satfinite
    )
    tf32 = op.type_a.data is nvvm.MMAType.TF32
    wide = np.float64 if dtype.kind == "i" else np.float32

    def values_of(frame: Frame, registers: Sequence[int], kind: np.dtype[Any]) -> Array:
        found = _gather([frame.values[r] for r in registers], frame, kind)
        if tf32:
            found = (found.view(np.uint32) & _TF32_BITS).view(np.float32)
        return found.astype(wide)

    def step(frame: Frame) -> None:
        whole_warps(frame, op)
        left = _operand(values_of(frame, first, a), _ROWS, 2)
        right = _operand(values_of(frame, second, b), _COLS, 1)
        product = left @ right.swapaxes(1, 2)
        # (register or pair, warp, lane, element) to (warp, row, column)
        before = _gather([frame.values[r] for r in third], frame, dtype)
        warps = before.shape[1]
        if not is_packed:
            before = before.reshape(2, 2, warps, 8, 4).transpose(2, 0, 3, 4, 1)
        else:
            before = before.reshape(2, warps, 8, 4, 2).transpose(1, 0, 2, 3, 4)
        total = product.reshape(before.shape) + before.astype(wide)
        if dtype.kind == "i":
            limits = np.iinfo(np.int32)
            if saturates:
                total = np.clip(total, limits.min, limits.max)
            total = total.astype(np.int64)
        after = total.astype(dtype).transpose(1, 4, 0, 2, 3)
        if is_packed:
            pairs = after.transpose(0, 2, 3, 4, 1).reshape(2, -1, 2)
            frame.values[result] = tuple(np.ascontiguousarray(each) for each in pairs)
        else:
            lanes = after.reshape(4, -1)
            frame.values[result] = tuple(lanes)

    return step


HANDLERS: Final[Handlers] = {nvvm.MmaSyncOp: make_mma}
