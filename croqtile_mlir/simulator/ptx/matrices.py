"""Matrices of a warp in PTX text: `ldmatrix`, `stmatrix`, `mma.sync`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from croqtile_mlir.layouts import CHUNK_BYTES, CORE_ROWS, fragments
from croqtile_mlir.simulator.ptx.accesses import check_alignment, memory_at
from croqtile_mlir.simulator.ptx.machine import WARP, Machine, Run, Threads, unknown
from croqtile_mlir.simulator.ptx.text import Instruction
from croqtile_mlir.simulator.warp_matrices import (
    OPERANDS,
    SUMS,
    Words,
    loaded_words,
    multiply,
    stored_rows,
)

_SHAPE = re.compile(r"m16n8k(\d+)")


def _warps(ins: Instruction, threads: Threads) -> NDArray[np.int64]:
    """The threads of whole warps, a row for each."""
    if len(threads) % WARP or (threads[::WARP] % WARP).any():
        ins.refuse("must be executed by whole warps")
    return threads.reshape(-1, WARP)


def _rows(
    machine: Machine, ins: Instruction, operand: int, matrix: int, lanes: Threads
) -> NDArray[np.int64]:
    """The shared addresses of the rows of a matrix: lane 8 i + r has row r of i."""
    address = ins.address(operand)
    first = CORE_ROWS * matrix
    giving = lanes[first : first + CORE_ROWS]
    rows = machine.read(address.base, "b32", giving).astype(np.int64) + address.offset
    check_alignment(ins, rows, CHUNK_BYTES)
    return rows


def stmatrix(ins: Instruction) -> Run:
    """`stmatrix`: what lanes hold of matrices of 8 x 8 elements of 16 bits."""
    transposed, sources = "trans" in ins.opcode, ins.registers(1)

    def run(machine: Machine, threads: Threads) -> None:
        for lanes in _warps(ins, threads):
            for index, register in enumerate(sources):
                rows = _rows(machine, ins, 0, index, lanes)
                data, rows = memory_at(machine, ins, "shared", rows, CHUNK_BYTES)
                words = machine.read(register, "b32", lanes)[None]
                stored = stored_rows(words, transposed=transposed)
                data[rows[:, None] + np.arange(CHUNK_BYTES)] = stored

    return run


def ldmatrix(ins: Instruction) -> Run:
    """`ldmatrix`: matrices of 8 x 8 elements of 16 bits to the lanes."""
    transposed, targets = "trans" in ins.opcode, ins.registers(0)

    def run(machine: Machine, threads: Threads) -> None:
        for lanes in _warps(ins, threads):
            found: list[Words] = []
            for index in range(len(targets)):
                rows = _rows(machine, ins, 1, index, lanes)
                data, rows = memory_at(machine, ins, "shared", rows, CHUNK_BYTES)
                loaded = data[rows[:, None] + np.arange(CHUNK_BYTES)]
                found.append(loaded_words(loaded, transposed=transposed)[0])
            # A register may be that of the address.
            for register, words in zip(targets, found, strict=True):
                machine.write(register, words, lanes)

    return run


def mma_sync(ins: Instruction) -> Run:
    """`mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c`."""
    saturates = "satfinite" in ins.opcode
    form = tuple(part for part in ins.opcode if part != "satfinite")
    if (
        form[1:3] != ("sync", "aligned")
        or len(form) != 10
        or form[4:6] != ("row", "col")
    ):
        return unknown(ins)
    shape = _SHAPE.fullmatch(form[3])
    result, a_type, b_type, sums = form[6:]
    known = a_type in OPERANDS and b_type in OPERANDS and sums in SUMS
    if shape is None or not known or result != sums:
        return unknown(ins)
    k = int(shape[1])
    groups = [ins.registers(index) for index in range(4)]
    bits = [8 * OPERANDS[a_type].itemsize, 8 * OPERANDS[b_type].itemsize]
    expected = [
        fragments.mma_registers(fragments.MMA_ROWS, k, bits[0]),
        fragments.mma_registers(fragments.MMA_COLS, k, bits[1]),
        *2
        * [
            fragments.mma_registers(
                fragments.MMA_ROWS, fragments.MMA_COLS, 8 * SUMS[sums].itemsize
            )
        ],
    ]
    found = [len(groups[index]) for index in (1, 2, 3, 0)]
    if found != expected:
        ins.refuse(f"must have {expected} registers of A, B, C and D, got {found}")

    def run(machine: Machine, threads: Threads) -> None:
        warps = len(_warps(ins, threads))
        a, b, c = (
            np.stack(
                [
                    np.ascontiguousarray(machine.read(name, "b32", threads))
                    .view(np.uint32)
                    .reshape(warps, WARP)
                    for name in group
                ]
            )
            for group in groups[1:]
        )
        words = multiply(a, b, c, (a_type, b_type, sums), saturates=saturates)
        for register, row in zip(groups[0], words, strict=True):
            machine.write(register, row.ravel(), threads)

    return run


MATRICES: Mapping[str, Callable[[Instruction], Run]] = MappingProxyType(
    {"ldmatrix": ldmatrix, "mma": mma_sync, "stmatrix": stmatrix}
)
"""What makes the step of an instruction, by the first part of its opcode."""
