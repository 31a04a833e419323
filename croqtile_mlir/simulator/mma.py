"""`mma.sync`: a product of one warp on registers. PTX ISA, "mma"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from xdsl.dialects.builtin import f32, i32

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.simulator.program import Frame, Handlers, Made, Maker
from croqtile_mlir.simulator.values import WARP, spread
from croqtile_mlir.simulator.warp_matrices import OPERANDS, SUMS, Words, multiply
from croqtile_mlir.simulator.wgmma import whole_warps


def _words(registers: Sequence[Any], frame: Frame, dtype: np.dtype[Any]) -> Words:
    """Registers of each warp: an array (registers, warps, lanes)."""
    threads = frame.agent.threads
    rows = [spread(value, threads, dtype).reshape(threads, -1) for value in registers]
    return np.stack(
        [np.ascontiguousarray(row).view(np.uint32) for row in rows]
    ).reshape(len(rows), -1, WARP)


def make_mma(op: nvvm.MmaSyncOp, maker: Maker) -> Made:
    """`nvvm.mma.sync`."""
    kinds = (op.type_a.data.value, op.type_b.data.value)
    for kind in kinds:
        if kind not in OPERANDS:
            fail(op, f"must not be of type {kind} in the simulator")
    first, second, third = (maker.registers(tuple(each)) for each in (op.a, op.b, op.c))
    result = maker.register(op.result)
    type_c = op.c[0].type
    sums = "f32" if type_c == f32 else "s32" if type_c == i32 else "f16"
    saturates = (
        op.overflow is not None and op.overflow.data is nvvm.MMAIntOverflow.Satfinite
    )
    word = np.dtype(np.int32)

    def step(frame: Frame) -> None:
        whole_warps(frame, op)
        values = frame.values
        a, b, c = (
            _words([values[register] for register in group], frame, dtype)
            for group, dtype in ((first, word), (second, word), (third, SUMS[sums]))
        )
        found = multiply(a, b, c, (*kinds, sums), saturates=saturates)
        lanes = found.reshape(len(c), -1).view(SUMS[sums])
        if sums == "f16":
            lanes = lanes.reshape(len(c), -1, 2)
        values[result] = tuple(lanes)

    return step


HANDLERS: Final[Handlers] = {nvvm.MmaSyncOp: make_mma}
