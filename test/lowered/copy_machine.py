"""
A block of threads that executes what `--lower-dma` makes, on bytes.

Threads run one after the other, op by op of the block. Every access must be aligned,
and may only touch elements that exist. TMA boxes are moved by the rules of the PTX ISA.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from croqtile_mlir import layouts
from croqtile_mlir.dialects import croq, nvvm
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects.croq.index import WHOLE, Index

BINARY: dict[type[Operation], Callable[[int, int], int]] = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.AndIOp: lambda a, b: a & b,
    arith.OrIOp: lambda a, b: a | b,
    arith.XOrIOp: lambda a, b: a ^ b,
    arith.ShLIOp: lambda a, b: a << b,
    arith.ShRUIOp: lambda a, b: a >> b,
    arith.DivUIOp: lambda a, b: a // b,
    arith.RemUIOp: lambda a, b: a % b,
}


MASKS = {16: 0, 32: 1, 64: 3, 128: 7}
"""Bits of the address, from bit 7, that a swizzle of a width XORs to bits 4 to 6."""


def offset_in_tile(tile: croq.TileType, row: int, col: int) -> int:
    """Bytes from the start of a shared tile, which is aligned, to an element."""
    assert tile.layout is not None
    assert tile.static_dims is not None
    rows, cols = (1, *tile.static_dims)[-2:]
    inside = col * tile.element_bytes
    width = tile.layout.panel_bytes
    if width is None:
        return row * cols * tile.element_bytes + inside
    offset = (inside // width * rows + row) * width + inside % width
    return offset ^ (offset >> 7 & MASKS[width]) << 4


@dataclass
class Array:
    """A kernel argument: its place in memory, extents and strides in elements."""

    base: int
    extents: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass
class CopyMachine:
    """Memory, and what is bound at launch."""

    arrays: dict[str, Array]
    dims: dict[str, int]
    threads: int
    memory: NDArray[np.uint8]
    buffers: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """Where shared buffers are."""
    top: int = 0
    wide: int = 0
    """Accesses of more than one element."""
    values: list[dict[SSAValue, int]] = field(default_factory=list[dict[SSAValue, int]])
    views: set[SSAValue] = field(default_factory=set[SSAValue])
    """The views and buffers that there were."""
    waiting: int = 0
    """Bulk stores of the elected thread that it has not waited for."""

    def run(self, block: Block, indices: dict[SSAValue, int]) -> None:
        self.values = [dict(indices) for _ in range(self.threads)]
        self.run_ops(block, list(range(self.threads)))

    def run_ops(self, block: Block, threads: Sequence[int]) -> None:
        for op in block.ops:
            if isinstance(op, croq.RoleOp):
                self.run_ops(op.body.block, threads)
            for thread in threads:
                self.step(op, thread)

    def get(self, value: Index, thread: int) -> int:
        if isinstance(value, int):
            return value
        if isinstance(value, str):
            return self.dims[value]
        return self.values[thread][value]

    def step(self, op: Operation, thread: int) -> None:
        values = self.values[thread]
        if isinstance(op, croq.ViewOp | croq.AllocOp):
            self.views.add(op.results[0])
        if type(op) in BINARY:
            a, b = (values[v] for v in op.operands)
            values[op.results[0]] = BINARY[type(op)](a, b)
            return
        match op:
            case (
                arith.ConstantOp(value=IntegerAttr() as value)
                | llvm.ConstantOp(value=IntegerAttr() as value)
            ):
                values[op.results[0]] = value.value.data
            case arith.ConstantOp(value=FloatAttr()) | llvm.ZeroOp():
                values[op.result] = 0
            case arith.CmpiOp():
                a, b = values[op.lhs], values[op.rhs]
                assert op.predicate.value.data in (0, 6)
                values[op.result] = int(a < b if op.predicate.value.data else a == b)
            case (
                arith.IndexCastOp()
                | llvm.PtrToIntOp()
                | llvm.AddrSpaceCastOp()
                | arith.ExtUIOp()
            ):
                values[op.results[0]] = values[op.operands[0]]
            case scf.ForOp():
                lower, upper, step = (values[v] for v in (op.lb, op.ub, op.step))
                for index in range(lower, upper, step):
                    values[op.body.block.args[0]] = index
                    self.run_ops(op.body.block, [thread])
            case scf.IfOp():
                region = op.true_region if values[op.cond] else op.false_region
                if region.blocks:
                    self.run_ops(region.block, [thread])
            case croq.DimOp():
                values[op.result] = self.dims[op.dim.data]
            case croq.ThreadIdOp():
                values[op.result] = thread
            case croq.ElectOp():
                values[op.result] = int(thread == 0)
            case croq.PointerOp():
                values[op.result] = self.array(op.tile).base
            case croq.StrideOp():
                values[op.result] = self.array(op.tile).strides[op.dim.data]
            case croq.AddressOp():
                at = [self.get(i, thread) for i in op.index_values]
                address, inside = self.locate(op.tile, at, thread)
                assert inside, "the address of an element that does not exist"
                values[op.pointer] = address
            case croq.TensorMapOp():
                values[op.result] = 0
            case croq.AllocOp():
                if thread == 0:
                    unit = layouts.alignment(op.tile_type)
                    self.top = -(-self.top // unit) * unit
                    self.buffers[op.tile] = self.top
                    self.top += layouts.buffer_bytes(op.tile_type)
            case _:
                self.access(op, thread)

    def access(self, op: Operation, thread: int) -> None:
        values = self.values[thread]
        match op:
            case llvm.LoadOp():
                size = self.check(values[op.addr], op.results[0].type)
                found = self.memory[values[op.addr] :][:size].tobytes()
                values[op.results[0]] = int.from_bytes(found, "little")
            case llvm.StoreOp():
                size = self.check(values[op.addr], op.value.type)
                stored = values[op.value].to_bytes(size, "little")
                self.memory[values[op.addr] :][:size] = np.frombuffer(stored, "u1")
            case nvvm.CpAsyncBulkTensorLoadOp() | nvvm.CpAsyncBulkTensorStoreOp():
                self.bulk(op, thread)
            case nvvm.CpAsyncBulkCommitGroupOp():
                self.waiting += 1
            case nvvm.CpAsyncBulkWaitGroupOp():
                self.waiting = min(self.waiting, op.group.value.data)
            case _:
                # Waits are over at once: a copy is complete when it is issued.
                known = (croq.ViewOp, croq.RoleOp, croq.BarrierOp)
                known = (*known, scf.YieldOp, scf.WhileOp)
                assert isinstance(op, known) or op.name.startswith("nvvm.mbar"), op.name

    def check(self, address: int, kind: Attribute) -> int:
        if isinstance(kind, VectorType):
            (count,) = kind.get_shape()
            size = count * 4
        else:
            size = {"f16": 2, "i8": 1, "i32": 4, "i64": 8}[str(kind)]
        self.wide += size > 2
        assert address % size == 0, f"{address} is not a multiple of {size}"
        return size

    def array(self, tile: SSAValue) -> Array:
        assert tile.name_hint is not None
        return self.arrays[tile.name_hint]

    def locate(
        self, tile: SSAValue, at: Sequence[int], thread: int
    ) -> tuple[int, bool]:
        """The address of an element of a tile, and whether it exists."""
        root, at, inside = self.resolve(tile, at, thread)
        kind = croq.tile_type(root)
        size = kind.element_bytes
        if kind.memory_space is croq.Space.Global:
            array = self.array(root)
            inside &= all(i < e for i, e in zip(at, array.extents, strict=True))
            offset = sum(i * s for i, s in zip(at, array.strides, strict=True))
            return array.base + offset * size, inside
        *slot, row, col = at if len(at) > 1 else (0, *at)
        base = self.buffers[root] + sum(
            i * s for i, s in zip(slot, layouts.slot_strides(kind), strict=True)
        )
        return base + offset_in_tile(kind, row, col), inside

    def resolve(
        self, tile: SSAValue, at: Sequence[int], thread: int
    ) -> tuple[SSAValue, list[int], bool]:
        """The same element of the buffer or argument, and whether views have it."""
        at = list(at)
        view = tile.owner
        if not isinstance(view, croq.ViewOp):
            return tile, at, True
        inside = True
        match view:
            case croq.SubspanOp():
                start = [
                    self.get(i, thread) * e
                    for i, e in zip(view.at_values, view.extent_values, strict=True)
                ]
            case croq.ElementViewOp():
                start = [self.get(i, thread) for i in view.at_values]
            case croq.ChunkAtOp():
                extents = self.extents(view.viewed)
                counts = [self.get(count, 0) for count in view.chunk_values]
                start = [
                    0 if i == WHOLE else self.get(i, thread) * (e // c)
                    for i, e, c in zip(view.at_values, extents, counts, strict=True)
                ]
            case croq.SlotOp():
                stages = self.extents(view.viewed)[0]
                position = view.position
                assert isinstance(position.offset, int)
                order = self.get(position.base, thread) + position.offset
                return self.resolve(view.viewed, [order % stages, *at], thread)
            case _:
                raise AssertionError(view.name)
        at = [a + s for a, s in zip(at, start, strict=True)]
        if croq.tile_type(tile).memory_space is croq.Space.Global:
            extents = self.extents(view.viewed)
            inside = all(a < e for a, e in zip(at, extents, strict=True))
        root, at, deeper = self.resolve(view.viewed, at, thread)
        return root, at, inside and deeper

    def extents(self, tile: SSAValue) -> list[int]:
        dims = list(croq.tile_type(tile).dims)
        view = tile.owner
        if isinstance(view, croq.ChunkAtOp):
            whole = self.extents(view.viewed)
            counts = [self.get(count, 0) for count in view.chunk_values]
            return [e // c for e, c in zip(whole, counts, strict=True)]
        return [self.get(d, 0) for d in dims]

    def bulk(
        self, op: nvvm.CpAsyncBulkTensorLoadOp | nvvm.CpAsyncBulkTensorStoreOp, t: int
    ) -> None:
        """Move a box; in shared memory it is dense, with the swizzle of its map."""
        tensor_map = op.tensor_map.owner
        assert isinstance(tensor_map, croq.TensorMapOp)
        array = self.array(tensor_map.tile)
        size = croq.tile_type(tensor_map.tile).element_bytes
        first = [self.values[t][c] for c in op.coordinates][::-1]
        load = isinstance(op, nvvm.CpAsyncBulkTensorLoadOp)
        start = self.values[t][op.dst if load else op.src]
        width = tensor_map.swizzle.panel_bytes or 16
        assert start % (8 * width if width > 16 else 128) == 0, "misaligned box"
        inner = tensor_map.box_values[-1] * size
        assert width == 16 or inner <= width
        for number, at in enumerate(
            product(*(range(e) for e in tensor_map.box_values))
        ):
            where = [a + f for a, f in zip(at, first, strict=True)]
            inside = start + number * size
            inside ^= (inside >> 7 & MASKS[width]) << 4
            outside = array.base + size * sum(
                i * s for i, s in zip(where, array.strides, strict=True)
            )
            exists = all(i < e for i, e in zip(where, array.extents, strict=True))
            if load:
                data = self.memory[outside : outside + size] if exists else 0
                self.memory[inside : inside + size] = data
            elif exists:
                self.memory[outside : outside + size] = self.memory[
                    inside : inside + size
                ]
