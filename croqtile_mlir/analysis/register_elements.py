"""
Which elements of register tiles an op reads or writes, and which are needed later.

An element whose indices are all constants may live in a register; a tile of which one
access has another index is memory of the thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.analysis.program_order import is_loop
from croqtile_mlir.dialects.croq import (
    AllocOp,
    LoadOp,
    Space,
    StoreOp,
    ViewOp,
    root_of,
    tile_type,
)
from croqtile_mlir.lowering.addresses import resolve
from croqtile_mlir.lowering.memo_builder import MemoBuilder

Place = tuple[SSAValue, tuple[int, ...]]
"""An element of a register tile: its buffer, and its indices there."""

Places = frozenset[Place]


def is_private(tile: SSAValue) -> bool:
    """Whether a tile is in registers."""
    return tile_type(tile).memory_space is Space.Register


def register_tiles(root: Operation) -> list[AllocOp]:
    """The buffers of registers inside an op."""
    return [op for op in root.walk() if isinstance(op, AllocOp) and is_private(op.tile)]


def element_places(root: Operation) -> dict[Operation, Place]:
    """
    For each load and store of the tiles inside an op that may live in registers: which
    element it is.
    """
    memo = MemoBuilder()
    found: dict[Operation, Place] = {}
    memory: set[SSAValue] = set()
    for op in list(root.walk()):
        private = [value for value in op.operands if _is_private_tile(value)]
        if not private or isinstance(op, ViewOp):
            continue
        if not isinstance(op, LoadOp | StoreOp):
            memory.update(map(root_of, private))
            continue
        memo.move_before(op)
        element = resolve(op, op.tile, op.index_values, memo)
        if all(index.is_constant for index in element.coordinates):
            at = tuple(index.constant for index in element.coordinates)
            found[op] = element.root, at
        else:
            memory.add(element.root)
    return {op: place for op, place in found.items() if place[0] not in memory}


def _is_private_tile(value: SSAValue) -> bool:
    return value.type.name == "croq.tile" and is_private(value)


@dataclass
class Liveness:
    """The elements that are read after an op, of ops with regions."""

    places: Mapping[Operation, Place]
    after: dict[Operation, Places] = field(default_factory=dict[Operation, Places])
    stored: dict[Operation, Places] = field(default_factory=dict[Operation, Places])
    """The elements that are stored to inside."""

    def before(self, block: Block, live: Places) -> Places:
        """The elements that are read from the start of a block on."""
        for op in reversed(list(block.ops)):
            live = self._before(op, live)
        return live

    def _before(self, op: Operation, live: Places) -> Places:
        if op.regions:
            self.after[op] = self.after.get(op, frozenset()) | live
            if op not in self.stored:
                self.stored[op] = frozenset(
                    self.places[inner]
                    for inner in op.walk()
                    if isinstance(inner, StoreOp) and inner in self.places
                )
            return self._regions(op, live)
        if isinstance(op, AllocOp):
            return frozenset(place for place in live if place[0] is not op.tile)
        place = self.places.get(op)
        if place is None:
            return live
        return live - {place} if isinstance(op, StoreOp) else live | {place}

    def _regions(self, op: Operation, live: Places) -> Places:
        blocks = [region.block for region in op.regions if region.blocks]
        if isinstance(op, scf.IfOp):
            ends = [self.before(block, live) for block in blocks]
            return frozenset[Place]().union(*ends, *(() if len(ends) > 1 else (live,)))
        if not is_loop(op):
            return live.union(*(self.before(block, live) for block in blocks))
        entry = live
        while True:
            # An iteration is followed by another, or by what follows the loop.
            new = entry.union(*(self.before(block, entry) for block in blocks))
            if new == entry:
                return entry
            entry = new
