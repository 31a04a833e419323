"""Which part of which buffer a tile is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.grain import has_explicit_barriers
from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.analysis.sync.model import (
    Apply,
    Buffer,
    Constant,
    Expr,
    Interval,
    Region,
    Unknown,
)
from croqtile_mlir.analysis.sync.not_modelled import NotModelled
from croqtile_mlir.analysis.sync.tiles.tilings import Form, cell_of
from croqtile_mlir.analysis.sync.tiles.values import Values
from croqtile_mlir.analysis.sync.used_values import parts_of
from croqtile_mlir.dialects.croq import (
    AllocOp,
    AtomicOp,
    ChunkAtOp,
    CopyAsyncOp,
    CopyOp,
    DataOp,
    ElementViewOp,
    ElementwiseOp,
    FillOp,
    LoadOp,
    MmaExecOp,
    MmaStoreOp,
    ParallelOp,
    ReduceOp,
    SlotOp,
    Space,
    SpanAsOp,
    SqueezeOp,
    StoreOp,
    SubspanOp,
    ViewOp,
    root_of,
    tile_type,
)
from croqtile_mlir.dialects.croq.index import WHOLE, Index
from croqtile_mlir.dialects.croq.types import Dim

_ZERO = Constant(0)
_RESHAPED = -1


@dataclass
class Window:
    """A box in a buffer; `dims` are those of the buffer that the tile still has."""

    origins: list[Expr]
    extents: list[Expr | None]
    """None where a dim is whole."""

    dims: list[int]
    reshaped: tuple[int, ...] = ()
    """Dims of the buffer that a tile of another shape is of: its own are
    `_RESHAPED`."""


@dataclass
class Regions:
    """The buffers of a block, and the regions that tiles are."""

    values: Values
    block: ParallelOp
    buffers: dict[SSAValue, Buffer] = field(default_factory=dict[SSAValue, Buffer])
    forms: dict[SSAValue, Form] = field(default_factory=dict[SSAValue, Form])
    """For each argument of which cells are compared: what they have in common."""

    def __post_init__(self) -> None:
        accesses: dict[SSAValue, list[tuple[Operation, bool]]] = {}
        explicit = has_explicit_barriers(self.values.kernel)
        for op in self.block.walk():
            for tile, write in tiles_of(op):
                accesses.setdefault(root_of(tile), []).append((op, write))
        for root, uses in accesses.items():
            tile = tile_type(root)
            if tile.memory_space is Space.Shared:
                self._add(root, "buffer", True)
            elif tile.memory_space is Space.Register:
                # Each thread has its own: nothing orders, nothing conflicts.
                continue
            elif _is_shared_work(uses, explicit=explicit):
                self._add(root, "argument", False)

    def anew(self, values: Values) -> Regions:
        """The same buffers with other values."""
        made = copy(self)
        made.values = values
        return made

    def _add(self, root: SSAValue, kind: str, shared: bool) -> None:
        owner = root.owner
        place = owner if isinstance(owner, Operation) else self.block
        if shared and not isinstance(owner, AllocOp):
            raise NotModelled(place, "a tile that is carried by a loop or a condition")
        slots = 1
        if _has_slots(root):
            slots = self._extent(tile_type(root).dims[0])
        name = f"%{root.name_hint or kind}"
        dims = tile_type(root).dims[_has_slots(root) :]
        extents = tuple(d for d in dims if isinstance(d, int) and d > 0)
        self.buffers[root] = Buffer(
            name,
            slots,
            place,
            shared,
            extents=extents if len(extents) == len(dims) else (),
        )

    def _extent(self, dim: Dim) -> int:
        if isinstance(dim, str):
            dim = self.values.kernel.param_values.get(dim, 1)
        return max(1, dim)

    def region(self, tile: SSAValue) -> Region | None:
        """The region of a tile; None for one that nothing else touches."""
        root = root_of(tile)
        if root not in self.buffers:
            return None
        return self._region(root, self.window(tile))

    def element(self, op: LoadOp | StoreOp | AtomicOp) -> Region | None:
        """The region of one element."""
        root = root_of(op.tile)
        if root not in self.buffers:
            return None
        window = self.window(op.tile)
        self.narrow_to_element(window, op)
        return self._region(root, window)

    def narrow_to_element(
        self, window: Window, op: LoadOp | StoreOp | AtomicOp
    ) -> None:
        """Of the window of a tile, the part that is the element of an access."""
        for dim, index in zip(window.dims, op.index_values, strict=True):
            at = self.values.index(index, op)
            if dim == _RESHAPED:
                self._lose(window, window.reshaped, op)
                continue
            if isinstance(op, AtomicOp) and isinstance(at, Unknown):
                # An index that is data is any of the dim.
                window.origins[dim], window.extents[dim] = _ZERO, None
                continue
            window.origins[dim] = self._sum(window.origins[dim], at)
            window.extents[dim] = Constant(1)
        if isinstance(op, AtomicOp) and op.others:
            last = window.dims[-1]
            if last != _RESHAPED and window.extents[last] is not None:
                window.extents[last] = Constant(len(op.values))

    def _region(self, root: SSAValue, window: Window) -> Region:
        buffer = self.buffers[root]
        box = [
            None if extent is None else self._interval(origin, extent)
            for origin, extent in zip(window.origins, window.extents, strict=True)
        ]
        if not buffer.shared and (cell := self._cell(root, window)) is not None:
            return Region(buffer, None, cell)
        slot = None
        if _has_slots(root):
            first = box.pop(0)
            if first is not None and window.extents[0] == Constant(1):
                slot = first.lower
        return Region(buffer, slot, tuple(box) if any(box) else ())

    def _cell(
        self, root: SSAValue, window: Window
    ) -> tuple[Interval | None, ...] | None:
        """
        A window that is in the cell of a tile, where it can't be told otherwise.

        Its box is in further dims: the number of the tile, and where it is in the cell.
        """
        if all(map(_is_plain, window.origins)):
            return None
        cell = cell_of(
            window.origins, window.extents, self.values.changing(), self.values.make
        )
        if cell is None or self.forms.setdefault(root, cell.form) != cell.form:
            return None
        one = Constant(1)
        box: list[Interval | None] = [None] * len(window.origins)
        box.append(Interval(cell.tile, self._sum(cell.tile, one)))
        for first, extent in zip(cell.inside, window.extents, strict=True):
            known = None
            if first is not None and isinstance(extent, Constant):
                known = Interval(Constant(first), Constant(first + extent.value))
            box.append(known)
        return tuple(box)

    def _interval(self, origin: Expr, extent: Expr) -> Interval:
        """
        Where a window is in one dim; over all threads where it depends on the thread.

        What cannot be told apart from other positions is unknown.
        """
        lower, upper = self._spread(origin)
        if not _is_plain(origin):
            lower = upper = Unknown("a position that is not known", self.block)
        return Interval(lower, self._sum(upper, extent))

    def _spread(self, origin: Expr) -> tuple[Expr, Expr]:
        """The lowest and the highest value that a position has in some thread."""
        make = self.values.make
        if not make.variables(origin) & self.values.local:
            return origin, origin
        if make.variables(origin) <= self.values.local:
            low, high = make.range(origin)
            if abs(low) < math.inf and abs(high) < math.inf:
                return Constant(int(low)), Constant(int(high))
        match origin:
            case Apply("add", (a, b)):
                low_a, high_a = self._spread(a)
                low_b, high_b = self._spread(b)
                return self._sum(low_a, low_b), self._sum(high_a, high_b)
            case Apply("mul", (a, Constant(factor))) if factor > 0:
                low, high = self._spread(a)
                by = Constant(factor)
                return make.apply("mul", low, by), make.apply("mul", high, by)
            case _:
                unknown = Unknown("a position that depends on the thread", self.block)
                return unknown, unknown

    def _sum(self, a: Expr, b: Expr) -> Expr:
        return self.values.make.apply("add", a, b)

    def window(self, tile: SSAValue) -> Window:
        """The box that a tile is, in expressions."""
        owner = tile.owner
        if isinstance(owner, DataOp) and isinstance(owner.future.owner, CopyAsyncOp):
            return self.window(owner.future.owner.destination)
        if not isinstance(owner, ViewOp):
            rank = tile_type(tile).rank
            return Window([_ZERO] * rank, [None] * rank, list(range(rank)))
        window = self.window(owner.viewed)
        source = owner.source_type.dims
        match owner:
            case SlotOp():
                position = owner.position
                at = self.values.index(position.base, owner)
                at = self._sum(at, self.values.index(position.offset, owner))
                if not position.by_slot:
                    stages = Constant(self._extent(source[0]))
                    at = self.values.make.apply("mod", at, stages)
                self._narrow(window, 0, source[0], at, 1)
                window.dims.pop(0)
            case SubspanOp():
                for dim, (index, extent, unit) in enumerate(
                    zip(
                        owner.at_values,
                        owner.extent_values,
                        owner.unit_values,
                        strict=True,
                    )
                ):
                    at = self._scaled(index, unit, owner)
                    self._narrow(window, dim, source[dim], at, extent)
            case SqueezeOp():
                window.dims = [window.dims[dim] for dim in owner.kept_dims]
            case SpanAsOp():
                window.reshaped = tuple(d for d in window.dims if d != _RESHAPED)
                window.dims = [_RESHAPED] * owner.result_type.rank
            case ElementViewOp():
                for dim, (index, extent, stride) in enumerate(
                    zip(
                        owner.at_values,
                        owner.extent_values,
                        owner.stride_values,
                        strict=True,
                    )
                ):
                    at = self.values.index(index, owner)
                    if stride != 1:
                        # What is between its elements is not of the window.
                        at = Unknown("a position between others", owner)
                    self._narrow(window, dim, source[dim], at, extent)
            case ChunkAtOp():
                for dim, (index, extent) in enumerate(
                    zip(owner.at_values, owner.result_type.dims, strict=True)
                ):
                    if index == WHOLE or not isinstance(extent, int) or extent < 1:
                        continue
                    at = self._scaled(index, extent, owner)
                    self._narrow(window, dim, source[dim], at, extent)
            case _:
                raise NotModelled(owner, f"the view {owner.name}")
        return window

    def _lose(self, window: Window, dims: Sequence[int], place: Operation) -> None:
        """Go on with positions in some dims of the buffer that are not known."""
        for dim in dims:
            window.origins[dim] = Unknown("a position in another shape", place)
            window.extents[dim] = Constant(1)

    def _scaled(self, index: Index, extent: int, place: Operation) -> Expr:
        at = self.values.index(index, place)
        return self.values.make.apply("mul", at, Constant(extent))

    def _narrow(
        self, window: Window, dim: int, size: Dim, at: Expr, extent: int
    ) -> None:
        """Take a part of a dim of the tile."""
        if size == extent and at == _ZERO:
            return
        own = window.dims[dim]
        if own == _RESHAPED:
            self._lose(window, window.reshaped, self.block)
            return
        window.origins[own] = self._sum(window.origins[own], at)
        window.extents[own] = Constant(extent)


def _has_slots(root: SSAValue) -> bool:
    """Whether the leading dim of a buffer is one of stages."""
    return any(isinstance(use.operation, SlotOp) for use in root.uses)


def _is_plain(origin: Expr) -> bool:
    """Whether a position can be told apart from others: no division by a dim."""
    return not any(
        isinstance(part, Unknown)
        or (
            isinstance(part, Apply)
            and part.function in ("floordiv", "ceildiv", "mod")
            and not isinstance(part.operands[1], Constant)
        )
        for part in parts_of(origin)
    )


def tiles_of(op: Operation) -> Sequence[tuple[SSAValue, bool]]:
    """The tiles that an op reads (False) and writes (True)."""
    match op:
        case CopyOp() | CopyAsyncOp():
            return (op.source, False), (op.destination, True)
        case MmaExecOp():
            return (op.a, False), (op.b, False)
        case LoadOp():
            return ((op.tile, False),)
        case StoreOp() | AtomicOp() | MmaStoreOp() | FillOp():
            return ((op.tile, True),)
        case ElementwiseOp() | ReduceOp():
            return op.tiles
        case _:
            return ()


def _is_shared_work(uses: Sequence[tuple[Operation, bool]], *, explicit: bool) -> bool:
    """
    Whether accesses to global memory may meet: one writes, and two scopes make them or
    some are asynchronous, which may meet themselves, or barriers are explicit, so that
    warps are agents.
    """
    if not any(write for _, write in uses):
        return False
    if explicit:
        return True
    scopes = {scope_of(op).root for op, _ in uses}
    return len(scopes) > 1 or any(isinstance(op, CopyAsyncOp) for op, _ in uses)
