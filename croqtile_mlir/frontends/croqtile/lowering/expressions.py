"""Values of expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from types import MappingProxyType

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import (
    buffers,
    builtins,
    cells,
    choices,
    multiples,
    operators,
    views,
)
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    FOLDS,
    MAX_SHIFT,
    Const,
    Integer,
    is_non_negative,
    operation,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.scalars import (
    COMPARISONS,
    Number,
    as_index,
    check_shift,
    combined,
    compared,
    converted,
    is_unsigned_index,
    known_value,
    literal,
    materialised,
    type_of,
)
from croqtile_mlir.frontends.croqtile.lowering.types import (
    ELEMENTS,
    bits,
    is_float,
    is_unsigned,
    promoted,
)
from croqtile_mlir.frontends.croqtile.lowering.values import (
    Bounded,
    BoundedTuple,
    Cell,
    Future,
    Int,
    Literal,
    Scalar,
    Shape,
    Tile,
    Tuple,
    Value,
    kind_of,
)
from croqtile_mlir.frontends.croqtile.reporting import Kind

_COMPARE: Mapping[str, Callable[[float, float], bool]] = MappingProxyType(
    {
        "==": lambda a, b: a == b,
        "!=": lambda a, b: a != b,
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
    }
)


_WORDS: Mapping[type[ast.Node], str] = MappingProxyType(
    {
        ast.StringLiteral: "text",
        ast.NullLiteral: "nullptr",
        ast.AddressOf: "an address",
        ast.Call: "a call",
        ast.ShapeDimension: "a dim of a shape",
        ast.ShapeDerivation: "a derived shape",
        ast.TupleDerivation: "a derived tuple",
    }
)
"""What messages call expressions that have no value."""


def evaluate(ctx: Lowering, node: ast.Expr) -> Value:
    """The value of an expression; names of variables and cells are read."""
    match node:
        case ast.IntLiteral(value=value, type=kind):
            # An index has 32 bits and a sign.
            if kind == "s32" or (kind == "u32" and 0 <= value < 1 << 31):
                return Int(Const(value), type=kind)
            return materialised(ctx, Int(Const(value)), kind)
        case ast.FloatLiteral(value=value, type=kind):
            return literal(value, kind)
        case ast.BoolLiteral(value=value):
            return Literal(value, "bool")
        case ast.Ref():
            return reference(ctx, node)
        case ast.Element():
            return builtins.loaded(ctx, node)
        case ast.SpanOf(base=base):
            return Shape(buffers.shape_of(ctx, base))
        case ast.Component():
            return _component(ctx, node)
        case ast.ShapeList(args=args) | ast.TupleList(args=args):
            items = integers(ctx, args)
            if isinstance(node, ast.ShapeList):
                return Shape(tuple(item.value for item in items))
            return Tuple(items)
        case ast.Bound(name=name):
            return Int(bound_of(ctx, name))
        case ast.ElementCount(shape=shape):
            return Int(product(as_shape(ctx, evaluate(ctx, shape), shape).dims))
        case ast.ElementSize(element=element):
            return Int(Const(max(1, bits(buffers.element_name(ctx, element)) // 8)))
        case ast.Unary():
            return operators.unary(ctx, node)
        case ast.Binary():
            return operators.binary(ctx, node)
        case ast.Conditional():
            return choices.conditional(ctx, node)
        case ast.Cdiv():
            return multiples.divided_up(ctx, node)
        case ast.Increment():
            return cells.incremented(ctx, node)
        case ast.Builtin():
            return builtins.builtin(ctx, node)
        case ast.Convert():
            return _convert(ctx, node)
        case ast.Atomic():
            return builtins.atomic(ctx, node)
        case ast.View():
            return views.view(ctx, node)
        case ast.Select():
            return choices.select(ctx, node)
        case _:
            what = _WORDS.get(type(node), "this expression")
            ctx.unsupported(node, f"{what} as a value")


def reference(ctx: Lowering, node: ast.Ref) -> Value:
    """What `x`, `x[i]`, `x.data` stands for; a cell and a variable are read."""
    found = ctx.find(node.name)
    if node.member is not None or node.subscripts:
        return buffers.tile(ctx, node)
    match found:
        case Bounded():
            return Int(found.value, found.bound)
        case BoundedTuple(parts=parts):
            return Tuple(tuple(Int(part.value, part.bound) for part in parts))
        case Cell():
            return cells.read(ctx, found)
        case _:
            return found


def bound_of(ctx: Lowering, name: ast.Name) -> Integer:
    """`#name`."""
    match ctx.find(name):
        case Bounded(bound=bound):
            return bound
        case BoundedTuple(parts=parts):
            return product(tuple(part.bound for part in parts))
        case Int(bound=bound) if bound is not None:
            return bound
        case found:
            ctx.fail(
                Kind.TypeMismatch,
                name,
                f"operand of # must be a bounded variable, got {kind_of(found)}",
                hint="variables of parallel, with and foreach are bounded",
            )


def number(ctx: Lowering, node: ast.Expr) -> Number:
    """An expression that must be a number."""
    return as_number(ctx, evaluate(ctx, node), node)


def as_number(ctx: Lowering, value: Value, where: ast.Node) -> Number:
    """A value that must be a number."""
    if isinstance(value, Int | Scalar | Literal):
        return value
    if isinstance(value, Tuple) and len(value.items) == 1:
        return value.items[0]
    ctx.fail(
        Kind.TypeMismatch, where, f"operand must be a number, got {kind_of(value)}"
    )


def bounded_integer(ctx: Lowering, node: ast.Expr) -> Int:
    """An expression that must be an integer, with its chunk factor."""
    return as_integer(ctx, evaluate(ctx, node), node)


def as_integer(ctx: Lowering, value: Value, where: ast.Node) -> Int:
    """A value that must be an integer, with its chunk factor."""
    match found := as_number(ctx, value, where):
        case Int():
            return found
        case Scalar() if not is_float(found.type) and found.type != "bool":
            return as_index(ctx, found)
        case _:
            ctx.fail(
                Kind.TypeMismatch,
                where,
                f"operand must be an integer, got {kind_of(found)}",
            )


def integer(ctx: Lowering, node: ast.Expr) -> Integer:
    """An expression that must be an integer."""
    return bounded_integer(ctx, node).value


def integers(ctx: Lowering, args: tuple[ast.Arg, ...]) -> tuple[Int, ...]:
    """A list of integers in which tuples and shapes stand for their elements."""
    found: list[Int] = []
    for arg in args:
        if isinstance(arg, ast.Whole):
            ctx.fail(Kind.TypeMismatch, arg, "_ must be in the arguments of a view")
        found.extend(integers_of(ctx, arg))
    return tuple(found)


def integers_of(ctx: Lowering, node: ast.Expr) -> tuple[Int, ...]:
    """The elements of a tuple or shape, or the one integer."""
    match value := evaluate(ctx, node):
        case Tuple(items=items):
            return items
        case Shape(dims=dims):
            return tuple(Int(dim) for dim in dims)
        case _:
            return (as_integer(ctx, value, node),)


def as_shape(ctx: Lowering, value: Value, where: ast.Node) -> Shape:
    """A value that must be a shape; an integer is a shape of one dim."""
    match value:
        case Shape():
            return value
        case Tuple(items=items):
            return Shape(tuple(item.value for item in items))
        case Int():
            return Shape((value.value,))
        case Tile(shape=shape, array=()) | Future(shape=shape):
            return Shape(shape)
        case _:
            ctx.fail(Kind.TypeMismatch, where, f"must be a shape, got {kind_of(value)}")


def condition(ctx: Lowering, node: ast.Expr) -> Scalar | bool:
    """An expression as a condition; True or False where it is known."""
    found = evaluate(ctx, node)
    match found:
        case Literal(value=value):
            return bool(value)
        case Int(value=Const(value=value)):
            return bool(value)
        case Int():
            return compared(ctx, "!=", found, Int(Const(0)))
        case Scalar():
            return converted(ctx, found, "bool")
        case _:
            ctx.fail(
                Kind.TypeMismatch,
                node,
                f"condition must be a bool, got {kind_of(found)}",
            )


def product(dims: tuple[Integer, ...]) -> Integer:
    return reduce(lambda a, b: operation("*", a, b), dims, Const(1))


def _component(ctx: Lowering, node: ast.Component) -> Value:
    place = integer(ctx, node.index)
    if not isinstance(place, Const):
        ctx.fail(
            Kind.TypeMismatch,
            node.index,
            f"index must be a number, got {text(place)}",
        )
    index = place.value
    base = node.base
    if isinstance(base, ast.Ref) and base.is_plain:
        match ctx.find(base.name):
            case Bounded(bound=bound):
                value = place if index >= 0 else operation("+", bound, Const(index))
                return Int(value, bound)
            case _:
                pass
    found = evaluate(ctx, base)
    match found:
        case Shape(dims=dims):
            items: tuple[Int, ...] = tuple(Int(dim) for dim in dims)
        case Tuple(items=items):
            pass
        case _:
            ctx.fail(
                Kind.TypeMismatch,
                base,
                f"must be a shape, a tuple or a bounded variable, got {kind_of(found)}",
            )
    if not 0 <= index < len(items):
        ctx.fail(
            Kind.RankMismatch,
            node.index,
            f"index must be below the {len(items)} elements, got {index}",
        )
    return items[index]


def arithmetic(
    ctx: Lowering, operator: str, left: Number, right: Number, node: ast.Node
) -> Int | Scalar | Literal:
    """`left operator right` of two numbers."""
    if operator in COMPARISONS:
        return _comparison(ctx, operator, left, right)
    if isinstance(left, Int) and isinstance(right, Int):
        value = integer_operation(ctx, operator, left.value, right.value, node)
        type = promoted(left.type, right.type)
        if type == "s32" or (is_unsigned_index(left, right) and is_non_negative(value)):
            return Int(value, _bound_after(operator, left, right), type)
    if isinstance(left, Literal | Int) and isinstance(right, Literal | Int):
        folded = _folded(operator, left, right)
        if folded is not None:
            return folded
    return combined(ctx, operator, left, right, node)


def _comparison(
    ctx: Lowering, operator: str, left: Number, right: Number
) -> Scalar | Literal:
    a, b = known_value(left), known_value(right)
    if a is not None and b is not None:
        type = promoted(type_of(left), type_of(right))
        if min(a, b) >= 0 or not is_unsigned(type):
            return Literal(_COMPARE[operator](a, b), "bool")
    return compared(ctx, operator, left, right)


def _folded(operator: str, left: Int | Literal, right: Int | Literal) -> Literal | None:
    a, b = known_value(left), known_value(right)
    type = promoted(type_of(left), type_of(right))
    if a is None or b is None or operator not in "+-*" or not is_float(type):
        return None
    return literal({"+": a + b, "-": a - b, "*": a * b}[operator], type)


def _bound_after(operator: str, left: Int, right: Int) -> Integer | None:
    """`v + c` and `v - c` keep the chunk factor of v."""
    if operator not in "+-":
        return None
    if left.bound is not None and right.bound is None:
        return left.bound
    if operator == "+" and left.bound is None:
        return right.bound
    return None


def integer_operation(
    ctx: Lowering, operator: str, a: Integer, b: Integer, node: ast.Node
) -> Integer:
    """`a operator b` of two integers of the front end."""
    if operator not in FOLDS:
        ctx.unsupported(node, f"operator {operator} on integers")
    if operator in ("/", "%", "cdiv") and b == Const(0):
        ctx.fail(Kind.OutOfBounds, node, f"divisor must not be 0, got {text(a)} by 0")
    if operator in ("<<", ">>"):
        check_shift(ctx, Int(b), MAX_SHIFT, node)
    return operation(operator, a, b)


def _convert(ctx: Lowering, node: ast.Convert) -> Value:
    if isinstance(node.type, ast.StringLiteral):
        ctx.fail(
            Kind.UnsupportedEscape,
            node.type,
            f'must convert to an element type, got "{node.type.value}"',
        )
    name = node.type.name
    if name not in ELEMENTS:
        ctx.unsupported(node.type, f"element type {node.type.word}")
    return materialised(ctx, number(ctx, node.operand), name)
