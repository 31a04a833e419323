"""Accesses to memory and fences (`llvm`), with and without an ordering."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects import llvm_ext as llvm
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.nvvm.operands import address_space
from croqtile_mlir.simulator import pointers, strong
from croqtile_mlir.simulator.actors import Reach
from croqtile_mlir.simulator.pointers import aligned, memory_at, offsets_in
from croqtile_mlir.simulator.program import Frame, Handlers, Made, Maker
from croqtile_mlir.simulator.strong import Ordering
from croqtile_mlir.simulator.updates import (
    COMPUTES,
    Change,
    access,
    change_to,
    change_where,
    change_with,
    ordering_of,
)
from croqtile_mlir.simulator.values import dtype_of, elements, lanes_of, spread

_KINDS: Final[Mapping[llvm.BinOp, str]] = MappingProxyType(
    {
        llvm.BinOp.Xchg: "exch",
        llvm.BinOp.Add: "add",
        llvm.BinOp.FAdd: "add",
        llvm.BinOp.And: "and",
        llvm.BinOp.Or: "or",
        llvm.BinOp.Xor: "xor",
        llvm.BinOp.Max: "max",
        llvm.BinOp.Min: "min",
        llvm.BinOp.UMax: "umax",
        llvm.BinOp.UMin: "umin",
    }
)
_ORDERS: Final[Mapping[int, str]] = MappingProxyType(
    {0: "relaxed", 2: "relaxed", 4: "acquire", 5: "release", 6: "acq_rel", 7: "sc"}
)
_SCOPES: Final[Mapping[str, str]] = MappingProxyType(
    {"": "sys", "device": "gpu", "cluster": "cluster", "block": "cta"}
)
_NARROW: Final = frozenset({"cluster", "block"})

Access = llvm.AtomicRMWOp | llvm.AtomicCmpXchgOp | llvm.LoadOp | llvm.StoreOp


def ordering_from(
    op: Access,
    order: int,
) -> Ordering:
    """What an op of LLVM does to the order of memory, as its ordering says."""
    scope = "" if op.syncscope is None else op.syncscope.data
    if scope not in _SCOPES:
        fail(op, f"must have a scope of NVPTX in the simulator, got {scope}")
    return ordering_of(
        _ORDERS[order],
        _SCOPES[scope],
        reads=not isinstance(op, llvm.StoreOp),
        writes=not isinstance(op, llvm.LoadOp),
    )


def make_update(op: llvm.AtomicRMWOp, maker: Maker) -> Made:
    """`llvm.atomicrmw`: the lanes one after the other."""
    if op.kind not in _KINDS:
        fail(op, f"has no meaning in the simulator with {op.kind.name.lower()}")
    compute = COMPUTES[_KINDS[op.kind]]
    pointer, source = maker.registers(op.operands)
    result = maker.register(op.result)
    dtype, ordering = dtype_of(op.val.type, op), ordering_from(op, int(op.order))
    count = elements(op.val.type)

    def step(frame: Frame) -> None:
        lanes, threads = frame.lanes, frame.agent.threads
        operands = spread(frame.values[source], threads, dtype)[lanes]
        # Of a vector each element is a step of its own.
        operands = np.ascontiguousarray(operands.astype(dtype)).reshape(-1)
        change = change_with(compute, operands)
        old = _made(frame, op, pointer, dtype, ordering, change, count or 1)
        frame.values[result] = old if count is None else old.reshape(threads, count)

    return step


def make_compare_and_swap(op: llvm.AtomicCmpXchgOp, maker: Maker) -> Made:
    """`llvm.cmpxchg`: the old value, and whether it was the expected one."""
    pointer, compare, source = maker.registers(op.operands)
    result = maker.register(op.result)
    dtype, ordering = dtype_of(op.val.type, op), ordering_from(op, int(op.order))

    def step(frame: Frame) -> None:
        lanes, threads = frame.lanes, frame.agent.threads
        wanted = spread(frame.values[compare], threads, dtype)
        operands = spread(frame.values[source], threads, dtype)
        change = change_where(
            np.ascontiguousarray(wanted[lanes]), np.ascontiguousarray(operands[lanes])
        )
        old = _made(frame, op, pointer, dtype, ordering, change)
        frame.values[result] = (old, old == wanted)

    return step


def _made(
    frame: Frame,
    op: Access,
    pointer: int,
    dtype: np.dtype[Any],
    ordering: Ordering,
    change: Change | None,
    count: int = 1,
) -> Any:
    """Update the elements that the active lanes point to; their old values."""
    lanes, threads = frame.lanes, frame.agent.threads
    addresses = lanes_of(frame.values[pointer], threads)[lanes]
    values = np.zeros(threads * count, dtype)
    memory = memory_at(frame, op, int(addresses[0]))
    if memory is None or not aligned(frame, op, addresses, dtype.itemsize * count):
        return values
    places = lanes
    if count > 1:
        step = np.arange(count)
        addresses = (addresses[:, None] + step * dtype.itemsize).ravel()
        places = (lanes[:, None] * count + step).ravel()
        lanes = np.repeat(lanes, count)
    rows = access(
        memory,
        frame.agent,
        op,
        offsets_in(memory, addresses),
        dtype.itemsize,
        lanes,
        ordering,
        change,
    )
    values[places] = rows.view(dtype)[:, 0]
    return values


def make_load(op: llvm.LoadOp, maker: Maker) -> Made:
    """`llvm.load`: each active lane on its own; also with an ordering."""
    if not llvm.is_ordered(op):
        return pointers.make_load(op, maker)
    pointer, result = maker.register(op.addr), maker.register(op.result)
    dtype = dtype_of(op.result.type, op)
    ordering = ordering_from(op, op.ordering.value.data)

    def step(frame: Frame) -> None:
        frame.values[result] = _made(frame, op, pointer, dtype, ordering, None)

    return step


def make_store(op: llvm.StoreOp, maker: Maker) -> Made:
    """`llvm.store`: each active lane on its own; also with an ordering."""
    if not llvm.is_ordered(op):
        return pointers.make_store(op, maker)
    source, pointer = maker.register(op.value), maker.register(op.addr)
    dtype = dtype_of(op.value.type, op)
    ordering = ordering_from(op, op.ordering.value.data)

    def step(frame: Frame) -> None:
        data = spread(frame.values[source], frame.agent.threads, dtype)[frame.lanes]
        rows = np.ascontiguousarray(data.astype(dtype)[:, None]).view(np.uint8)
        _made(frame, op, pointer, dtype, ordering, change_to(rows))

    return step


def synchronises_blocks(op: Operation) -> bool:
    """
    Whether an op may order what different blocks do: by what it finds in global memory,
    what it releases there, with a scope that may be too narrow, or as a fence.
    """
    match op:
        case llvm.LoadOp():
            return llvm.is_ordered(op) and not _is_shared(op.addr)
        case llvm.StoreOp():
            return llvm.is_ordered(op) and not _is_shared(op.addr)
        case llvm.AtomicCmpXchgOp():
            return not _is_shared(op.ptr)
        case llvm.AtomicRMWOp():
            used = next(iter(op.result.uses), None) is not None
            ordered = op.order is not llvm.Ordering.Monotonic
            # Whether the scope is enough shows among the blocks.
            narrow = op.syncscope is not None and op.syncscope.data in _NARROW
            return (used or ordered or narrow) and not _is_shared(op.ptr)
        case llvm.FenceOp():
            return op.syncscope is None or op.syncscope.data != "block"
        case _:
            return False


def _is_shared(pointer: SSAValue) -> bool:
    return address_space(pointer.type) in (3, 7)


def _fence(name: str) -> Callable[[Frame], None]:
    reach = Reach[name.upper()]

    def step(frame: Frame) -> None:
        strong.fence(frame.agent, frame.lanes.tolist(), reach)

    return step


def make_fence(op: llvm.FenceOp, maker: Maker) -> Made:
    """`llvm.fence`."""
    del maker
    scope = "" if op.syncscope is None else op.syncscope.data
    if scope not in _SCOPES:
        fail(op, f"must have a scope of NVPTX in the simulator, got {scope}")
    return _fence(_SCOPES[scope])


def make_memory_barrier(op: nvvm.MemoryBarrierOp, maker: Maker) -> Made:
    """`nvvm.memory.barrier`."""
    del maker
    return _fence(op.scope.data.value)


def make_cluster_fence(op: nvvm.FenceScClusterOp, maker: Maker) -> Made:
    """`nvvm.fence.sc.cluster`."""
    del op, maker
    return _fence("cluster")


HANDLERS: Final[Handlers] = {
    llvm.LoadOp: make_load,
    llvm.StoreOp: make_store,
    llvm.AtomicRMWOp: make_update,
    llvm.AtomicCmpXchgOp: make_compare_and_swap,
    llvm.FenceOp: make_fence,
    nvvm.MemoryBarrierOp: make_memory_barrier,
    nvvm.FenceScClusterOp: make_cluster_fence,
}
