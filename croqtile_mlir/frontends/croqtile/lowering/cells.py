"""Scalars: declarations, reading and assigning."""

from __future__ import annotations

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
    as_index,
    converted,
    materialised,
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


def read(l: Lowering, cell: Cell) -> Int | Scalar:
    """The value of a scalar now; integers can be indices."""
    found = _value(l, cell)
    if found.type in ("s32", "u32", "s64", "u64"):
        return as_index(found) if found.type == "s32" else found
    return found


def _value(l: Lowering, cell: Cell) -> Scalar:
    if cell.tile is None:
        assert cell.ssa is not None
        return Scalar(cell.ssa, cell.type, cell.per_thread)
    if l.threads is None or not l.threads.inside:
        l.unsupported(
            l.span, f"{cell.name}, which differs between threads, outside of them"
        )
    at = [l.index(variable) for variable in l.threads.variables]
    made = l.add(croq.LoadOp(cell.tile, at), cell.name).results[0]
    kept = scalar(l, made, _kept_as(cell.type))
    return converted(l, kept, cell.type)


def _kept_as(type: str) -> str:
    """The type of the element that keeps a scalar of a type."""
    return "u8" if type == "bool" else type


def declare(
    l: Lowering,
    name: ast.Name,
    value: Number,
    type: str | None,
    *,
    mutable: bool,
) -> None:
    """Declare a scalar with a value; an immutable integer stays an expression."""
    kind = type or type_of(value)
    if kind not in ELEMENTS:
        l.unsupported(name, f"a scalar of type {kind}")
    spilled = name.text in l.spilled
    if not mutable and not spilled:
        if isinstance(value, Int) and not is_float(kind) and kind != "bool":
            l.declare(name, value)
            return
        if isinstance(value, Literal) and (
            is_float(kind) == is_float(value.type) or kind == "bool"
        ):
            l.declare(name, Literal(value.value, kind))
            return
    if not mutable and isinstance(value, Int) and not _computes(value.value):
        if not is_float(kind) and kind != "bool":
            l.declare(name, value)
            return
    number = stored(l, value, kind, name)
    if number.ssa.name_hint is None:
        number.ssa.name_hint = name.text
    if not mutable and not spilled:
        l.declare(name, number)
        return
    inside = l.threads is not None and l.threads.inside
    cell = Cell(name.text, kind, number.ssa, per_thread=inside, mutable=mutable)
    l.declare(name, cell)
    if spilled:
        _keep(l, cell)
        _store(l, cell, number)


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


def _keep(l: Lowering, cell: Cell) -> None:
    """Give a scalar that outlives its region a place for each thread."""
    assert l.threads is not None
    extents: tuple[Integer, ...] = tuple(Const(e) for e in l.threads.extents)
    kind = tile_type_of(extents, _kept_as(cell.type), Space.Shared)
    cell.tile = l.add_in_block(croq.AllocOp(kind), f"{cell.name}_s").tile
    cell.ssa = None


def _store(l: Lowering, cell: Cell, value: Scalar) -> None:
    assert l.threads is not None and cell.tile is not None
    at = [l.index(variable) for variable in l.threads.variables]
    kept = value
    if cell.type == "bool":
        kept = converted(l, Scalar(value.ssa, "bool"), "u8")
    l.add(croq.StoreOp(kept.ssa, cell.tile, at))


def assign(l: Lowering, name: ast.Name, value: Number, where: ast.Node) -> None:
    """Give a mutable scalar a new value."""
    cell = l.find(name)
    if not isinstance(cell, Cell) or not cell.mutable:
        place = l.scope.place_of(name.text)
        immutable = isinstance(cell, Cell | Int | Scalar | Literal)
        l.fail(
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
    inside = l.threads is not None and l.threads.inside
    if inside and cell.tile is None and not cell.per_thread:
        l.unsupported(
            name,
            f"an assignment by each thread to {name}, a scalar of the block",
            "declare it inside the parallel of threads",
        )
    number = stored(l, value, cell.type, where)
    if cell.tile is not None:
        _store(l, cell, number)
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


def incremented(l: Lowering, node: ast.Increment) -> Int | Scalar:
    """`x++` and `--x` as a value."""
    cell = l.find(node.name)
    if not isinstance(cell, Cell):
        l.fail(
            Kind.ImmutableAssign,
            node.name,
            f"{node.name} must be a mutable scalar, got {kind_of(cell)}",
        )
    before = read(l, cell)
    after = expressions.arithmetic(
        l, node.operator, materialised(l, before), Int(Const(1)), node
    )
    assign(l, node.name, after, node)
    return read(l, cell) if node.prefix else before
