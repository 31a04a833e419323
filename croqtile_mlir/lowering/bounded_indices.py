"""
Bounded indices and extents as plain index arithmetic.

Part of `--lower-indices`, and of what looks at a kernel before it.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from croqtile_mlir.diagnostics import fail
from croqtile_mlir.dialects.croq import (
    DYNAMIC,
    AxisOp,
    ChunkAtOp,
    ComposeOp,
    KernelOp,
    SlotOp,
    SpanOp,
    WithOp,
    extents_of_index,
    tile_type,
)
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.lowering.index_operands import fold_indices
from croqtile_mlir.lowering.rewriting import LocatedBuilder, replace_values


def _product(build: LocatedBuilder, factors: tuple[Index, ...]) -> SSAValue:
    total = build.index_value(factors[0])
    for factor in factors[1:]:
        total = build.mul(total, build.index_value(factor))
    return total


def _compose(build: LocatedBuilder, op: ComposeOp) -> SSAValue:
    first, *rest = op.parts
    total = first
    for part in rest:
        # The verifier has seen that they are bounded.
        extent = _product(build, extents_of_index(part) or (1,))
        total = build.add(build.mul(total, extent), part)
    return total


def _extent(build: LocatedBuilder, op: SpanOp, tile: SSAValue, dim: int) -> SSAValue:
    """The extent of a dim of a tile: known, of a name, or what a view divides."""
    known = tile_type(tile).dims[dim]
    if known != DYNAMIC:
        return build.index_value(known)
    match tile.owner:
        case SlotOp() as slot:
            return _extent(build, op, slot.viewed, dim + 1)
        case ChunkAtOp() as chunk:
            whole = _extent(build, op, chunk.viewed, dim)
            return build.udiv(whole, build.index_value(chunk.chunk_values[dim]))
        case _:
            fail(
                op,
                f"must be of a tile whose extent is known or divided from one, got "
                f"{tile_type(tile)}",
                notes=[(tile, "the tile is defined here")],
            )


def lower_indices(kernel: KernelOp) -> None:
    """Replace the bounded indices of a kernel and what reads their extents."""
    found = False
    composed: list[ComposeOp | WithOp] = []
    for op in list(kernel.walk()):
        build = LocatedBuilder.before(op)
        match op:
            case AxisOp():
                found = True
                replace_values(op, [_product(build, op.extents)])
            case SpanOp():
                found = True
                replace_values(op, [_extent(build, op, op.tile, op.dim.data)])
            case ComposeOp() | WithOp():
                # Others ask for their extents: they go last.
                composed.append(op)
            case _:
                pass
    for op in reversed(composed):
        build = LocatedBuilder.before(op)
        value = (
            _compose(build, op)
            if isinstance(op, ComposeOp)
            else build.index_value(op.at)
        )
        replace_values(op, [value])
    if found or composed:
        fold_indices(kernel)


def lower_indices_in(root: Operation) -> None:
    """Do so in all kernels of a module."""
    for kernel in [k for k in root.walk() if isinstance(k, KernelOp)]:
        lower_indices(kernel)


def with_plain_indices(root: Operation) -> Operation:
    """An op, or a copy of it, without bounded indices and what reads their extents."""
    bounded = (AxisOp, ComposeOp, SpanOp, WithOp)
    if any(isinstance(op, bounded) for op in root.walk()):
        # A view of what is around the block is copied with its kernel.
        root = root.clone()
        lower_indices_in(root)
    return root
