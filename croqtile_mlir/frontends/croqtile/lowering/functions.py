"""Functions: parameters, what runs on the host, and the kernel around it all."""

from __future__ import annotations

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, Region

from croqtile_mlir.analysis.products import WARP_PRODUCTS
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Space
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import (
    buffers,
    expressions,
    initial_values,
    names,
    products,
    statements,
)
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering, Refused
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    Const,
    Integer,
    Named,
    text,
)
from croqtile_mlir.frontends.croqtile.lowering.layout_requests import apply_layouts
from croqtile_mlir.frontends.croqtile.lowering.scalars import as_index
from croqtile_mlir.frontends.croqtile.lowering.types import ELEMENTS, tile_type_of
from croqtile_mlir.frontends.croqtile.lowering.values import (
    Buffer,
    Poison,
    Scalar,
    Tile,
    Value,
    kind_of,
)
from croqtile_mlir.frontends.croqtile.lowering.walking import exchanged_names
from croqtile_mlir.frontends.croqtile.reporting import Kind


def function(l: Lowering) -> croq.KernelOp | None:
    """The kernel of a function; None where it is refused."""
    node = l.function
    l.span = node.name.span
    body = Block()
    arguments: list[str] = []
    l.exchanged = frozenset(exchanged_names(node.body))
    l.initials = initial_values.of(l)
    with l.new_scope(), l.inside(body) as opened:
        l.kernel_level = opened
        names.declare(l)
        for number, param in enumerate(node.params):
            try:
                _parameter(l, param, number, body, arguments)
            except Refused:
                if param.name is not None:
                    l.scope.declare(param.name.text, Poison(), param.span)
        with l.new_scope():
            _host(l, node)
    if l.reporter.has_errors:
        return None
    op = croq.KernelOp(
        node.name.text,
        Region(body),
        dims=l.dims,
        params=l.params,
        arg_names=arguments,
        attributes={WARP_PRODUCTS: UnitAttr()} if l.parts.by_warps else None,
    )
    op.location = l.location
    products.settle(l.parts.accumulators, op)
    apply_layouts(l, op)
    return op


def _parameter(
    l: Lowering, param: ast.Param, number: int, body: Block, arguments: list[str]
) -> None:
    l.span = param.span
    name = param.name.text if param.name is not None else f"unnamed{number}"
    match param.type:
        case ast.StreamType():
            l.reporter.remark(Kind.Ignored, param.span, "the launch chooses the stream")
            return
        case ast.ElementType():
            element = buffers.element_name(l, param.type)
            argument = body.insert_arg(ELEMENTS[element], len(body.args))
            scalar = Scalar(argument, element)
            value: Value = as_index(scalar) if element == "s32" else scalar
        case ast.TileType():
            element = buffers.element_name(l, param.type.element)
            shape = tuple(_extent(l, dim, name) for dim in param.type.dims)
            kind = tile_type_of(shape, element, Space.Global)
            argument = body.insert_arg(kind, len(body.args))
            root = Buffer(name, param.span, is_argument=True)
            value = Tile(argument, shape, element, Space.Global, root=root)
    argument.name_hint = name
    argument.location = l.location
    arguments.append(name)
    if param.name is not None:
        l.declare(param.name, value)


def _extent(l: Lowering, dim: ast.Expr | ast.AnyDim, argument: str) -> Integer:
    """A dim of a parameter: a number, a name that the launch binds, or `?`."""
    if isinstance(dim, ast.AnyDim):
        name = f"{argument}_dim{len(l.dims)}"
        l.dims.append(name)
        return Named(name)
    found = expressions.integer(l, dim)
    if isinstance(found, Const) and found.value < 1:
        l.fail(Kind.ShapeMismatch, dim, f"a dim must be positive, got {found.value}")
    if not isinstance(found, Const | Named):
        l.fail(
            Kind.ShapeMismatch,
            dim,
            f"a dim must be a number or a name, got {text(found)}",
        )
    return found


def _host(l: Lowering, node: ast.Function) -> None:
    """The statements of a function; its `return` is the last one."""
    returned: ast.Return | None = None
    for each in node.body.statements:
        if isinstance(each, ast.Return):
            if returned is None:
                returned = each
            elif each.value != returned.value:
                l.reporter.error(
                    Kind.TypeMismatch,
                    each.span,
                    "all returns of a function must return the same",
                    notes=[(returned.span, "the other one is here")],
                )
            continue
        if not isinstance(each, _ON_HOST):
            l.reporter.error(
                Kind.Unsupported,
                each.span,
                f"{type(each).__name__} outside of parallel has no counterpart",
                hint="the host declares results, shapes and integers only",
            )
            continue
        statements.statement(l, each)
    try:
        _return(l, node, returned)
    except Refused:
        pass


_ON_HOST = (
    ast.Assign,
    ast.ScalarDecl,
    ast.ShapeDecl,
    ast.TupleDecl,
    ast.BufferDecl,
    ast.CallStatement,
    ast.Parallel,
    ast.If,
)


def _return(l: Lowering, node: ast.Function, found: ast.Return | None) -> None:
    if found is None or found.value is None:
        if not isinstance(node.result, ast.VoidType):
            l.fail(
                Kind.TypeMismatch,
                node.name,
                f"{node.name} must return a value, as its result is not void",
            )
        with l.at(node):
            l.add(croq.ReturnOp())
        return
    if isinstance(node.result, ast.VoidType):
        l.fail(
            Kind.TypeMismatch,
            found.value,
            f"{node.name} must return nothing, as its result is void",
        )
    value = expressions.evaluate(l, found.value)
    if not isinstance(value, Tile):
        l.unsupported(found.value, f"{kind_of(value)} as a result")
    if value.root is None or value.root.is_argument:
        l.unsupported(found.value, "an argument as a result", "pass it alone")
    if isinstance(node.result, ast.ElementType | ast.TileType):
        _check_result(l, node.result, value, found.value)
    with l.at(found):
        l.add(croq.ReturnOp([value.ssa]))


def _check_result(
    l: Lowering, stated: ast.ElementType | ast.TileType, value: Tile, where: ast.Node
) -> None:
    element = stated if isinstance(stated, ast.ElementType) else stated.element
    if element.name != value.element:
        l.fail(
            Kind.TypeMismatch,
            where,
            f"result must have elements of type {element.word}, got {value.element}",
            notes=[(stated.span, "the type is stated here")],
        )
