"""
`mma.store`: straight, masked, or transposed.

A masked store, and a transposed one, go through a shared buffer of their own: what
croq stores is whole tiles as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region, SSAValue

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Level, Space
from croqtile_mlir.dialects.croq.clusters import index_numbers
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import expressions, folding
from croqtile_mlir.frontends.croqtile.lowering.accumulators import (
    Fragment,
    fragment_of,
    shape_text,
)
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering, Refused
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    Integer,
    equal,
    is_at_most,
    operation,
)
from croqtile_mlir.frontends.croqtile.lowering.types import tile_type_of
from croqtile_mlir.frontends.croqtile.lowering.values import Tile
from croqtile_mlir.frontends.croqtile.reporting import Kind


def store(ctx: Lowering, node: ast.MmaStore) -> None:
    """`mma.store mc, view`, `mma.store.transp`, `mma.store.mask mc, view, rows`."""
    if node.asynchronous:
        ctx.reporter.remark(
            Kind.Ignored, node.span, "the store is complete before what follows it"
        )
    fragment = fragment_of(ctx, node.accumulator)
    if node.mask is not None and folding.names_group(ctx, node.destination):
        ctx.fail(
            Kind.PerWarpgroupTile,
            node.destination,
            "a masked store must be of the tile of all groups, got that of one",
            hint="name the rows of all, and mask these",
        )
    target = folding.operand(ctx, node.destination, 1 if node.transposed else 0)
    shape = _shape(ctx, node, fragment)
    expected = shape[::-1] if node.transposed else shape
    turned = ", transposed" if node.transposed else ""
    if len(target.shape) != 2 or not all(map(equal, expected, target.shape)):
        ctx.fail(
            Kind.ShapeMismatch,
            node.destination,
            f"must have the shape of the accumulator{turned}, "
            f"[{shape_text(expected)}], got [{shape_text(target.shape)}]",
            notes=[(fragment.span, "the accumulator is made here")],
        )
    if node.mask is None and not node.transposed:
        ctx.add(croq.MmaStoreOp(fragment.ssa, target.ssa))
        return
    kind = tile_type_of(shape, target.element, Space.Shared)
    staged = ctx.add_in_block(croq.AllocOp(kind), f"{node.accumulator.name}_s").tile
    ctx.add(croq.MmaStoreOp(fragment.ssa, staged))
    if node.mask is None:
        op = croq.CopyOp(staged, target.ssa)
        op.permutation = index_numbers((1, 0))
        ctx.add(op)
        return
    _store_masked(ctx, node.mask, staged, target, shape)


def _shape(
    ctx: Lowering, node: ast.MmaStore, fragment: Fragment
) -> tuple[Integer, Integer]:
    if fragment.shape is not None:
        return fragment.shape
    if ctx.reporter.has_errors:
        raise Refused  # Its product may be what was refused.
    ctx.fail(
        Kind.MmaShape,
        node.accumulator,
        f"{node.accumulator.name} must have a product before it is stored, got none",
        notes=[(fragment.span, "it is filled here")],
    )


def _store_masked(
    ctx: Lowering,
    mask: tuple[ast.Expr, ...],
    staged: SSAValue,
    target: Tile,
    shape: tuple[Integer, Integer],
) -> None:
    """Rows below the first number of the mask, and columns below the second."""
    limits = [expressions.integer(ctx, each) for each in mask]
    bounds = [
        None if is_at_most(extent, limit) else ctx.index_value(limit)
        for extent, limit in zip(shape, limits, strict=False)
    ]
    threads = _threads(ctx)
    body = Block(arg_types=[IndexType()])
    body.args[0].name_hint = "t"
    with ctx.inside(body):
        element = Block(arg_types=[IndexType()])
        columns = ctx.index_value(shape[1])
        with ctx.inside(element):
            place = [
                ctx.add(arith.DivUIOp(element.args[0], columns)).result,
                ctx.add(arith.RemUIOp(element.args[0], columns)).result,
            ]
            _store_element(ctx, staged, target, place, bounds)
            ctx.add(croq.YieldOp())
        elements = ctx.index(operation("*", *shape))
        lower = body.args[0]
        ctx.add(croq.ForeachOp(elements, Region(element), lower=lower, step=threads))
    ctx.add(croq.ParallelOp([threads], Level.Thread, Region(body)))


def _store_element(
    ctx: Lowering,
    staged: SSAValue,
    target: Tile,
    place: Sequence[SSAValue],
    bounds: Sequence[SSAValue | None],
) -> None:
    inside: SSAValue | None = None
    for index, bound in zip(place, bounds, strict=False):
        if bound is None:
            continue
        below = ctx.add(arith.CmpiOp(index, bound, "slt")).result
        inside = (
            below if inside is None else ctx.add(arith.AndIOp(inside, below)).result
        )
    then = Block()
    with ctx.inside(then, is_conditional=True):
        value = ctx.add(croq.LoadOp(staged, place)).results[0]
        ctx.add(croq.StoreOp(value, target.ssa, place))
        ctx.add(scf.YieldOp())
    if inside is None:
        inside = ctx.add(arith.ConstantOp.from_int_and_width(1, 1)).result
    ctx.add(scf.IfOp(inside, [], Region(then)))


def _threads(ctx: Lowering) -> int:
    """The threads that make a statement together."""
    if ctx.parts.role is not None:
        return ctx.parts.role.threads
    assert ctx.block_threads is not None
    return ctx.block_threads
