"""Names that no declaration introduces: dims of parameters, and parameters."""

from __future__ import annotations

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering
from croqtile_mlir.frontends.croqtile.lowering.integers import Named
from croqtile_mlir.frontends.croqtile.lowering.values import Int
from croqtile_mlir.frontends.croqtile.lowering.walking import walk
from croqtile_mlir.frontends.croqtile.reporting import Kind


def declare(ctx: Lowering) -> None:
    """
    Declare the names in shapes of parameters as dims, and what `--param` names.

    A name that is defined nowhere and decides something while compiling becomes a
    parameter, too; with strict names it stays undefined.
    """
    stated = dict(ctx.program.params)
    for param in ctx.function.params:
        if isinstance(param.type, ast.TileType):
            for dim in param.type.dims:
                for each in walk(dim):
                    if isinstance(each, ast.Ref) and each.is_plain:
                        _dim(ctx, each.name, stated)
    mentioned = {
        each.text: each
        for each in walk(ctx.function.body)
        if isinstance(each, ast.Name)
    }
    for name, value in stated.items():
        if name in mentioned and ctx.scope.find(name) is None:
            _param(ctx, mentioned[name], value)
    if not ctx.options.strict_names:
        _implicit(ctx)


def _dim(ctx: Lowering, name: ast.Name, stated: dict[str, int | None]) -> None:
    if ctx.scope.find(name.text) is not None:
        return
    if name.text in stated:
        _param(ctx, name, stated[name.text])
        return
    ctx.dims.append(name.text)
    ctx.scope.declare(name.text, Int(Named(name.text)), name.span)


def _param(ctx: Lowering, name: ast.Name, value: int | None) -> None:
    ctx.params[name.text] = value
    ctx.scope.declare(name.text, Int(Named(name.text, is_param=True)), name.span)


def _implicit(ctx: Lowering) -> None:
    declared = _declared(ctx.function)
    for node in walk(ctx.function.body):
        for position in _static_positions(node):
            for each in walk(position):
                if (
                    isinstance(each, ast.Ref)
                    and each.is_plain
                    and each.name.text not in declared
                    and ctx.scope.find(each.name.text) is None
                ):
                    _param(ctx, each.name, None)
                    ctx.reporter.remark(
                        Kind.ImplicitParam,
                        each.name.span,
                        f"{each.name} is defined nowhere, and becomes a parameter",
                        hint=f"-D{each.name}=value defines it",
                    )


def _declared(function: ast.Function) -> set[str]:
    """All names that something in a function declares, wherever."""
    found = {param.name.text for param in function.params if param.name is not None}
    for node in walk(function.body):
        match node:
            case (
                ast.Assign(target=ast.Name() as name)
                | ast.ShapeDecl(name=name)
                | ast.TupleDecl(name=name)
                | ast.ScalarItem(name=name)
                | ast.BufferItem(name=name)
                | ast.EventItem(name=name)
                | ast.Placeholder(name=name)
            ):
                found.add(name.text)
            case (
                ast.ParallelAxis(name=name, names=names)
                | ast.Within(name=name, names=names)
            ):
                found.update(each.text for each in names)
                if name is not None:
                    found.add(name.text)
            case ast.Range(alias=ast.Name() as name):
                found.add(name.text)
            case (
                ast.Copy(name=ast.Name() as name)
                | ast.MmaFill(name=ast.Name() as name)
                | ast.MmaLoad(name=ast.Name() as name)
                | ast.MmaExec(name=ast.Name() as name)
            ):
                found.add(name.text)
            case ast.Apply(names=names):
                found.update(each.text for each in names)
            case _:
                pass
    return found


def _static_positions(node: ast.Node) -> tuple[ast.Node, ...]:
    """What of a node decides something while compiling."""
    match node:
        case ast.BufferDecl(extents=extents) | ast.FragmentDecl(extents=extents):
            return extents or ()
        case ast.BufferItem(array=array) | ast.EventItem(array=array):
            return array
        case ast.ParallelAxis(bound=bound):
            return (bound,)
        case ast.Within(domain=domain):
            return (domain,)
        case ast.Binary(operator="%", right=right):
            return (right,)
        case ast.Subspan(extents=extents) | ast.Window(extents=extents):
            return extents
        case ast.Chunk(counts=counts):
            return counts
        case ast.SpanAs(extents=extents):
            return extents
        case _:
            return ()
