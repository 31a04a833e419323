"""Elements of buffers, atomics, and the functions of the language."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from xdsl.dialects import math

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import AtomicKind, Space
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import (
    buffers,
    clusters,
    expressions,
    initial_values,
    multiples,
)
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.float_functions import (
    COMPOSITES,
    FUNCTIONS,
    function,
    is_double,
)
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    ONE,
    Const,
    Integer,
    Variable,
    interval,
    is_outside,
    operation,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.rounding import ROUNDINGS
from croqtile_mlir.frontends.croqtile.lowering.scalars import (
    Number,
    combined,
    materialised,
    scalar,
    stored,
)
from croqtile_mlir.frontends.croqtile.lowering.values import (
    Future,
    Int,
    Scalar,
    Tile,
)
from croqtile_mlir.frontends.croqtile.reporting import Kind


def _place(ctx: Lowering, node: ast.Element) -> tuple[Tile, list[Index]]:
    """The buffer and the indices of an element."""
    tile = buffers.tile(ctx, node.base)
    if tile.array:
        ctx.fail(
            Kind.RankMismatch,
            node.base,
            f"an element must be of one buffer, got the array {node.base.name}",
            hint=f"{node.base.name}[i] is one buffer",
        )
    found = expressions.integers(ctx, node.indices)
    if len(found) != len(tile.shape):
        ctx.fail(
            Kind.RankMismatch,
            node,
            f"must have {len(tile.shape)} indices for {node.base.name} of rank "
            f"{len(tile.shape)}, got {len(found)}",
        )
    clusters.check_element(ctx, node, tile)
    indices: list[Index] = []
    if tile.space is Space.Register and not ctx.inside_threads:
        ctx.unsupported(node, "an element of a local buffer outside of threads")
    aligned = len(node.indices) == len(found)
    for number, (index, extent) in enumerate(zip(found, tile.shape, strict=True)):
        where = node.indices[number] if aligned else node
        _check_inside(ctx, where, index.value, extent, number)
        if tile.future is not None and not tile.future.is_named_buffer:
            _check_coupled(ctx, where, tile.future, index.value, number)
        indices.append(ctx.index(index.value))
    if tile.root in ctx.initialised:
        initial_values.record(
            ctx, tile, [index.value for index in found], [ONE] * len(found), node.span
        )
    return tile, indices


def _check_inside(
    ctx: Lowering, where: ast.Node, index: Integer, extent: Integer, dim: int
) -> None:
    if is_outside(index, extent):
        ctx.fail(
            Kind.OutOfBounds,
            where,
            f"index of dim {dim} must be below {text(extent)}, got {text(index)}",
        )
    if not isinstance(index, Variable) or not isinstance(extent, Const):
        return
    low, high = interval(index)
    if low is not None and high is not None and high >= max(low, extent.value):
        # It takes each of its values, unless a condition keeps some of them away.
        if not ctx.is_conditional:
            ctx.fail(
                Kind.OutOfBounds,
                where,
                f"index of dim {dim} must be below {text(extent)}, got {text(index)} "
                f"of up to {high}",
            )


def _check_coupled(
    ctx: Lowering, where: ast.Node, future: Future, index: Integer, dim: int
) -> None:
    """Refuse an index that leaves elements of a staged chunk unused.

    The extents of a chunk follow the shape of the arguments; a number in the source
    that does not belongs to one shape.
    """
    extent = future.shape[dim]
    if not isinstance(index, Variable) or not isinstance(extent, Const):
        return
    high = interval(index)[1]
    if high is None or high + 1 >= extent.value or dim in future.coupled:
        return
    future.coupled.add(dim)
    ctx.reporter.error(
        Kind.ShapeCoupling,
        where.span,
        f"index of dim {dim} must reach all {extent.value} elements of {future.name}, "
        f"got {text(index)}, which stays below {high + 1}",
        hint="a number in the source belongs to one shape of the arguments; what is "
        "meant to be a part of the tile is one of its views",
        notes=[(future.span, "the tile is copied here")],
    )


def loaded(ctx: Lowering, node: ast.Element) -> Scalar:
    """The value of an element."""
    return _loaded(ctx, node, *_place(ctx, node))


def _loaded(
    ctx: Lowering, node: ast.Element, tile: Tile, indices: list[Index]
) -> Scalar:
    with ctx.at(node):
        made = ctx.add(croq.LoadOp(tile.ssa, indices)).results[0]
    return scalar(ctx, made, tile.element)


def assign(ctx: Lowering, node: ast.Assign, target: ast.Element) -> None:
    """`x.at(i, j) = value`, `x.at(i, j) += value`; the place is computed once."""
    value = expressions.number(ctx, node.value)
    tile, indices = _place(ctx, target)
    if node.operator is not None:
        before = _loaded(ctx, target, tile, indices)
        value = expressions.arithmetic(ctx, node.operator, before, value, node)
    number = stored(ctx, value, tile.element, node.value)
    with ctx.at(target):
        ctx.add(croq.StoreOp(number.ssa, tile.ssa, indices))


_ATOMICS: Mapping[str, AtomicKind] = MappingProxyType(
    {
        "add": AtomicKind("add"),
        "min": AtomicKind("min"),
        "max": AtomicKind("max"),
        "and": AtomicKind("and"),
        "or": AtomicKind("or"),
        "xor": AtomicKind("xor"),
        "exch": AtomicKind("exch"),
        "cas": AtomicKind("cas"),
    }
)


def atomic(ctx: Lowering, node: ast.Atomic, *, wanted: bool = True) -> Scalar:
    """`__atomic_add(&x.at(i), v)`: relaxed, at the scope of the memory."""
    expected = 3 if node.operation == "cas" else 2
    if len(node.args) != expected:
        ctx.fail(
            Kind.TypeMismatch,
            node,
            f"__atomic_{node.operation} must have {expected} arguments, got "
            f"{len(node.args)}",
        )
    target = node.args[0]
    if isinstance(target, ast.AddressOf):
        target = target.operand
    if not isinstance(target, ast.Element):
        ctx.fail(
            Kind.TypeMismatch,
            node.args[0],
            "the first argument must be an element, &x.at(i)",
        )
    tile, indices = _place(ctx, target)
    value = expressions.number(ctx, node.args[-1])
    operation_name = node.operation
    if operation_name == "sub":
        operation_name = "add"
        value = combined(ctx, "-", Int(Const(0)), value, node)
    if operation_name not in _ATOMICS:
        ctx.unsupported(node, f"__atomic_{node.operation}")
    kind = _ATOMICS[operation_name]
    if tile.element[0] == "u" and operation_name in ("min", "max"):
        kind = AtomicKind(f"u{operation_name}")
    compare = None
    if operation_name == "cas":
        compare = stored(
            ctx, expressions.number(ctx, node.args[1]), tile.element, node
        ).ssa
    operand = stored(ctx, value, tile.element, node.args[-1])
    with ctx.at(node):
        op = croq.AtomicOp(
            kind, operand.ssa, tile.ssa, indices, compare=compare, result=wanted
        )
        ctx.add(op)
    if op.old is None:
        return operand
    return scalar(ctx, op.old, tile.element)


def builtin(ctx: Lowering, node: ast.Builtin) -> Number:
    """A function of numbers."""
    name = node.name.text
    if name in ("__alignup", "__aligndown"):
        _check_count(ctx, node, 2)
        with ctx.at(node):
            return multiples.aligned(ctx, name, node)
    values = [expressions.number(ctx, arg) for arg in node.args]
    with ctx.at(node):
        if name in ("__min", "__max", "min", "max"):
            _check_count(ctx, node, 2)
            return _extreme(ctx, name.strip("_"), values[0], values[1], node)
        if name in FUNCTIONS:
            _check_count(ctx, node, 1)
            return function(ctx, name, values[0], node)
        if name == "__fmaf":
            _check_count(ctx, node, 3)
            type = "f64" if any(map(is_double, values)) else "f32"
            a, b, c = (materialised(ctx, value, type).ssa for value in values)
            return scalar(ctx, ctx.add(math.FmaOp(a, b, c)).results[0], type)
        if name in ROUNDINGS:
            _check_count(ctx, node, 1)
            return ROUNDINGS[name](ctx, values, node)
        if name in COMPOSITES:
            _check_count(ctx, node, 2 if name == "__pow" else 1)
            return COMPOSITES[name](ctx, values, node)
    ctx.unsupported(node, f"function {name}")


def _check_count(ctx: Lowering, node: ast.Builtin, count: int) -> None:
    if len(node.args) != count:
        ctx.fail(
            Kind.TypeMismatch,
            node,
            f"{node.name} must have {count} arguments, got {len(node.args)}",
        )


def _extreme(
    ctx: Lowering, kind: str, a: Number, b: Number, node: ast.Node
) -> Int | Scalar:
    if isinstance(a, Int) and isinstance(b, Int):
        return Int(operation(kind, a.value, b.value))
    return combined(ctx, kind, a, b, node)
