"""Buffers: declarations, arrays of them, and what futures hold."""

from __future__ import annotations

from xdsl.ir import SSAValue

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Position, Space
from croqtile_mlir.dialects.croq.numbers import NumberAttr
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import constants, expressions
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    Const,
    Integer,
    Named,
    is_known,
    is_outside,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.types import (
    ELEMENTS,
    tile_type_of,
)
from croqtile_mlir.frontends.croqtile.lowering.values import (
    Buffer,
    Future,
    FutureState,
    Tile,
    kind_of,
)
from croqtile_mlir.frontends.croqtile.reporting import Kind


def tile(ctx: Lowering, ref: ast.Ref) -> Tile:
    """The buffer, or part of an array of buffers, that a reference names."""
    found = ctx.find(ref.name)
    if ref.member == "mdata":
        ctx.unsupported(ref, "metadata of a sparse copy (.mdata)")
    match found:
        case Tile():
            result = found
        case Future():
            result = data_of(ctx, found, ref)
        case _:
            ctx.fail(
                Kind.TypeMismatch,
                ref,
                f"{ref.name} must be a buffer or a future, got {kind_of(found)}",
            )
    if ref.member == "data" and not isinstance(found, Future):
        ctx.fail(
            Kind.TypeMismatch, ref, f".data must be of a future, got {kind_of(found)}"
        )
    return _subscripted(ctx, ref, result)


def _subscripted(ctx: Lowering, ref: ast.Ref, found: Tile) -> Tile:
    if len(ref.subscripts) > len(found.array):
        ctx.fail(
            Kind.RankMismatch,
            ref.subscripts[len(found.array)],
            f"{ref.name} must have an array length for each index in brackets, got "
            f"{len(found.array)} lengths",
            hint="elements are named by .at(i, j)",
        )
    for subscript in ref.subscripts:
        slot = expressions.integer(ctx, subscript)
        check_slot(ctx, subscript, slot, found.array[0])
        with ctx.at(subscript):
            op = croq.SlotOp(found.ssa, Position(ctx.index(slot), by_slot=True))
            made = ctx.add(op, f"{ref.name}_slot").result
        found = Tile(
            made,
            found.shape,
            found.element,
            found.space,
            found.array[1:],
            found.root,
        )
    return found


def check_slot(ctx: Lowering, where: ast.Node, slot: Integer, length: Integer) -> None:
    """Refuse an index that is known to be outside an array."""
    if is_outside(slot, length):
        ctx.fail(
            Kind.OutOfBounds,
            where,
            f"index must be below the length {text(length)}, got {text(slot)}",
        )


def data_of(ctx: Lowering, future: Future, where: ast.Node) -> Tile:
    """The buffer of a future whose copy is complete."""
    if future.state is FutureState.Placeholder:
        ctx.fail(
            Kind.PlaceholderRead,
            where,
            f"{future.name} must stand for a copy before its data is used, got a "
            "placeholder",
            notes=[(future.span, "it is made here")],
        )
    if future.state is FutureState.Pending:
        ctx.fail(
            Kind.FutureLifecycle,
            where,
            f"data of {future.name} must be used after its copy is waited for",
            hint=f"wait {future.name};",
            notes=[(future.span, "the copy is started here")],
        )
    future.is_used = True
    return Tile(
        destination_of(ctx, future),
        future.shape,
        future.element,
        future.space,
        future=future,
    )


def destination_of(ctx: Lowering, future: Future) -> SSAValue:
    """The buffer that a future stands for, whatever is in it."""
    if future.handle is None:
        assert future.buffer is not None
        return future.buffer
    handle = future.handle
    for opened in ctx.stack:
        if (known := opened.data.get(handle)) is not None:
            return known
    made = ctx.add(croq.DataOp(handle), f"{future.name}_data").tile
    ctx.stack[-1].data[handle] = made
    return made


def shape_of(ctx: Lowering, ref: ast.Ref) -> tuple[Integer, ...]:
    """The shape of what a reference names, without reading it."""
    found = ctx.find(ref.name)
    match found:
        case Tile() | Future():
            return found.shape
        case _:
            return expressions.as_shape(ctx, expressions.reference(ctx, ref), ref).dims


def element_name(ctx: Lowering, element: ast.ElementType) -> str:
    """The name of an element type that has a counterpart."""
    if element.name not in ELEMENTS:
        ctx.unsupported(element, f"element type {element.word}")
    return element.name


def element_of_tiles(ctx: Lowering, element: ast.ElementType) -> str:
    """The name of an element type that buffers and arguments may have."""
    name = element_name(ctx, element)
    if name == "bool":
        ctx.unsupported(element, "a buffer of bool", "u8 is a byte for each")
    return name


