"""Elements of buffers, atomics, and the functions of the language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from xdsl.dialects import arith, math
from xdsl.ir import Operation, SSAValue

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import AtomicKind
from croqtile_mlir.dialects.croq.index import Index
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import buffers, expressions
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    Const,
    Integer,
    interval,
    operation,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.scalars import (
    Number,
    as_index,
    combined,
    compared,
    materialised,
    scalar,
    stored,
    type_of,
)
from croqtile_mlir.frontends.croqtile.lowering.types import is_float, promoted
from croqtile_mlir.frontends.croqtile.lowering.values import (
    Int,
    Literal,
    Scalar,
    Tile,
)
from croqtile_mlir.frontends.croqtile.reporting import Kind


def _place(l: Lowering, node: ast.Element) -> tuple[Tile, list[Index]]:
    """The buffer and the indices of an element."""
    tile = buffers.tile(l, node.base)
    if tile.array:
        l.fail(
            Kind.RankMismatch,
            node.base,
            f"an element must be of one buffer, got the array {node.base.name}",
            hint=f"{node.base.name}[i] is one buffer",
        )
    found = expressions.integers(l, node.indices)
    if len(found) != len(tile.shape):
        l.fail(
            Kind.RankMismatch,
            node,
            f"must have {len(tile.shape)} indices for {node.base.name} of rank "
            f"{len(tile.shape)}, got {len(found)}",
        )
    indices: list[Index] = []
    if tile.thread_dims:
        if l.threads is None or not l.threads.inside:
            l.unsupported(node, "an element of a local buffer outside of threads")
        indices += [l.index(variable) for variable in l.threads.variables]
    aligned = len(node.indices) == len(found)
    for number, (index, extent) in enumerate(zip(found, tile.shape, strict=True)):
        where = node.indices[number] if aligned else node
        _check_inside(l, where, index.value, extent, number)
        indices.append(l.index(index.value))
    return tile, indices


def _check_inside(
    l: Lowering, where: ast.Node, index: Integer, extent: Integer, dim: int
) -> None:
    low, high = interval(index)
    if (isinstance(extent, Const) and low is not None and low >= extent.value) or (
        high is not None and high < 0
    ):
        l.fail(
            Kind.OutOfBounds,
            where,
            f"index of dim {dim} must be below {text(extent)}, got {text(index)}",
        )


def loaded(l: Lowering, node: ast.Element) -> Int | Scalar:
    """The value of an element; an s32 can be an index."""
    tile, indices = _place(l, node)
    with l.at(node):
        made = l.add(croq.LoadOp(tile.ssa, indices)).results[0]
    found = scalar(l, made, tile.element)
    return as_index(found) if tile.element == "s32" else found


def store(l: Lowering, node: ast.Element, value: Number) -> None:
    """`x.at(i, j) = value`."""
    tile, indices = _place(l, node)
    number = stored(l, value, tile.element, node)
    with l.at(node):
        l.add(croq.StoreOp(number.ssa, tile.ssa, indices))


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


def atomic(l: Lowering, node: ast.Atomic, *, wanted: bool = True) -> Scalar | Int:
    """`__atomic_add(&x.at(i), v)`: relaxed, at the scope of the memory."""
    expected = 3 if node.operation == "cas" else 2
    if len(node.args) != expected:
        l.fail(
            Kind.TypeMismatch,
            node,
            f"__atomic_{node.operation} must have {expected} arguments, got "
            f"{len(node.args)}",
        )
    target = node.args[0]
    if isinstance(target, ast.AddressOf):
        target = target.operand
    if not isinstance(target, ast.Element):
        l.fail(
            Kind.TypeMismatch,
            node.args[0],
            "the first argument must be an element, &x.at(i)",
        )
    tile, indices = _place(l, target)
    value = expressions.number(l, node.args[-1])
    operation_name = node.operation
    if operation_name == "sub":
        operation_name = "add"
        value = combined(l, "-", Int(Const(0)), value, node)
    if operation_name not in _ATOMICS:
        l.unsupported(node, f"__atomic_{node.operation}")
    kind = _ATOMICS[operation_name]
    if tile.element[0] == "u" and operation_name in ("min", "max"):
        kind = AtomicKind(f"u{operation_name}")
    compare = None
    if operation_name == "cas":
        compare = stored(l, expressions.number(l, node.args[1]), tile.element, node).ssa
    operand = stored(l, value, tile.element, node.args[-1])
    with l.at(node):
        op = croq.AtomicOp(
            kind, operand.ssa, tile.ssa, indices, compare=compare, result=wanted
        )
        l.add(op)
    if op.old is None:
        return operand
    old = scalar(l, op.old, tile.element)
    return as_index(old) if tile.element == "s32" else old


_Maker = Callable[[SSAValue], Operation]

_MATH: Mapping[str, _Maker] = MappingProxyType(
    {
        "__exp": math.ExpOp,
        "__exp2f": math.Exp2Op,
        "__log": math.LogOp,
        "__sqrt": math.SqrtOp,
        "__rsqrt": math.RsqrtOp,
        "__tanh": math.TanhOp,
        "__fabs": math.AbsFOp,
    }
)
"""Functions that are one op."""


def builtin(l: Lowering, node: ast.Builtin) -> Int | Scalar | Literal:
    """A function of numbers."""
    name = node.name.text
    values = [expressions.number(l, arg) for arg in node.args]
    with l.at(node):
        if name in ("__min", "__max", "min", "max"):
            _check_count(l, node, 2)
            return _extreme(l, name.strip("_"), values[0], values[1], node)
        if name in ("__alignup", "__aligndown"):
            _check_count(l, node, 2)
            return _aligned(l, name, node)
        if name in _MATH:
            _check_count(l, node, 1)
            return _function(l, name, values[0])
        if name == "__fmaf":
            _check_count(l, node, 3)
            a, b, c = (materialised(l, value, "f32").ssa for value in values)
            return scalar(l, l.add(math.FmaOp(a, b, c)).results[0], "f32")
        if name in _COMPOSITES:
            _check_count(l, node, 2 if name == "__pow" else 1)
            return _COMPOSITES[name](l, values, node)
    l.unsupported(node, f"function {name}")


def _check_count(l: Lowering, node: ast.Builtin, count: int) -> None:
    if len(node.args) != count:
        l.fail(
            Kind.TypeMismatch,
            node,
            f"{node.name} must have {count} arguments, got {len(node.args)}",
        )


def _float_type(value: Number) -> str:
    found = type_of(value)
    return found if found in ("f16", "bf16", "f32") else "f32"


def _function(l: Lowering, name: str, value: Number) -> Scalar:
    type = _float_type(value)
    operand = materialised(l, value, type)
    made = l.add(_MATH[name](operand.ssa)).results[0]
    return Scalar(made, type, operand.per_thread)


def _extreme(
    l: Lowering, kind: str, a: Number, b: Number, node: ast.Node
) -> Int | Scalar:
    if isinstance(a, Int) and isinstance(b, Int):
        return Int(operation(kind, a.value, b.value))
    return combined(l, kind, a, b, node)


def _aligned(l: Lowering, name: str, node: ast.Builtin) -> Int:
    value, unit = (expressions.integer(l, arg) for arg in node.args)
    kind = "cdiv" if name == "__alignup" else "/"
    return Int(operation("*", operation(kind, value, unit), unit))


def _reciprocal(l: Lowering, values: list[Number], node: ast.Node) -> Scalar:
    return combined(l, "/", Literal(1.0, _float_type(values[0])), values[0], node)


def _sigmoid(l: Lowering, values: list[Number], node: ast.Node) -> Scalar:
    type = _float_type(values[0])
    minus = combined(l, "-", Literal(0.0, type), values[0], node)
    below = combined(l, "+", _function(l, "__exp", minus), Literal(1.0, type), node)
    return combined(l, "/", Literal(1.0, type), below, node)


def _softplus(l: Lowering, values: list[Number], node: ast.Node) -> Scalar:
    type = _float_type(values[0])
    grown = combined(l, "+", _function(l, "__exp", values[0]), Literal(1.0, type), node)
    return _function(l, "__log", grown)


def _power(l: Lowering, values: list[Number], node: ast.Node) -> Scalar:
    type = promoted(_float_type(values[0]), _float_type(values[1]))
    base = materialised(l, values[0], type)
    logarithm = l.add(math.Log2Op(base.ssa)).results[0]
    scaled = combined(l, "*", scalar(l, logarithm, type), values[1], node)
    return scalar(l, l.add(math.Exp2Op(scaled.ssa)).results[0], type)


def _sign(l: Lowering, values: list[Number], node: ast.Node) -> Scalar:
    type = type_of(values[0])
    zero: Number = Literal(0.0, type) if is_float(type) else Int(Const(0))
    value = materialised(l, values[0], type)
    above = compared(l, ">", value, zero)
    below = compared(l, "<", value, zero)
    one, none = (materialised(l, Int(Const(n)), type) for n in (1, 0))
    up, down = (
        l.add(arith.SelectOp(each.ssa, one.ssa, none.ssa)).result
        for each in (above, below)
    )
    return combined(l, "-", scalar(l, up, type), scalar(l, down, type), node)


_COMPOSITES: Mapping[str, Callable[[Lowering, list[Number], ast.Node], Scalar]] = (
    MappingProxyType(
        {
            "__frcp_rn": _reciprocal,
            "__sigmoid": _sigmoid,
            "__softplus": _softplus,
            "__pow": _power,
            "__sign": _sign,
        }
    )
)
