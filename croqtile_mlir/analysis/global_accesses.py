"""
What the threads of one scope do to global memory that others of them must see.

A tile of an argument or output that one thread has written and another reads, or writes
again after `croq.fill`, is handed on like one in shared memory: a barrier of the block
orders accesses to both. Tiles that are only read, or only written by copies and stores,
need nothing: no two of these are meant to meet. What TMA does is left to its events.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.analysis.shared_accesses import Access, Kind
from croqtile_mlir.dialects.croq import (
    CopyAsyncOp,
    CopyOp,
    Engine,
    FillOp,
    LoadOp,
    MmaStoreOp,
    ParallelOp,
    Space,
    StoreOp,
    root_of,
    tile_type,
)


def handed_on(block: ParallelOp) -> frozenset[SSAValue]:
    """The global tiles that threads of a block both write and read, or fill."""
    read: set[SSAValue] = set()
    written: set[SSAValue] = set()
    filled: set[SSAValue] = set()
    for op in block.walk():
        for tile, kind in _touched(op):
            (written if kind.is_write else read).add(root_of(tile))
            if isinstance(op, FillOp):
                filled.add(root_of(tile))
    return frozenset(written & (read | filled))


def global_accesses_of(op: Operation, roots: frozenset[SSAValue]) -> tuple[Access, ...]:
    """
    The accesses of an op itself to some global tiles, by threads.

    Copies and stores do not meet one another, so they may as well be of one thread.
    """
    return tuple(
        Access(
            kind,
            scope_of(op).root,
            root_of(tile),
            None,
            mapping="stores" if kind.is_write and not isinstance(op, FillOp) else None,
        )
        for tile, kind in _touched(op)
        if root_of(tile) in roots
    )


def _touched(op: Operation) -> list[tuple[SSAValue, Kind]]:
    match op:
        case LoadOp():
            tiles = [(op.tile, Kind.READ)]
        case StoreOp() | FillOp() | MmaStoreOp():
            tiles = [(op.tile, Kind.WRITE)]
        case CopyOp() | CopyAsyncOp() if op.engine.data is not Engine.Tma:
            tiles = [(op.source, Kind.READ), (op.destination, Kind.WRITE)]
        case _:
            tiles = []
    return [
        (tile, kind)
        for tile, kind in tiles
        if tile_type(tile).memory_space is Space.Global
    ]
