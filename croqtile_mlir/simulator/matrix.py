"""`ldmatrix` and `stmatrix`: 8 x 8 matrices of 16-bit elements of a warp."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from croqtile_mlir.dialects import nvvm
from croqtile_mlir.simulator.pointers import aligned
from croqtile_mlir.simulator.program import Frame, Handlers, Made, Maker
from croqtile_mlir.simulator.values import WARP, Array, lanes_of, spread
from croqtile_mlir.simulator.wgmma import whole_warps

_SIDE = 8
_ROW_BYTES = 16
_I32 = np.dtype(np.int32)


def make_store(op: nvvm.StMatrixOp, maker: Maker) -> Made:
    """
    `nvvm.stmatrix`: lane 4 r + c holds elements 2 c and 2 c + 1 of row r.

    Layout `col`: of column r of what is stored.
    """
    address = maker.register(op.addr)
    sources = maker.registers(tuple(op.sources))
    transposed = op.layout.data is nvvm.MMALayout.Col
    count = len(sources)

    def step(frame: Frame) -> None:
        whole_warps(frame, op)
        values, threads = frame.values, frame.agent.threads
        registers = np.stack([spread(values[s], threads, _I32) for s in sources])
        matrices = registers.view(np.int16).reshape(count, -1, _SIDE, _SIDE)
        if transposed:
            matrices = matrices.swapaxes(2, 3)
        rows: Array = np.ascontiguousarray(matrices.swapaxes(0, 1)).view(np.uint8)
        lanes = lanes_of(values[address], threads).reshape(-1, WARP)
        offsets = lanes[:, : count * _SIDE].ravel()
        if aligned(frame, op, offsets, _ROW_BYTES):
            frame.agent.touch(range(threads))
            frame.block.shared.store(
                frame.agent, op, offsets, rows.reshape(-1, _ROW_BYTES)
            )

    return step


def make_load(op: nvvm.LdMatrixOp, maker: Maker) -> Made:
    """`nvvm.ldmatrix`: the registers are as `stmatrix` takes them."""
    address, result = maker.register(op.addr), maker.register(op.result)
    count = op.count.value.data
    transposed = op.layout.data is nvvm.MMALayout.Col

    def step(frame: Frame) -> None:
        whole_warps(frame, op)
        threads = frame.agent.threads
        lanes = lanes_of(frame.values[address], threads).reshape(-1, WARP)
        offsets = lanes[:, : count * _SIDE].ravel()
        if not aligned(frame, op, offsets, _ROW_BYTES):
            offsets = offsets // _ROW_BYTES * _ROW_BYTES
        frame.agent.touch(range(threads))
        rows = frame.block.shared.load(frame.agent, op, offsets, _ROW_BYTES)
        matrices = np.ascontiguousarray(rows).view(np.int16)
        matrices = matrices.reshape(-1, count, _SIDE, _SIDE)
        if transposed:
            matrices = matrices.swapaxes(2, 3)
        words = np.ascontiguousarray(matrices).view(np.int32)
        found: tuple[Any, ...] = tuple(
            words[:, index].reshape(threads) for index in range(count)
        )
        frame.values[result] = found if count > 1 else found[0]

    return step


HANDLERS: Final[Handlers] = {nvvm.LdMatrixOp: make_load, nvvm.StMatrixOp: make_store}
