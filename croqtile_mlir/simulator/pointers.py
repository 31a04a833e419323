"""
Pointers (`llvm`): addresses, loads and stores.

Pointers to shared memory are byte offsets from its start, in any space; those to other
blocks of the cluster lie above them (`peers`), addresses of global memory far above.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from xdsl.dialects.llvm import LLVMArrayType, LLVMPointerType, LLVMStructType
from xdsl.ir import Attribute, Operation

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.lowering.rewriting import constant_value
from croqtile_mlir.simulator.faults import FaultKind
from croqtile_mlir.simulator.global_memory import GlobalBuffer
from croqtile_mlir.simulator.in_flight import note_peer
from croqtile_mlir.simulator.memory import Memory
from croqtile_mlir.simulator.peers import CLUSTER_END, SHARED_END, block_at
from croqtile_mlir.simulator.private_memory import (
    LOCAL_END,
    LOCAL_START,
    PrivateMemories,
)
from croqtile_mlir.simulator.program import Frame, Handlers, Made, Maker
from croqtile_mlir.simulator.values import (
    Integers,
    dtype_of,
    elements,
    is_integer,
    lanes_of,
    scalar_type,
    spread,
    width,
    wrapped,
)


def bytes_of(type_: Attribute, op: Operation) -> int:
    """Bytes of a value of a type in memory."""
    if isinstance(type_, LLVMArrayType):
        return type_.size.data * bytes_of(type_.type, op)
    if isinstance(type_, LLVMStructType):
        fail(op, f"must not have a struct in memory in the simulator, got {type_}")
    if isinstance(type_, LLVMPointerType):
        return 4 if type_.addr_space and str(type_.addr_space) == "3" else 8
    return dtype_of(type_, op).itemsize * (elements(type_) or 1)


def make_getelementptr(op: llvm.GEPOp, maker: Maker) -> Made:
    """`llvm.getelementptr`."""
    base, result = maker.register(op.base), maker.register(op.result)
    constant, type_ = 0, op.element_type
    scaled: list[tuple[int, int]] = []
    for number, index in enumerate(op.indices):
        if number:
            if not isinstance(type_, LLVMArrayType):
                fail(op, f"must index arrays only in the simulator, got {type_}")
            type_ = type_.type
        size = bytes_of(type_, op)
        if isinstance(index, int):
            constant += index * size
        else:
            scaled.append((maker.register(index), size))
    if not scaled:

        def offset(frame: Frame) -> None:
            frame.values[result] = frame.values[base] + constant

        return offset

    def step(frame: Frame) -> None:
        values = frame.values
        found = values[base] + constant if constant else values[base]
        for register, size in scaled:
            index = values[register]
            if index.__class__ is np.ndarray:
                index = index.astype(np.int64)
            found = found + index * size
        values[result] = found

    return step


def make_pointer_cast(op: Operation, maker: Maker) -> Made:
    """`llvm.addrspacecast`: addresses are the same in all spaces."""
    (source,) = maker.registers(op.operands)
    result = maker.register(op.results[0])

    def step(frame: Frame) -> None:
        frame.values[result] = frame.values[source]

    return step


def make_pointer_to_integer(op: llvm.PtrToIntOp, maker: Maker) -> Made:
    """`llvm.ptrtoint`."""
    source, result = maker.register(op.value), maker.register(op.result)
    bits, dtype = width(op.result.type), dtype_of(op.result.type, op)

    def step(frame: Frame) -> None:
        value = frame.values[source]
        if value.__class__ is np.ndarray:
            frame.values[result] = value.astype(dtype)
        else:
            frame.values[result] = wrapped(value, bits)

    return step


def make_integer_to_pointer(op: llvm.IntToPtrOp, maker: Maker) -> Made:
    """`llvm.inttoptr`."""
    source, result = maker.register(op.value), maker.register(op.result)
    ones = (1 << width(op.value.type)) - 1

    def step(frame: Frame) -> None:
        value = frame.values[source]
        if value.__class__ is np.ndarray:
            frame.values[result] = value.astype(np.int64) & ones
        else:
            frame.values[result] = value & ones

    return step


def memory_at(frame: Frame, op: Operation, address: int) -> Memory | None:
    """The memory that an address is in; a fault when there is none."""
    if 0 <= address < SHARED_END:
        return frame.block.shared
    if LOCAL_START <= address < LOCAL_END:
        return PrivateMemories.of(frame).at(address)
    if SHARED_END <= address < CLUSTER_END:
        block = block_at(frame, op, address)
        if block is None:
            return None
        if block is not frame.block:
            note_peer(block, frame.agent, op, "an access")
        return block.shared
    found = frame.block.launch.memory.at(address)
    if found is None:
        frame.agent.engine.fault(
            FaultKind.OUT_OF_BOUNDS,
            op,
            f"{frame.agent.name} accesses address {address:#x}, where nothing is",
        )
    return found


def aligned(frame: Frame, op: Operation, addresses: Integers, to: int) -> bool:
    """Whether addresses are multiples of so many bytes; a fault when not."""
    wrong = addresses & (to - 1)
    if not np.count_nonzero(wrong):
        return True
    index = int(np.nonzero(wrong)[0][0])
    at = int(addresses[index])
    where = f"offset {at}" if at < SHARED_END else f"address {at:#x}"
    frame.agent.engine.fault(
        FaultKind.MISUSE,
        op,
        f"{frame.agent.name} accesses {where}, which must be a multiple of {to} bytes",
    )
    return False


def offsets_in(memory: Memory, addresses: Integers) -> Integers:
    """Byte offsets in a memory of addresses, all of which must be in it."""
    if isinstance(memory, GlobalBuffer) or memory.base:
        return addresses - memory.base
    first = int(addresses[0]) if len(addresses) else 0
    # Lanes that access other blocks of the cluster leave the bounds of this one.
    start = first // SHARED_END * SHARED_END
    return addresses - start if start else addresses


def make_load(op: llvm.LoadOp, maker: Maker) -> Made:
    """`llvm.load`: each active lane on its own."""
    pointer, result = maker.register(op.addr), maker.register(op.result)
    type_ = op.result.type
    dtype, count = dtype_of(type_, op), elements(type_)
    size = bytes_of(type_, op)
    to_int = is_integer(scalar_type(type_))
    alignment = min(size, op.alignment.value.data if op.alignment else size)

    def step(frame: Frame) -> None:
        agent, address = frame.agent, frame.values[pointer]
        lanes, threads = frame.lanes, agent.threads
        is_uniform = address.__class__ is not np.ndarray
        addresses = lanes_of(address, threads)[lanes]
        memory = memory_at(frame, op, int(addresses[0]))
        if memory is None or not aligned(frame, op, addresses, alignment):
            rows = np.zeros((len(lanes), size), np.uint8)
        else:
            offsets = offsets_in(memory, addresses)
            rows = memory.load(agent, op, offsets, size, lanes)
        data = np.ascontiguousarray(rows).view(dtype)
        if is_uniform and count is None:
            first = data[0, 0]
            frame.values[result] = int(first) if to_int else first
            return
        if len(lanes) != threads:
            full = np.zeros((threads, data.shape[1]), dtype)
            full[lanes] = data
            data = full
        frame.values[result] = data if count is not None else data[:, 0]

    return step


def make_store(op: llvm.StoreOp, maker: Maker) -> Made:
    """`llvm.store`: each active lane on its own."""
    source, pointer = maker.register(op.value), maker.register(op.addr)
    type_ = op.value.type
    dtype = dtype_of(type_, op)
    size = bytes_of(type_, op)
    alignment = min(size, op.alignment.value.data if op.alignment else size)

    def step(frame: Frame) -> None:
        agent, value = frame.agent, frame.values[source]
        lanes, threads = frame.lanes, agent.threads
        addresses = lanes_of(frame.values[pointer], threads)[lanes]
        memory = memory_at(frame, op, int(addresses[0]))
        if memory is None or not aligned(frame, op, addresses, alignment):
            return
        data: Any = spread(value, threads, dtype)[lanes]
        rows = np.ascontiguousarray(data.reshape(len(lanes), -1)).view(np.uint8)
        memory.store(agent, op, offsets_in(memory, addresses), rows, lanes)

    return step


def make_alloca(op: llvm.AllocaOp, maker: Maker) -> Made:
    """`llvm.alloca`: an array of each lane."""
    result, count = maker.register(op.res), constant_value(op.size)
    if count is None:
        fail(op, "must have a constant number of elements in the simulator")
    size, name = count * bytes_of(op.elem_type, op), op.res.name_hint
    name = f"%{name}" if name else "local memory"

    def step(frame: Frame) -> None:
        lanes = frame.agent.threads
        base = PrivateMemories.of(frame).add(op, name, size, lanes)
        frame.values[result] = base + np.arange(lanes) * size

    return step


def make_address_of(op: llvm.AddressOfOp, maker: Maker) -> Made:
    """`llvm.mlir.addressof`: of shared variables, laid out by `shared_layout`."""
    name = op.global_name.string_value()
    layout = shared_layout(op)
    if name not in layout.offsets:
        fail(op, f"must name a variable in shared memory in the simulator, got @{name}")
    maker.constants[maker.register(op.result)] = layout.offsets[name]
    return None


class SharedLayout:
    """Where the shared variables of a module are: static ones, then the dynamic."""

    def __init__(self, variables: list[llvm.GlobalOp]):
        self.offsets: dict[str, int] = {}
        at = 0
        dynamic: list[llvm.GlobalOp] = []
        for variable in variables:
            size = bytes_of(variable.global_type, variable)
            if not size:
                dynamic.append(variable)
                continue
            at = _rounded(at, variable)
            self.offsets[variable.sym_name.data] = at
            at += size
        for variable in dynamic:
            at = _rounded(at, variable)
        for variable in dynamic:
            self.offsets[variable.sym_name.data] = at
        self.static_bytes = at
        """Bytes before the dynamic variable."""


def _rounded(at: int, variable: llvm.GlobalOp) -> int:
    to = variable.alignment.value.data if variable.alignment else 16
    return -(-at // to) * to


def shared_layout(op: Operation) -> SharedLayout:
    """The layout of the variables beside the function that an op is in."""
    at: Operation | None = op
    while at is not None and not isinstance(at, llvm.FuncOp):
        at = at.parent_op()
    block = at.parent if at is not None else None
    if block is None:
        fail(op, "must be in a function in the simulator")
    return SharedLayout(
        [
            each
            for each in block.ops
            if isinstance(each, llvm.GlobalOp) and each.addr_space.value.data == 3
        ]
    )


HANDLERS: Final[Handlers] = {
    llvm.AllocaOp: make_alloca,
    llvm.GEPOp: make_getelementptr,
    llvm.AddrSpaceCastOp: make_pointer_cast,
    llvm.PtrToIntOp: make_pointer_to_integer,
    llvm.IntToPtrOp: make_integer_to_pointer,
    llvm.AddressOfOp: make_address_of,
}
