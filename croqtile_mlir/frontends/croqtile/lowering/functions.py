"""Functions: parameters, what runs on the host, and the kernel around it all."""

from __future__ import annotations

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, Block, Region

from croqtile_mlir.analysis.products import WARP_PRODUCTS
from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import Space
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import (
    accumulators,
    buffers,
    expressions,
    initial_values,
    launches,
    names,
    statements,
)
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering, Refused
from croqtile_mlir.frontends.croqtile.lowering.integers import (
    Const,
    Integer,
    Named,
    equal,
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


def function(ctx: Lowering) -> croq.KernelOp | None:
    """The kernel of a function; None where it is refused."""
    node = ctx.function
    ctx.span = node.name.span
    body = Block()
    arguments: list[str] = []
    ctx.exchanged = frozenset(exchanged_names(node.body))
    ctx.initials = initial_values.of(ctx)
    with ctx.new_scope(), ctx.inside(body) as opened:
        ctx.kernel_level = opened
        names.declare(ctx)
        for number, param in enumerate(node.params):
            try:
                _parameter(ctx, param, number, body, arguments)
            except Refused:
                if param.name is not None:
                    ctx.scope.declare(param.name.text, Poison(), param.span)
        with ctx.new_scope():
            _host(ctx, node)
    if ctx.reporter.has_errors:
        return None
    attributes: dict[str, Attribute] = {}
    if ctx.parts.by_warps:
        attributes[WARP_PRODUCTS] = UnitAttr()
    if ctx.parts.launch_bounds is not None:
        attributes.update(ctx.parts.launch_bounds.attributes())
    op = croq.KernelOp(
        node.name.text,
        Region(body),
        dims=ctx.dims,
        multiples=[ctx.multiples.get(name, 1) for name in ctx.dims],
        params=ctx.params,
        arg_names=arguments,
        attributes=attributes or None,
    )
    op.location = ctx.location
    accumulators.settle(ctx.parts.accumulators, op)
    apply_layouts(ctx, op)
    launches.check(ctx, op)
    return None if ctx.reporter.has_errors else op


def _parameter(
    ctx: Lowering, param: ast.Param, number: int, body: Block, arguments: list[str]
) -> None:
    ctx.span = param.span
    name = param.name.text if param.name is not None else f"unnamed{number}"
    match param.type:
        case ast.StreamType():
            ctx.reporter.remark(
                Kind.Ignored, param.span, "the launch chooses the stream"
            )
            return
        case ast.ElementType():
            element = buffers.element_name(ctx, param.type)
            argument = body.insert_arg(ELEMENTS[element], len(body.args))
            scalar = Scalar(argument, element)
            value: Value = as_index(ctx, scalar) if element == "s32" else scalar
        case ast.TileType():
            element = buffers.element_of_tiles(ctx, param.type.element)
            shape = tuple(
                _extent(ctx, dim, f"{name}_dim{place}")
                for place, dim in enumerate(param.type.dims)
            )
            kind = tile_type_of(shape, element, Space.Global)
            argument = body.insert_arg(kind, len(body.args))
            root = Buffer(name, param.span, is_argument=True)
            value = Tile(argument, shape, element, Space.Global, root=root)
    argument.name_hint = name
    argument.location = ctx.location
    arguments.append(name)
    if param.name is not None:
        ctx.declare(param.name, value)


def _extent(ctx: Lowering, dim: ast.Expr | ast.AnyDim, name: str) -> Integer:
    """A dim of a parameter: a number, a name that the launch binds, or `?` (`name`)."""
    if isinstance(dim, ast.AnyDim):
        ctx.dims.append(name)
        return Named(name)
    found = expressions.integer(ctx, dim)
    if isinstance(found, Const) and found.value < 1:
        ctx.fail(Kind.ShapeMismatch, dim, f"a dim must be positive, got {found.value}")
    if not isinstance(found, Const | Named):
        ctx.fail(
            Kind.ShapeMismatch,
            dim,
            f"a dim must be a number or a name, got {text(found)}",
        )
    return found


def _host(ctx: Lowering, node: ast.Function) -> None:
    """The statements of a function; its `return` is the last one."""
    returned: ast.Return | None = None
    for each in node.body.statements:
        if returned is not None:
            ctx.reporter.error(
                Kind.Syntax,
                each.span,
                f"return must be the last statement, got {statements.word(each)} "
                "after it",
                notes=[(returned.span, "the function returns here")],
            )
            break
        if isinstance(each, ast.Return):
            returned = each
            continue
        if not isinstance(each, _ON_HOST):
            ctx.reporter.error(
                Kind.Unsupported,
                each.span,
                f"{statements.word(each)} outside of parallel has no counterpart",
                hint="the host declares results, shapes and integers only",
            )
            continue
        statements.statement(ctx, each)
    try:
        _return(ctx, node, returned)
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


def _return(ctx: Lowering, node: ast.Function, found: ast.Return | None) -> None:
    if found is None or found.value is None:
        if not isinstance(node.result, ast.VoidType):
            ctx.fail(
                Kind.TypeMismatch,
                node.name,
                f"{node.name} must return a value, as its result is not void",
            )
        with ctx.at(node):
            ctx.add(croq.ReturnOp())
        return
    if isinstance(node.result, ast.VoidType):
        ctx.fail(
            Kind.TypeMismatch,
            found.value,
            f"{node.name} must return nothing, as its result is void",
        )
    value = expressions.evaluate(ctx, found.value)
    if not isinstance(value, Tile):
        ctx.unsupported(found.value, f"{kind_of(value)} as a result")
    if value.root is None or value.root.is_argument:
        ctx.unsupported(found.value, "an argument as a result", "pass it alone")
    if isinstance(node.result, ast.ElementType | ast.TileType):
        _check_result(ctx, node.result, value, found.value)
    with ctx.at(found):
        ctx.add(croq.ReturnOp([value.ssa]))


def _check_result(
    ctx: Lowering, stated: ast.ElementType | ast.TileType, value: Tile, where: ast.Node
) -> None:
    element = stated if isinstance(stated, ast.ElementType) else stated.element
    if element.name != value.element:
        ctx.fail(
            Kind.TypeMismatch,
            where,
            f"result must have elements of type {element.word}, got {value.element}",
            notes=[(stated.span, "the type is stated here")],
        )
    if isinstance(stated, ast.ElementType):
        ctx.fail(
            Kind.TypeMismatch,
            where,
            f"result must be a number of type {stated.word}, got a buffer of rank "
            f"{len(value.shape)}",
            hint="auto takes the type of what is returned",
            notes=[(stated.span, "the type is stated here")],
        )
    _check_extents(ctx, stated, value, where)


def _check_extents(
    ctx: Lowering, stated: ast.TileType, value: Tile, where: ast.Node
) -> None:
    notes = [(stated.span, "the type is stated here")]
    if len(stated.dims) != len(value.shape):
        ctx.fail(
            Kind.RankMismatch,
            where,
            f"result must have rank {len(stated.dims)}, got {len(value.shape)}",
            notes=notes,
        )
    for number, (dim, extent) in enumerate(zip(stated.dims, value.shape, strict=True)):
        if isinstance(dim, ast.AnyDim):
            continue
        expected = expressions.integer(ctx, dim)
        if not equal(expected, extent):
            ctx.fail(
                Kind.ShapeMismatch,
                where,
                f"dim {number} of the result must be {text(expected)}, got "
                f"{text(extent)}",
                notes=notes,
            )
