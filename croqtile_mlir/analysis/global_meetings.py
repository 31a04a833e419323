"""
Which accesses of a scope to global memory surely are of one thread for each element.

    croq.foreach %k in %tiles {
      croq.copy %o_s => %o_tile engine(threads)     // apart, or one place
    }

Elements that single threads touch are gone through (`sync/places`). Of what a scope
does together two executions of one op, or of ops that divide their elements alike, are
apart or at one place, where the place is a tile of its tile; others are apart where
constants say so.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from croqtile_mlir.analysis.element_vectors import division_of
from croqtile_mlir.analysis.flags import is_strong
from croqtile_mlir.analysis.scopes import scope_root
from croqtile_mlir.analysis.sync.places.body_accesses import Element
from croqtile_mlir.analysis.sync.places.body_races import may_meet
from croqtile_mlir.analysis.vector_divisions import division_of_copy, division_of_fill
from croqtile_mlir.dialects.croq import (
    ChunkAtOp,
    CopyAsyncOp,
    CopyOp,
    ElementwiseOp,
    Engine,
    FillOp,
    ParallelOp,
    SlotOp,
    SpanAsOp,
    SqueezeOp,
    SubspanOp,
    ViewOp,
    WindowOp,
    root_of,
)

Touch = tuple[Operation, SSAValue, bool]
"""An op, a global tile that it touches, and whether it writes to it."""

_Pairs = frozenset[tuple[Operation, Operation]]

_Placed = SubspanOp | ChunkAtOp


@dataclass(frozen=True)
class Meetings:
    """For each op and tile of which threads may meet: the ops that do not meet it."""

    _apart: Mapping[tuple[Operation, SSAValue], frozenset[Operation]]

    @staticmethod
    def of(block: ParallelOp, touches: Iterable[Touch]) -> Meetings:
        """Those of the accesses in a block."""
        by_root: dict[SSAValue, list[Touch]] = {}
        for touch in touches:
            by_root.setdefault(root_of(touch[1]), []).append(touch)
        found: dict[tuple[Operation, SSAValue], frozenset[Operation]] = {}
        for root, group in by_root.items():
            if not any(write for _, _, write in group):
                continue
            pairs = _pairs_of_elements(block, group)
            # Two ops may touch a tile more than once each: all of that has to be apart.
            meet = {
                frozenset((one[0], other[0]))
                for number, one in enumerate(group)
                for other in group[: number + 1]
                if not _are_apart(one, other, pairs)
            }
            if not meet:
                continue
            ops = dict.fromkeys(op for op, _, _ in group)
            for op in ops:
                found[op, root] = frozenset(
                    other for other in ops if frozenset((op, other)) not in meet
                )
        return Meetings(found)

    def apart(self, op: Operation, root: SSAValue) -> frozenset[Operation] | None:
        """The ops that do not meet an op at a tile; None: none does."""
        return self._apart.get((op, root))


def _pairs_of_elements(block: ParallelOp, group: Sequence[Touch]) -> _Pairs:
    """Which two accesses of single elements threads of one scope may meet by."""
    of_scope: dict[Operation, list[Element]] = {}
    for op, _, _ in group:
        if isinstance(op, Element):
            of_scope.setdefault(scope_root(op), []).append(op)
    found: set[tuple[Operation, Operation]] = set()
    for ops in of_scope.values():
        found |= may_meet(block, ops)
    return frozenset(found)


def _are_apart(one: Touch, other: Touch, pairs: _Pairs) -> bool:
    """Whether no two threads surely meet at an element that one of them writes."""
    (first, tile, write), (second, its, also) = one, other
    if not write and not also:
        return True
    if scope_root(first) is not scope_root(second):
        # Of roles that run side by side, or of one and what comes before and after it.
        return False
    if isinstance(first, Element) and isinstance(second, Element):
        if is_strong(first) and is_strong(second):
            return True
        return (first, second) not in pairs
    if isinstance(first, Element) or isinstance(second, Element):
        return False
    if _is_elected(first) and _is_elected(second):
        return True
    if tile is its and (first is second or _divide_alike(one, other)):
        return is_tiled(tile)
    return _constants_differ(tile, its)


def _divide_alike(one: Touch, other: Touch) -> bool:
    """Whether two ops give each element of a tile to the same thread."""
    (first, tile, written), (second, its, also) = one, other
    division = division_in_global(first, tile, written=written)
    return division is not None and division == division_in_global(
        second, its, written=also
    )


def division_in_global(op: Operation, tile: SSAValue, *, written: bool) -> Hashable:
    """Equal for ops that give each element of a tile to the same thread, if known."""
    match op:
        case CopyOp() if op.engine.data is Engine.Threads:
            return division_of_copy(op)
        case FillOp():
            return division_of_fill(op)
        case ElementwiseOp():
            return division_of(op, tile, written=written)
        case _:
            return None


def _is_elected(op: Operation) -> bool:
    return isinstance(op, CopyOp | CopyAsyncOp) and op.engine.data is Engine.Tma


def _views(tile: SSAValue) -> list[ViewOp]:
    """The views from the whole tile on."""
    found: list[ViewOp] = []
    while isinstance(tile.owner, ViewOp):
        found.append(tile.owner)
        tile = tile.owner.viewed
    return found[::-1]


def is_tiled(tile: SSAValue) -> bool:
    """Whether two places of a view are one, or apart."""
    return all(_is_one_of_tiles(view) for view in _views(tile))


def _is_one_of_tiles(view: ViewOp) -> bool:
    match view:
        case SubspanOp():
            pairs = zip(view.unit_values, view.extent_values, strict=True)
            return all(unit >= extent for unit, extent in pairs)
        case WindowOp():
            return all(isinstance(at, int) for at in view.at_values)
        case ChunkAtOp() | SlotOp() | SqueezeOp() | SpanAsOp():
            return True
        case _:
            return False


def _constants_differ(one: SSAValue, other: SSAValue) -> bool:
    """Whether two tiles are different ones of the same tiles, by constants."""
    for a, b in zip(_views(one), _views(other)):
        if a is b:
            if not _is_one_of_tiles(a):
                return False
            continue
        if not isinstance(a, _Placed) or type(a) is not type(b):
            return False
        assert isinstance(b, _Placed)
        same = a.viewed is b.viewed and a.result.type == b.result.type
        if not same or not (_is_one_of_tiles(a) and _is_one_of_tiles(b)):
            return False
        if isinstance(a, SubspanOp) and a.properties.get("step") != b.properties.get(
            "step"
        ):
            return False
        pairs = zip(a.at_values, b.at_values, strict=True)
        return any(
            isinstance(x, int) and isinstance(y, int) and x != y for x, y in pairs
        )
    return False
