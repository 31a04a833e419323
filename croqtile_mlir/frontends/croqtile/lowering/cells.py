"""Scalars: declarations, reading and assigning."""

from __future__ import annotations

from dataclasses import replace

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Space
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import expressions
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    Compose,
    Const,
    Integer,
    Op,
    Runtime,
)
from croqtile_mlir.frontends.croqtile.lowering.scalars import (
    Number,
    converted,
    scalar,
    stored,
    type_of,
)
from croqtile_mlir.frontends.croqtile.lowering.types import (
    ELEMENTS,
    is_float,
    tile_type_of,
)
from croqtile_mlir.frontends.croqtile.lowering.values import (
    Cell,
    Int,
    Literal,
    Scalar,
    kind_of,
)
from croqtile_mlir.frontends.croqtile.reporting import Kind


def read(ctx: Lowering, cell: Cell) -> Scalar:
    """The value of a scalar now."""
    if cell.tile is None:
        assert cell.ssa is not None
        return Scalar(cell.ssa, cell.type, cell.per_thread)
    if not ctx.inside_threads:
        ctx.unsupported(
            ctx.span, f"{cell.name}, which differs between threads, outside of them"
        )
    made = ctx.add(croq.LoadOp(cell.tile, [0]), cell.name).results[0]
    kept = scalar(ctx, made, _kept_as(cell.type))
    return converted(ctx, kept, cell.type)


def _kept_as(type: str) -> str:
    """The type of the element that keeps a scalar of a type."""
    return "u32" if type == "bool" else type


def declare(
    ctx: Lowering,
    name: ast.Name,
    value: Number,
    type: str | None,
    *,
    mutable: bool,
) -> None:
    """Declare a scalar with a value; an immutable integer stays an expression."""
    kind = type or type_of(value)
    if kind not in ELEMENTS:
        ctx.unsupported(name, f"a scalar of type {kind}")
    spilled = name.text in ctx.spilled
    if isinstance(value, Int):
        value = replace(value, type=kind if kind == "u32" else "s32")
    if not mutable and not spilled:
        if isinstance(value, Int) and not is_float(kind) and kind != "bool":
            ctx.declare(name, value)
            return
        if isinstance(value, Literal) and (
            is_float(kind) == is_float(value.type) or kind == "bool"
        ):
            known = bool(value.value) if kind == "bool" else value.value
            ctx.declare(name, Literal(known, kind))
            return
    if not mutable and isinstance(value, Int) and not _computes(value.value):
        if not is_float(kind) and kind != "bool":
            ctx.declare(name, value)
            return
    number = stored(ctx, value, kind, name)
    if number.ssa.name_hint is None:
        number.ssa.name_hint = name.text
    if not mutable and not spilled:
        ctx.declare(name, number)
        return
    cell = Cell(
        name.text,
        kind,
        number.ssa,
        per_thread=ctx.inside_threads,
        mutable=mutable,
    )
    ctx.declare(name, cell)
    if spilled:
        _keep(ctx, cell)
        _store(ctx, cell, number)


def _computes(value: Integer) -> bool:
    """Whether an integer depends on what the kernel computes."""
    match value:
        case Runtime():
            return True
        case Op(a=a, b=b):
            return _computes(a) or _computes(b)
        case Compose(parts=parts):
            return any(map(_computes, parts))
        case _:
            return False


def _keep(ctx: Lowering, cell: Cell) -> None:
    """Give a scalar that outlives its region a register of each thread."""
    kind = tile_type_of((Const(1),), _kept_as(cell.type), Space.Register)
    cell.tile = ctx.add_in_block(croq.AllocOp(kind), f"{cell.name}_kept").tile
    cell.ssa = None


def _store(ctx: Lowering, cell: Cell, value: Scalar) -> None:
    assert cell.tile is not None
    kept = value
    if cell.type == "bool":
        kept = converted(ctx, Scalar(value.ssa, "bool"), "u32")
    ctx.add(croq.StoreOp(kept.ssa, cell.tile, [0]))


def assign(ctx: Lowering, name: ast.Name, value: Number, where: ast.Node) -> None:
    """Give a mutable scalar a new value."""
    cell = ctx.find(name)
    if not isinstance(cell, Cell) or not cell.mutable:
        place = ctx.scope.place_of(name.text)
        immutable = isinstance(cell, Cell | Int | Scalar | Literal)
        ctx.fail(
            Kind.ImmutableAssign if immutable else Kind.TypeMismatch,
            name,
            f"{name} must be mutable to be assigned again"
            if immutable
            else f"target must be a mutable scalar, got {kind_of(cell)}",
            hint=f"declare it: mutable {_word(cell)} {name} = .."
            if immutable
            else None,
            notes=[] if place is None else [(place, "it is declared here")],
        )
    if ctx.inside_threads and cell.tile is None and not cell.per_thread:
        ctx.unsupported(
            name,
            f"an assignment by each thread to {name}, a scalar of the block",
            "declare it inside the parallel of threads",
        )
    number = stored(ctx, value, cell.type, where)
    if cell.tile is not None:
        _store(ctx, cell, number)
    else:
        cell.ssa = number.ssa
        if cell.ssa.name_hint is None:
            cell.ssa.name_hint = name.text


def _word(value: object) -> str:
    match value:
        case Cell(type=type) | Scalar(type=type) | Literal(type=type):
            return type
        case _:
            return "int"


def incremented(ctx: Lowering, node: ast.Increment) -> Scalar:
    """`x++` and `--x` as a value."""
    cell = ctx.find(node.name)
    if not isinstance(cell, Cell):
        ctx.fail(
            Kind.ImmutableAssign,
            node.name,
            f"{node.name} must be a mutable scalar, got {kind_of(cell)}",
        )
    before = read(ctx, cell)
    after = expressions.arithmetic(ctx, node.operator, before, Int(Const(1)), node)
    assign(ctx, node.name, after, node)
    return read(ctx, cell) if node.prefix else before
