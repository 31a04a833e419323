"""
Kernels whose blocks may not have an index beyond their number.

The last cluster of blocks may have such indices. Copies of tiles of arguments are
clipped; a single element is not, nor is a view that must be inside its source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith, scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from croqtile_mlir.analysis.linear import known_multiple
from croqtile_mlir.analysis.reached import reached
from croqtile_mlir.analysis.scopes import kernel_of
from croqtile_mlir.analysis.view_bounds import exact, greatest, is_constant
from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    CDivOp,
    ChunkAtOp,
    DimOp,
    ElementViewOp,
    LoadOp,
    ParallelOp,
    SlotOp,
    Space,
    StoreOp,
    SubspanOp,
    ViewOp,
    tile_type,
)
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.scheduling.cluster_values import computed_from

_BELOW = (2, 6)
"""The predicates `slt` and `ult` of `arith.cmpi`."""

_ABOVE = (4, 8)
"""The predicates `sgt` and `ugt`."""


def check_tails(block: ParallelOp, cluster: Sequence[int]) -> None:
    """Refuse a plain kernel that clusters may take out of the range of a tile."""
    kernel_multiples = kernel_of(block).dim_multiples
    for number, (extent, size) in enumerate(
        zip(block.extent_values, cluster, strict=True)
    ):
        if _multiple(extent, kernel_multiples) % size == 0:
            continue
        index = block.body.block.args[number]
        for op in block.body.walk():
            what = _unsafe(op, index)
            if what is None or _implies(op, index, extent):
                continue
            name = f"%{index.name_hint}" if index.name_hint else f"index {number}"
            fail(
                op,
                f"must not depend on {name} in clusters of {size} along it, got {what} "
                "that the last cluster may take out of range",
                hint="make the extent one that is known to be a multiple of the "
                f"cluster (multiple_of, --bind-dims), test {name} with scf.if, or copy "
                "tiles, which are clipped",
                notes=[(block, "the blocks are not known to fill their clusters")],
            )


def _multiple(extent: Index, multiples: dict[str, int]) -> int:
    """What an extent of the grid is known to be a multiple of."""
    if isinstance(extent, str):
        return multiples.get(extent, 1)
    if (known := exact(extent)) is not None:
        return known
    owner = extent.owner if isinstance(extent, SSAValue) else None
    match owner:
        case CDivOp():
            whole = _multiple(owner.numerator, multiples)
            divisor = exact(owner.denominator)
            return whole // divisor if divisor and whole % divisor == 0 else 1
        case arith.MuliOp(lhs=a, rhs=b):
            return _multiple(a, multiples) * _multiple(b, multiples)
        case _:
            return 1 if isinstance(extent, int) else known_multiple(extent)


def _unsafe(op: Operation, index: SSAValue) -> str | None:
    """What of an op an index of the block may take out of range; None if nothing."""
    if isinstance(op, LoadOp | StoreOp):
        for at, size in zip(op.index_values, tile_type(op.tile).dims, strict=True):
            if not _in_range(op, at, 1, size, index):
                return "an element"
        view = op.tile.owner
        while isinstance(view, ViewOp):
            if isinstance(view, SubspanOp) and not _all_in_range(op, view, index):
                return "an element of a tile"
            view = view.viewed.owner
    elif isinstance(op, ViewOp) and not _all_in_range(op, op, index):
        is_clipped = (
            isinstance(op, SubspanOp) and op.result_type.memory_space is Space.Global
        )
        return None if is_clipped else "a view"
    return None


def _all_in_range(user: Operation, view: ViewOp, index: SSAValue) -> bool:
    return all(
        _in_range(user, at, extent, size, index)
        for at, extent, size in _positions(view)
    )


def _positions(view: ViewOp) -> Iterator[tuple[Index, Index, Index]]:
    """The positions of a view, the size of a step of each, and their ends."""
    sizes = view.source_type.dims
    match view:
        case SubspanOp():
            yield from _tiles(view)
        case ElementViewOp():
            # In steps of one: the last is where the window still fits.
            for at, extent, size in zip(
                view.at_values, view.reach_dims, sizes, strict=True
            ):
                if is_constant(size) and is_constant(extent):
                    yield at, 1, size - extent + 1
                else:
                    yield at, 1, "?"
        case ChunkAtOp():
            for at, chunks in zip(view.at_values, view.chunk_values, strict=True):
                yield at, 1, chunks
        case SlotOp() if view.position.by_slot:
            yield view.position.base, 1, sizes[0]
        case _:
            pass


def _tiles(view: SubspanOp) -> Iterator[tuple[Index, Index, Index]]:
    for at, extent, step, size in zip(
        view.at_values,
        view.extent_dims,
        view.step_dims,
        view.source_type.dims,
        strict=True,
    ):
        if extent != step and isinstance(size, int) and isinstance(extent, int):
            # The last tile ends where its step would, were the source so much longer.
            size = size - extent + step if isinstance(step, int) else "?"
        yield at, step, size


def _in_range(
    user: Operation, at: Index, step: Index, size: Index, index: SSAValue
) -> bool:
    """Whether a position is inside its source, or does not depend on the index."""
    if not isinstance(at, SSAValue) or not _depends(at, index):
        return True
    if step == 1 and _implies(user, at, size):
        return True
    last = greatest(at, {index})
    if last is None or not isinstance(step, int) or not isinstance(size, int):
        return False
    return (last + 1) * step <= size


def _depends(value: SSAValue, index: SSAValue) -> bool:
    """Whether a value may differ with an index of the block."""
    return any(each is index for each in reached(value, _sources))


def _sources(value: SSAValue) -> Sequence[SSAValue]:
    """What a value is computed from; an index of blocks or threads, from its extent."""
    if isinstance(value, BlockArgument):
        parent = value.block.parent_op()
        if isinstance(parent, ParallelOp):
            return parent.operands
    return computed_from(value)


def _implies(op: Operation, value: SSAValue, end: Index) -> bool:
    """Whether a condition around an op says that a value is less than an end."""
    parent, block = op.parent_op(), op.parent
    while parent is not None:
        if isinstance(parent, scf.IfOp) and block is parent.true_region.block:
            if _says_below(parent.cond, value, end):
                return True
        parent, block = parent.parent_op(), parent.parent
    return False


def _says_below(condition: SSAValue, value: SSAValue, end: Index) -> bool:
    match condition.owner:
        case arith.AndIOp(lhs=a, rhs=b):
            return _says_below(a, value, end) or _says_below(b, value, end)
        case arith.CmpiOp(lhs=a, rhs=b, predicate=predicate):
            code = predicate.value.data
            return (code in _BELOW and a is value and _same(b, end)) or (
                code in _ABOVE and b is value and _same(a, end)
            )
        case _:
            return False


def _same(value: SSAValue, end: Index) -> bool:
    """Whether a value is at most an end."""
    if isinstance(end, str):
        return isinstance(value.owner, DimOp) and value.owner.dim.data == end
    bound, most = greatest(value), exact(end)
    return value is end or (bound is not None and most is not None and bound <= most)
