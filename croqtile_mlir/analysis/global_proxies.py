"""
Loads by TMA of what threads have written to global memory.

TMA reads through the asynchronous proxy. What threads wrote through the generic one it
sees after a proxy fence that comes, in the order of causality, after the writes and
before it (PTX ISA, "Async proxy"): one in the thread that starts the load, which has
learned of the writes by a barrier or an acquire.
"""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.proxies import address_sources
from croqtile_mlir.analysis.reached import ends
from croqtile_mlir.dialects import nvvm
from croqtile_mlir.dialects.croq import (
    AddressOp,
    AtomicOp,
    ParallelOp,
    Space,
    StoreOp,
    TensorMapOp,
    root_of,
    tile_type,
)
from croqtile_mlir.dialects.llvm_ext import AtomicCmpXchgOp, AtomicRMWOp


def loads_to_fence(block: ParallelOp) -> list[Operation]:
    """The loads that need a fence before them: the first of those in a row."""
    written: set[SSAValue] = set()
    for op in block.walk():
        written |= _written(op)
    if not written:
        return []
    found: list[Operation] = []
    for op in block.walk():
        if _source(op) in written and not _follows(op, written):
            found.append(op)
    return found


def _follows(op: Operation, written: set[SSAValue]) -> bool:
    """Whether another such load comes before an op, and nothing to learn in between."""
    before = op.prev_op
    while before is not None and not before.regions:
        if _source(before) in written:
            return True
        before = before.prev_op
    return False


def _source(op: Operation) -> SSAValue | None:
    """The global tile that an op loads from by TMA."""
    if not isinstance(op, nvvm.CpAsyncBulkTensorLoadOp):
        return None
    owner = op.tensor_map.owner
    return root_of(owner.tile) if isinstance(owner, TensorMapOp) else None


def _written(op: Operation) -> set[SSAValue]:
    """The global tiles that an op stores to through the generic proxy."""
    match op:
        case StoreOp() | AtomicOp():
            is_global = tile_type(op.tile).memory_space is Space.Global
            return {root_of(op.tile)} if is_global else set()
        case _ if op.name == llvm.StoreOp.name:
            return _tiles_of(op.operands[1])
        case AtomicRMWOp() | AtomicCmpXchgOp():
            return _tiles_of(op.ptr)
        case _:
            return set()


def _tiles_of(pointer: SSAValue) -> set[SSAValue]:
    """The global tiles that a pointer leads into."""
    return {
        root_of(end.owner.tile)
        for end in ends(pointer, address_sources)
        if isinstance(end.owner, AddressOp)
        and tile_type(end.owner.tile).memory_space is Space.Global
    }
