"""
A block of threads that executes what `--lower-mma` and `--lower-views` make.

It runs the arithmetic of all threads at once. Descriptors are decoded and read by the
rules of the PTX ISA, not by `layouts`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, VectorType
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.context import new_context
from croqtile_mlir.dialects import croq, nvvm
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.frontends.located import LocatedParser
from croqtile_mlir.pass_manager.running import parse_passes, run_passes

Array = NDArray[np.int64]
PASSES = "lower-mma,lower-views"


def lower(text: str, passes: str = PASSES) -> ModuleOp:
    ctx = new_context(allow_unregistered=True)
    module = LocatedParser(ctx, text, "test.mlir").parse_module()
    module.verify()
    run_passes(ctx, module, parse_passes(passes))
    module.verify()
    return module


BINARY: dict[type[Operation], np.ufunc] = {
    arith.AddiOp: np.add,
    arith.MuliOp: np.multiply,
    arith.XOrIOp: np.bitwise_xor,
    arith.OrIOp: np.bitwise_or,
    arith.AndIOp: np.bitwise_and,
    arith.ShLIOp: np.left_shift,
    arith.ShRUIOp: np.right_shift,
    arith.RemUIOp: np.remainder,
    arith.DivUIOp: np.floor_divide,
}


@dataclass
class Machine:
    """The threads of a block in lockstep; integer values are arrays over them."""

    threads: int
    bases: dict[str, int]
    """Where buffers and arguments are, by name."""

    memory: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(1 << 17, "u1"))
    strides: tuple[int, ...] = ()
    """Strides of the outer dims of arguments, in elements."""

    values: dict[SSAValue, Array] = field(default_factory=dict[SSAValue, Array])
    blocks: dict[SSAValue, NDArray[np.float64]] = field(
        default_factory=dict[SSAValue, NDArray[np.float64]]
    )
    """Accumulators: by thread and register, or by thread, register and half."""

    seen: list[tuple[Array, ...]] = field(default_factory=list[tuple[Array, ...]])
    """The operands of each `test.use`."""

    def at(self, value: SSAValue) -> Array:
        return self.values[value]

    def run(self, block: Block) -> None:
        for op in block.ops:
            self.step(op)

    def full(self, value: int) -> Array:
        return np.full(self.threads, value, dtype=np.int64)

    def step(self, op: Operation) -> None:
        first = op.results[0] if op.results else None
        if type(op) in BINARY and first is not None:
            a, b = (self.at(value) for value in op.operands)
            self.values[first] = BINARY[type(op)](a, b)
            return
        match op:
            case arith.ConstantOp(value=IntegerAttr() as value):
                self.values[op.result] = self.full(value.value.data)
            case arith.IndexCastOp() | arith.ExtUIOp() | llvm.PtrToIntOp():
                self.values[op.results[0]] = self.at(op.operands[0])
            case nvvm.ShflSyncOp():
                value = self.at(op.value)
                self.values[op.result] = value[np.arange(self.threads) & ~31]
            case croq.ThreadIdOp():
                self.values[op.result] = np.arange(self.threads, dtype=np.int64)
            case croq.AddressOp():
                assert op.index_values == (0,) * len(op.index_values)
                self.values[op.pointer] = self.full(self.base(op.tile))
            case croq.PointerOp():
                self.values[op.result] = self.full(self.base(op.tile))
            case croq.StrideOp():
                self.values[op.result] = self.full(self.strides[op.dim.data])
            case llvm.GEPOp():
                (index,) = op.indices
                by = self.full(index) if isinstance(index, int) else self.at(index)
                self.values[op.result] = self.at(op.base) + by
            case croq.ParallelOp() | croq.RoleOp():
                self.run(op.body.block)
            case _ if op.name in ("builtin.unregistered", "croq.alloc", "croq.return"):
                if op.operands:
                    self.seen.append(tuple(self.at(value) for value in op.operands))
            case _:
                self.matrix_step(op)

    def base(self, tile: SSAValue) -> int:
        assert tile.name_hint is not None
        return self.bases[tile.name_hint]

    def matrix_step(self, op: Operation) -> None:
        match op:
            case llvm.ZeroOp():
                registers = len(struct_types(op.result))
                shape = (self.threads, registers)
                if str(struct_types(op.result)[0]) == "i32":
                    shape = (*shape, 2)
                self.blocks[op.result] = np.zeros(shape)
            case nvvm.WgmmaMmaAsyncOp():
                self.blocks[op.result] = self.wgmma(op)
            case llvm.ExtractValueOp():
                (position,) = op.position.iter_values()
                self.blocks[op.result] = self.blocks[op.container][:, position]
            case nvvm.ConvertF32x2ToF16x2Op():
                pair = (self.blocks[op.lo], self.blocks[op.hi])
                self.blocks[op.result] = np.stack(pair, axis=1)
            case llvm.BitcastOp():
                self.blocks[op.result] = self.blocks[op.value]
            case llvm.UndefOp():
                self.blocks[op.result] = np.zeros((self.threads, 2))
            case llvm.InsertElementOp():
                vector = self.blocks[op.vector].copy()
                vector[:, self.at(op.index)[0]] = self.blocks[op.value]
                self.blocks[op.result] = vector
            case nvvm.StMatrixOp():
                self.stmatrix(op)
            case llvm.StoreOp():
                assert isinstance(op.value.type, VectorType)
                pair = self.blocks[op.value].astype(np.float32)
                for address, value in zip(self.at(op.addr), pair, strict=True):
                    assert address % 8 == 0
                    self.memory[address : address + 8] = value.view("u1")
            case _:
                assert op.name.startswith("nvvm.wgmma."), op.name

    def wgmma(self, op: nvvm.WgmmaMmaAsyncOp) -> NDArray[np.float64]:
        m, n, k = op.shape.extents
        result = self.blocks[op.accumulator].copy()
        for warpgroup in range(self.threads // 128):
            lanes = slice(128 * warpgroup, 128 * warpgroup + 128)
            a, b = self.at(op.descriptor_a)[lanes], self.at(op.descriptor_b)[lanes]
            assert len(set(a)) == len(set(b)) == 1
            a_major = "k" if op.layout_a.data is nvvm.MMALayout.Row else "mn"
            b_major = "k" if op.layout_b.data is nvvm.MMALayout.Col else "mn"
            left = self.operand(int(a[0]), a_major, m, k)
            right = self.operand(int(b[0]), b_major, n, k)
            total = left @ right.T
            for thread in range(128):
                warp, lane = divmod(thread, 32)
                for register in range(n // 2):
                    row = 16 * warp + lane // 4 + 8 * (register // 2 % 2)
                    col = 8 * (register // 4) + 2 * (lane % 4) + register % 2
                    index: tuple[int, ...] = (register,)
                    if result.ndim == 3:
                        index = divmod(register, 2)
                    result[(128 * warpgroup + thread, *index)] += total[row, col]
        return result

    def operand(
        self, descriptor: int, major: str, rows: int, depth: int
    ) -> NDArray[np.float64]:
        """Rows x depth f16 values, read as the matrix descriptor says."""
        start = (descriptor & 0x3FFF) << 4
        leading = (descriptor >> 16 & 0x3FFF) << 4
        stride = (descriptor >> 32 & 0x3FFF) << 4
        mode = descriptor >> 62 & 3
        width = {0: 16, 1: 128, 2: 64, 3: 32}[mode]
        mask = {0: 0, 1: 7, 2: 3, 3: 1}[mode]
        r, k = np.indices((rows, depth))
        if mode == 0 and major == "k":
            address = r // 8 * stride + k // 8 * leading + r % 8 * 16 + k % 8 * 2
        elif mode == 0:
            address = r // 8 * stride + k // 8 * leading + k % 8 * 16 + r % 8 * 2
        elif major == "k":
            address = r // 8 * stride + r % 8 * width + k * 2
        else:
            per_panel = width // 2
            address = r // per_panel * leading + r % per_panel * 2
            address = address + k // 8 * stride + k % 8 * width
        address = start + address
        address = address ^ (address >> 7 & mask) << 4
        return self.memory.view("<f2")[address // 2].astype(np.float64)

    def stmatrix(self, op: nvvm.StMatrixOp) -> None:
        memory = self.memory.view("<f2")
        for warp in range(self.threads // 32):
            for matrix, source in enumerate(op.sources):
                halves = self.blocks[source][32 * warp : 32 * warp + 32]
                for row in range(8):
                    address = self.at(op.addr)[32 * warp + 8 * matrix + row]
                    assert address % 16 == 0
                    place = address // 2
                    memory[place : place + 8] = halves[4 * row : 4 * row + 4].ravel()


def struct_types(value: SSAValue) -> tuple[object, ...]:
    assert isinstance(value.type, llvm.LLVMStructType)
    return value.type.types.data


def block_of(module: ModuleOp) -> Block:
    """The body of the only `parallel : block` of a module."""
    (block,) = (
        op.body.block for op in module.walk() if isinstance(op, croq.ParallelOp)
    )
    return block


def tile_addresses(text: str, base: int) -> Array:
    """Byte addresses of the elements of a tile `RxCxT, layout`."""
    rows, cols, rest = text.split("x", 2)
    element, layout = rest.split(", ")
    bytes_of = {"f16": 2, "bf16": 2, "f32": 4}[element]
    width = {"128": 128, "64": 64, "32": 32, "none": 16}.get(layout[8:-1], 0)
    row, col = np.indices((int(rows), int(cols)))
    inside = col * bytes_of
    if layout == "row_major":
        return base + row * int(cols) * bytes_of + inside
    mask = {128: 7, 64: 3, 32: 1, 16: 0}[width]
    address = (inside // width * int(rows) + row) * width + inside % width
    return base + (address ^ (address >> 7 & mask) << 4)