def declare(ctx: Lowering, node: ast.BufferDecl) -> None:
    """`shared f16 [m, k] a, b[2] {0}`."""
    element = element_of_tiles(ctx, node.element)
    if node.extents is None:
        ctx.unsupported(node, "a buffer of shape auto", "state its extents")
    shape = tuple(item.value for item in expressions.integers(ctx, node.extents))
    _check_positive(ctx, shape, node.extents)
    storage = node.storage or ast.Storage.Global
    for item in node.items:
        with ctx.at(item):
            array = tuple(expressions.integer(ctx, length) for length in item.array)
            _check_positive(ctx, array, item.array)
            match storage:
                case ast.Storage.Global:
                    found = _global(ctx, node, item, shape, array, element)
                case ast.Storage.Shared:
                    found = _shared(ctx, node, item, shape, array, element)
                case ast.Storage.Local:
                    found = _local(ctx, node, item, shape, array, element)
            ctx.declare(item.name, found)


def _check_positive(
    ctx: Lowering, shape: tuple[Integer, ...], written: tuple[ast.Arg, ...]
) -> None:
    for extent, place in zip(shape, written, strict=False):
        if isinstance(extent, Const) and extent.value < 1:
            ctx.fail(
                Kind.ShapeMismatch,
                place,
                f"an extent must be positive, got {extent.value}",
            )


def _global(
    ctx: Lowering,
    node: ast.BufferDecl,
    item: ast.BufferItem,
    shape: tuple[Integer, ...],
    array: tuple[Integer, ...],
    element: str,
) -> Tile:
    if ctx.block_level is not None:
        ctx.fail(
            Kind.StorageScope,
            node,
            f"{item.name} must be shared or local inside parallel, got global",
            hint="global buffers are declared outside of parallel",
        )
    for extent, written in zip(shape, node.extents or (), strict=False):
        if not isinstance(extent, Const | Named):
            ctx.unsupported(
                written, f"extent {text(extent)} of a global buffer, a computed one"
            )
    if array:
        ctx.unsupported(item, "an array of global buffers", "add a leading dim")
    kind = tile_type_of(shape, element, Space.Global)
    ssa = ctx.add(croq.AllocOp(kind), item.name.text).tile
    root = Buffer(item.name.text, item.span)
    if item.fill is not None:
        root.initial = _fill_value(ctx, item.fill, element)
        root.whole = True
    elif (initial := ctx.initials.get(item.name.text)) is not None:
        root.initial = constants.attribute(ctx, initial, element, item)
    if root.initial is not None:
        ctx.initialised[root] = Tile(ssa, shape, element, Space.Global, root=root)
    return Tile(ssa, shape, element, Space.Global, root=root)


def _shared(
    ctx: Lowering,
    node: ast.BufferDecl,
    item: ast.BufferItem,
    shape: tuple[Integer, ...],
    array: tuple[Integer, ...],
    element: str,
) -> Tile:
    if ctx.block_level is None:
        ctx.fail(
            Kind.StorageScope,
            node,
            f"{item.name} must be global outside parallel, got shared",
            hint="shared buffers are declared inside parallel : block",
        )
    ssa = allocated(ctx, (*array, *shape), element, item.name.text, item)
    if item.fill is not None:
        ctx.add(croq.FillOp(ssa, _fill_value(ctx, item.fill, element)))
    root = Buffer(item.name.text, item.span)
    return Tile(ssa, shape, element, Space.Shared, array, root=root)


def _local(
    ctx: Lowering,
    node: ast.BufferDecl,
    item: ast.BufferItem,
    shape: tuple[Integer, ...],
    array: tuple[Integer, ...],
    element: str,
) -> Tile:
    if ctx.block_level is None or ctx.threads is None:
        ctx.fail(
            Kind.StorageScope,
            node,
            f"{item.name} must be inside the parallel of threads, got local outside",
        )
    whole = (*array, *shape)
    check_shared(ctx, whole, item)
    kind = tile_type_of(whole, element, Space.Register)
    ssa = ctx.add_in_block(croq.AllocOp(kind), item.name.text).tile
    if item.fill is not None:
        ctx.add(croq.FillOp(ssa, _fill_value(ctx, item.fill, element)))
    root = Buffer(item.name.text, item.span)
    return Tile(ssa, shape, element, Space.Register, array, root=root)


def allocated(
    ctx: Lowering,
    shape: tuple[Integer, ...],
    element: str,
    name: str,
    where: ast.Node,
) -> SSAValue:
    """A shared buffer, one for the block."""
    check_shared(ctx, shape, where)
    kind = tile_type_of(shape, element, Space.Shared)
    return ctx.add_in_block(croq.AllocOp(kind), name).tile


def check_shared(ctx: Lowering, shape: tuple[Integer, ...], where: ast.Node) -> None:
    """Refuse extents of a shared buffer that a launch decides."""
    for extent in shape:
        if is_known(extent):
            continue
        ctx.fail(
            Kind.SymbolicShared,
            where,
            f"extents of a shared buffer must be known when compiling, got "
            f"{text(extent)}",
            hint="give the names values: -DNAME=value, or --param NAME=value for a "
            "parameter",
        )


def _fill_value(ctx: Lowering, node: ast.Expr, element: str) -> NumberAttr:
    value = constants.number(ctx, node, "an initial value that is not a number")
    return constants.attribute(ctx, value, element, node)
