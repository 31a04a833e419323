"""Tiles of registers, and which elements of their arrays are needed later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from xdsl.dialects import scf
from xdsl.ir import Attribute, Block, Operation, SSAValue

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
from croqtile_mlir.dialects.llvm_ext.types import bit_width
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


class Obstacle(Enum):
    """What keeps an array from living in registers."""

    Index = "an index is not constant"
    Element = "an access is not of one of its elements"
    Address = "its address is more than that of a load or a store"
    Branch = "the kernel has several blocks"


@dataclass(frozen=True)
class LocalArrays:
    """The arrays in local memory inside an op."""

    places: Mapping[Operation, Place]
    """For each load and store of arrays that may live in registers: the element."""

    memory: Mapping[AllocaOp, tuple[Obstacle, Operation]]
    """The others, what keeps each from it, and where that is."""


def local_arrays(root: Operation) -> LocalArrays:
    """
    Sort the arrays: all accesses of one that may live in registers are of whole
    elements at constant places, where the structure of the IR says what runs when.
    """
    places: dict[Operation, Place] = {}
    memory: dict[AllocaOp, tuple[Obstacle, Operation]] = {}
    branch = _branch(root)
    for op in root.walk():
        if not isinstance(op, AllocaOp) or address_space(op.res.type) != LOCAL:
            continue
        found: dict[Operation, Place] = {}
        if (cause := branch or _accesses(op, found)) is None:
            places |= found
        else:
            memory[op] = cause
    return LocalArrays(places, memory)


def _branch(root: Operation) -> tuple[Obstacle, Operation] | None:
    for op in root.walk():
        for region in op.regions:
            if len(region.blocks) > 1:
                return Obstacle.Branch, region.blocks[0].last_op or op
    return None


def _accesses(
    array: AllocaOp, found: dict[Operation, Place]
) -> tuple[Obstacle, Operation] | None:
    """Find the accesses of an array; what keeps it from living in registers."""
    todo: list[tuple[SSAValue, int]] = [(array.res, 0)]
    while todo:
        pointer, offset = todo.pop()
        for use in pointer.uses:
            user = use.operation
            match user:
                case GEPOp() if _is_constant(user):
                    (index,) = user.indices
                    assert isinstance(index, int)
                    todo.append((user.result, offset + index))
                case GEPOp() if len(user.operands) > 1:
                    return Obstacle.Index, user
                case LoadOp() if _is_element(array, offset, user.result.type):
                    found[user] = array.res, offset
                case StoreOp() if user.value is pointer:
                    return Obstacle.Address, user
                case StoreOp() if _is_element(array, offset, user.value.type):
                    found[user] = array.res, offset
                case LoadOp() | StoreOp():
                    return Obstacle.Element, user
                case _:
                    return Obstacle.Address, user
    return None


def _is_element(array: AllocaOp, offset: int, accessed: Attribute) -> bool:
    """Whether an access is of an element, so that no two of them overlap in part."""
    bits = bit_width(accessed)
    return bits is not None and (
        accessed == array.elem_type and offset % ((bits + 7) // 8) == 0
    )


def _is_constant(op: GEPOp) -> bool:
    return str(op.element_type) == "i8" and [type(i) for i in op.indices] == [int]


@dataclass
class Liveness:
    """The elements that are read after an op, of ops with regions."""

    places: Mapping[Operation, Place]
    after: dict[Operation, Places] = field(default_factory=dict[Operation, Places])
    stored: dict[Operation, Places] = field(default_factory=dict[Operation, Places])
    """The elements that are stored to inside."""

    entry: dict[Operation, Places] = field(default_factory=dict[Operation, Places])
    """Those that are read from the start of an iteration of a loop on."""

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
                self.entry[op] = self.entry.get(op, frozenset()) | entry
                return entry
            entry = new
