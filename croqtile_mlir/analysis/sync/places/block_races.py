"""
Blocks of a grid that meet in global memory, where nothing orders them.

    croq.copy %sums => %out_tile engine(threads)   // %out_tile does not depend on %bn

Two accesses are apart in different blocks if the place of each says which block it is
of: a position `128 * %bm + 0 .. 127` has one `%bm`, and so has the number of a tile,
where the place of the tile determines the number (`tiles/tilings.py`). An access
that does not depend on some index of the block at all is made by two blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xdsl.ir import SSAValue

from croqtile_mlir.analysis.flags import acquires, is_strong
from croqtile_mlir.analysis.scopes import scope_of
from croqtile_mlir.analysis.sync.model import Constant, Expr, Unknown, Variable
from croqtile_mlir.analysis.sync.not_modelled import NotModelled
from croqtile_mlir.analysis.sync.places.block_places import Blocks, Place
from croqtile_mlir.analysis.sync.places.grid_phases import missed_barrier
from croqtile_mlir.analysis.sync.places.turns_of_blocks import sections_of
from croqtile_mlir.analysis.sync.tiles.regions import Regions, tiles_of
from croqtile_mlir.analysis.sync.tiles.values import Values
from croqtile_mlir.analysis.sync.verdicts import Refuted, Rule, Undecided
from croqtile_mlir.dialects.croq import (
    AtomicOp,
    CopyAsyncOp,
    LoadOp,
    MemoryScope,
    ParallelOp,
    Space,
    StoreOp,
    root_of,
    tile_type,
)

_ONE = Constant(1)


def block_race(
    block: ParallelOp, values: Values, regions: Regions
) -> Refuted | Undecided | None:
    """What two blocks of the grid may both touch, or surely do."""
    # What differs between threads is only known from when it is asked for.
    accesses = list(_accesses(block, values, regions))
    blocks = Blocks.of(block, values)
    sections = sections_of(block, values)
    undecided: Undecided | None = None
    for number, second in enumerate(accesses):
        for first in accesses[: number + 1]:
            if first.root is not second.root or not (first.write or second.write):
                continue
            if blocks.phases.separate(first.op, second.op):
                continue
            if (
                not _synchronise(first, second, MemoryScope.Cta)
                and _meet_later(first, second)
                and not blocks.follows(first, second)
            ):
                undecided = undecided or _beyond(first, second)
            if (
                _synchronise(first, second, MemoryScope.Gpu)
                or not blocks.own
                or (sections and sections.hold(first.op) and sections.hold(second.op))
                or blocks.apart(first, second)
            ):
                continue
            # Of blocks of one cluster a scope of that is enough.
            if (
                first is second
                and (left := blocks.left_out(first)) is not None
                and not is_strong(first.op, MemoryScope.Cluster)
            ):
                return _refuted(first, left)
            undecided = undecided or _undecided(first, second)
    if undecided is not None and any(acquires(op) for op in block.walk()):
        reason = f"{undecided.reason}; an acquire may order them, which depends on a "
        return replace(undecided, reason=f"{reason}value in memory")
    return undecided


def missed_by_blocks(block: ParallelOp, values: Values) -> Undecided | None:
    """A barrier of the grid to which blocks may not all come equally often."""
    blocks = Blocks.of(block, values)
    return missed_barrier(block, values, {*blocks.own, *blocks.changing})


def _accesses(block: ParallelOp, values: Values, regions: Regions) -> Iterator[Place]:
    uses = [
        (op, tile, write)
        for op in block.walk()
        for tile, write in tiles_of(op)
        if tile_type(tile).memory_space is Space.Global
    ]
    written = {root_of(tile) for _, tile, write in uses if write}
    for op, tile, write in uses:
        root = root_of(tile)
        if root not in written:
            continue
        try:
            window = regions.window(tile)
        except NotModelled:
            count = tile_type(root).rank
            unknown = Unknown("a view", op)
            yield Place(op, root, write, (unknown,) * count, (_ONE,) * count)
            continue
        if isinstance(op, LoadOp | StoreOp | AtomicOp):
            regions.narrow_to_element(window, op)
        yield Place(op, root, write, tuple(window.origins), tuple(window.extents))


def _synchronise(first: Place, second: Place, among: MemoryScope) -> bool:
    """Whether the scopes of both accesses include threads that are so far apart."""
    return is_strong(first.op, among) and is_strong(second.op, among)


def _meet_later(first: Place, second: Place) -> bool:
    """Whether nothing but the model says that two accesses of a block are ordered."""
    one, other = first.op, second.op
    return scope_of(one).root is not scope_of(other).root or any(
        isinstance(op, CopyAsyncOp) for op in (one, other)
    )


def _name(root: SSAValue) -> str:
    return f"%{root.name_hint or 'argument'}"


def _refuted(access: Place, index: Expr) -> Refuted:
    name = index.name if isinstance(index, Variable) else "an index of the block"
    return Refuted(
        Rule.WRITE_CONFLICT,
        access.op,
        f"{Rule.WRITE_CONFLICT}: blocks of a grid must not write to one place, got a "
        f"write to {_name(access.root)} that does not depend on %{name}",
        hint="let each block write its own part, or use croq.atomic with scope(gpu)",
    )


def _undecided(first: Place, second: Place) -> Undecided:
    does = "write" if second.write else "read"
    other = "write to" if first.write else "read"
    return Undecided(
        second.op,
        f"a {does} of {_name(second.root)} may be where another block of the grid may "
        f"{other} it, and it is not seen that they are apart",
        "places that follow from the indices of the block are told apart",
    )


def _beyond(first: Place, second: Place) -> Undecided:
    does = "write" if second.write else "read"
    other = "write to" if first.write else "read"
    return Undecided(
        second.op,
        f"a {does} of {_name(second.root)} may be where another one of the block may "
        f"{other} it in a much later iteration",
        "places that follow in the same way from the counters of loops are compared",
    )
