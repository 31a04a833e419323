"""Matrix statements: operands, products, their completion, and stores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Space
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import folding
from croqtile_mlir.frontends.croqtile.lowering.accumulators import (
    Fragment,
    fragment_of,
    give_type,
)
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import equal, text
from croqtile_mlir.frontends.croqtile.lowering.layout_requests import request_layout
from croqtile_mlir.frontends.croqtile.lowering.values import Extension, Tile
from croqtile_mlir.frontends.croqtile.reporting import Kind

REFUSED: Mapping[type[ast.Node], str] = MappingProxyType(
    {
        ast.MmaScale: "mma.scale",
        ast.FragmentReduce: "a reduction of a fragment",
        ast.FragmentAllReduce: "all_reduce_sum",
        ast.FragmentCopy: "a copy of a fragment",
        ast.Apply: "apply",
        ast.FragmentDecl: "a declared fragment",
    }
)
"""Statements on fragments that have no counterpart."""


@dataclass(eq=False)
class Operand(Extension):
    """What `mma.load` names: a tile that stays where it is."""

    tile: Tile | None = None
    shared_dim: int | None = None
    """The dim along which it is that of all groups together."""


@dataclass(eq=False)
class Batch(Extension):
    """The products of an asynchronous statement, committed together."""

    fragment: Fragment | None = None
    is_awaited: bool = False


def load(ctx: Lowering, node: ast.MmaLoad) -> None:
    """`ma = mma.load view`: the operand stays in shared memory, under that name."""
    if node.name is None:
        ctx.unsupported(node, "mma.load into a declared fragment")
    if node.asynchronous:
        ctx.unsupported(node, "mma.load.async")
    if node.to_fragment:
        ctx.unsupported(
            node, "mma.load.frag", "mma.load leaves the operand where it is"
        )
    tile, shared_dim = folding.of_all(ctx, node.source)
    if tile.space is not Space.Shared:
        ctx.unsupported(
            node.source,
            f"mma.load from {tile.space.value} memory",
            "copy the tile to shared memory first",
        )
    if node.swizzle is not None:
        request_layout(ctx, tile.ssa, node.swizzle, node.source.span)
    if tile.ssa.name_hint is None:
        tile.ssa.name_hint = node.name.text
    found = Operand("an operand of products", tile=tile, shared_dim=shared_dim)
    if isinstance(ctx.scope.names.get(node.name.text), Operand):
        ctx.scope.declare(node.name.text, found, node.name.span)
        return
    ctx.declare(node.name, found)


def _operand(ctx: Lowering, node: ast.ViewLike, rows: int | None) -> Tile:
    """The tile of an operand; `rows` is the dim that warpgroups may share."""
    if isinstance(node, ast.Ref) and node.is_plain:
        found = ctx.find(node.name)
        if isinstance(found, Operand):
            assert found.tile is not None
            if found.shared_dim is not None and found.shared_dim != rows:
                folding.refuse_shared(ctx, node)
            return found.tile
        if isinstance(found, Fragment):
            ctx.unsupported(node, "an accumulator as an operand")
    return folding.operand(ctx, node, rows)


def multiply(ctx: Lowering, node: ast.MmaExec) -> None:
    """`mma.row.col mc, a, b`."""
    if node.sparse or node.metadata is not None:
        ctx.unsupported(node, "a sparse product (.sp)")
    if node.scaling is not None:
        ctx.unsupported(node.scaling, "a scaled product (.scale)")
    if node.schedule is not None:
        ctx.reporter.remark(
            Kind.Ignored, node.span, "the order of steps of K is left to the hardware"
        )
    fragment = fragment_of(ctx, node.accumulator)
    a_rows = 0 if node.a_major is ast.Major.Row else 1
    b_rows = 0 if node.b_major is ast.Major.Row else 1
    a = _operand(ctx, node.a, a_rows)
    b = _operand(ctx, node.b, None)
    _check_operands(ctx, node, a, b)
    if not equal(a.shape[1 - a_rows], b.shape[1 - b_rows]):
        ctx.fail(
            Kind.MmaShape,
            node.b,
            f"must have the {text(a.shape[1 - a_rows])} elements of K that the first "
            f"operand has, got {text(b.shape[1 - b_rows])}",
        )
    give_type(ctx, node, fragment, a, (a.shape[a_rows], b.shape[b_rows]))
    form = f"{node.a_major.value}.{node.b_major.value}"
    op = ctx.add(
        croq.MmaExecOp(form, fragment.ssa, a.ssa, b.ssa), node.accumulator.name.text
    )
    fragment.carried[0] = op.result
    if fragment not in ctx.parts.products.fragments:
        ctx.parts.products.fragments.append(fragment)
    if not node.asynchronous:
        fragment.is_open = True
        return
    _commit(ctx, fragment)
    batch = Batch("products in flight", fragment=fragment)
    ctx.parts.products.batches.append(batch)
    if node.name is not None:
        ctx.scope.declare(node.name.text, batch, node.name.span)


def _check_operands(ctx: Lowering, node: ast.MmaExec, a: Tile, b: Tile) -> None:
    for tile, operand in ((a, node.a), (b, node.b)):
        if tile.space is not Space.Shared:
            ctx.unsupported(
                operand,
                f"an operand in {tile.space.value} memory",
                "copy the tile to shared memory first",
            )
        if len(tile.shape) != 2:
            ctx.fail(
                Kind.MmaShape,
                operand,
                f"an operand must have rank 2, got {len(tile.shape)}",
                hint=".sqz() drops dims of extent 1",
            )
    if a.element != b.element:
        ctx.fail(
            Kind.TypeMismatch,
            node.b,
            f"must have elements of type {a.element} as the first operand, got "
            f"{b.element}",
        )


def _commit(ctx: Lowering, fragment: Fragment) -> None:
    op = ctx.add(croq.MmaCommitOp(fragment.ssa), fragment.ssa.name_hint)
    fragment.carried[0] = op.result
    fragment.is_open, fragment.in_flight = False, True


def _await(ctx: Lowering, fragment: Fragment, in_flight: int) -> None:
    op = ctx.add(croq.MmaWaitOp(fragment.ssa, in_flight), fragment.ssa.name_hint)
    fragment.carried[0] = op.result
    fragment.in_flight = in_flight > 0


def commit(ctx: Lowering, node: ast.MmaCommit) -> None:
    """`mma.commit`: all products so far are complete."""
    _complete(ctx, 0)
    ctx.parts.products.batches.clear()


def wait(ctx: Lowering, node: ast.MmaWait) -> None:
    """`mma.wait<depth>`."""
    _complete(ctx, node.depth)


def _complete(ctx: Lowering, in_flight: int) -> None:
    for fragment in ctx.parts.products.fragments:
        if fragment.is_open:
            _commit(ctx, fragment)
    for fragment in ctx.parts.products.fragments:
        if fragment.in_flight:
            _await(ctx, fragment, in_flight)


def await_batch(ctx: Lowering, batch: Batch, where: ast.Node) -> None:
    """`wait f` of products: those that were started later may stay in flight."""
    if batch.is_awaited:
        ctx.fail(
            Kind.FutureLifecycle, where, "products must be waited for once, got twice"
        )
    batch.is_awaited = True
    batches = ctx.parts.products.batches
    if batch not in batches:
        return  # mma.commit has waited for all.
    del batches[: batches.index(batch) + 1]
    assert batch.fragment is not None
    _await(ctx, batch.fragment, len(batches))


def refuse(ctx: Lowering, node: ast.Node) -> None:
    """Statements on fragments that have no counterpart yet."""
    ctx.unsupported(
        node, REFUSED[type(node)], "store it to shared memory, and compute there"
    )
