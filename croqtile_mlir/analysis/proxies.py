"""
Which ops access shared memory through which proxy (PTX ISA, "Async proxy").

Threads load and store through the generic proxy; TMA and wgmma access memory through
the asynchronous one.
"""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import BlockArgument, Operation, SSAValue

from croqtile_mlir.analysis.carried import entering, leaving
from croqtile_mlir.analysis.reached import ends
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import (
    AddressOp,
    AtomicOp,
    DescriptorOp,
    Space,
    StoreOp,
    root_of,
    tile_type,
)
from croqtile_mlir.dialects.croq.hardware import GLOBAL, pointer_type
from croqtile_mlir.dialects.llvm_ext import AtomicCmpXchgOp, AtomicRMWOp

ANY = "any buffer"
"""Stands for the buffer of a pointer of unknown origin."""

Buffer = SSAValue | str
"""A shared `croq.alloc`, or `ANY`."""


def pointed_to(pointer: SSAValue) -> frozenset[Buffer]:
    """
    The shared buffers that a pointer may lead into; none for one into global memory.

    The pointer may be computed from addresses of elements, and carried by loops.
    """
    found: set[Buffer] = set()
    is_known = False
    for value in ends(pointer, _sources_in_shared):
        owner = value.owner
        if _is_global(value):
            is_known = True
        elif isinstance(owner, AddressOp):
            found.add(root_of(owner.tile))
        elif isinstance(value.type, LLVMPointerType):
            found.add(ANY)
    return frozenset(found) if found or is_known else frozenset({ANY})


def _sources_in_shared(value: SSAValue) -> list[SSAValue]:
    return [] if _is_global(value) else address_sources(value)


def address_sources(value: SSAValue) -> list[SSAValue]:
    """What an address is computed from, back to that of an element."""
    return [] if isinstance(value.owner, AddressOp) else sources_of(value)


def sources_of(value: SSAValue) -> list[SSAValue]:
    """What a value is computed from, or may be a name of."""
    if isinstance(value, BlockArgument):
        around = value.block.parent_op()
    else:
        around = value.owner
    if not isinstance(around, Operation):
        return []
    carried = [c for c in (*entering(around), *leaving(around)) if value in c.names]
    if carried:
        return [v for c in carried for v in (c.source, *c.others)]
    return [] if isinstance(value, BlockArgument) else list(around.operands)


def _is_global(value: SSAValue) -> bool:
    return value.type == pointer_type(GLOBAL)


def generic_writes(op: Operation) -> frozenset[Buffer]:
    """The shared buffers that an op itself writes through the generic proxy."""
    match op:
        case nvvm.StMatrixOp():
            return pointed_to(op.addr)
        case StoreOp() | AtomicOp() if tile_type(op.tile).memory_space is Space.Shared:
            return frozenset({root_of(op.tile)})
        case _ if op.name == llvm.StoreOp.name:
            return pointed_to(op.operands[1])
        case AtomicRMWOp() | AtomicCmpXchgOp():
            return pointed_to(op.ptr)
        case _:
            return frozenset()


def lands_by_cp_async(op: Operation) -> frozenset[Buffer]:
    """The shared buffers that a `cp.async` fills, later, through the generic proxy."""
    return pointed_to(op.dst) if isinstance(op, nvvm.CpAsyncOp) else frozenset()


def asynchronous_accesses(op: Operation) -> frozenset[Buffer]:
    """The shared buffers that an op itself lets TMA or wgmma access."""
    match op:
        case DescriptorOp():
            return frozenset({root_of(op.tile)})
        case nvvm.CpAsyncBulkTensorLoadOp():
            return pointed_to(op.dst)
        case nvvm.CpAsyncBulkTensorStoreOp() | nvvm.CpAsyncBulkTensorReduceOp():
            return pointed_to(op.src)
        case nvvm.CpAsyncBulkLoadOp():
            return pointed_to(op.dst)
        case nvvm.CpAsyncBulkStoreOp():
            return pointed_to(op.src)
        case _:
            return frozenset()
