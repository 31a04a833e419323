"""Copies, the futures that they have, and exchanging these."""

from __future__ import annotations

from typing import NoReturn

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import FutureType, Space
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import buffers, copies, expressions
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import Integer, equal, text
from croqtile_mlir.frontends.croqtile.lowering.types import tile_type_of
from croqtile_mlir.frontends.croqtile.lowering.values import (
    Future,
    FutureState,
    Tile,
    kind_of,
)
from croqtile_mlir.frontends.croqtile.reporting import Kind


def placeholder(ctx: Lowering, node: ast.Placeholder) -> None:
    """`f = dma.any`: its type is that of what it is exchanged with or filled by."""
    future = Future(
        node.name.text, node.name.span, FutureState.Placeholder, reassignable=True
    )
    ctx.declare(node.name, future)


def give_handle(ctx: Lowering, future: Future) -> None:
    """Give a future of known type a handle: a placeholder in the block."""
    if future.handle is None:
        kind = FutureType(tile_type_of(future.shape, future.element, Space.Shared))
        future.handle = ctx.add_in_block(croq.AnyOp(kind), future.name).future


def rotate(ctx: Lowering, node: ast.Rotate) -> None:
    """`swap(a, b)`, `rotate(a, b, c)`: each name takes what the next one has."""
    found: list[Future] = []
    for name in node.names:
        future = ctx.find(name)
        if not isinstance(future, Future):
            ctx.fail(
                Kind.TypeMismatch, name, f"must be a future, got {kind_of(future)}"
            )
        owner, first = (
            ctx.scope.owner_of(name.text),
            ctx.scope.owner_of(node.names[0].text),
        )
        if owner is not first:
            place = ctx.scope.place_of(node.names[0].text)
            ctx.fail(
                Kind.FutureScope,
                name,
                f"{name} must be declared in the block that declares {node.names[0]}",
                notes=[] if place is None else [(place, "which is here")],
            )
        if future in found:
            ctx.fail(Kind.FutureLifecycle, name, "must exchange different futures")
        found.append(future)
    typed = next((future for future in found if future.element), None)
    if typed is None:
        ctx.fail(
            Kind.PlaceholderRead,
            node,
            "one of the futures must stand for a copy, got placeholders alone",
        )
    for name, future in zip(node.names, found, strict=True):
        if future.is_named_buffer:
            ctx.unsupported(name, "exchanging a future whose buffer has a name")
        adopt(ctx, future, typed)
        if future.element != typed.element or not _same(future.shape, typed.shape):
            ctx.fail(
                Kind.ShapeMismatch,
                name,
                f"must have the type of {typed.name}, {_type(typed)}, got "
                f"{_type(future)}",
            )
        give_handle(ctx, future)
    handles = [future.handle for future in found if future.handle is not None]
    made = (
        ctx.add(croq.SwapOp(*handles))
        if node.is_swap
        else ctx.add(croq.RotateOp(handles))
    )
    states = [(future.state, future.is_used) for future in found]
    for future, result, state in zip(
        found, made.results, (*states[1:], states[0]), strict=True
    ):
        result.name_hint = future.name
        future.handle, (future.state, future.is_used) = result, state


def adopt(ctx: Lowering, future: Future, other: Future) -> None:
    """Give a placeholder the type of another future."""
    if not future.element:
        future.shape, future.element = other.shape, other.element
        future.space = other.space


def _same(a: tuple[Integer, ...], b: tuple[Integer, ...]) -> bool:
    return len(a) == len(b) and all(map(equal, a, b))


def _type(future: Future) -> str:
    return f"{future.element} [{', '.join(map(text, future.shape))}]"


def copy(ctx: Lowering, node: ast.Copy) -> None:
    """`f = dma.copy.async source => destination`."""
    source = copies.source(ctx, node)
    if node.after is not None:
        awaited = ctx.find(node.after)
        if not isinstance(awaited, Future):
            ctx.fail(
                Kind.TypeMismatch,
                node.after,
                f"must be a future, got {kind_of(awaited)}",
            )
        await_copy(ctx, awaited, node.after)
        ctx.reporter.remark(
            Kind.Ignored,
            node.after.span,
            f"the copy starts when that of {node.after} is complete",
        )
    if isinstance(node.destination, ast.StorageTarget):
        _into_storage(ctx, node, source)
    else:
        _into_buffer(ctx, node, source)


def _into_buffer(ctx: Lowering, node: ast.Copy, source: Tile) -> None:
    if isinstance(node.destination, ast.Select):
        chosen = expressions.evaluate(ctx, node.destination)
        if not isinstance(chosen, Future):
            ctx.unsupported(node.destination, "a choice of buffers as a destination")
        target = buffers.data_of(ctx, chosen, node.destination)
    else:
        assert isinstance(node.destination, ast.Ref | ast.View)
        target = copies.destination(ctx, node.destination)
    copies.check(ctx, node, source, target)
    if not node.asynchronous:
        ctx.add(copies.made(ctx, node, source, target.ssa))
        if node.name is not None:
            _name_done(ctx, node.name, target)
        return
    if node.name is None:
        _nameless(ctx, node)
    op = ctx.add(copies.started(ctx, node, source, target.ssa))
    future = Future(
        "",
        node.span,
        FutureState.Pending,
        target.shape,
        target.element,
        target.space,
        handle=op.future,
        is_named_buffer=True,
    )
    future.name, future.span = node.name.text, node.name.span
    op.future.name_hint = node.name.text
    _declare(ctx, node.name, future)


