"""Values of expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from types import MappingProxyType

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Region

from croqtile_mlir.dialects import croq
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import buffers, builtins, cells, views
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    FOLDS,
    Const,
    Integer,
    compose,
    operation,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.scalars import (
    COMPARISONS,
    Number,
    as_index,
    combined,
    compared,
    converted,
    materialised,
    negated,
    scalar,
    type_of,
)
from croqtile_mlir.frontends.croqtile.lowering.types import (
    ELEMENTS,
    bits,
    is_float,
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
from croqtile_mlir.frontends.croqtile.lowering.walking import walk
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


def evaluate(ctx: Lowering, node: ast.Expr) -> Value:
    """The value of an expression; names of variables and cells are read."""
    match node:
        case ast.IntLiteral(value=value, type=kind):
            if kind in ("s32", "u32"):
                return Int(Const(value))
            return materialised(ctx, Int(Const(value)), kind)
        case ast.FloatLiteral(value=value, type=kind):
            return Literal(value, kind)
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
            return Int(Const(max(1, bits(element.name) // 8)))
        case ast.Unary():
            return _unary(ctx, node)
        case ast.Binary():
            return _binary(ctx, node)
        case ast.Conditional():
            return _conditional(ctx, node)
        case ast.Cdiv(dividend=a, divisor=b):
            return Int(_operation(ctx, "cdiv", integer(ctx, a), integer(ctx, b), node))
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
            return _select(ctx, node)
        case _:
            ctx.unsupported(node, f"{type(node).__name__} as a value")


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
    found = evaluate(ctx, node)
    if isinstance(found, Int | Scalar | Literal):
        return found
    if isinstance(found, Tuple) and len(found.items) == 1:
        return found.items[0]
    ctx.fail(Kind.TypeMismatch, node, f"operand must be a number, got {kind_of(found)}")


def bounded_integer(ctx: Lowering, node: ast.Expr) -> Int:
    """An expression that must be an integer, with its chunk factor."""
    found = number(ctx, node)
    match found:
        case Int():
            return found
        case Scalar() if not is_float(found.type) and found.type != "bool":
            return as_index(found)
        case _:
            ctx.fail(
                Kind.TypeMismatch,
                node,
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
        value = evaluate(ctx, arg)
        match value:
            case Tuple(items=items):
                found.extend(items)
            case Shape(dims=dims):
                found.extend(Int(dim) for dim in dims)
            case Int():
                found.append(value)
            case _:
                found.append(bounded_integer(ctx, arg))
    return tuple(found)


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


def _unary(ctx: Lowering, node: ast.Unary) -> Value:
    if node.operator == "!":
        found = condition(ctx, node.operand)
        if isinstance(found, bool):
            return Literal(not found, "bool")
        return negated(ctx, found)
    value = number(ctx, node.operand)
    match node.operator, value:
        case "-", Int():
            return Int(operation("-", Const(0), value.value))
        case "-", Literal():
            return Literal(-value.value, value.type)
        case "-", Scalar() if is_float(value.type):
            return scalar(ctx, ctx.add(arith.NegfOp(value.ssa)).results[0], value.type)
        case "-", _:
            return combined(ctx, "-", Int(Const(0)), value, node)
        case _:
            return combined(ctx, "^", value, Int(Const(-1)), node)


def _binary(ctx: Lowering, node: ast.Binary) -> Value:
    operator = node.operator
    if operator in ("&&", "||"):
        return _logical(ctx, node)
    if operator == "#":
        return _composed(ctx, node)
    if operator.startswith("#"):
        ctx.unsupported(node, f"operator {operator} on bounds", "use it on #v")
    left, right = evaluate(ctx, node.left), evaluate(ctx, node.right)
    if isinstance(left, Shape | Tuple) or isinstance(right, Shape | Tuple):
        return _elementwise(ctx, node, left, right)
    for operand, value in ((node.left, left), (node.right, right)):
        if not isinstance(value, Int | Scalar | Literal):
            ctx.fail(
                Kind.TypeMismatch,
                operand,
                f"operand must be a number, got {kind_of(value)}",
            )
    assert isinstance(left, Int | Scalar | Literal)
    assert isinstance(right, Int | Scalar | Literal)
    return arithmetic(ctx, operator, left, right, node)


def arithmetic(
    ctx: Lowering, operator: str, left: Number, right: Number, node: ast.Node
) -> Int | Scalar | Literal:
    """`left operator right` of two numbers."""
    if operator in COMPARISONS:
        return _comparison(ctx, operator, left, right)
    if isinstance(left, Int) and isinstance(right, Int):
        value = _operation(ctx, operator, left.value, right.value, node)
        return Int(value, _bound_after(operator, left, right))
    if isinstance(left, Literal | Int) and isinstance(right, Literal | Int):
        folded = _folded(operator, left, right)
        if folded is not None:
            return folded
    return combined(ctx, operator, left, right, node)


def _comparison(
    ctx: Lowering, operator: str, left: Number, right: Number
) -> Scalar | Literal:
    known = [_known(value) for value in (left, right)]
    a, b = known
    if a is not None and b is not None:
        return Literal(_COMPARE[operator](a, b), "bool")
    return compared(ctx, operator, left, right)


def _known(value: Number) -> float | None:
    match value:
        case Int(value=Const(value=number)):
            return number
        case Literal():
            return value.value
        case _:
            return None


def _folded(operator: str, left: Int | Literal, right: Int | Literal) -> Literal | None:
    a, b = _known(left), _known(right)
    type = promoted(type_of(left), type_of(right))
    if a is None or b is None or operator not in "+-*" or not is_float(type):
        return None
    return Literal(
        {"+": a + b, "-": a - b, "*": a * b}[operator],
        type,
    )


def _bound_after(operator: str, left: Int, right: Int) -> Integer | None:
    """`v + c` and `v - c` keep the chunk factor of v."""
    if operator not in "+-":
        return None
    if left.bound is not None and right.bound is None:
        return left.bound
    if operator == "+" and left.bound is None:
        return right.bound
    return None


def _operation(
    ctx: Lowering, operator: str, a: Integer, b: Integer, node: ast.Node
) -> Integer:
    if operator not in FOLDS:
        ctx.unsupported(node, f"operator {operator} on integers")
    if operator in ("/", "%", "cdiv") and b == Const(0):
        ctx.fail(Kind.OutOfBounds, node, f"divisor must not be 0, got {text(a)} by 0")
    return operation(operator, a, b)


def _elementwise(
    ctx: Lowering, node: ast.Binary, left: Value, right: Value
) -> Shape | Tuple:
    sides: list[tuple[Integer, ...] | None] = []
    for value, operand in ((left, node.left), (right, node.right)):
        match value:
            case Shape(dims=dims):
                sides.append(dims)
            case Tuple(items=items):
                sides.append(tuple(item.value for item in items))
            case Int():
                sides.append(None)
            case _:
                ctx.fail(
                    Kind.TypeMismatch,
                    operand,
                    f"operand must be a shape or integers, got {kind_of(value)}",
                )
    a, b = sides
    if a is not None and b is not None and len(a) != len(b):
        ctx.fail(
            Kind.RankMismatch,
            node.right,
            f"operands must have equal rank, got {len(a)} and {len(b)}",
        )
    rank = len(a if a is not None else b or ())
    scalars = [value.value for value in (left, right) if isinstance(value, Int)]
    a = a if a is not None else (scalars[0],) * rank
    b = b if b is not None else (scalars[-1],) * rank
    dims = tuple(
        _operation(ctx, node.operator, x, y, node) for x, y in zip(a, b, strict=True)
    )
    if isinstance(left, Shape) or isinstance(right, Shape):
        return Shape(dims)
    return Tuple(tuple(Int(dim) for dim in dims))


def _composed(ctx: Lowering, node: ast.Binary) -> Int:
    operands: list[ast.Expr] = []
    left: ast.Expr = node
    while isinstance(left, ast.Binary) and left.operator == "#":
        operands.insert(0, left.right)
        left = left.left
    operands.insert(0, left)
    parts = [bounded_integer(ctx, operand) for operand in operands]
    bounds: list[Integer] = []
    for part, operand in zip(parts[1:], operands[1:], strict=True):
        if part.bound is None:
            ctx.fail(
                Kind.TypeMismatch,
                operand,
                "operand after # must be bounded, got an integer without a bound",
                hint="variables of parallel, with and foreach are bounded",
            )
        bounds.append(part.bound)
    value = compose(tuple(part.value for part in parts), tuple(bounds))
    first = parts[0].bound
    return Int(value, None if first is None else product((first, *bounds)))


def _has_access(node: ast.Node) -> bool:
    return any(isinstance(each, ast.Element | ast.Atomic) for each in walk(node))


def _logical(ctx: Lowering, node: ast.Binary) -> Scalar | Literal:
    left = condition(ctx, node.left)
    stops = node.operator == "||"
    if isinstance(left, bool):
        if left is stops:
            return Literal(stops, "bool")
        right = condition(ctx, node.right)
        return Literal(right, "bool") if isinstance(right, bool) else right
    if not _has_access(node.right):
        right = condition(ctx, node.right)
        if isinstance(right, bool):
            return Literal(stops, "bool") if right is stops else left
        maker = arith.OrIOp if stops else arith.AndIOp
        made = ctx.add(maker(left.ssa, right.ssa)).result
        return Scalar(made, "bool", left.per_thread or right.per_thread)

    def other() -> Scalar:
        right = condition(ctx, node.right)
        if isinstance(right, bool):
            return materialised(ctx, Literal(right, "bool"))
        return right

    def known() -> Scalar:
        return materialised(ctx, Literal(stops, "bool"))

    return (
        _branches(ctx, left, known, other)
        if stops
        else _branches(ctx, left, other, known)
    )


def _branches(
    ctx: Lowering,
    chosen: Scalar,
    then: Callable[[], Scalar],
    otherwise: Callable[[], Scalar],
) -> Scalar:
    blocks: list[Block] = []
    results: list[Scalar] = []
    for make in (then, otherwise):
        block = Block()
        with ctx.inside(block):
            results.append(make())
            ctx.add(scf.YieldOp(results[-1].ssa))
        blocks.append(block)
    first = results[0]
    made = ctx.add(
        scf.IfOp(chosen.ssa, [first.ssa.type], Region(blocks[0]), Region(blocks[1]))
    )
    per_thread = chosen.per_thread or any(each.per_thread for each in results)
    return Scalar(made.results[0], first.type, per_thread)


def _conditional(ctx: Lowering, node: ast.Conditional) -> Value:
    chosen = condition(ctx, node.condition)
    if isinstance(chosen, bool):
        return evaluate(ctx, node.then if chosen else node.otherwise)
    if not (_has_access(node.then) or _has_access(node.otherwise)):
        left, right = number(ctx, node.then), number(ctx, node.otherwise)
        return chosen_number(ctx, chosen, left, right)
    kinds: list[str] = []
    # The type of a branch is known only when it has been made: make it once to see.
    for branch in (node.then, node.otherwise):
        with ctx.inside(Block()):
            kinds.append(type_of(number(ctx, branch)))
    type = promoted(kinds[0], kinds[1])
    return _branches(
        ctx,
        chosen,
        lambda: materialised(ctx, number(ctx, node.then), type),
        lambda: materialised(ctx, number(ctx, node.otherwise), type),
    )


def chosen_number(ctx: Lowering, chosen: Scalar, left: Number, right: Number) -> Scalar:
    """One of two numbers."""
    type = promoted(type_of(left), type_of(right))
    if type_of(left) == type_of(right) == "bool":
        type = "bool"
    a, b = materialised(ctx, left, type), materialised(ctx, right, type)
    made = ctx.add(arith.SelectOp(chosen.ssa, a.ssa, b.ssa)).result
    return Scalar(made, type, chosen.per_thread or a.per_thread or b.per_thread)


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


def _select(ctx: Lowering, node: ast.Select) -> Value:
    if len(node.candidates) != 2:
        ctx.unsupported(
            node, f"select between {len(node.candidates)} values", "nest selects of two"
        )
    chosen = condition(ctx, node.selector)
    first, second = (evaluate(ctx, each) for each in node.candidates)
    if isinstance(chosen, bool):
        return first if chosen else second
    if isinstance(first, Future) and isinstance(second, Future):
        for future, candidate in zip((first, second), node.candidates, strict=True):
            if future.handle is None:
                ctx.unsupported(candidate, "a future without a handle in select")
        assert first.handle is not None
        assert second.handle is not None
        made = ctx.add(croq.SelectOp(chosen.ssa, first.handle, second.handle))
        return Future(
            "select",
            node.span,
            max(first.state, second.state),
            first.shape,
            first.element,
            first.space,
            handle=made.chosen,
        )
    for value, candidate in zip((first, second), node.candidates, strict=True):
        if not isinstance(value, Int | Scalar | Literal):
            ctx.fail(
                Kind.TypeMismatch,
                candidate,
                f"must choose between numbers or futures, got {kind_of(value)}",
            )
    assert isinstance(first, Int | Scalar | Literal)
    assert isinstance(second, Int | Scalar | Literal)
    return chosen_number(ctx, chosen, first, second)
