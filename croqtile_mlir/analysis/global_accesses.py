"""
What the threads of one scope do to global memory that others of them must see.

A tile of an argument or output that one thread writes, and another reads or writes, is
handed on like one in shared memory: a barrier orders the two. Most tiles need nothing:
they are only read, or each element is touched by one thread (`global_meetings.py`).

TMA reads and writes for the elected thread. What it has loaded all know who wait for
it; that a store is over only the elected thread knows.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.counted_stores import is_counted
from croqtile_mlir.analysis.flags import is_strong
from croqtile_mlir.analysis.global_meetings import Meetings
from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.analysis.shared_accesses import Access, Counted, Flight, Kind
from croqtile_mlir.dialects.croq import (
    AtomicOp,
    CopyAsyncOp,
    CopyOp,
    ElementwiseOp,
    Engine,
    FillOp,
    LoadOp,
    MmaStoreOp,
    ParallelOp,
    ReduceOp,
    Space,
    StoreOp,
    root_of,
    tile_type,
)


@dataclass(frozen=True)
class GlobalAccesses:
    """The accesses to global tiles in a block that other threads must see."""

    meetings: Meetings | None

    @staticmethod
    def of_block(block: ParallelOp) -> GlobalAccesses:
        """Those of a block."""
        found = [
            (op, tile, kind.is_write)
            for op in block.walk()
            for tile, kind in _touched(op)
        ]
        return GlobalAccesses(Meetings.of(block, found))

    @staticmethod
    def none() -> GlobalAccesses:
        """Where only shared memory is looked at."""
        return GlobalAccesses(None)

    def of(self, op: Operation) -> tuple[Access, ...]:
        """The accesses of an op itself."""
        if self.meetings is None:
            return ()
        return tuple(
            Access(
                kind,
                scope_of(op).root,
                root_of(tile),
                None,
                flight=_flight(op),
                strong=is_strong(op),
                op=op,
                apart=apart,
            )
            for tile, kind in _touched(op)
            if (apart := self.meetings.apart(op, root_of(tile))) is not None
        )


def _flight(op: Operation) -> Flight | None:
    """What has to be awaited before an access is over."""
    if not isinstance(op, CopyAsyncOp) or op.engine.data is not Engine.Tma:
        return None
    return Counted(-1) if is_counted(op) else op.future


def _touched(op: Operation) -> list[tuple[SSAValue, Kind]]:
    read, write = Kind.READ, Kind.WRITE
    match op:
        case LoadOp():
            tiles = [(op.tile, read)]
        case StoreOp() | AtomicOp() | FillOp() | MmaStoreOp():
            tiles = [(op.tile, write)]
        case ElementwiseOp() | ReduceOp():
            tiles = [(tile, write if is_write else read) for tile, is_write in op.tiles]
        case CopyOp() | CopyAsyncOp():
            if op.engine.data is Engine.Tma:
                read, write = Kind.ELECTED_READ, Kind.ELECTED_WRITE
            tiles = [(op.source, read), (op.destination, write)]
        case _:
            tiles = []
    return [
        (tile, kind)
        for tile, kind in tiles
        if tile_type(tile).memory_space is Space.Global
    ]
