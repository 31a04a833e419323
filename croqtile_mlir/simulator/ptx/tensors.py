"""Tensor copies and matrix instructions of PTX text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from croqtile_mlir.simulator.peers import SHARED_END
from croqtile_mlir.simulator.ptx.accesses import check_alignment, memory_at
from croqtile_mlir.simulator.ptx.arithmetic import TensorMap, tensor_map_of
from croqtile_mlir.simulator.ptx.copies import thread_copy
from croqtile_mlir.simulator.ptx.machine import (
    Array,
    Machine,
    Run,
    Threads,
    unknown,
)
from croqtile_mlir.simulator.ptx.text import Instruction
from croqtile_mlir.simulator.ptx.warps import at, nothing

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int64]

_WARPGROUP = 128

# Swizzles


def swizzled(addresses: Offsets, width: int) -> Offsets:
    """Where hardware keeps the byte of a linear address, for a swizzle in bytes.

    The 16-byte chunk number (bits 4 up) is XORed with bits 7 up, as many as the width
    has chunks: PTX ISA, "Tensor swizzling modes".
    """
    mask = max(width, 16) // 16 - 1
    return addresses ^ ((addresses >> 7 & mask) << 4)


# Tensor copies


def tensor_copy(ins: Instruction) -> Run:
    """`cp.async.bulk.tensor` in both directions; groups complete at once."""
    if "bulk" not in ins.opcode:
        return thread_copy(ins)
    if "tensor" not in ins.opcode:
        if ins.opcode[3:] and ins.opcode[3] in ("commit_group", "wait_group"):
            return nothing(ins)
        return unknown(ins)
    if ins.opcode[5].startswith("shared"):
        return _load(ins)
    return _store(ins)


@dataclass(frozen=True, eq=False)
class Box:
    """The elements of one tensor copy, in row-major order."""

    map: TensorMap
    offsets: Offsets
    """In bytes, in the buffer of the tile."""

    inside: NDArray[np.bool_]
    """Whether the tile has them."""


def _box(machine: Machine, ins: Instruction, index: int, threads: Threads) -> Box:
    """The box of an address operand; coordinates are innermost first."""
    if len(threads) != 1:
        ins.refuse(f"must be executed by one thread here, got {len(threads)}")
    address = ins.address(index)
    handle = int(machine.read(address.base, "b64", threads)[0])
    found = tensor_map_of(machine, handle)
    tile = found.tile
    origin = [
        int(machine.read(part, "s32", threads)[0]) for part in address.coordinates[::-1]
    ]
    offsets: Offsets = np.full(1, tile.offset, np.int64)
    inside: NDArray[np.bool_] = np.ones(1, bool)
    for dim, extent in enumerate(found.param.box):
        place = origin[dim] + np.arange(extent)
        valid = (place >= 0) & (place < tile.shape[dim])
        offsets = np.add.outer(offsets, place * tile.strides[dim]).ravel()
        inside = np.logical_and.outer(inside, valid).ravel()
    return Box(found, offsets * tile.dtype.itemsize, inside)


def _places(machine: Machine, ins: Instruction, start: int, box: Box) -> Offsets:
    """Shared addresses of the bytes of a box, (elements, bytes of one)."""
    element = box.map.tile.dtype.itemsize
    size = len(box.offsets) * element
    check_alignment(ins, np.array([start]), 128)
    memory_at(machine, ins, "shared", np.array([start]), size)
    linear = start + np.arange(size)
    return swizzled(linear, box.map.param.swizzle).reshape(-1, element)


def _move(machine: Machine, box: Box, places: Offsets, *, load: bool) -> None:
    element = box.map.tile.dtype.itemsize
    index = box.offsets[box.inside][:, None] + np.arange(element)
    data = box.map.tile.buffer.data
    if load:
        machine.shared[places] = 0
        machine.shared[places[box.inside]] = data[index]
    else:
        data[index] = machine.shared[places[box.inside]]


def _load(ins: Instruction) -> Run:
    multicast = "multicast::cluster" in ins.opcode

    def targets(machine: Machine, start: int, threads: Threads) -> list[Machine]:
        """The machines of the blocks that get the bytes."""
        if not multicast:
            return [machine.home(ins, start)[0]]
        mask = int(machine.read(ins.register(3), "b16", threads)[0])
        ranks = [rank for rank in range(16) if mask >> rank & 1]
        return [machine.peer(ins, rank) for rank in ranks]

    def run(machine: Machine, threads: Threads) -> None:
        box = _box(machine, ins, 1, threads)
        target, signal = ins.address(0), ins.address(2)
        start = int(machine.read(target.base, "b32", threads)[0]) + target.offset
        mbarrier = int(machine.read(signal.base, "b32", threads)[0]) + signal.offset
        for home in targets(machine, start, threads):
            places = _places(home, ins, start % SHARED_END, box)
            _move(home, box, places, load=True)
            state = at(home, ins, mbarrier % SHARED_END)
            state.bytes -= places.size
            state.settle()

    return run


def _store(ins: Instruction) -> Run:
    def run(machine: Machine, threads: Threads) -> None:
        box = _box(machine, ins, 0, threads)
        source = ins.address(1)
        start = int(machine.read(source.base, "b32", threads)[0]) + source.offset
        _move(machine, box, _places(machine, ins, start, box), load=False)

    return run


# wgmma

_SHAPE = re.compile(r"m64n(\d+)k(\d+)")
_WIDTHS = {0: 16, 1: 128, 2: 64, 3: 32}
_INPUTS: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "s8": np.int8,
    "u8": np.uint8,
}


def operand_addresses(
    descriptor: int, rows: int, k: int, element: int, mn_major: bool
) -> Offsets:
    """
    Shared addresses of the elements (row, k) of an operand, by its descriptor.

    PTX ISA, "Matrix Descriptor Format" and "Strides": core matrices are 8 rows of 16
    bytes; with a swizzle 8 rows of its width.
    """
    start = (descriptor & 0x3FFF) << 4
    leading = (descriptor >> 16 & 0x3FFF) << 4
    stride = (descriptor >> 32 & 0x3FFF) << 4
    width = _WIDTHS[descriptor >> 62 & 3]
    row, col = np.arange(rows)[:, None], np.arange(k)[None, :]
    outer, inner = (col, row) if mn_major else (row, col)
    across = inner * element
    panel = across // width
    group = outer // 8
    if mn_major and width == 16:
        leading, stride = stride, leading
    linear = (
        start + group * stride + panel * leading + outer % 8 * width + across % width
    )
    return swizzled(linear, width)


def wgmma(ins: Instruction) -> Run:
    """`wgmma.mma_async` of two descriptors, when all warps are there."""
    if ins.opcode[1] != "mma_async":
        return nothing(ins)
    shape = _SHAPE.fullmatch(ins.opcode[4])
    result, a_type, b_type = ins.opcode[5:8]
    if shape is None or result not in ("f32", "f16", "s32") or a_type not in _INPUTS:
        return unknown(ins)
    n, k = int(shape[1]), int(shape[2])
    registers = ins.registers(0)
    if isinstance(ins.operands[1], tuple):
        return unknown(ins)
    a_sign, b_sign, *majors = (
        int(ins.register(index)) for index in range(4, len(ins.operands))
    )
    a_mn, b_mn = majors or (0, 0)

    def run(machine: Machine, threads: Threads) -> None:
        for warpgroup in np.unique(threads // _WARPGROUP):
            mine = threads[threads // _WARPGROUP == warpgroup]
            key = ("wgmma", ins.line, int(warpgroup))
            everyone = machine.meet(key, mine, _WARPGROUP)
            if everyone is not None:
                multiply(machine, everyone)

    def operand(
        machine: Machine, index: int, rows: int, kind: str, mn: int, threads: Threads
    ) -> Array:
        element = np.dtype(_INPUTS[kind]).itemsize
        descriptor = int(machine.read(ins.register(index), "b64", threads)[0])
        addresses = operand_addresses(descriptor, rows, k, element, bool(mn))
        size = machine.shared.size
        if int(addresses.max()) + element > size:
            ins.refuse(f"reads beyond the {size} bytes of shared memory")
        data = machine.shared[addresses[..., None] + np.arange(element)]
        wide = np.int32 if result == "s32" else np.float32
        return data.view(_INPUTS[kind])[..., 0].astype(wide)

    def multiply(machine: Machine, threads: Threads) -> None:
        a = operand(machine, 1, 64, a_type, a_mn, threads) * a_sign
        b = operand(machine, 2, n, b_type, b_mn, threads) * b_sign
        # Hardware sums from +0: a sum of negative zeros is +0.
        product = a @ b.T + a.dtype.type(0)
        scale = ins.register(3)
        adds = (
            bool(machine.read(scale, "pred", threads)[0])
            if scale.startswith("%")
            else scale != "0"
        )
        row, col = _fragment(n)
        if adds:
            product = product + _gather(machine, registers, threads, result, row, col)
        _scatter(machine, registers, threads, result, product[row, col])

    return run


def _fragment(n: int) -> tuple[Offsets, Offsets]:
    """Row and column of value v of thread t, (threads, n / 2): PTX ISA, "Register
    Fragments for wgmma.mma_async", matrix D."""
    thread = np.arange(_WARPGROUP)[:, None]
    value = np.arange(n // 2)[None, :]
    row = thread // 32 * 16 + thread % 32 // 4 + value // 2 % 2 * 8
    return row, value // 4 * 8 + thread % 4 * 2 + value % 2


_KINDS: dict[str, Any] = {"f32": np.float32, "f16": np.float16, "s32": np.int32}


def _gather(
    machine: Machine,
    registers: tuple[str, ...],
    threads: Threads,
    result: str,
    row: Offsets,
    col: Offsets,
) -> Array:
    """The accumulator as a matrix (64, n)."""
    kind = "f32" if result == "f32" else "b32"
    columns = [machine.read(register, kind, threads) for register in registers]
    values = np.stack(columns, axis=1).view(_KINDS[result])
    matrix = np.empty((64, int(col.max()) + 1), values.dtype)
    matrix[row, col] = values
    return matrix.astype(np.int32 if result == "s32" else np.float32)


def _scatter(
    machine: Machine,
    registers: tuple[str, ...],
    threads: Threads,
    result: str,
    values: Array,
) -> None:
    rounded = np.ascontiguousarray(values.astype(_KINDS[result]))
    words = rounded.view(np.float32 if result == "f32" else np.uint32)
    for index, register in enumerate(registers):
        machine.write(register, words[:, index].copy(), threads)


TENSORS: Mapping[str, Callable[[Instruction], Run]] = MappingProxyType(
    {
        "cp": tensor_copy,
        "wgmma": wgmma,
    }
)
"""What makes the step of an instruction, by the first part of its opcode."""
