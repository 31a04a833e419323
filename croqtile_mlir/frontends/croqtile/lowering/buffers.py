"""Buffers: declarations, arrays of them, and what futures hold."""

from __future__ import annotations

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, f64, i64
from xdsl.ir import SSAValue

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Position, Space
from croqtile_mlir.dialects.croq.numbers import NumberAttr
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import expressions
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    Const,
    Integer,
    Named,
    interval,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.types import (
    ELEMENTS,
    is_float,
    tile_type_of,
)
from croqtile_mlir.frontends.croqtile.lowering.values import (
    Buffer,
    Future,
    FutureState,
    Int,
    Literal,
    Tile,
    kind_of,
)
from croqtile_mlir.frontends.croqtile.reporting import Kind


def tile(l: Lowering, ref: ast.Ref) -> Tile:
    """The buffer, or part of an array of buffers, that a reference names."""
    found = l.find(ref.name)
    if ref.member == "mdata":
        l.unsupported(ref, "metadata of a sparse copy (.mdata)")
    match found:
        case Tile():
            result = found
        case Future():
            result = data_of(l, found, ref)
        case _:
            l.fail(
                Kind.TypeMismatch,
                ref,
                f"{ref.name} must be a buffer or a future, got {kind_of(found)}",
            )
    if ref.member == "data" and not isinstance(found, Future):
        l.fail(
            Kind.TypeMismatch, ref, f".data must be of a future, got {kind_of(found)}"
        )
    return _subscripted(l, ref, result)


def _subscripted(l: Lowering, ref: ast.Ref, found: Tile) -> Tile:
    if len(ref.subscripts) > len(found.array):
        l.fail(
            Kind.RankMismatch,
            ref.subscripts[len(found.array)],
            f"{ref.name} must have an array length for each index in brackets, got "
            f"{len(found.array)} lengths",
            hint="elements are named by .at(i, j)",
        )
    for subscript in ref.subscripts:
        slot = expressions.integer(l, subscript)
        check_slot(l, subscript, slot, found.array[0])
        with l.at(subscript):
            op = croq.SlotOp(found.ssa, Position(l.index(slot), by_slot=True))
            made = l.add(op, f"{ref.name}_slot").result
        found = Tile(
            made,
            found.shape,
            found.element,
            found.space,
            found.array[1:],
            found.thread_dims,
            found.root,
        )
    return found


def check_slot(l: Lowering, where: ast.Node, slot: Integer, length: Integer) -> None:
    """Refuse an index that is known to be outside an array."""
    low, high = interval(slot)
    if (high is not None and high < 0) or (
        isinstance(length, Const) and low is not None and low >= length.value
    ):
        l.fail(
            Kind.OutOfBounds,
            where,
            f"index must be below the length {text(length)}, got {text(slot)}",
        )


def data_of(l: Lowering, future: Future, where: ast.Node) -> Tile:
    """The buffer of a future whose copy is complete."""
    if future.state is FutureState.Placeholder:
        l.fail(
            Kind.PlaceholderRead,
            where,
            f"{future.name} must stand for a copy before its data is used, got a "
            "placeholder",
            notes=[(future.span, "it is made here")],
        )
    if future.state is FutureState.Pending:
        l.fail(
            Kind.FutureLifecycle,
            where,
            f"data of {future.name} must be used after its copy is waited for",
            hint=f"wait {future.name};",
            notes=[(future.span, "the copy is started here")],
        )
    return Tile(destination_of(l, future), future.shape, future.element, future.space)


def destination_of(l: Lowering, future: Future) -> SSAValue:
    """The buffer that a future stands for, whatever is in it."""
    if future.handle is None:
        assert future.buffer is not None
        return future.buffer
    handle = future.handle
    for opened in l.stack:
        if (known := opened.data.get(handle)) is not None:
            return known
    made = l.add(croq.DataOp(handle), f"{future.name}_data").tile
    l.stack[-1].data[handle] = made
    return made


def shape_of(l: Lowering, ref: ast.Ref) -> tuple[Integer, ...]:
    """The shape of what a reference names, without reading it."""
    found = l.find(ref.name)
    match found:
        case Tile() | Future():
            return found.shape
        case _:
            return expressions.as_shape(l, expressions.reference(l, ref), ref).dims


def element_name(l: Lowering, element: ast.ElementType) -> str:
    """The name of an element type that has a counterpart."""
    if element.name not in ELEMENTS:
        l.unsupported(element, f"element type {element.word}")
    return element.name