def _nameless(ctx: Lowering, node: ast.Copy) -> NoReturn:
    ctx.fail(
        Kind.FutureLifecycle,
        node,
        "an asynchronous copy must have a name to wait for",
        hint="f = dma.copy.async ..; wait f;",
    )


def _name_done(ctx: Lowering, name: ast.Name, target: Tile) -> None:
    future = Future(
        name.text,
        name.span,
        FutureState.Done,
        target.shape,
        target.element,
        target.space,
        buffer=target.ssa,
        is_named_buffer=True,
    )
    _declare(ctx, name, future)


def _declare(ctx: Lowering, name: ast.Name, future: Future) -> None:
    known = ctx.scope.find(name.text)
    if isinstance(known, Future) and known.reassignable:
        ctx.unsupported(
            name, "a placeholder that a copy into a named buffer is assigned to"
        )
    ctx.declare(name, future)


def _into_storage(ctx: Lowering, node: ast.Copy, source: Tile) -> None:
    assert isinstance(node.destination, ast.StorageTarget)
    if node.destination.storage is not ast.Storage.Shared:
        ctx.unsupported(
            node.destination,
            f"a copy to {node.destination.storage.value} memory of its own",
            "copy to shared, or to a buffer",
        )
    if ctx.block_level is None:
        ctx.fail(Kind.StorageScope, node, "a copy must be inside parallel")
    if node.name is None:
        if node.event is not None:
            ctx.unsupported(node, "a copy without a name to storage without a name")
        ctx.fail(
            Kind.FutureLifecycle,
            node,
            "a copy to storage must have a name: without one nothing can use it",
            hint="f = dma.copy .. => shared;",
        )
    shape = copies.result_shape(ctx, node, source)
    buffers.check_shared(ctx, shape, node.source)
    future = _target_future(ctx, node.name, shape, source.element)
    target = buffers.destination_of(ctx, future)
    future.is_used = False
    if not node.asynchronous:
        ctx.add(copies.made(ctx, node, source, target))
        future.state = FutureState.Done
        return
    op = ctx.add(copies.started(ctx, node, source, target), node.name.text)
    future.handle, future.state = op.future, FutureState.Pending


def _target_future(
    ctx: Lowering, name: ast.Name, shape: tuple[Integer, ...], element: str
) -> Future:
    """The future of that name, which owns a buffer of that type."""
    known = ctx.scope.find(name.text)
    if isinstance(known, Future):
        return _assigned_again(ctx, name, known, shape, element)
    future = Future(
        name.text, name.span, FutureState.Done, shape, element, Space.Shared
    )
    if name.text in ctx.exchanged:
        give_handle(ctx, future)
    else:
        kind = tile_type_of(shape, element, Space.Shared)
        future.buffer = ctx.add_in_block(croq.AllocOp(kind), f"{name}_s").tile
    ctx.declare(name, future)
    return future


def _assigned_again(
    ctx: Lowering,
    name: ast.Name,
    known: Future,
    shape: tuple[Integer, ...],
    element: str,
) -> Future:
    if not known.reassignable:
        ctx.fail(
            Kind.Redeclaration,
            name,
            f"{name} must come from dma.any to be assigned again",
            notes=[(known.span, "it is declared here")],
        )
    if known.state is FutureState.Pending:
        ctx.fail(
            Kind.FutureLifecycle,
            name,
            f"the copy of {name} must be waited for before another one fills its "
            "buffer",
            hint=f"wait {name};",
        )
    if not known.element:
        known.shape, known.element = shape, element
    elif known.element != element or not _same(known.shape, shape):
        ctx.fail(
            Kind.ShapeMismatch,
            name,
            f"the copy must have the type of {name}, {_type(known)}, got {element} "
            f"[{', '.join(map(text, shape))}]",
        )
    give_handle(ctx, known)
    return known


def await_copy(ctx: Lowering, future: Future, where: ast.Node) -> None:
    """Wait for a copy, once."""
    if future.state is not FutureState.Pending:
        what = (
            "a placeholder, of which no copy is started"
            if future.state is FutureState.Placeholder
            else "a copy that is complete already"
        )
        ctx.fail(
            Kind.FutureLifecycle,
            where,
            f"{future.name} must be a copy in flight, got {what}",
            notes=[(future.span, "it is declared here")],
        )
    assert future.handle is not None
    with ctx.at(where):
        ctx.add(croq.AwaitOp(future.handle))
    future.state = FutureState.Done
