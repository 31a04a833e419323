"""Tiles of registers, and which elements of their arrays are needed later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.analysis.program_order import is_loop
from croqtile_mlir.dialects.croq import (
    AllocOp,
    Space,
    TileType,
    tile_type,
)
from croqtile_mlir.dialects.llvm_ext import (
    LOCAL,
    AllocaOp,
    GEPOp,
    LoadOp,
    StoreOp,
)
from croqtile_mlir.dialects.nvvm.operands import address_space

Place = tuple[SSAValue, int]
"""An element of an array in local memory: the array, and the byte it starts at."""

Places = frozenset[Place]


def is_private(tile: SSAValue) -> bool:
    """Whether a tile is in registers."""
    return (
        isinstance(tile.type, TileType)
        and tile_type(tile).memory_space is Space.Register
    )


def register_tiles(root: Operation) -> list[AllocOp]:
    """The buffers of registers inside an op."""
    return [op for op in root.walk() if isinstance(op, AllocOp) and is_private(op.tile)]


@dataclass(frozen=True)
class LocalArrays:
    """The arrays in local memory inside an op."""

    places: Mapping[Operation, Place]
    """For each load and store of arrays that may live in registers: the element."""

    memory: Mapping[AllocaOp, Operation]
    """The others, and what keeps each from it."""


def local_arrays(root: Operation) -> LocalArrays:
    """
    Sort the arrays: all accesses of one that may live in registers are at constant
    places, each of one type.
    """
    places: dict[Operation, Place] = {}
    memory: dict[AllocaOp, Operation] = {}
    for op in root.walk():
        if not isinstance(op, AllocaOp) or address_space(op.res.type) != LOCAL:
            continue
        found: dict[Operation, Place] = {}
        if (cause := _accesses(op, found)) is None:
            places |= found
        else:
            memory[op] = cause
    return LocalArrays(places, memory)


def _accesses(array: AllocaOp, found: dict[Operation, Place]) -> Operation | None:
    """Find the accesses of an array; what keeps it from living in registers."""
    todo: list[tuple[SSAValue, int]] = [(array.res, 0)]
    types: dict[int, object] = {}
    while todo:
        pointer, offset = todo.pop()
        for use in pointer.uses:
            user = use.operation
            match user:
                case GEPOp() if _is_constant(user):
                    (index,) = user.indices
                    assert isinstance(index, int)
                    todo.append((user.result, offset + index))
                case LoadOp():
                    found[user] = array.res, offset
                    if types.setdefault(offset, user.result.type) != user.result.type:
                        return user
                case StoreOp() if user.addr is pointer and user.value is not pointer:
                    found[user] = array.res, offset
                    if types.setdefault(offset, user.value.type) != user.value.type:
                        return user
                case _:
                    return user
    return None


def _is_constant(op: GEPOp) -> bool:
    return str(op.element_type) == "i8" and [type(i) for i in op.indices] == [int]


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
