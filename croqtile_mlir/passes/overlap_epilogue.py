"""
`--overlap-epilogue`: the output leaves panel by panel, while the scope goes on.

    %o_s = croq.alloc : <128x256>          %o_s = croq.alloc : <2x128x64>
    croq.foreach %t ..                     croq.foreach %t ..
      croq.mma.store %acc => %o_s            croq.await_stores in_flight 1 read
      croq.copy %o_s => %o           ->      %p = croq.slot %o_s at 0
                                             croq.mma.store %acc cols [0, 64) => %p
                                             %q = croq.view %o [128, 64] from (0, 0)
                                             croq.copy_async %p => %q
                                             .. (cols [64, 128), slot 1; ..)
                                           croq.await_stores in_flight 0

The ring of `buffers` panels takes the place of the whole tile, and its shared memory
is free for stages. Panel j of every tile has the slot `j mod buffers`. Before it is
written, the store that used the slot has been read, in this tile or in the one before:
`in_flight` is the number of stores after that one. Where the panels of a tile are no
multiple of the slots its first wait is for more, and some are not needed. The last
stores of a tile run beside the products of the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from croqtile_mlir.analysis.grain import EXPLICIT_BARRIERS
from croqtile_mlir.analysis.scopes import blocks_in, kernel_of
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    MOST_STORES,
    STORE_COLS,
    AllocOp,
    AwaitStoresOp,
    CopyAsyncOp,
    ElementViewOp,
    MmaStoreOp,
    Position,
    SlotOp,
    acc_type,
    tile_type,
)
from croqtile_mlir.lowering.rewriting import LocatedBuilder
from croqtile_mlir.scheduling.counts import loops_around
from croqtile_mlir.scheduling.epilogues import Epilogue, find_epilogues


@dataclass(frozen=True)
class OverlapEpiloguePass(ModulePass):
    """
    Store accumulators to the output in panels of columns, asynchronously.

    A panel has `cols` columns (a multiple of 16; the last may have fewer), and
    `buffers` of them are in shared memory.
    """

    name = "overlap-epilogue"

    cols: int = 64
    buffers: int = 2

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.cols < STORE_COLS or self.cols % STORE_COLS:
            fail(None, f"cols must be a multiple of {STORE_COLS}, got {self.cols}")
        if not 1 <= self.buffers <= MOST_STORES + 1:
            fail(
                None,
                f"buffers must be in 1..{MOST_STORES + 1}, got {self.buffers}",
            )
        blocks = blocks_in(op)
        last: dict[Block | None, Operation] = {}
        for block in blocks:
            if EXPLICIT_BARRIERS in kernel_of(block).attributes:
                fail(block, "must have no explicit barriers yet")
            stores = [self._overlap(each) for each in find_epilogues(block)]
            for store in stores:
                end = loops_around(store)[0] if loops_around(store) else store
                last[end.parent] = end
        if blocks and not last:
            fail(
                blocks[0],
                "must have a croq.mma.store to a shared buffer whose only other use is "
                "the croq.copy of it to global memory, got none",
            )
        for end in last.values():
            LocatedBuilder.after(end).insert(AwaitStoresOp(0))

    def _overlap(self, epilogue: Epilogue) -> CopyAsyncOp:
        """Cut an epilogue in panels; the store of the last."""
        rows, cols = acc_type(epilogue.store.acc).shape
        width = min(self.cols, cols)
        if cols % STORE_COLS and width < cols:
            fail(
                epilogue.store,
                f"must store a multiple of {STORE_COLS} columns to be cut in panels, "
                f"got {cols}",
            )
        count = -(-cols // width)
        repeats = bool(loops_around(epilogue.copy))
        buffers = min(self.buffers, count)
        waits = _waits(count, buffers, repeats=repeats)
        ring = _ring(epilogue.buffer, [buffers, rows, width])
        build = LocatedBuilder.before(epilogue.copy)
        stores: list[CopyAsyncOp] = []
        for number, first in enumerate(range(0, cols, width)):
            if (in_flight := waits[number]) is not None:
                build.insert(AwaitStoresOp(in_flight, read=True))
            slot = Position(number % buffers)
            panel = build.insert(SlotOp(ring, slot)).result
            size = min(width, cols - first)
            stores.append(_store(build, epilogue, panel, first, size))
        for op in (epilogue.copy, epilogue.store, epilogue.buffer):
            op.detach()
            op.erase()
        return stores[-1]


def _waits(panels: int, buffers: int, *, repeats: bool) -> list[int | None]:
    """
    For each panel of a tile: how many stores may be in flight when it is written.

    None where an earlier wait of the tile is enough. Stores are counted from the first
    of the tile before, if there is one.
    """
    found: list[int | None] = []
    read = -1
    for panel in range(panels):
        store = panels + panel
        used = [n for n in range(store) if n % panels % buffers == panel % buffers]
        last = max(used)
        if last <= read or (last < panels and not repeats):
            found.append(None)
            continue
        found.append(store - 1 - last)
        read = last
    return found


def _ring(buffer: AllocOp, shape: Sequence[int]) -> SSAValue:
    ring = LocatedBuilder.before(buffer).insert(
        AllocOp(buffer.tile_type.with_shape(shape))
    )
    ring.attributes |= buffer.attributes
    ring.tile.name_hint = buffer.tile.name_hint
    return ring.tile


def _store(
    build: LocatedBuilder, epilogue: Epilogue, panel: SSAValue, first: int, size: int
) -> CopyAsyncOp:
    """Store the columns from `first` on, through a panel that they may not fill."""
    store, copy = epilogue.store, epilogue.copy
    rows, cols = acc_type(store.acc).shape
    output, part = copy.destination, None
    if size < cols:
        part = (first, first + size)
        output = build.insert(ElementViewOp(output, [rows, size], (0, first))).result
    if tile_type(panel).dims != (rows, size):
        panel = build.insert(ElementViewOp(panel, [rows, size], (0, 0))).result
    build.insert(MmaStoreOp(store.acc, panel, part)).attributes |= store.attributes
    made = build.insert(CopyAsyncOp(panel, output, copy.engine.data))
    made.attributes |= copy.attributes
    return made
