"""
What the ops of a kernel do to shared memory, and which threads do it.

An access is made by all threads of the scope, each for its part of the tile, or by the
one elected thread on behalf of the hardware (TMA). Two accesses may touch the same
bytes; two that surely don't are in different slots of a ring, and two that are surely
made by the same thread have the same `mapping`.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from enum import Enum, auto

from xdsl.ir import Block, Operation, SSAValue

from croqtile_mlir.analysis.counted_loads import is_grouped
from croqtile_mlir.analysis.counted_stores import is_counted
from croqtile_mlir.analysis.element_vectors import division_of
from croqtile_mlir.analysis.flags import is_strong
from croqtile_mlir.analysis.linear import linear
from croqtile_mlir.analysis.origins import origin_in_buffer
from croqtile_mlir.analysis.scopes import Scope, scope_of
from croqtile_mlir.analysis.vector_divisions import division_of_copy, division_of_fill
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    AllocOp,
    AtomicOp,
    CopyAsyncOp,
    CopyOp,
    ElementwiseOp,
    Engine,
    FillOp,
    Level,
    LoadOp,
    MmaExecOp,
    MmaStoreOp,
    ParallelOp,
    ReduceOp,
    SlotOp,
    Space,
    StoreOp,
    ViewOp,
    root_of,
    tile_type,
    why_not_box,
)


class Kind(Enum):
    """Who touches the memory, and how."""

    READ = auto()
    WRITE = auto()
    ELECTED_READ = auto()
    """TMA reads, for the elected thread."""
    ELECTED_WRITE = auto()
    """TMA writes, for the elected thread."""

    @property
    def is_elected(self) -> bool:
        """Whether one thread issues the access for all."""
        return self in (Kind.ELECTED_READ, Kind.ELECTED_WRITE)

    @property
    def is_write(self) -> bool:
        """Whether memory changes."""
        return self in (Kind.WRITE, Kind.ELECTED_WRITE)


@dataclass(frozen=True)
class Slot:
    """Stage (base + offset) mod count of a ring; base None is 0."""

    base: SSAValue | str | None
    offset: int
    count: int

    def moved(self, by: int) -> Slot:
        """The stage that is `by` further on."""
        return replace(self, offset=(self.offset + by) % self.count)


Range = tuple[int, int]
"""From the first number up to, and without, the second."""


@dataclass(frozen=True)
class Counted:
    """A store that `croq.await_stores` counts, and how many were started since."""

    later: int


@dataclass(frozen=True)
class Grouped:
    """A load of a group, and how many groups were closed since; -1: its is open."""

    later: int


Flight = int | Counted | Grouped | SSAValue


@dataclass(frozen=True)
class Access:
    """One access to one buffer."""

    kind: Kind
    scope: Operation
    """The role or block whose threads make it."""

    root: SSAValue | None
    """The buffer; None when it is not known which."""

    slot: Slot | None
    """The stage, as far as it is known."""

    window: tuple[Range | None, Range | None] = (None, None)
    """The rows and the columns of the stage, as far as they are known."""

    mapping: Hashable | None = None
    """Equal for two accesses that give each element of a slot to the same thread."""

    flight: Flight | None = None
    """
    What the access is part of while it is in flight: a group of `mma.exec` (how many
    groups were committed since; -1 while it is open), a store that is counted, a load
    of a group, or the future of a copy.
    """

    strong: bool = False
    """Whether it synchronises: atomic, or with an order. Two such need no barrier."""

    op: Operation | None = None
    apart: frozenset[Operation] = frozenset()
    """Of an access to global memory: what makes it, and the ops that do not meet it."""

    @property
    def is_global(self) -> bool:
        """Whether it is known to be in global memory."""
        return self.root is not None and (
            tile_type(self.root).memory_space is Space.Global
        )

    def may_touch(self, other: Access) -> bool:
        """Whether two accesses may be to the same bytes."""
        if self.is_global or other.is_global:
            return self.root is other.root and other.op not in self.apart
        if self.root is None or other.root is None:
            return True
        if self.root is not other.root:
            return False
        for mine, its in zip(self.window, other.window, strict=True):
            if mine and its and (mine[1] <= its[0] or its[1] <= mine[0]):
                return False
        a, b = self.slot, other.slot
        if a is None or b is None or a.base != b.base or a.count != b.count:
            return True
        return a.offset == b.offset

    def same_thread(self, other: Access) -> bool:
        """Whether what they touch in common is touched by one and the same thread."""
        if self.scope is not other.scope:
            return False
        if self.kind.is_elected and other.kind.is_elected:
            return True
        return self.mapping is not None and self.mapping == other.mapping


def accesses_of(op: Operation) -> tuple[Access, ...]:
    """The accesses of an op itself, not of ops inside it; in shared memory only."""
    match op:
        case LoadOp():
            return _thread_access(op, Kind.READ)
        case StoreOp() | AtomicOp():
            return _thread_access(op, Kind.WRITE)
        case MmaExecOp():
            return tuple(
                access
                for tile in (op.a, op.b)
                for access in _access(op, tile, Kind.READ, flight=-1)
            )
        case MmaStoreOp():
            return _access(op, op.tile, Kind.WRITE, (MmaStoreOp, op.acc.type))
        case FillOp():
            return _access(op, op.tile, Kind.WRITE, division_of_fill(op))
        case CopyOp() | CopyAsyncOp():
            return _copy_accesses(op)
        case ElementwiseOp():
            return tuple(
                access
                for tile, write in op.tiles
                for access in _access(
                    op,
                    tile,
                    Kind.WRITE if write else Kind.READ,
                    division_of(op, tile, written=write),
                )
            )
        case ReduceOp():
            return tuple(
                access
                for tile, write in op.tiles
                for access in _access(
                    op, tile, Kind.WRITE if write else Kind.READ, op if write else None
                )
            )
        case _:
            return ()


def _copy_accesses(op: CopyOp | CopyAsyncOp) -> tuple[Access, ...]:
    match op.engine.data:
        case Engine.Threads:
            division = division_of_copy(op) if isinstance(op, CopyOp) else op
            return (
                *_access(op, op.source, Kind.READ, division),
                *_access(op, op.destination, Kind.WRITE, division),
            )
        case Engine.CpAsync:
            # What completes it orders it: an await, or an event.
            flight: Flight | None
            if is_grouped(op):
                flight = Grouped(-1)
            else:
                flight = op.future if isinstance(op, CopyAsyncOp) else None
            return _access(op, op.destination, Kind.WRITE, op, flight)
        case Engine.Tma:
            flight = None
            if isinstance(op, CopyAsyncOp):
                flight = Counted(-1) if is_counted(op) else op.future
            return (
                *_access(op, op.source, Kind.ELECTED_READ, flight=flight),
                *_access(op, op.destination, Kind.ELECTED_WRITE, flight=flight),
            )
        case Engine.Auto:
            fail(
                op,
                "must have an engine, got auto",
                hint="run --select-engines first",
            )


def _access(
    op: Operation,
    tile: SSAValue,
    kind: Kind,
    mapping: Hashable | None = None,
    flight: Flight | None = None,
) -> tuple[Access, ...]:
    if tile_type(tile).memory_space is not Space.Shared:
        return ()
    root = root_of(tile)
    known = root if isinstance(root.owner, AllocOp) else None
    part = _part_of(tile)
    # Peers send other parts to this block than this block sends to them.
    from_peers = isinstance(op, CopyAsyncOp) and op.multicast is not None
    return (
        Access(
            kind,
            scope_of(op).root,
            known,
            None if known is None else _slot_of(tile),
            (None, None) if known is None or from_peers else _window_of(tile),
            None if mapping is None or part is None else (mapping, part),
            flight,
        ),
    )


def _part_of(tile: SSAValue) -> Hashable | None:
    """
    Which part of its stage a tile is, if that is the same every time.

    In tiles that are the same part, equal indices are equal elements.
    """
    part: list[Hashable] = []
    while isinstance(tile.owner, ViewOp):
        view = tile.owner
        if not isinstance(view, SlotOp):
            if len(view.operands) > 1:
                return None
            part.append((type(view), tuple(view.properties.items()), tile.type))
        tile = view.viewed
    return tuple(part) if isinstance(tile.owner, AllocOp) else None


def _slot_of(tile: SSAValue) -> Slot | None:
    """The stage of its buffer that a tile is inside of."""
    slot: SlotOp | None = None
    while isinstance(tile.owner, ViewOp):
        view = tile.owner
        slot = view if isinstance(view, SlotOp) else None
        tile = view.viewed
    if slot is None or not isinstance(slot.stages, int) or slot.stages < 1:
        return None
    base, offset = slot.position.base, slot.position.offset
    if isinstance(offset, str):
        return None
    if isinstance(base, SSAValue):
        form = linear(base)
        match form.terms:
            case ():
                base = form.constant
            case ((value, 1),):
                base, offset = value, offset + form.constant
            case _:
                pass
    if isinstance(base, int):
        base, offset = None, base + offset
    return Slot(base, offset % slot.stages, slot.stages)


def _window_of(tile: SSAValue) -> tuple[Range | None, Range | None]:
    """Where in the rows and columns of its buffer a tile is."""
    if why_not_box(tile) is not None:
        return None, None
    extents = (1, 1, *tile_type(tile).dims)[-2:]
    rows, cols = (
        (origin.known, origin.known + extent)
        if isinstance(extent, int) and extent > 0 and origin.step == 0
        else None
        for origin, extent in zip(origin_in_buffer(tile), extents, strict=True)
    )
    return rows, cols


def _thread_access(op: LoadOp | StoreOp | AtomicOp, kind: Kind) -> tuple[Access, ...]:
    found = _access(op, op.tile, kind, _thread_mapping(op, scope_of(op)))
    return tuple(replace(access, strong=is_strong(op)) for access in found)


def _thread_mapping(op: LoadOp | StoreOp | AtomicOp, scope: Scope) -> Hashable | None:
    """
    Which thread touches which element, when the indices are those of the threads.

    Equal mappings give an element to the same thread only if no two threads share an
    element, so every index of the threads must occur.
    """
    threads: ParallelOp | None = None
    parent = op.parent_op()
    while parent is not None and parent is not scope.root:
        if isinstance(parent, ParallelOp):
            if threads is not None or parent.level.data is not Level.Thread:
                return None
            threads = parent
        parent = parent.parent_op()
    if threads is None:
        return None
    own: list[SSAValue] = list(threads.body.block.args)
    pattern: list[int | tuple[int]] = []
    for index in op.index_values:
        if isinstance(index, int):
            pattern.append(index)
        elif isinstance(index, SSAValue) and index in own:
            pattern.append((own.index(index),))
        else:
            return None
    for number, extent in enumerate(threads.extent_values):
        if extent != 1 and (number,) not in pattern:
            return None
    return (Level.Thread, threads.extent_values, tuple(pattern))


def is_inside(value: SSAValue | str | None, op: Operation) -> bool:
    """Whether a value is defined in a region of an op."""
    if not isinstance(value, SSAValue):
        return False
    owner = value.owner
    if isinstance(owner, Block):
        parent = owner.parent_op()
        return parent is not None and op.is_ancestor(parent)
    return owner is not op and op.is_ancestor(owner)