def declare(l: Lowering, node: ast.BufferDecl) -> None:
    """`shared f16 [m, k] a, b[2] {0}`."""
    element = element_name(l, node.element)
    if node.extents is None:
        l.unsupported(node, "a buffer of shape auto", "state its extents")
    shape = tuple(item.value for item in expressions.integers(l, node.extents))
    for extent, written in zip(shape, node.extents, strict=False):
        if isinstance(extent, Const) and extent.value < 1:
            l.fail(
                Kind.ShapeMismatch,
                written,
                f"an extent must be positive, got {extent.value}",
            )
    storage = node.storage or ast.Storage.Global
    for item in node.items:
        with l.at(item):
            array = tuple(expressions.integer(l, length) for length in item.array)
            match storage:
                case ast.Storage.Global:
                    found = _global(l, node, item, shape, array, element)
                case ast.Storage.Shared:
                    found = _shared(l, node, item, shape, array, element)
                case ast.Storage.Local:
                    found = _local(l, node, item, shape, array, element)
            l.declare(item.name, found)


def _global(
    l: Lowering,
    node: ast.BufferDecl,
    item: ast.BufferItem,
    shape: tuple[Integer, ...],
    array: tuple[Integer, ...],
    element: str,
) -> Tile:
    if l.block_level is not None:
        l.fail(
            Kind.StorageScope,
            node,
            f"{item.name} must be shared or local inside parallel, got global",
            hint="global buffers are declared outside of parallel",
        )
    for extent, written in zip(shape, node.extents or (), strict=False):
        if not isinstance(extent, Const | Named):
            l.unsupported(
                written, f"extent {text(extent)} of a global buffer, a computed one"
            )
    if array:
        l.unsupported(item, "an array of global buffers", "add a leading dim")
    kind = tile_type_of(shape, element, Space.Global)
    op = croq.AllocOp(kind)
    initial = l.initial_of(item.name.text)
    if item.fill is not None:
        op.initial = _fill_value(l, item.fill, element)
    elif initial is not None:
        op.initial = _number(initial, element)
    ssa = l.add(op, item.name.text).tile
    root = Buffer(item.name.text, item.span)
    return Tile(ssa, shape, element, Space.Global, root=root)


def _shared(
    l: Lowering,
    node: ast.BufferDecl,
    item: ast.BufferItem,
    shape: tuple[Integer, ...],
    array: tuple[Integer, ...],
    element: str,
) -> Tile:
    if l.block_level is None:
        l.fail(
            Kind.StorageScope,
            node,
            f"{item.name} must be global outside parallel, got shared",
            hint="shared buffers are declared inside parallel : block",
        )
    ssa = allocated(l, (*array, *shape), element, item.name.text, item)
    if item.fill is not None:
        l.add(croq.FillOp(ssa, _fill_value(l, item.fill, element)))
    root = Buffer(item.name.text, item.span)
    return Tile(ssa, shape, element, Space.Shared, array, root=root)


def _local(
    l: Lowering,
    node: ast.BufferDecl,
    item: ast.BufferItem,
    shape: tuple[Integer, ...],
    array: tuple[Integer, ...],
    element: str,
) -> Tile:
    if l.block_level is None or l.threads is None:
        l.fail(
            Kind.StorageScope,
            node,
            f"{item.name} must be inside the parallel of threads, got local outside",
        )
    threads = tuple(Const(extent) for extent in l.threads.extents)
    ssa = allocated(l, (*threads, *array, *shape), element, item.name.text, item)
    if item.fill is not None:
        l.unsupported(item.fill, "an initial value of a local buffer")
    root = Buffer(item.name.text, item.span)
    return Tile(ssa, shape, element, Space.Shared, array, len(threads), root=root)


def allocated(
    l: Lowering,
    shape: tuple[Integer, ...],
    element: str,
    name: str,
    where: ast.Node,
) -> SSAValue:
    """A shared buffer, one for the block."""
    check_shared(l, shape, where)
    kind = tile_type_of(shape, element, Space.Shared)
    return l.add_in_block(croq.AllocOp(kind), name).tile


def check_shared(l: Lowering, shape: tuple[Integer, ...], where: ast.Node) -> None:
    """Refuse extents of a shared buffer that a launch decides."""
    for extent in shape:
        if isinstance(extent, Const) or (isinstance(extent, Named) and extent.is_param):
            continue
        l.fail(
            Kind.SymbolicShared,
            where,
            f"extents of a shared buffer must be known when compiling, got "
            f"{text(extent)}",
            hint="give the names values: -DNAME=value, or --param NAME=value for a "
            "parameter",
        )


def _fill_value(l: Lowering, node: ast.Expr, element: str) -> NumberAttr:
    found = expressions.number(l, node)
    match found:
        case Int(value=Const(value=value)) | Literal(value=value):
            return _number(value, element)
        case _:
            l.unsupported(node, "an initial value that is not a number")


def _number(value: float, element: str) -> NumberAttr:
    if is_float(element):
        return FloatAttr(float(value), f64)
    return IntegerAttr(int(value), i64)
