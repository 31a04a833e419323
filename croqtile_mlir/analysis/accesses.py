"""
Who reads and writes which shared buffer.

An op touches a buffer on behalf of all threads of its scope, or of one elected thread
that also stands for the copy engine it starts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.dialects.croq import (
    AwaitOp,
    CopyAsyncOp,
    CopyOp,
    Engine,
    ForeachOp,
    LoadOp,
    MmaExecOp,
    MmaStoreOp,
    Space,
    StoreOp,
    root_of,
    tile_type,
)


@dataclass(frozen=True)
class Access:
    """One access of a shared buffer."""

    op: Operation
    buffer: SSAValue
    write: bool
    elected: bool
    """By one elected thread (or its engine), not by all threads of the scope."""

    def conflicts_with(self, later: Access) -> bool:
        """Whether threads must meet between this access and a later one."""
        return (
            self.buffer is later.buffer
            and (self.write or later.write)
            and not (self.elected and later.elected)
        )


def accesses_of(op: Operation) -> Iterator[Access]:
    """The accesses of an op itself, not of ops inside it."""
    match op:
        case CopyOp() | CopyAsyncOp():
            elected = op.engine.data is Engine.Tma
            yield from _access(op, op.source, write=False, elected=elected)
            yield from _access(op, op.destination, write=True, elected=elected)
        case AwaitOp():
            # The reads of a store that runs in the background end here.
            start = op.future.owner
            if isinstance(start, CopyAsyncOp):
                yield from _access(op, start.source, write=False, elected=True)
        case MmaExecOp():
            yield from _access(op, op.a, write=False, elected=False)
            yield from _access(op, op.b, write=False, elected=False)
        case MmaStoreOp():
            yield from _access(op, op.tile, write=True, elected=False)
        case LoadOp():
            yield from _access(op, op.tile, write=False, elected=False)
        case StoreOp():
            yield from _access(op, op.tile, write=True, elected=False)
        case _:
            pass


def _access(
    op: Operation, tile: SSAValue, *, write: bool, elected: bool
) -> Iterator[Access]:
    if tile_type(tile).memory_space is Space.Shared:
        yield Access(op, root_of(tile), write, elected)


def is_loop(op: Operation) -> bool:
    """Whether the regions of an op may run again after they have run."""
    return isinstance(op, ForeachOp | scf.ForOp | scf.WhileOp)
