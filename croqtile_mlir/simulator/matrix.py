"""`ldmatrix` and `stmatrix`: 8 x 8 matrices of 16-bit elements of a warp."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from croqtile_mlir.dialects import nvvm
from croqtile_mlir.layouts import CHUNK_BYTES, CORE_ROWS
from croqtile_mlir.simulator.pointers import aligned
from croqtile_mlir.simulator.program import Frame, Handlers, Made, Maker
from croqtile_mlir.simulator.values import WARP, lanes_of, spread
from croqtile_mlir.simulator.warp_matrices import loaded_words, stored_rows
from croqtile_mlir.simulator.wgmma import whole_warps

_I32 = np.dtype(np.int32)


def make_store(op: nvvm.StMatrixOp, maker: Maker) -> Made:
    """`nvvm.stmatrix`: the registers are as `ldmatrix` makes them."""
    address = maker.register(op.addr)
    sources = maker.registers(tuple(op.sources))
    transposed = op.layout.data is nvvm.MMALayout.Col
    count = len(sources)

    def step(frame: Frame) -> None:
        whole_warps(frame, op)
        values, threads = frame.values, frame.agent.threads
        registers = np.stack([spread(values[s], threads, _I32) for s in sources])
        words = registers.reshape(count, -1, WARP).swapaxes(0, 1)
        rows = stored_rows(words.reshape(-1, WARP), transposed=transposed)
        lanes = lanes_of(values[address], threads).reshape(-1, WARP)
        offsets = lanes[:, : count * CORE_ROWS].ravel()
        if aligned(frame, op, offsets, CHUNK_BYTES):
            frame.agent.touch(range(threads))
            frame.block.shared.store(frame.agent, op, offsets, rows)

    return step


def make_load(op: nvvm.LdMatrixOp, maker: Maker) -> Made:
    """`nvvm.ldmatrix`; layout `col` transposes."""
    address, result = maker.register(op.addr), maker.register(op.result)
    count = op.count.value.data
    transposed = op.layout.data is nvvm.MMALayout.Col

    def step(frame: Frame) -> None:
        whole_warps(frame, op)
        threads = frame.agent.threads
        lanes = lanes_of(frame.values[address], threads).reshape(-1, WARP)
        offsets = lanes[:, : count * CORE_ROWS].ravel()
        if not aligned(frame, op, offsets, CHUNK_BYTES):
            offsets = offsets // CHUNK_BYTES * CHUNK_BYTES
        frame.agent.touch(range(threads))
        rows = frame.block.shared.load(frame.agent, op, offsets, CHUNK_BYTES)
        words = loaded_words(rows, transposed=transposed).reshape(-1, count, WARP)
        found: tuple[Any, ...] = tuple(
            words[:, index].reshape(threads).view(_I32) for index in range(count)
        )
        frame.values[result] = found if count > 1 else found[0]

    return step


HANDLERS: Final[Handlers] = {nvvm.LdMatrixOp: make_load, nvvm.StMatrixOp: make_store}
