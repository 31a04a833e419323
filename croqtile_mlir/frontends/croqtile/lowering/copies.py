"""What copies move: their tiles, engines, and how elements are rearranged."""

from __future__ import annotations

from typing import TypeVar

from xdsl.ir import SSAValue

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import CopyBase, Engine, PadAttr, Space
from croqtile_mlir.dialects.croq.clusters import index_numbers
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import (
    clusters,
    constants,
    expressions,
    folding,
)
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    Const,
    Integer,
    equal,
    known,
    operation,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.layout_requests import (
    request_layout,
)
from croqtile_mlir.frontends.croqtile.lowering.values import Tile
from croqtile_mlir.frontends.croqtile.reporting import Kind


def source(ctx: Lowering, node: ast.Copy) -> Tile:
    """What a copy reads; modifiers that have no counterpart are refused."""
    if ctx.block_level is None:
        ctx.fail(Kind.StorageScope, node, "a copy must be inside parallel")
    for modifier in node.modifiers:
        match modifier.name:
            case "swiz" | "zfill":
                pass
            case "multicast" if node.asynchronous and node.engine is ast.Engine.Tma:
                pass
            case "multicast":
                ctx.unsupported(
                    modifier,
                    ".multicast of a copy that is waited for where it is made",
                    "tma.copy.async.multicast, and a trigger after it",
                )
            case "evict_first" | "evict_last" | "promote":
                ctx.reporter.remark(
                    Kind.Ignored,
                    modifier.span,
                    f".{modifier.name} has no effect",
                )
            case _:
                ctx.unsupported(modifier, f"modifier .{modifier.name} of a copy")
    folding.check_copy(ctx, node)
    return folding.of_all(ctx, node.source)[0]


def destination(ctx: Lowering, node: ast.ViewLike) -> Tile:
    """What a copy writes."""
    return folding.of_all(ctx, node)[0]


def result_shape(ctx: Lowering, node: ast.Copy, found: Tile) -> tuple[Integer, ...]:
    """The shape of what a copy makes of its source."""
    shape = found.shape
    if node.permutation is not None:
        if sorted(node.permutation) != list(range(len(shape))):
            ctx.fail(
                Kind.RankMismatch,
                node,
                f"must permute the {len(shape)} dims of the source, got "
                f"{', '.join(map(str, node.permutation))}",
            )
        shape = tuple(shape[dim] for dim in node.permutation)
    if node.padding is not None:
        low, high, middle = _paddings(ctx, node, node.padding, len(shape))
        shape = tuple(
            operation("+", extent, Const(a + b + (_number(extent) - 1) * c))
            if c
            else operation("+", extent, Const(a + b))
            for extent, a, b, c in zip(shape, low, high, middle, strict=True)
        )
    return shape


def _number(extent: Integer) -> int:
    return known(extent) or 1


def _paddings(
    ctx: Lowering, node: ast.Copy, padding: ast.Padding, rank: int
) -> tuple[list[int], list[int], list[int]]:
    found: list[list[int]] = []
    for args in (padding.low, padding.high, padding.mid):
        values = [known(item.value) for item in expressions.integers(ctx, args)]
        numbers = [value for value in values if value is not None]
        if len(numbers) != rank or len(values) != rank:
            ctx.fail(
                Kind.RankMismatch,
                padding,
                f"must have {rank} numbers for a source of rank {rank}, got "
                f"{len(values)}",
            )
        found.append(numbers)
    low, high, middle = found
    return low, high, middle


CopyT = TypeVar("CopyT", bound=CopyBase)

_PAIRS = {
    (Space.Global, Space.Shared),
    (Space.Shared, Space.Global),
    (Space.Shared, Space.Shared),
}


def check(ctx: Lowering, node: ast.Copy, read: Tile, written: Tile) -> None:
    """Refuse tiles that do not fit each other."""
    if read.element != written.element:
        ctx.fail(
            Kind.TypeMismatch,
            node.destination,
            f"must have elements of type {read.element} as the source, got "
            f"{written.element}",
        )
    shape = result_shape(ctx, node, read)
    if len(shape) != len(written.shape):
        ctx.fail(
            Kind.RankMismatch,
            node.destination,
            f"must have rank {len(shape)} as the source, got {len(written.shape)}",
            hint=".sqz() drops dims of extent 1",
        )
    for dim, (a, b) in enumerate(zip(shape, written.shape, strict=True)):
        if not equal(a, b):
            ctx.fail(
                Kind.ShapeMismatch,
                node.destination,
                f"must have the extents of the source, [{_list(shape)}], got "
                f"[{_list(written.shape)}]: dim {dim} differs",
            )
    _check_spaces(ctx, node, read.space, written.space)


def _list(shape: tuple[Integer, ...]) -> str:
    return ", ".join(map(text, shape))


def _check_spaces(ctx: Lowering, node: ast.Copy, read: Space, written: Space) -> None:
    pair = read, written
    allowed = pair in _PAIRS
    if node.engine is ast.Engine.Tma:
        allowed = pair in ((Space.Global, Space.Shared), (Space.Shared, Space.Global))
    elif node.asynchronous:
        allowed = pair == (Space.Global, Space.Shared)
    if not allowed:
        how = "an asynchronous " if node.asynchronous else "a "
        ctx.fail(
            Kind.SpacePair,
            node,
            f"{how}{node.engine.value} copy must not be from {read.value} to "
            f"{written.value} memory",
        )


def _engine(node: ast.Copy) -> Engine:
    return Engine.Tma if node.engine is ast.Engine.Tma else Engine.Auto


def made(ctx: Lowering, node: ast.Copy, read: Tile, written: SSAValue) -> croq.CopyOp:
    """A copy that is complete on return."""
    return _rearranged(ctx, node, croq.CopyOp(read.ssa, written, _engine(node)), read)


def started(
    ctx: Lowering, node: ast.Copy, read: Tile, written: SSAValue
) -> croq.CopyAsyncOp:
    """A copy in flight."""
    if node.modifier("multicast") is not None:
        op = clusters.shared_copy(ctx, node, read, written)
    else:
        op = croq.CopyAsyncOp(read.ssa, written, _engine(node))
    return _rearranged(ctx, node, op, read)


def _rearranged(ctx: Lowering, node: ast.Copy, op: CopyT, read: Tile) -> CopyT:
    if (swizzle := node.modifier("swiz")) is not None:
        # Shared memory is on one side at least.
        tile = read.ssa if read.space is Space.Shared else op.destination
        request_layout(ctx, tile, swizzle.values[0], swizzle.span)
    if node.permutation is not None:
        op.permutation = index_numbers(node.permutation)
    if node.padding is not None:
        low, high, middle = _paddings(ctx, node, node.padding, len(read.shape))
        value = node.padding.value
        written = constants.number(ctx, value, "a padding that is not a number")
        number = constants.attribute(ctx, written, read.element, value)
        op.pad = PadAttr(low, high, middle, number)
    return op
