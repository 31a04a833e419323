"""Statements in order, and those that are neither control flow nor copies."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from xdsl.utils.exceptions import VerifyException

from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import (
    assertions,
    barriers,
    buffers,
    builtins,
    cells,
    control,
    expressions,
    roles,
    threads,
)
from croqtile_mlir.frontends.croqtile.lowering.context import Lowering, Refused
from croqtile_mlir.frontends.croqtile.lowering.integers import Const, text
from croqtile_mlir.frontends.croqtile.lowering.scalars import Number
from croqtile_mlir.frontends.croqtile.lowering.values import (
    Future,
    Int,
    Literal,
    Poison,
    Scalar,
    Shape,
    Tile,
    Tuple,
    kind_of,
)
from croqtile_mlir.frontends.croqtile.lowering.walking import has_effect
from croqtile_mlir.frontends.croqtile.reporting import Kind


def sequence(ctx: Lowering, nodes: tuple[ast.Statement, ...]) -> None:
    """Statements one after the other; what is refused leaves out no other."""
    if ctx.threads is not None and not ctx.threads.inside:
        threads.sequence(ctx, nodes)
        return
    control.guarded(ctx, nodes, lambda part: _each(ctx, part))


def _each(ctx: Lowering, nodes: tuple[ast.Statement, ...]) -> None:
    for node in nodes:
        statement(ctx, node)


def statement(ctx: Lowering, node: ast.Statement) -> None:
    """One statement."""
    lower = ctx.statements.get(type(node))
    try:
        with ctx.at(node):
            if lower is None:
                ctx.unsupported(node, word(node))
            lower(ctx, node)
    except Refused:
        poison(ctx, node)
    except VerifyException as error:
        # A rule of a type or an op that none of ours comes before.
        ctx.reporter.error(Kind.ShapeMismatch, node.span, str(error))
        poison(ctx, node)


_WORDS: Mapping[type[ast.Node], str] = MappingProxyType(
    {
        ast.Foreach: "foreach",
        ast.With: "with",
        ast.While: "while",
        ast.InThreads: "inthreads",
        ast.Copy: "a copy",
        ast.Placeholder: "a placeholder",
        ast.Rotate: "an exchange of futures",
        ast.Yield: "yield",
        ast.Wait: "wait",
        ast.Trigger: "trigger",
        ast.EventDecl: "an event",
        ast.FragmentDecl: "a fragment",
        ast.Apply: "apply",
        ast.SyncBarrier: "sync.barrier",
        ast.SyncFence: "sync.fence",
        ast.SyncStorage: "sync",
        ast.MmaFill: "mma.fill",
        ast.MmaLoad: "mma.load",
        ast.MmaExec: "mma",
        ast.MmaScale: "mma.scale",
        ast.MmaStore: "mma.store",
        ast.MmaCommit: "mma.commit",
        ast.MmaWait: "mma.wait",
        ast.FragmentReduce: "a reduction of a fragment",
        ast.FragmentAllReduce: "all_reduce_sum",
        ast.FragmentCopy: "a copy of a fragment",
        ast.Break: "break",
        ast.Continue: "continue",
        ast.Return: "return",
        ast.Parallel: "parallel",
        ast.If: "if",
        ast.Assign: "an assignment",
        ast.ScalarDecl: "a declaration",
        ast.BufferDecl: "a declaration",
        ast.ShapeDecl: "a declaration",
        ast.TupleDecl: "a declaration",
        ast.CallStatement: "a call",
    }
)


def word(node: ast.Node) -> str:
    """What messages call a statement."""
    return _WORDS.get(type(node), "this statement")


def poison(ctx: Lowering, node: ast.Statement) -> None:
    """Declare what a refused statement would have: its uses are no further errors."""
    names: list[ast.Name] = []
    match node:
        case ast.Assign(target=ast.Name() as name, operator=None):
            names = [name]
        case (
            ast.ShapeDecl(name=name)
            | ast.TupleDecl(name=name)
            | ast.Placeholder(name=name)
        ):
            names = [name]
        case ast.Copy(name=name) | ast.MmaFill(name=name) | ast.MmaLoad(name=name):
            names = [] if name is None else [name]
        case (
            ast.ScalarDecl(items=items)
            | ast.BufferDecl(items=items)
            | ast.FragmentDecl(items=items)
            | ast.EventDecl(items=items)
        ):
            names = [item.name for item in items]
        case _:
            pass
    for name in names:
        if ctx.scope.find(name.text) is None:
            ctx.scope.declare(name.text, Poison(), name.span)


def block(ctx: Lowering, node: ast.Block) -> None:
    """A block in braces, with a scope of its own."""
    with ctx.new_scope():
        sequence(ctx, node.statements)


def assign(ctx: Lowering, node: ast.Assign) -> None:
    """`x = e`, `x.at(i) += e`."""
    target = node.target
    if isinstance(target, ast.Element):
        builtins.assign(ctx, node, target)
        return
    known = ctx.scope.find(target.text)
    if known is None:
        if node.operator is not None:
            ctx.undefined(target)
        _declare(ctx, target, node.value)
        return
    if isinstance(known, Poison):
        raise Refused
    value = expressions.number(ctx, node.value)
    if node.operator is not None:
        before = expressions.number(ctx, ast.Ref(target.span, target))
        value = expressions.arithmetic(ctx, node.operator, before, value, node)
    cells.assign(ctx, target, value, node.value)


def _declare(ctx: Lowering, name: ast.Name, node: ast.Expr) -> None:
    """An untyped name: immutable, of whatever kind its value is."""
    value = expressions.evaluate(ctx, node)
    match value:
        case Int() | Scalar() | Literal():
            cells.declare(ctx, name, value, None, mutable=False)
        case Tile() | Shape() | Tuple() | Future():
            if isinstance(value, Tile) and value.ssa.name_hint is None:
                value.ssa.name_hint = name.text
            if isinstance(value, Future) and isinstance(node, ast.Select):
                value.name = name.text
                if value.handle is not None:
                    value.handle.name_hint = name.text
            ctx.declare(name, value)
        case _:
            ctx.fail(Kind.TypeMismatch, node, f"must be a value, got {kind_of(value)}")


def scalars(ctx: Lowering, node: ast.ScalarDecl) -> None:
    """`mutable int i = 0`, `float x`."""
    if node.storage is ast.Storage.Shared:
        ctx.unsupported(node, "a shared scalar", "shared int [1] x; x.at(0)")
    type = None if node.type is None else buffers.element_name(ctx, node.type)
    mutable = node.mutable or (node.type is not None and not node.type.is_immutable)
    for item in node.items:
        if item.value is None:
            if not mutable:
                ctx.fail(
                    Kind.ImmutableAssign,
                    item,
                    f"{item.name} must have a value: it cannot be assigned later",
                    hint="mutable makes it assignable",
                )
            value: Number = Int(Const(0))
        else:
            value = expressions.number(ctx, item.value)
        cells.declare(ctx, item.name, value, type, mutable=mutable)


def shape(ctx: Lowering, node: ast.ShapeDecl) -> None:
    """`mdspan<2> s : [m, n]`."""
    found = expressions.as_shape(ctx, expressions.evaluate(ctx, node.value), node.value)
    _check_rank(ctx, node.rank, len(found.dims), node)
    ctx.declare(node.name, found)


def tuples(ctx: Lowering, node: ast.TupleDecl) -> None:
    """`ituple<2> t = {a, b}`."""
    value = expressions.evaluate(ctx, node.value)
    match value:
        case Tuple(items=items):
            pass
        case Shape(dims=dims):
            items = tuple(Int(dim) for dim in dims)
        case Int():
            items = (value,)
        case _:
            ctx.fail(
                Kind.TypeMismatch,
                node.value,
                f"must be a tuple of integers, got {kind_of(value)}",
            )
    _check_rank(ctx, node.rank, len(items), node)
    ctx.declare(node.name, Tuple(items))


def _check_rank(ctx: Lowering, stated: int | None, rank: int, node: ast.Node) -> None:
    if stated is not None and stated != rank:
        ctx.fail(
            Kind.RankMismatch,
            node,
            f"must have the stated rank {stated}, got {rank} elements",
        )


def call(ctx: Lowering, node: ast.CallStatement) -> None:
    """A call whose value is not used."""
    found = node.call
    match found:
        case ast.Atomic():
            builtins.atomic(ctx, found, wanted=False)
        case ast.Assert():
            assertions.assertion(ctx, found)
        case ast.Print():
            _print(ctx, found)
        case ast.NamedBarrier():
            barriers.named(ctx, found)
        case ast.Call(name=name) if name.text in roles.REGISTER_CALLS:
            roles.set_registers(ctx, found)
        case ast.Call(name=name):
            ctx.fail(
                Kind.UnsupportedEscape,
                found,
                f"call of {name}, which is not in the language",
            )
        case ast.Escape(keyword=keyword):
            ctx.fail(
                Kind.UnsupportedEscape,
                found,
                f"{keyword} has text for another compiler",
            )


def _print(ctx: Lowering, node: ast.Print) -> None:
    if node.compile_time:
        words = [
            arg.value if isinstance(arg, ast.StringLiteral) else _known_text(ctx, arg)
            for arg in node.args
        ]
        ctx.reporter.remark(Kind.Ignored, node.span, "".join(words))
        return
    for arg in node.args:
        if not isinstance(arg, ast.StringLiteral) and has_effect(arg):
            expressions.evaluate(ctx, arg)
    word = "println" if node.newline else "print"
    ctx.reporter.warning(
        Kind.PrintDropped, node.span, f"{word} in a kernel is left out"
    )


def _known_text(ctx: Lowering, node: ast.Expr) -> str:
    value = expressions.evaluate(ctx, node)
    match value:
        case Int():
            return text(value.value)
        case Literal():
            return str(value.value)
        case Shape(dims=dims):
            return f"[{', '.join(map(text, dims))}]"
        case _:
            return kind_of(value)


def ends(ctx: Lowering, node: ast.Return) -> None:
    """`return` where it is not the end of the function."""
    ctx.fail(
        Kind.ReturnInParallel,
        node,
        "return must stand at the level of the function, got one inside parallel",
    )
