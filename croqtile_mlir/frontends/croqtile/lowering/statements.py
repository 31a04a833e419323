"""Statements in order, and those that are neither control flow nor copies."""

from __future__ import annotations

from croqtile_mlir.dialects import croq
from croqtile_mlir.dialects.croq import MemoryOrder, MemoryScope
from croqtile_mlir.frontends.croqtile import ast
from croqtile_mlir.frontends.croqtile.lowering import (
    buffers,
    builtins,
    cells,
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
from croqtile_mlir.frontends.croqtile.reporting import Kind


def sequence(l: Lowering, nodes: tuple[ast.Statement, ...]) -> None:
    """Statements one after the other; what is refused leaves out no other."""
    if l.threads is not None and not l.threads.inside:
        threads.sequence(l, nodes)
        return
    for node in nodes:
        statement(l, node)


def statement(l: Lowering, node: ast.Statement) -> None:
    """One statement."""
    lower = l.statements.get(type(node))
    try:
        with l.at(node):
            if lower is None:
                l.unsupported(node, f"statement {type(node).__name__}")
            lower(l, node)
    except Refused:
        poison(l, node)


def poison(l: Lowering, node: ast.Statement) -> None:
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
        if l.scope.find(name.text) is None:
            l.scope.declare(name.text, Poison(), name.span)


def block(l: Lowering, node: ast.Block) -> None:
    """A block in braces, with a scope of its own."""
    with l.new_scope():
        sequence(l, node.statements)


def assign(l: Lowering, node: ast.Assign) -> None:
    """`x = e`, `x.at(i) += e`."""
    target = node.target
    if isinstance(target, ast.Element):
        value = expressions.number(l, node.value)
        if node.operator is not None:
            before = builtins.loaded(l, target)
            value = expressions.arithmetic(l, node.operator, before, value, node)
        builtins.store(l, target, value)
        return
    known = l.scope.find(target.text)
    if known is None:
        if node.operator is not None:
            l.undefined(target)
        _declare(l, target, node.value)
        return
    if isinstance(known, Poison):
        raise Refused
    value = expressions.number(l, node.value)
    if node.operator is not None:
        before = expressions.number(l, ast.Ref(target.span, target))
        value = expressions.arithmetic(l, node.operator, before, value, node)
    cells.assign(l, target, value, node.value)


def _declare(l: Lowering, name: ast.Name, node: ast.Expr) -> None:
    """An untyped name: immutable, of whatever kind its value is."""
    value = expressions.evaluate(l, node)
    match value:
        case Int() | Scalar() | Literal():
            cells.declare(l, name, value, None, mutable=False)
        case Tile() | Shape() | Tuple() | Future():
            if isinstance(value, Tile) and value.ssa.name_hint is None:
                value.ssa.name_hint = name.text
            l.declare(name, value)
        case _:
            l.fail(Kind.TypeMismatch, node, f"must be a value, got {kind_of(value)}")


def scalars(l: Lowering, node: ast.ScalarDecl) -> None:
    """`mutable int i = 0`, `float x`."""
    if node.storage is ast.Storage.Shared:
        l.unsupported(node, "a shared scalar", "shared int [1] x; x.at(0)")
    type = None if node.type is None else buffers.element_name(l, node.type)
    mutable = node.mutable or (node.type is not None and not node.type.is_immutable)
    for item in node.items:
        if item.value is None:
            if not mutable:
                l.fail(
                    Kind.ImmutableAssign,
                    item,
                    f"{item.name} must have a value: it cannot be assigned later",
                    hint="mutable makes it assignable",
                )
            value: Number = Int(Const(0))
        else:
            value = expressions.number(l, item.value)
        cells.declare(l, item.name, value, type, mutable=mutable)


def shape(l: Lowering, node: ast.ShapeDecl) -> None:
    """`mdspan<2> s : [m, n]`."""
    found = expressions.as_shape(l, expressions.evaluate(l, node.value), node.value)
    _check_rank(l, node.rank, len(found.dims), node)
    l.declare(node.name, found)


def tuples(l: Lowering, node: ast.TupleDecl) -> None:
    """`ituple<2> t = {a, b}`."""
    value = expressions.evaluate(l, node.value)
    match value:
        case Tuple(items=items):
            pass
        case Shape(dims=dims):
            items = tuple(Int(dim) for dim in dims)
        case Int():
            items = (value,)
        case _:
            l.fail(
                Kind.TypeMismatch,
                node.value,
                f"must be a tuple of integers, got {kind_of(value)}",
            )
    _check_rank(l, node.rank, len(items), node)
    l.declare(node.name, Tuple(items))


def _check_rank(l: Lowering, stated: int | None, rank: int, node: ast.Node) -> None:
    if stated is not None and stated != rank:
        l.fail(
            Kind.RankMismatch,
            node,
            f"must have the stated rank {stated}, got {rank} elements",
        )


def call(l: Lowering, node: ast.CallStatement) -> None:
    """A call whose value is not used."""
    found = node.call
    match found:
        case ast.Atomic():
            builtins.atomic(l, found, wanted=False)
        case ast.Assert():
            _assert(l, found)
        case ast.Print():
            _print(l, found)
        case ast.NamedBarrier():
            word = "arrive" if found.arrive else "sync"
            l.fail(
                Kind.UnsupportedEscape,
                found,
                f"__bar_{word} names a hardware barrier by its number, which nothing "
                "can check",
                hint="use an event, or sync.barrier",
            )
        case ast.Call(name=name) if name.text in roles.REGISTER_CALLS:
            roles.set_registers(l, found)
        case ast.Call(name=name):
            l.fail(
                Kind.UnsupportedEscape,
                found,
                f"call of {name}, which is not in the language",
            )
        case ast.Escape(keyword=keyword):
            l.fail(
                Kind.UnsupportedEscape,
                found,
                f"{keyword} has text for another compiler",
            )


def _print(l: Lowering, node: ast.Print) -> None:
    if node.compile_time:
        words = [
            arg.value if isinstance(arg, ast.StringLiteral) else _known_text(l, arg)
            for arg in node.args
        ]
        l.reporter.remark(Kind.Ignored, node.span, "".join(words))
        return
    word = "println" if node.newline else "print"
    l.reporter.warning(Kind.PrintDropped, node.span, f"{word} in a kernel is left out")


def _known_text(l: Lowering, node: ast.Expr) -> str:
    value = expressions.evaluate(l, node)
    match value:
        case Int():
            return text(value.value)
        case Literal():
            return str(value.value)
        case Shape(dims=dims):
            return f"[{', '.join(map(text, dims))}]"
        case _:
            return kind_of(value)


def _assert(l: Lowering, node: ast.Assert) -> None:
    found = expressions.condition(l, node.condition)
    if found is True:
        return
    if found is False:
        l.fail(
            Kind.OutOfBounds, node.condition, f"assertion does not hold: {node.message}"
        )
    l.reporter.warning(
        Kind.Ignored,
        node.span,
        "an assertion about what the kernel computes is not checked",
    )


def barrier(l: Lowering, node: ast.SyncBarrier | ast.SyncStorage) -> None:
    """`sync.shared`, `sync.barrier : block`."""
    if isinstance(node, ast.SyncBarrier):
        match node.level.kind:
            case ast.LevelKind.Thread:
                return
            case ast.LevelKind.Block:
                pass
            case kind:
                l.unsupported(node, f"sync.barrier : {kind.value} here")
    l.add(croq.BarrierOp())


def fence(l: Lowering, node: ast.SyncFence) -> None:
    """`sync.fence : level`: orders what each thread did before with what follows."""
    scope = {
        ast.LevelKind.Device: MemoryScope.Gpu,
        ast.LevelKind.Cluster: MemoryScope.Cluster,
    }.get(node.level.kind, MemoryScope.Cta)
    l.add(croq.FenceOp(MemoryOrder.AcqRel, scope))


def ends(l: Lowering, node: ast.Return) -> None:
    """`return` where it is not the end of the function."""
    l.fail(
        Kind.ReturnInParallel,
        node,
        "return must stand at the level of the function, got one inside parallel",
    )
