"""
TMA where threads have written to global memory.

TMA reads and writes through the asynchronous proxy. What threads wrote through the
generic one comes before that after a proxy fence that comes, in the order of causality,
after the writes and before it (PTX ISA, "Async proxy"): one in the thread that starts
the copy, which has learned of the writes by a barrier or an acquire.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects import llvm, scf
from xdsl.ir import Operation, Region, SSAValue

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

_Store = nvvm.CpAsyncBulkTensorStoreOp | nvvm.CpAsyncBulkTensorReduceOp


def copies_to_fence(block: ParallelOp) -> list[Operation]:
    """The copies that need a fence before them: the first of those in a row."""
    writers: dict[SSAValue, list[Operation]] = {}
    for op in block.walk():
        for tile in _written(op):
            writers.setdefault(tile, []).append(op)
    if not writers:
        return []
    found: list[Operation] = []
    for op in block.walk():
        if _is_after(op, writers) and not _follows(op, writers):
            found.append(op)
    return found


def _is_after(op: Operation, writers: Mapping[SSAValue, Sequence[Operation]]) -> bool:
    """Whether an op is a copy by TMA that may be where threads have written."""
    tile = _tile(op)
    if tile is None:
        return False
    # A copy of a tile that TMA can't store is left to threads: there it stores none.
    return any(
        not isinstance(op, _Store) or not _are_exclusive(op, writer)
        for writer in writers.get(tile, ())
    )


def _are_exclusive(one: Operation, other: Operation) -> bool:
    """Whether two ops are in the two branches of one condition."""
    branches = {region.parent: region for region in _regions(one)}
    return any(
        isinstance(region.parent, scf.IfOp)
        and branches.get(region.parent, region) is not region
        for region in _regions(other)
    )


def _regions(op: Operation) -> Iterator[Region]:
    region = op.parent_region()
    while region is not None:
        yield region
        around = region.parent
        region = None if around is None else around.parent_region()


def _follows(op: Operation, writers: Mapping[SSAValue, Sequence[Operation]]) -> bool:
    """Whether another such copy comes before an op, and nothing to learn in between."""
    before = op.prev_op
    while before is not None and not before.regions and not _written(before):
        if _is_after(before, writers):
            return True
        before = before.prev_op
    return False


def _tile(op: Operation) -> SSAValue | None:
    """The global tile that an op loads from, or stores to, by TMA."""
    if not isinstance(op, nvvm.CpAsyncBulkTensorLoadOp | _Store):
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
